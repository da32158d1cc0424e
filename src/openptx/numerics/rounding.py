"""The home of rounding: the only module that truncates a significand."""

from __future__ import annotations

from openptx.numerics.bits import Bits, S, Signedness
from openptx.numerics.formats import Format
from openptx.numerics.reals import Real, Reals
from openptx.numerics.words import aligned, is_zero, lowest, narrow, odd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.numerics.words import Word

ROUNDINGS = ("rn", "rna", "rz", "rm", "rp", "rs")
TO_INTEGER = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}

RandomBits = tuple[Bits, int]  # 32 bits with this many random ones at the bottom


class Rounding(Reals):
    def up(self, sign: Bits, sig: Word, n: Bits, kept: Word, rnd: str, rbits: RandomBits | None = None) -> Bits:
        """Whether `kept`, which is `sig >> n` for n of at least 1, has to be incremented."""
        x = self
        if rnd == "rz":
            return x.const(0, 1)
        if rnd == "rs":  # the random bits are added to the top of the discarded bits, and the carry rounds up
            if rbits is None:
                raise ValueError("`rs` needs random bits")
            r, count = rbits
            return x.resize((narrow(x, sig >> (n - count), 32) & (1 << count) - 1) + r >> count, 1)
        below = sig << (sig.width + 1 - n)  # the bits below the half; all of them if n is the width + 1
        half = odd(x, sig >> (n - 1))
        if rnd == "rn":
            return half & (x.invert(is_zero(below)) | odd(x, kept))
        if rnd == "rna":
            return half
        if rnd in ("rm", "rp"):
            lost = half | x.invert(is_zero(below))
            return lost & (sign if rnd == "rm" else ~sign)
        raise ValueError(f"no rounding is called `{rnd}`")

    def round(
        self, f: Format, r: Real, rnd: str, *, ftz: bool = False, satfinite: bool = False,
        rbits: RandomBits | None = None,
    ) -> Bits:  # fmt: skip
        """The codes in `f` of exact values, in `f.storage` bits, rounded once.

        Overflow gives infinity or the largest number, as the direction says; with `satfinite` the largest number, for
        infinities too. A format without infinity gets NaN instead, or else the largest number; the latter also replaces
        NaN. With `ftz`, a result whose magnitude, rounded with unbounded exponent, is below the smallest normal number
        is zero: this is ptxas's definition of tininess.
        """
        x = self
        w, size = r.sig.width, max(32, f.storage)
        sign = r.sign if f.signed else x.const(0, 1)
        below = x.less(S, r.exp, x.const(f.emin, 32))
        gradual = x.const(0, 32) if ftz else x.pick(below, f.emin - r.exp, 0)
        n = x.min(S, gradual + (w - 1 - f.man), w + 1 if rbits is None else w + rbits[1])
        kept = r.sig >> n
        up = self.up(sign, r.sig, n, kept, rnd, rbits)

        # The hidden bit and a carry both propagate into the exponent.
        exp = r.exp if ftz else x.pick(below, f.emin, r.exp)
        code = (x.resize(exp - f.emin, size, signed=True) << f.man) + narrow(x, kept, size) + x.resize(up, size)
        if not f.gradual:  # code 0 is a number, the smallest
            code = x.pick(below & ~up, 0, code - 1)
        tiny = is_zero(r.sig)
        if ftz:  # just below the smallest exponent, a carry still produces the smallest normal number
            tiny = tiny | (below & ~((r.exp == f.emin - 1) & (code == f.hidden)))
        code = x.pick(tiny, 0, code)

        huge = ~tiny & (x.less(S, x.const(f.emax, 32), r.exp) | (code > f.largest))
        infinity = f.infinity if f.infinity is not None else f.nan if f.nan is not None else f.largest
        if satfinite:
            infinity = f.largest
        if rnd == "rz":
            limit = x.const(f.largest, size)
        elif rnd in ("rm", "rp"):
            limit = x.pick(sign if rnd == "rm" else ~sign, infinity, x.const(f.largest, size))
        else:
            limit = x.const(infinity, size)
        code = x.pick(r.inf, infinity, x.select(huge, limit, code))
        if f.signed:
            code = code | (x.resize(sign, size) << f.width - 1)
        code = x.pick(r.nan, f.largest if f.nan is None else f.nan, code)
        return x.resize(code << f.low if f.low else code, f.storage)

    def round_to_integer(self, t: Signedness, w: int, r: Real, rnd: str, nan: int) -> Bits:
        """The nearest integers in direction `rnd`, clamped to what `w` bits of signedness `t` hold; `nan` for NaN."""
        x = self
        sig = aligned(x, lowest(r.sig), 64)
        whole = x.less(S, x.const(62, 32), r.exp)  # nothing to truncate; beyond 2^64, clamped below
        n = x.pick(whole, 1, x.min(S, 63 - r.exp, 65))
        kept = sig >> n
        magnitude = x.select(whole, sig, kept + x.resize(self.up(r.sign, sig, n, kept, rnd), 64))
        limit = x.pick(r.sign, 1 << w - 1 if t.signed else 0, x.const((1 << w - t.signed) - 1, 64))
        huge = (x.less(S, x.const(63, 32), r.exp) & (sig != 0)) | r.inf | (limit < magnitude)
        magnitude = x.select(huge, limit, magnitude)
        return x.resize(x.pick(r.nan, nan, x.select(r.sign, -magnitude, magnitude)), w)
