"""Functions that PTX only bounds (`.approx`), computed from exact primitives so that every machine gives the same bits.

Each result is a value in f64 with an error of a few units in its last place, rounded once: the correctly rounded result
but for about one input in 2^25, where it is the neighbour. ptxas folds these functions to the correctly rounded result
too. A table recorded from hardware can take their place.
"""

from __future__ import annotations

import math

from openptx.numerics.bits import Bits, S, U
from openptx.numerics.conversion import Conversion
from openptx.numerics.formats import F64, Format
from openptx.numerics.words import lowest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def f64_bits(value: float) -> int:
    """The code of a Python float; no `struct`, so that nothing is imported for it."""
    if value == 0:
        return 0
    mantissa, exponent = math.frexp(abs(value))
    return (value < 0) << 63 | (exponent + 1022) << 52 | (int(mantissa * 2**53) & (1 << 52) - 1)


# Coefficients, lowest power first.
EXP2 = [math.log(2) ** i / math.factorial(i) for i in range(14)]  # 2^r, |r| <= 1/2: relative error 2^-60
ATANH = [2 / (math.log(2) * (2 * i + 1)) for i in range(13)]  # log2((1+s)/(1-s)) / s in s^2, |s| < 0.1716
SIN = [(-1) ** i / math.factorial(2 * i + 1) for i in range(9)]  # sin(r) / r in r^2, |r| <= pi/4
COS = [(-1) ** i / math.factorial(2 * i) for i in range(9)]
TANH_UP = [2027025.0, 270270.0, 6930.0, 36.0]  # Lambert's continued fraction of tanh(r) / r in r^2, cut at 15:
TANH_DOWN = [2027025.0, 945945.0, 51975.0, 630.0, 1.0]  # relative error 2^-57 for r <= 5/8
TWO_LOG2E = 2 / math.log(2)

# 2/pi in units of 2^-256: enough for the largest f32 and 128 bits more.
TWO_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561

FUNCTIONS = ("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt")

# fmt: off
# function  format    the error that the manual allows (9.7.3, 9.7.4)
BOUNDS: dict[tuple[str, str], str] = {
    ("ex2",   "f32"):  "2 ulp",
    ("ex2",   "f16"):  "relative 2^-9.9",
    ("ex2",   "bf16"): "relative 2^-7",
    ("lg2",   "f32"):  "absolute 2^-22 in (0.5, 2), else relative 2^-22",
    ("sin",   "f32"):  "absolute 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]",
    ("cos",   "f32"):  "absolute 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]",
    ("tanh",  "f32"):  "relative 2^-11",
    ("tanh",  "f16"):  "absolute 2^-10.987",
    ("tanh",  "bf16"): "absolute 2^-8",
    ("rcp",   "f32"):  "1 ulp",
    ("rcp",   "f64"):  "20 bits of mantissa",
    ("rsqrt", "f32"):  "relative 2^-22.9",
    ("rsqrt", "f64"):  "20 bits of mantissa",
    ("sqrt",  "f32"):  "relative 2^-23",
    ("div",   "f32"):  "2 ulp for |b| in [2^-126, 2^126]; div.full everywhere",
}
# fmt: on


