"""Arithmetic rounded once, comparisons, and the rules for signs, NaN and small results."""

from __future__ import annotations

from openptx.numerics.bits import Bits, U
from openptx.numerics.formats import NONE, Format
from openptx.numerics.reals import Real
from openptx.numerics.rounding import Rounding
from openptx.numerics.words import lowest, widen

QUIET64 = 1 << 51  # the quiet bit of f64

NAN_SOURCES = {
    "fadd": (1, 0), "fsub": (1, 0), "fsubr": (1, 0), "fmul": (1, 0), "fma": (1, 2, 0), "fdiv": (0, 1), "fsqrt": (0,),
}  # fmt: skip
"""The operands whose NaN an f64 operation propagates, by priority: the first that is NaN, as on an H100."""


class Floats(Rounding):
    """Formats come first; `rnd` is one of rn rz rm rp; `ftz` flushes subnormal operands and results.

    A NaN result is the format's canonical NaN, whatever the operands; but f64 supports payloads, so it propagates the
    NaN of an operand, quieted. The manual leaves open which one: `NAN_SOURCES`.
    """

    # Arithmetic

    def fadd(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        w = 32 if f.man <= 28 else 64
        r = self.sum(self.unpack(f, a, w, ftz), self.unpack(f, b, w, ftz), rnd)
        return self.payload(f, self.round(f, r, rnd, ftz=ftz), "fadd", a, b)

    def fsub(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        d = self.fadd(f, a, b ^ f.sign, rnd, ftz)
        return self.payload(f, d, "fsub", a, b)

    def fsubr(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        """The reverse subtraction `b - a`."""
        d = self.fadd(f, a ^ f.sign, b, rnd, ftz)
        return self.payload(f, d, "fsubr", a, b)

    def fmul(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        w = 32 if f.man <= 28 else 64
        r = self.product(self.unpack(f, a, w, ftz), self.unpack(f, b, w, ftz))
        return self.payload(f, self.round(f, r, rnd, ftz=ftz), "fmul", a, b)

    def fma(self, f: Format, a: Bits, b: Bits, c: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        w = 32 if f.man <= 28 else 64
        p = self.product(self.unpack(f, a, w, ftz), self.unpack(f, b, w, ftz))
        r = self.sum(p, self.unpack(f, c, 2 * w, ftz), rnd)
        return self.payload(f, self.round(f, r, rnd, ftz=ftz), "fma", a, b, c)

    def fdiv(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        x = self
        w = 32 if f.man <= 28 else 64
        n, d = x.unpack(f, a, w, ftz), x.unpack(f, b, w, ftz)
        over, under = lowest(n.sig), lowest(d.sig)
        sign, zero_n, zero_d = n.sign ^ d.sign, over == 0, under == 0
        nan = n.nan | d.nan | (n.inf & d.inf) | (zero_n & zero_d & ~n.inf & ~d.inf)
        inf = (n.inf | (zero_d & ~d.inf)) & ~nan
        smaller = over < under
        if w == 32:  # 2^31 <= q < 2^33, so that one bit below the rounding can be sticky
            over64, under64 = x.resize(over, 64) << 32, x.resize(under, 64)
            over64 = x.select(smaller, over64, over64 >> 1)
            q = x.binary("udiv", over64, under64)
            sticky = q * under64 != over64
            sig = x.resize(q, 32) | x.resize(sticky, 32)
        else:
            q, rest = x.long_division(over >> 1, under >> 1, f.man + 3, smaller)
            sig = (q << 64 - (f.man + 3)) | x.resize(rest != 0, 64)
        exp = n.exp - d.exp - x.resize(smaller, 32)
        sig = x.pick((zero_n & ~n.inf) | d.inf, 0, sig)
        r = Real(sign, exp, sig, inf, nan)
        return x.payload(f, x.round(f, r, rnd, ftz=ftz), "fdiv", a, b)

    def long_division(self, over: Bits, under: Bits, bits: int, smaller: Bits) -> tuple[Bits, Bits]:
        """`bits` bits of the quotient, its first bit set, and the remainder; the dividend is `over << 1` if
        `smaller`."""
        x = self
        rest, q = x.select(smaller, over << 1, over), x.const(0, 64)
        for _ in range(bits):
            fits = rest >= under
            rest = x.select(fits, rest - under, rest) << 1
            q = (q << 1) | x.resize(fits, 64)
        return q, rest

    def fsqrt(self, f: Format, a: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        x = self
        w = 32 if f.man <= 28 else 64
        r = x.unpack(f, a, w, ftz)
        sig = lowest(r.sig)
        uneven = x.resize(r.exp, 1)
        # The radicand is 1.xx or 1x.x as pairs of bits from the top; computed digit by digit, as by hand.
        bits = f.man + 3
        radicand = x.select(uneven, sig, sig >> 1)
        rest, root = x.const(0, 64), x.const(0, 64)
        for i in range(bits):
            pair = (radicand >> w - 2 - 2 * i) & 3 if w - 2 - 2 * i >= 0 else x.const(0, w)
            rest = (rest << 2) | x.resize(pair, 64)
            trial = (root << 2) | 1
            fits = rest >= trial
            rest = x.select(fits, rest - trial, rest)
            root = (root << 1) | x.resize(fits, 64)
        exp = x.binary("sar", r.exp, x.const(1, 32))
        top = widen(x, (root << 64 - bits) | x.resize(rest != 0, 64), 64)
        zero = sig == 0
        nan = r.nan | (r.sign & ~(zero & ~r.inf))
        value = Real(r.sign, exp, lowest(top), r.inf & ~nan, nan)
        return x.payload(f, x.round(f, value, rnd, ftz=ftz), "fsqrt", a)

    def payload(self, f: Format, d: Bits, op: str, *operands: Bits) -> Bits:
        """`d`, but in f64 an operand's NaN, quieted, if there is one."""
        if f.name != "f64":
            return d
        for i in reversed(NAN_SOURCES[op]):
            d = self.quieted(f, d, operands[i])
        return d

    def quieted(self, f: Format, d: Bits, a: Bits) -> Bits:
        """`d`, except where the operand `a` is NaN: the canonical NaN, or `a` itself, quieted, if payloads are kept."""
        if f.name == "f64":
            return self.select(self.isnan(f, a), a | QUIET64, d)
        return d if f.nan is None else self.pick(self.isnan(f, a), f.nan << f.low, d)

    # Parts and comparisons, by integer operations

    def magnitude(self, f: Format, a: Bits) -> Bits:
        return a & (f.magnitude << f.low) if f.signed else a

    def isnan(self, f: Format, a: Bits) -> Bits:
        if f.nans == NONE:
            return self.const(0, 1)
        return self.magnitude(f, a) > (f.largest + bool(f.inf) << f.low)

    def fneg(self, f: Format, a: Bits, ftz: bool = False) -> Bits:
        """`a` with the opposite sign. NaN results follow the rule of the class, as on an H100; the manual leaves them
        open."""
        return self.quieted(f, self.flush(f, a, ftz) ^ (f.sign << f.low), a)

    def fabs(self, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.quieted(f, self.magnitude(f, self.flush(f, a, ftz)), a)

    def copysign(self, f: Format, a: Bits, b: Bits) -> Bits:
        """`b` with the sign of `a`, in the operand order of `copysign`."""
        sign = f.sign << f.low
        return (a & sign) | self.magnitude(f, b)

    def flush(self, f: Format, a: Bits, ftz: bool = True) -> Bits:
        """Subnormal numbers become zeros of the same sign."""
        if not ftz:
            return a
        tiny = self.magnitude(f, a) < (f.hidden << f.low)
        return self.pick(tiny, a & (f.sign << f.low), a)

    def order(self, f: Format, a: Bits) -> Bits:
        """Codes mapped so that unsigned order is numeric order, -0 just below +0; NaNs beyond the infinities."""
        sign = f.sign << f.low
        return a ^ self.select(self.negative(a), self.const((1 << a.width) - 1, a.width), self.const(sign, a.width))

    def fless(self, f: Format, a: Bits, b: Bits) -> Bits:
        """Ordered a < b: false if either is NaN."""
        x = self
        both_zero = (x.magnitude(f, a) | x.magnitude(f, b)) == 0
        return (x.order(f, a) < x.order(f, b)) & ~both_zero & ~(x.isnan(f, a) | x.isnan(f, b))

    def fequal(self, f: Format, a: Bits, b: Bits) -> Bits:
        """Ordered a == b: false if either is NaN; zeros are equal."""
        x = self
        both_zero = (x.magnitude(f, a) | x.magnitude(f, b)) == 0
        return ((a == b) | both_zero) & ~(x.isnan(f, a) | x.isnan(f, b))

    def unordered(self, f: Format, a: Bits, b: Bits) -> Bits:
        return self.isnan(f, a) | self.isnan(f, b)

    def testp(self, f: Format, op: str, a: Bits) -> Bits:
        """finite infinite number notanumber normal subnormal; according to the manual, zeros count as normal. Raises
        ValueError for another `op` or format."""
        x = self
        magnitude = x.magnitude(f, a)
        infinity, hidden = f.infinity, f.hidden
        if infinity is None:
            raise ValueError(f"`testp` is for IEEE formats, not `{f.name}`")
        if op == "finite":
            return magnitude < infinity
        if op == "infinite":
            return magnitude == infinity
        if op == "number":
            return magnitude <= infinity
        if op == "notanumber":
            return magnitude > infinity
        if op == "normal":
            return ((magnitude >= hidden) & (magnitude < infinity)) | (magnitude == 0)
        if op == "subnormal":
            return (magnitude < hidden) & (magnitude != 0)
        raise ValueError(f"`testp` has no `{op}`")

    # Saturation

    def saturate(self, f: Format, a: Bits) -> Bits:
        """Clamped to [0, 1]; NaN and -0 give +0."""
        one = f.bias << f.man
        inside = self.magnitude(f, a) <= (f.infinity or f.largest)
        keep = inside & ~self.negative(a)
        return self.pick(keep, self.min(U, a, one << f.low), 0)

    def finite(self, f: Format, a: Bits) -> Bits:
        """Infinities become the largest number of their sign."""
        if f.infinity is None:
            return a
        infinite = self.magnitude(f, a) == (f.infinity << f.low)
        return self.select(infinite, a - (1 << f.low), a)

    def relu(self, f: Format, a: Bits) -> Bits:
        """Negative numbers and -0 give +0, NaN the canonical NaN."""
        d = self.pick(self.signbit(f, a), 0, a)
        return self.pick(self.isnan(f, a), f.nan << f.low, d) if f.nan is not None else d

    def signbit(self, f: Format, a: Bits) -> Bits:
        return (a & (f.sign << f.low)) != 0

    # Minimum and maximum

    def fmin(self, f: Format, a: Bits, b: Bits, *more: Bits, nan: bool = False, xorsign: bool = False) -> Bits:
        """-0 is below +0. A NaN loses to a number, or wins with `nan`. `xorsign`: of magnitudes, the signs multiplied.

        NaN results are canonical, and then `xorsign` does nothing; of two NaNs in f64 the second one is kept, quieted.
        """
        return self.extreme(f, (a, b, *more), False, nan, xorsign)

    def fmax(self, f: Format, a: Bits, b: Bits, *more: Bits, nan: bool = False, xorsign: bool = False) -> Bits:
        return self.extreme(f, (a, b, *more), True, nan, xorsign)

    def extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool, xorsign: bool) -> Bits:
        x = self
        if f.nan is None:
            raise ValueError(f"`{f.name}` has no NaN, and no minimum or maximum in PTX")
        sign = operands[0]
        for b in operands[1:]:
            sign = sign ^ b
        values = [x.magnitude(f, a) for a in operands] if xorsign else list(operands)
        d = values[0]
        for b in values[1:]:
            better = x.order(f, d) < x.order(f, b) if largest else x.order(f, b) < x.order(f, d)
            d_nan, b_nan = x.isnan(f, d), x.isnan(f, b)
            better = (better | b_nan) & ~d_nan if nan else (better & ~b_nan) | d_nan
            d = x.select(better, b, d)
        if xorsign:
            d = d | (sign & f.sign)
        return x.quieted(f, d, d)
