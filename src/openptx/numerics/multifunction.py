"""The multifunction unit (MUFU) of NVIDIA's GPUs, bit for bit as on an H100: the basis of `.approx`.

The operand's upper bits choose a segment, and the result is a parabola in the lower ones, with integer coefficients and
a squarer that truncates its partial products (Oberman and Siu, A High-Performance Area-Efficient Multifunction
Interpolator, ARITH 2005). It reads and writes codes of f32: subnormal operands count as zeros and subnormal results
become zeros, results are truncated, not rounded. Checked against every recorded operand: see docs/numerics.md.
"""

from __future__ import annotations

from openptx.numerics.bits import Bits, S, U
from openptx.numerics.coefficients import (
    LOGARITHM,
    POWER,
    RECIPROCAL,
    RECIPROCAL_ROOT,
    ROOT,
    SINE,
    TANGENT,
    TANGENT_DROPPED,
    TANGENT_SEGMENTS,
    Interpolation,
)
from openptx.numerics.conversion import Conversion

NAN, INFINITY, ONE = 0x7FFFFFFF, 0x7F800000, 0x3F800000
HIDDEN = 1 << 23
FRACTION = HIDDEN - 1
PLACE = 0x1FFFF  # the seventeen bits below a segment's number
LOW = 9  # bits of a position that are multiplied separately, so that 32 bits suffice
TURN = 0xA2F983  # the significand of 1 / (2 pi) as f32


