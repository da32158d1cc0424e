"""Floats as fractions, rounded once: slow, and written directly from the definition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

ZERO = Fraction(0)


@dataclass(frozen=True)
class Shape:
    """Exponent and mantissa bits of an IEEE format, and its canonical NaN."""

    exponent: int
    mantissa: int
    nan: int

    @property
    def width(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self) -> int:
        return (1 << self.exponent - 1) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def sign(self) -> int:
        return 1 << self.width - 1

    @property
    def quiet(self) -> int:
        return 1 << self.mantissa - 1


SHAPES = {
    "f16": Shape(5, 10, 0x7FFF),
    "bf16": Shape(8, 7, 0x7FFF),
    "f32": Shape(8, 23, 0x7FFFFFFF),
    "f64": Shape(11, 52, 0xFFF8000000000000),
}


def is_nan(f: Shape, bits: int) -> bool:
    return bits & ~f.sign > f.infinity


def nan_of(f: Shape, *operands: int) -> int:
    """A NaN result: the canonical one; but f64 has the first of `operands` that is NaN, quieted.

    The manual leaves open which that is: the order of the operands is that of an H100.
    """
    kept = [q for q in operands if f.width == 64 and is_nan(f, q)]
    return kept[0] | f.quiet if kept else f.nan


def is_infinite(f: Shape, bits: int) -> bool:
    return bits & ~f.sign == f.infinity


def is_subnormal(f: Shape, bits: int) -> bool:
    return 0 < bits & ~f.sign < 1 << f.mantissa


def flush(f: Shape, bits: int, ftz: bool = True) -> int:
    return bits & f.sign if ftz and is_subnormal(f, bits) else bits


def value(f: Shape, bits: int) -> Fraction:
    """Of finite codes."""
    magnitude = bits & ~f.sign
    e, fraction = magnitude >> f.mantissa, magnitude & (1 << f.mantissa) - 1
    significand = fraction if e == 0 else fraction | 1 << f.mantissa
    power = max(e, 1) - f.bias - f.mantissa
    result = significand * Fraction(2) ** power
    return -result if bits & f.sign else result


def round_to(f: Shape, v: Fraction, rnd: str, negative_zero: bool = False, ftz: bool = False) -> int:
    """The code of a value rounded once; `negative_zero` is the sign of an exact zero."""
    if v == 0:
        return f.sign if negative_zero else 0
    sign, v = (f.sign, -v) if v < 0 else (0, v)
    e = v.numerator.bit_length() - v.denominator.bit_length()
    if v < Fraction(2) ** e:
        e -= 1
    if ftz and e < 1 - f.bias:
        # Tiny, unless rounding with unbounded exponent makes it the smallest normal number.
        ulp = Fraction(2) ** (e - f.mantissa)
        if whole(v / ulp, rnd, sign != 0) * ulp < Fraction(2) ** (1 - f.bias):
            return sign
    e = max(e, 1 - f.bias)
    ulp = Fraction(2) ** (e - f.mantissa)
    n = whole(v / ulp, rnd, sign != 0)
    code = n if e == 1 - f.bias else n + ((e + f.bias - 1) << f.mantissa)
    if code >= f.infinity:
        away = rnd == "rn" or (rnd == "rp" and not sign) or (rnd == "rm" and sign != 0)
        code = f.infinity if away else f.infinity - 1
    return sign | code


def whole(v: Fraction, rnd: str, negative: bool) -> int:
    """A magnitude as an integer, rounded in a direction of the signed number."""
    low = v.numerator // v.denominator
    rest = v - low
    if rest == 0:
        return low
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low & 1 == 1),
        "rz": False,
        "rm": negative,
        "rp": not negative,
    }[rnd]
    return low + up


def root(f: Shape, v: Fraction, rnd: str) -> int:
    """The square root, rounded: of a fraction scaled until the integer root has bits enough."""
    scale = 4 * (f.mantissa + f.bias)
    n = v.numerator * v.denominator << 2 * scale
    r = isqrt(n)
    exact = Fraction(r, v.denominator << scale)
    if r * r != n:  # between two integers: a sticky half step
        exact += Fraction(1, v.denominator << scale + 1)
    return round_to(f, exact, rnd)