class Approximate(Conversion):
    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        """`op` (one of FUNCTIONS) of codes of `f`; `.ftz` flushes subnormal operands and results."""
        x = self
        a = x.flush(f, a, ftz)
        if op == "rcp":
            return x.fdiv(f, x.const(f.bias << f.man, f.storage), a, "rn", ftz)
        if op == "sqrt":
            return x.fsqrt(f, a, "rn", ftz)
        if op in ("sin", "cos"):
            v = x.circular(op, f, a)
        else:
            functions = {"ex2": x.ex2, "lg2": x.lg2, "tanh": x.tanh, "rsqrt": x.rsqrt}
            if op not in functions:
                raise ValueError(f"no approximate function is called `{op}`; there are {', '.join(FUNCTIONS)}")
            v = functions[op](x.convert(F64, f, a))
        d = x.flush(f, x.convert(f, F64, v), ftz)
        return x.pick(x.isnan(F64, v), f.nan or 0, d)

    def approx_div(self, f: Format, a: Bits, b: Bits, ftz: bool = False, full: bool = False) -> Bits:
        """`div.approx` (or `div.full`): a * (1/b), each rounded, of operands scaled into the range where 1/b is normal.

        div.approx has no quotient for |b| above 2^126: infinity gives NaN, everything else a zero with the quotient's
        sign (floating-point-instructions-div). ptxas folds constants to the same bits.
        """
        x = self
        a, b = x.flush(f, a, ftz), x.flush(f, b, ftz)
        one, size = f.bias << f.man, x.magnitude(f, b)
        large = (size > one + (f.emax - 1 << f.man)) & (size < (f.infinity or 0))
        scale = x.pick(large, one - (2 << f.man), x.pick(size < f.hidden, one + (24 << f.man), x.const(one, f.storage)))
        p, q = x.fmul(f, a, scale), x.fmul(f, b, scale)
        d = x.fmul(f, p, x.fdiv(f, x.const(one, f.storage), q), "rn", ftz)
        if full:
            return d
        zero = x.pick(x.magnitude(f, a) >= (f.infinity or 0), f.nan or 0, (a ^ b) & f.sign)
        return x.select(large, zero, d)

    def approx_upper(self, op: str, a: Bits) -> Bits:
        """`rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`: of the upper 32 bits of `a`, 1.11.20, low 32 bits zero."""
        x = self
        a = x.flush(F64, a & 0xFFFFFFFF00000000)
        one = x.const(f64_bits(1.0), 64)
        v = x.fdiv(F64, one, a) if op == "rcp" else x.rsqrt(a)
        magnitude = x.magnitude(F64, v)
        # Nearest even at 20 bits of mantissa: no carry reaches infinity, for finite results are at most 2^1022.
        cut = (magnitude + 0x7FFFFFFF + ((magnitude >> 32) & 1)) & 0xFFFFFFFF00000000
        cut = x.pick(cut < 1 << 52, 0, cut)
        return x.pick(x.isnan(F64, v), 0x7FFFFFFF00000000, (v & F64.sign) | cut)

    # Values in f64

    def double(self, value: float) -> Bits:
        return self.const(f64_bits(value), 64)

    def horner(self, coefficients: Sequence[float], r: Bits) -> Bits:
        """The polynomial at `r`, each product and sum rounded to f64; finite operands only."""
        x = self
        d = x.double(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            d = x.fadd(F64, x.fmul(F64, d, r), x.double(c))
        return d

    def ex2(self, a: Bits) -> Bits:
        """2^a for |a| < 1100 and infinities; `a` beyond is clamped, where f32 has overflowed or vanished long ago."""
        x = self
        negative = x.negative(a)
        bound = x.select(negative, x.double(-1100.0), x.double(1100.0))
        clamped = x.select(x.magnitude(F64, a) > f64_bits(1100.0), bound, a)
        # Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
        magic = x.double(6755399441055744.0)
        shifted = x.fadd(F64, clamped, magic)
        n = shifted - magic
        r = x.fsub(F64, clamped, x.fsub(F64, shifted, magic))
        half = x.binary("sar", n, x.const(1, 64))  # in two steps, for 2^n alone may be out of range
        v = x.fmul(F64, x.horner(EXP2, r), (half + 1023) << 52)
        v = x.fmul(F64, v, (n - half + 1023) << 52)
        v = x.pick(x.magnitude(F64, a) == (F64.infinity or 0), x.pick(negative, 0, x.const(F64.infinity or 0, 64)), v)
        return x.select(x.isnan(F64, a), a, v)

    def lg2(self, a: Bits) -> Bits:
        """log2 of normal numbers, which is all that f32 gives; -inf of zeros, NaN of negative numbers."""
        x = self
        upper = (a & 0x000FFFFFFFFFFFFF) > 0x6A09E667F3BCC  # mantissas above sqrt(2) are taken as below one
        n = ((a >> 52) & 0x7FF) - 1023 + x.resize(upper, 64)
        m = (a & 0x000FFFFFFFFFFFFF) | (x.pick(upper, 1022, x.const(1023, 64)) << 52)
        one = x.double(1.0)
        s = x.fdiv(F64, x.fsub(F64, m, one), x.fadd(F64, m, one))
        v = x.fmul(F64, s, x.horner(ATANH, x.fmul(F64, s, s)))
        v = x.fadd(F64, v, x.from_int(F64, S, n))
        infinity = F64.infinity or 0
        v = x.pick(a == infinity, infinity, v)
        v = x.pick(x.negative(a), F64.nan or 0, v)
        v = x.pick(x.magnitude(F64, a) == 0, F64.sign | infinity, v)
        return x.select(x.isnan(F64, a), a, v)

    def rsqrt(self, a: Bits) -> Bits:
        """1/sqrt(a); an infinity with its sign for a zero."""
        x = self
        v = x.fdiv(F64, x.double(1.0), x.fsqrt(F64, a))
        return x.pick(x.magnitude(F64, a) == 0, (a & F64.sign) | (F64.infinity or 0), v)

    def tanh(self, a: Bits) -> Bits:
        """A rational function near zero, 1 - 2/(e^2a + 1) elsewhere."""
        x = self
        m = x.magnitude(F64, a)
        r = x.pick(m > f64_bits(0.625), 0, m)
        square = x.fmul(F64, r, r)
        near = x.fmul(F64, r, x.fdiv(F64, x.horner(TANH_UP, square), x.horner(TANH_DOWN, square)))
        e = x.ex2(x.fmul(F64, m, x.double(TWO_LOG2E)))
        one = x.double(1.0)
        far = x.fsub(F64, one, x.fdiv(F64, x.double(2.0), x.fadd(F64, e, one)))
        return x.select(m > f64_bits(0.625), far, near) | (a & F64.sign)

    def circular(self, op: str, f: Format, a: Bits) -> Bits:
        """sin or cos of any f32, its argument reduced exactly (Payne and Hanek); NaN of infinities."""
        x = self
        r = x.unpack(f, a, 32)
        quadrant, angle, negative = x.reduce_angle(r.exp, x.resize(lowest(r.sig) >> 8, 64))
        # Below pi/4 the angle is the operand itself, and no bit of it may be lost.
        small = x.magnitude(f, a) < 0x3F490FDB
        angle = x.select(small, x.convert(F64, f, x.magnitude(f, a)), angle)
        quadrant = x.pick(small, 0, quadrant)
        negative = negative & ~small
        square = x.fmul(F64, angle, angle)
        sine = x.fmul(F64, angle, x.horner(SIN, square)) ^ (x.resize(negative, 64) << 63)
        cosine = x.horner(COS, square)
        if op == "cos":
            quadrant = quadrant + 1
        v = x.select((quadrant & 1) != 0, cosine, sine)
        sign = x.resize((quadrant >> 1) & 1, 64) << 63
        v = v ^ sign
        if op == "sin":
            v = v ^ (x.resize(r.sign, 64) << 63)
        return x.pick(r.nan | r.inf, F64.nan or 0, v)

    def reduce_angle(self, exp: Bits, m: Bits) -> tuple[Bits, Bits, Bits]:
        """The quadrant of m * 2^(exp - 23), the distance from its nearer axis, and whether that axis is the next one.

        `m` has 24 bits and the value is at least pi/4. The product of `m` with 128 bits of 2/pi, from where they stop
        to add whole circles: its error is below 2^-100 quadrants, and no f32 is nearer to an axis than 2^-33.
        """
        x = self
        skip = x.max(S, exp - 25, 0)  # bit i of 2/pi adds a multiple of m * 2^(exp - 23 - i)
        limbs = [x.const((TWO_OVER_PI >> 192 - 64 * i) & (1 << 64) - 1, 64) for i in range(4)]
        far, part = skip > 63, skip & 63
        a, b, c = (x.select(far, limbs[i + 1], limbs[i]) for i in range(3))
        high, low = (a << part) | (b >> (64 - part)), (b << part) | (c >> (64 - part))
        scaled = m << (exp - skip + 1)  # at most 50 bits; the product below is in units of 2^-152 quadrants
        p0, p1 = x.multiply(low, scaled)
        middle, p2 = x.multiply(high, scaled)
        p1 = p1 + middle
        p2 = p2 + x.resize(p1 < middle, 64)
        quadrant = x.resize(p2 >> 24, 32)
        high, low = (p2 << 40) | (p1 >> 24), (p1 << 40) | (p0 >> 24)  # the fraction, as 128 bits
        next_one = x.negative(high)
        high, low = x.select(next_one, ~high, high), x.select(next_one, ~low, low)
        lost = x.clz(high)
        fraction = x.from_int(F64, U, (high << lost) | (low >> (64 - lost)))
        scale = x.resize((1023 - 64) - lost, 64) << 52
        angle = x.fmul(F64, x.fmul(F64, fraction, scale), x.double(math.pi / 2))
        return quadrant + x.resize(next_one, 32), angle, next_one
