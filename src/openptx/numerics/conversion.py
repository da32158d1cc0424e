"""Conversion between formats, and between floats and integers: the semantics of `cvt`."""

from __future__ import annotations

from openptx.numerics.bits import Bits, S, Signedness, U
from openptx.numerics.floats import QUIET64, Floats
from openptx.numerics.formats import Format
from openptx.numerics.reals import Real
from openptx.numerics.rounding import TO_INTEGER, RandomBits
from openptx.numerics.words import aligned

PAYLOADS = {"f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}
"""The formats whose NaNs convert to and from f64 with sign and payload, and the bits common to all quiet ones."""

NAN64 = 0x7FF0000000000000 | QUIET64
NAN_F32_F64 = 0x7FFFFFFFE0000000  # f32 or narrower to f64, where the payload is not kept


class Conversion(Floats):
    def convert(
        self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False,
        rbits: RandomBits | None = None,
    ) -> Bits:  # fmt: skip
        """Converts codes of `s` to codes of `d`, rounded once; the same format gives the same codes.

        `ftz` applies only to f32, as source or result: data-movement-and-conversion-instructions-cvt.
        """
        x = self
        f32 = [f.name == "f32" for f in (s, d)]
        if d is s:
            if d.low:
                a = a & -(1 << d.low)
            if satfinite:
                a = x.finite(d, a)
            if not (ftz and f32[0]):
                return a
            return x.pick(x.isnan(s, a), 0x7FFFFFFF, x.flush(s, a))
        w = 64 if max(d.man, s.man) > 28 else 32
        r = x.unpack(s, a, w, ftz and f32[0], normal=d.emin < s.emin or ftz)
        v = x.round(d, r, rnd, ftz=ftz and f32[1], satfinite=satfinite, rbits=rbits)
        return x.kept_nan(d, s, a, r.nan, v, ftz)

    def kept_nan(self, d: Format, s: Format, a: Bits, nan: Bits, v: Bits, ftz: bool) -> Bits:
        """`v`, except that a NaN keeps its sign and payload to and from f64, quieted, and is unchanged from bf16 to f32
        (H100)."""
        x = self
        if d.name == "f64":
            if s.name not in PAYLOADS or (ftz and s.name == "f32"):
                return x.pick(nan, NAN_F32_F64, v)
            wide = x.resize(a, 64)
            code = (wide >> s.storage - 1) << 63 | (wide & s.hidden - 1) << 52 - s.man
            return x.select(nan, code | NAN64, v)
        if s.name == "f64" and d.name in PAYLOADS:
            code = (a >> 63) << d.storage - 1 | (a >> 52 - d.man) & d.hidden - 1
            return x.select(nan, x.resize(code | PAYLOADS[d.name], d.storage), v)
        if (s.name, d.name, ftz) == ("bf16", "f32", False):
            return x.select(nan, x.resize(a, 32) << 16, v)
        return v

    def from_int(
        self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False
    ) -> Bits:
        """Integers as floats, rounded once; 0 gives +0."""
        x = self
        w = 64 if a.width == 64 or f.man > 28 else 32
        sign = x.negative(a) if t.signed else x.const(0, 1)
        magnitude = x.resize(x.abs(a) if t.signed else a, w)
        lost = x.clz(magnitude)
        never = x.const(0, 1)
        r = Real(sign, (w - 1) - lost, magnitude << lost, never, never)
        return x.round(f, r, rnd, ftz=ftz, satfinite=satfinite)

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        """Floats as integers of `w` bits, clamped to their range; `rnd` is rni rzi rmi rpi (or rn rz rm rp).

        NaN gives 0, or only the top bit if the source is f64 or the result has 64 bits.
        """
        x = self
        r = x.unpack(f, a, 64, ftz and f.name == "f32", normal=False)
        nan = 1 << w - 1 if w == 64 or f.name == "f64" else 0
        return x.round_to_integer(t, w, r, TO_INTEGER.get(rnd, rnd), nan)

    def integral(self, f: Format, a: Bits, rnd: str, ftz: bool = False) -> Bits:
        """Rounded to an integral value in the same format; zeros, infinities and signs are kept."""
        x = self
        rnd = TO_INTEGER.get(rnd, rnd)
        r = x.unpack(f, a, 64, ftz and f.name == "f32", normal=False)
        sig = aligned(x, r.sig, 64) if isinstance(r.sig, Bits) else x.const(0, 64)
        small = x.less(S, r.exp, x.const(63, 32))
        n = x.pick(small, x.min(S, 63 - r.exp, 65), 1)
        kept = sig >> n
        whole = kept + x.resize(x.up(r.sign, sig, n, kept, rnd), 64)
        v = x.from_int(f, U, whole, "rz") | (x.resize(r.sign, f.storage) << f.storage - 1)
        done = ~x.less(S, r.exp, x.const(f.man, 32)) & (sig != 0)
        v = x.select(done | r.inf, a, v)
        if f.name == "f64":
            return x.select(r.nan, a | QUIET64, v)
        return x.pick(r.nan, f.nan if f.nan is not None else f.largest, v)
