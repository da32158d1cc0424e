"""One codec for all formats: codes to exact values and back; scalar, slow and obviously right."""

from __future__ import annotations

from fractions import Fraction

from openptx.numerics.formats import ALL_ONES, IEEE, Fixed, Format
from openptx.numerics.type_names import Element, Integer

FINITE, INFINITE, NAN = "finite", "infinite", "nan"


class Value:
    """An exact value: finite with its sign (zeros have one), infinite, or NaN with the code's sign and payload."""

    __slots__ = ("kind", "magnitude", "payload", "sign")

    def __init__(self, kind: str, sign: bool, magnitude: Fraction = Fraction(0), payload: int = 0) -> None:
        self.kind, self.sign, self.magnitude, self.payload = kind, sign, magnitude, payload

    @property
    def number(self) -> Fraction:
        """The finite number. Raises ValueError for another value."""
        if self.kind != FINITE:
            raise ValueError(f"{self} is not finite")
        return -self.magnitude if self.sign else self.magnitude

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple[object, ...]:
        return (self.kind, self.sign, self.magnitude if self.kind == FINITE else self.payload)

    def __repr__(self) -> str:
        sign = "-" if self.sign else ""
        return sign + {FINITE: str(self.magnitude), INFINITE: "inf", NAN: f"nan:{self.payload:#x}"}[self.kind]


def finite(number: Fraction | int) -> Value:
    """A number as a Value; zero is +0."""
    return Value(FINITE, number < 0, abs(Fraction(number)))


def decode(t: Element, code: int) -> Value:
    """The value of a code; bits beyond the format's width are ignored."""
    if isinstance(t, Integer | Fixed):
        code &= (1 << t.width) - 1
        signed = t.signed if isinstance(t, Integer) else True
        number = code - (1 << t.width) if signed and code >> t.width - 1 else code
        return finite(Fraction(number, 1 << (0 if isinstance(t, Integer) else t.fraction)))
    f = t
    code = (code >> f.low) & ((1 << f.width) - 1)
    sign = bool(code & f.sign)
    magnitude = code & f.magnitude
    exponent, mantissa = magnitude >> f.man, magnitude & (f.hidden - 1)
    if f.nans == IEEE and exponent == (1 << f.exp) - 1:
        return Value(NAN, sign, payload=mantissa) if mantissa else Value(INFINITE, sign)
    if f.nans == ALL_ONES and magnitude == f.magnitude:
        return Value(NAN, sign, payload=mantissa)
    if f.gradual and exponent == 0:
        return Value(FINITE, sign, mantissa * two(f.emin - f.man))
    return Value(FINITE, sign, (f.hidden + mantissa) * two(exponent - f.bias - f.man))


def two(n: int) -> Fraction:
    """2 to the power n."""
    return Fraction(1 << n) if n >= 0 else Fraction(1, 1 << -n)


def log2(m: Fraction) -> int:
    """The exponent of the leading bit of a positive number."""
    e = m.numerator.bit_length() - m.denominator.bit_length()
    return e if m >= two(e) else e - 1


def goes_up(rest: Fraction, odd: bool, negative: bool, rnd: str, random: Fraction | None = None) -> bool:
    """Whether a magnitude that lies `rest` (0 <= rest < 1) above a multiple of the unit rounds up to the next one.

    `random`, for rs, is added to `rest` after that was truncated to as many bits.
    """
    if rnd == "rs":
        if random is None:
            raise ValueError("`rs` needs random bits")
        return rest - rest % Fraction(1, random.denominator) + random >= 1
    return {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and odd),
        "rna": rest >= Fraction(1, 2),
        "rz": False,
        "rm": rest > 0 and negative,
        "rp": rest > 0 and not negative,
    }[rnd]


def unit(f: Format, m: Fraction) -> Fraction:
    """The distance between adjacent numbers of `f` near the magnitude `m`: one unit in the last place."""
    e = max(log2(m), f.emin) if m else f.emin
    return two(e - f.man)


def round_magnitude(m: Fraction, negative: bool, rnd: str, quantum: Fraction, random: Fraction | None) -> Fraction:
    """`m` as a multiple of `quantum`."""
    kept, rest = divmod(m / quantum, 1)
    return (kept + goes_up(Fraction(rest), bool(kept % 2), negative, rnd, random)) * quantum


def encode(
    f: Format, v: Value, rnd: str = "rn", *, satfinite: bool = False, ftz: bool = False,
    random: tuple[int, int] | None = None,
) -> int:  # fmt: skip
    """The code of `v` rounded once; `random` is the number of random bits and their value, for rs.

    Overflow: away from zero to infinity, or with `satfinite` to the largest number; a format without infinity gets NaN
    instead, and one without NaN the largest number. With `ftz`, results below the smallest normal number after rounding
    with unbounded exponent become zero.
    """
    negative = v.sign and f.signed
    sign = f.sign if negative else 0
    nan = f.largest if f.nan is None else f.nan
    infinity = f.largest if satfinite else f.infinity if f.infinity is not None else nan
    if v.kind == NAN:
        return nan << f.low
    if v.kind == INFINITE:
        return (sign | infinity) << f.low
    m, draw = v.magnitude, None if random is None else Fraction(random[1], 1 << random[0])
    if ftz and m and round_magnitude(m, negative, rnd, two(log2(m) - f.man), draw) < two(f.emin):
        return sign << f.low
    if not f.gradual and m < two(f.emin):
        m = least_magnitude(f, m, rnd)
    m = round_magnitude(m, negative, rnd, unit(f, m), draw)
    if m <= decode(f, f.largest << f.low).magnitude:
        return (sign | magnitude_code(f, m)) << f.low
    return (sign | (infinity if overflows(rnd, negative) else f.largest)) << f.low


def least_magnitude(f: Format, m: Fraction, rnd: str) -> Fraction:
    """A magnitude in a format without zero: the smallest number, unless it rounds up from above half of it."""
    return max(m, two(f.emin - 1)) * 2 if rnd == "rp" and m > two(f.emin) else two(f.emin)


def overflows(rnd: str, negative: bool) -> bool:
    """Whether magnitudes beyond the largest number round away from zero."""
    return rnd in ("rn", "rna", "rs") or rnd == ("rm" if negative else "rp")


def magnitude_code(f: Format, m: Fraction) -> int:
    """The code of a magnitude that `f` represents exactly."""
    if f.gradual and m < two(f.emin):
        return int(m / two(f.emin - f.man))
    e = log2(m)
    return (e + f.bias << f.man) + int(m / two(e - f.man)) - f.hidden


def integral(v: Value, rnd: str) -> int:
    """A finite value rounded to an integer."""
    kept, rest = divmod(v.magnitude, 1)
    whole = int(kept) + goes_up(Fraction(rest), bool(kept % 2), v.sign, rnd)
    return -whole if v.sign else whole


def neighbours(f: Format, code: int) -> tuple[int | None, int | None]:
    """The codes of the next lower and the next higher number, infinities included; None if there is none."""
    top = f.largest if f.infinity is None else f.infinity
    bottom = -top if f.signed else 0
    c = code >> f.low
    n = -(c & f.magnitude) if c & f.sign else c  # codes in the order of their values, both zeros at 0

    def at(n: int) -> int | None:
        return (f.sign - n if n < 0 else n) << f.low if bottom <= n <= top else None

    return at(n - 1), at(n + 1)
