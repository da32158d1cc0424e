"""Exact values of floats: unpacked, multiplied and added without losing anything that rounding needs."""

from __future__ import annotations

from openptx.numerics.bits import Bits, S
from openptx.numerics.formats import NONE, Format
from openptx.numerics.integers import Integers
from openptx.numerics.words import Wide, choose, is_zero, leading_zeros, lowest, shift_jam, top, widen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.numerics.words import Word

LOWEST = -(1 << 20)  # an exponent below that of every product


class Real:
    """(-1)^sign * sig * 2^(exp - w + 1) in every lane; `sig` is a word of w bits with the top bit set, or 0.

    So `exp` (32 bits, signed) is the exponent of the leading bit. With `inf` or `nan`, `sig` and `exp` have no meaning.
    The lowest bit of `sig` may be sticky: it represents all lower bits.
    """

    __slots__ = ("exp", "inf", "nan", "sig", "sign")

    def __init__(self, sign: Bits, exp: Bits, sig: Word, inf: Bits, nan: Bits) -> None:
        self.sign, self.exp, self.sig, self.inf, self.nan = sign, exp, sig, inf, nan


class Reals(Integers):
    def unpack(self, f: Format, a: Bits, w: int, ftz: bool = False, normal: bool = True) -> Real:
        """The values of codes `a` of `f`, with significands in words of `w` bits (32, 64 or 128).

        Without `normal` a subnormal keeps the leading zeros of its significand, and `exp` is `f.emin`: the same value,
        and rounded the same in a format whose smallest normal number is not below that of `f`.
        """
        x = self
        word = max(32, f.storage)
        a = x.resize(a, word)
        if f.low:
            a = a >> f.low
        magnitude = a & f.magnitude if f.width < word or f.signed else a
        field = x.resize(magnitude >> f.man, 32)
        never = x.const(0, 1)
        sign = x.resize(a >> f.width - 1, 1) if f.signed else never
        inf = magnitude == f.infinity if f.infinity is not None else never
        nan = never if f.nans == NONE else f.largest + bool(f.inf) < magnitude
        if not f.gradual:
            return Real(sign, field - f.bias, widen(x, x.const(1 << 31, 32), w), inf, nan)
        low = (magnitude << word - 1 - f.man) & (1 << word - 1) - 1 if f.man else x.const(0, word)
        tiny = field == 0
        if ftz:
            sig = x.pick(tiny, 0, low | 1 << word - 1)
            return Real(sign, field - f.bias, widen(x, sig, w), inf, nan)
        if not normal:
            sig = x.select(tiny, low, low | 1 << word - 1)
            return Real(sign, x.pick(tiny, f.emin, field - f.bias), widen(x, sig, w), inf, nan)
        lost = x.clz(low)
        sig = x.select(tiny, low << lost, low | 1 << word - 1)
        exp = x.select(tiny, f.emin - lost, field - f.bias)
        return Real(sign, exp, widen(x, sig, w), inf, nan)

    def product(self, a: Real, b: Real) -> Real:
        """Exact: words of 32 bits give 64, words of 64 give 128."""
        x = self
        p, q = lowest(a.sig), lowest(b.sig)
        sig: Word = x.resize(p, 64) * x.resize(q, 64) if p.width == 32 else Wide(x, *x.multiply(p, q))
        carry = top(x, sig)
        zero_a, zero_b = p == 0, q == 0
        nan = a.nan | b.nan | (a.inf & zero_b & ~b.inf) | (b.inf & zero_a & ~a.inf)
        return Real(
            a.sign ^ b.sign,
            a.exp + b.exp + x.resize(carry, 32),
            choose(x, carry, sig, sig << 1),
            (a.inf | b.inf) & ~nan,
            nan,
        )

    def sum(self, a: Real, b: Real, rnd: str) -> Real:
        """Exact or sticky; words must have two free bits at the bottom. `rnd` determines the sign of a zero
        difference."""
        x = self
        exp_a, exp_b = (x.pick(is_zero(r.sig), LOWEST, r.exp) for r in (a, b))
        swap = x.less(S, exp_a, exp_b) | ((exp_a == exp_b) & (a.sig < b.sig))
        great, small = choose(x, swap, b.sig, a.sig) >> 1, choose(x, swap, a.sig, b.sig) >> 1
        exp, other = x.select(swap, exp_b, exp_a), x.select(swap, exp_a, exp_b)
        small = shift_jam(x, small, exp - other)
        opposite = a.sign ^ b.sign
        sig = choose(x, opposite, great - small, great + small)
        lost = leading_zeros(x, sig)
        of_zero = a.sign | b.sign if rnd == "rm" else a.sign & b.sign
        sign = x.select(is_zero(sig), of_zero, x.select(swap, b.sign, a.sign))
        nan = a.nan | b.nan | (a.inf & b.inf & opposite)
        inf = (a.inf | b.inf) & ~nan
        sign = x.select(inf, x.select(a.inf, a.sign, b.sign), sign)
        return Real(sign, exp + 1 - lost, sig << lost, inf, nan)