class Multifunction(Conversion):
    # The interpolator

    def square(self, x: Bits) -> Bits:
        """About x * x / 2^19 for seventeen bits: partial products are truncated one by one, and their sum once more.
        The lowest two bits contribute nothing, and the others' products fit sixteen bits.
        """
        y, r = self.resize(x >> 2, 16), self.const(0, 16)
        for i in range(15):
            r = r + self.pick((y & 1 << i) != 0, y >> 14 - i, 0)
        return self.resize(r >> 1, 32)

    def interpolated(self, t: Interpolation, i: Bits, x: Bits, square: Bits) -> Bits:
        """64 bits: the table's result for position `x` in segment `i`."""
        constant, slope, curve = (self.lookup(column, i, 32) for column in (t.c0, t.c1, t.c2))
        linear = self.resize(slope, 64, True) * self.resize(x, 64)
        curved = self.resize(curve, 64, True) * self.resize(square, 64)
        return (self.resize(constant, 64) << t.shift) + linear + curved + t.bias

    def truncated_parabola(self, t: Interpolation, i: Bits, x: Bits, square: Bits, by: int) -> Bits:
        """The parabola's value without its lowest `by` bits, in 32 bits: products are computed from the upper and lower
        part of `x`."""
        constant, slope, curve = (self.lookup(column, i, 32) for column in (t.c0, t.c1, t.c2))
        low = slope * (x & (1 << LOW) - 1) + curve * square + t.bias
        return (constant << t.shift - LOW) + slope * (x >> LOW) + self.shr(S, low, LOW) >> by - LOW

    def reciprocal(self, f: Bits) -> Bits:
        """1 / (1 + f) as (1 + r) / 2; 2^23 for 0."""
        x = f & 0xFFFF
        return self.truncated_parabola(RECIPROCAL, f >> 16, x, self.square(x << 1), 15) - HIDDEN

    def reciprocal_root(self, f: Bits) -> Bits:
        """1 / sqrt(1 + f) in the same form; bit 23 of `f` says whether the exponent is odd."""
        x = f & PLACE
        r = self.truncated_parabola(RECIPROCAL_ROOT, f >> 17, x, self.square(x) << 2, 16)
        return self.pick(f == 0, HIDDEN, r - HIDDEN)

    # Shared by the functions. `e` is the exponent field, `f` the fraction.

    def fields(self, a: Bits) -> tuple[Bits, Bits, Bits]:
        """Sign, exponent field and fraction, each in 32 bits."""
        return a & 0x80000000, a >> 23 & 0xFF, a & FRACTION

    def or_nan(self, nan: Bits, d: Bits) -> Bits:
        return self.pick(nan, NAN, d)

    def is_nan_code(self, e: Bits, f: Bits) -> Bits:
        return (e == 0xFF) & (f != 0)

    def normal(self, exponent: Bits, r: Bits) -> Bits:
        """The number with this exponent field; zero if it would be subnormal."""
        return self.pick(self.less(S, exponent, self.const(1, 32)), 0, exponent << 23 | r & FRACTION)

    def floating(self, top: int, r: Bits, exponent: int) -> Bits:
        """A fixed-point number in 64 bits as f32, truncated; `exponent` is the exponent field for bit `top`."""
        lost = self.clz(r) - (63 - top)
        cut = self.resize(r << lost >> top - 23, 32) & FRACTION
        return self.pick(r == 0, 0, exponent - lost << 23 | cut)

    # The functions, on codes

    def mufu(self, op: str, a: Bits) -> Bits:
        """One of rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh; the angle of sin and cos is in radians."""
        functions = {"rcp": self.mufu_rcp, "rsqrt": self.mufu_rsqrt, "sqrt": self.mufu_sqrt, "ex2": self.mufu_ex2,
                     "lg2": self.mufu_lg2, "tanh": self.mufu_tanh}  # fmt: skip
        return self.circular(a, op == "cos") if op in ("sin", "cos") else functions[op](a)

    def mufu_rcp(self, a: Bits) -> Bits:
        x = self
        sign, e, f = x.fields(a)
        r = x.reciprocal(f)
        d = x.normal(253 - e + (r >> 23), r)
        d = x.pick(e == 0, INFINITY, x.pick(e == 0xFF, 0, d))
        return x.or_nan(x.is_nan_code(e, f), sign | d)

    def mufu_rsqrt(self, a: Bits) -> Bits:
        """Negative zeros and subnormals give -inf."""
        x = self
        sign, e, f = x.fields(a)
        n = e - 127
        r = x.reciprocal_root(f | (n & 1) << 23)
        d = (126 - x.shr(S, n, 1) + (r >> 23)) << 23 | r & FRACTION
        d = x.pick(e == 0, INFINITY, x.pick(e == 0xFF, 0, d))
        return x.or_nan(x.is_nan_code(e, f) | ((sign != 0) & (e != 0)), sign | d)

    def mufu_sqrt(self, a: Bits) -> Bits:
        """Negative zeros and subnormals give -0."""
        x = self
        sign, e, f = x.fields(a)
        n = e - 127
        k = f | (n & 1) << 23
        place = k & PLACE
        r = x.pick(k == 0, 0, x.truncated_parabola(ROOT, k >> 17, place, x.square(place) << 1, 17) - HIDDEN)
        d = (x.shr(S, n, 1) + 127) << 23 | r
        d = x.pick(e == 0xFF, INFINITY, x.pick(e == 0, 0, d))
        return x.or_nan(x.is_nan_code(e, f) | ((sign != 0) & (e != 0)), sign | d)

    def mufu_ex2(self, a: Bits) -> Bits:
        """The operand is truncated to 23 fraction bits, and a negative one with a fraction is its ones' complement."""
        x = self
        sign, e, f = x.fields(a)
        n, m, negative = e - 127, x.pick(e == 0, 0, f | HIDDEN), sign != 0
        k = x.select(x.less(S, n, x.const(0, 32)), m >> 0 - n, m << n)
        k = x.select(negative, x.select((k & FRACTION) == 0, -k, ~k), k)
        place = k & PLACE
        r = x.truncated_parabola(POWER, (k & FRACTION) >> 17, place, x.square(place), 15) - HIDDEN
        exponent = x.shr(S, k, 23) + 127 + (r >> 23)
        d = x.pick(~x.less(S, exponent, x.const(255, 32)), INFINITY, x.normal(exponent, r))
        d = x.select(e >= 134, x.pick(negative, 0, x.const(INFINITY, 32)), d)
        return x.or_nan(x.is_nan_code(e, f), d)

    def mufu_lg2(self, a: Bits) -> Bits:
        """Zeros and subnormals of either sign give -inf. A negative result is the ones' complement, then truncated."""
        x = self
        sign, e, f = x.fields(a)
        place = f & PLACE
        r = x.shr(S, x.interpolated(LOGARITHM, f >> 17, place, x.square(place) << 1), 2)
        r = x.pick((f == 0) & (e == 127), 0, r) + (x.resize(e - 127, 64, True) << 36)
        negative = x.negative(r)
        d = x.floating(42, x.select(negative, ~r, r), 133) | x.resize(negative, 32) << 31
        d = x.pick(e == 0xFF, INFINITY, x.pick(e == 0, 0xFF800000, d))
        return x.or_nan(x.is_nan_code(e, f) | ((sign != 0) & (e != 0)), d)

    def circular(self, a: Bits, cosine: bool) -> Bits:
        """The angle in turns, a truncated product, to 25 bits after the point; its first two give the quadrant."""
        x = self
        sign, e, f = x.fields(a)
        p = x.resize(f | HIDDEN, 64) * TURN
        carry = x.resize(p >> 47, 32)
        m = x.pick(e == 0, 0, x.resize(x.select(carry != 0, p >> 24, p >> 23), 32))
        n = e - 128 + carry
        k = x.select(x.less(S, n, x.const(0, 32)), m >> 0 - n, m << n)
        quarter = (k >> 23) + int(cosine)
        g = x.select((quarter & 1) != 0, ~k, k) & FRACTION
        place = g & PLACE
        d = x.floating(37, x.interpolated(SINE, g >> 17, place, x.square(place)), 127)
        turned = (quarter & 2) << 30
        return x.or_nan(e == 0xFF, d | (turned if cosine else turned ^ sign))

    def mufu_tanh(self, a: Bits) -> Bits:
        """The operand itself below 2^-8, 1 from 8 on."""
        x = self
        sign, e, f = x.fields(a)
        binade = x.min(U, x.max(S, e - 119, x.const(0, 32)), 10)
        place = f >> x.lookup(TANGENT_DROPPED, binade, 32)
        i = x.min(U, x.lookup(TANGENT_SEGMENTS, binade, 32) + (place >> 17), len(TANGENT.c0) - 1)
        place = place & PLACE
        d = x.floating(39, x.interpolated(TANGENT, i, place, x.square(place)), 127)
        d = x.select(e < 119, a & 0x7FFFFFFF, x.pick(e >= 130, ONE, d))
        return x.or_nan(x.is_nan_code(e, f), sign | d)
