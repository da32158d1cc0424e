"""Floats of the NumPy machine: hardware arithmetic where it gives the same bits, f64 rounded to odd elsewhere.

Every method handles the cases that it knows and leaves the others to the generic definition; tests compare the two. Why
f64 is enough for f32 in every direction: sums and products are made exact or odd (an inexact result has its last bit
set), and no quotient or root of 24-bit significands lies within 2^-50 of a point where rounding to f32 changes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.numerics.bits import Bits, Signedness
from openptx.numerics.error_free import PLAIN, between, fma_exact, multiply_add, odd_multiply_add, odd_sum, rounded_sum
from openptx.numerics.floats import NAN_SOURCES, QUIET64
from openptx.numerics.formats import BF16, F16, F32, F64, Format
from openptx.numerics.numpy_machine_integer import NumpyIntegers
from openptx.numerics.reductions import any_set
from openptx.numerics.rounding import TO_INTEGER, RandomBits

if TYPE_CHECKING:
    from collections.abc import Generator

    from openptx.array_types import Array


SINGLE, CODE32, CODE64 = np.dtype(np.float32), np.dtype(np.uint32), np.dtype(np.uint64)
BELOW_F32, TIE_OF_F32 = np.array((1 << 29) - 1, np.uint64), np.array(1 << 28, np.uint64)
"""The bits of an f64 below the last place of f32, and their value in a tie."""
ONE_BIT, SECOND_NORMAL, ORDINARY = (np.array(n, np.uint32) for n in (1, 1 << 25, 0xFD << 24))
"""For twice the code of an f32 without its sign: that of 2^-125, and how many more there are below infinity."""
NATIVE = {"f32": np.float32, "f64": np.float64}
ROUND = {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil}
NAN32 = np.uint32(0x7FFFFFFF)
ABSENT = np.uint64(0xFFF8000000000000)  # the f64 NaN result of an operation without a NaN operand
SMALLEST = 2.0**-126


UFUNCS: dict[str, Callable[..., Any]] = {"fadd": np.add, "fmul": np.multiply, "fdiv": np.divide, "fsqrt": np.sqrt}


@lru_cache(maxsize=32)
def in_hardware(op: str, f: str, rnd: str, ftz: bool) -> Callable[..., Array] | None:
    """An operation on arrays of codes for which the processor's own arithmetic is enough: on f32 and f64, rounded to
    nearest, subnormals kept. It returns a new array, and does not silence NumPy. None for other operations."""
    if rnd != "rn" or ftz or f not in NATIVE:
        return None
    if op == "fma":
        return fused32 if f == "f32" else None
    return partial(hardware32, UFUNCS[op]) if f == "f32" else partial(hardware64, op, UFUNCS[op])


def hardware32(ufunc: Callable[..., Array], *codes: Array) -> Array:
    d = ufunc(*[a.view(SINGLE) for a in codes])
    bits, nan = d.view(CODE32), np.isnan(d)
    if any_set(nan):  # three times as fast as a masked copy of a few lanes
        np.copyto(bits, NAN32, where=nan)
    return bits


def hardware64(op: str, ufunc: Callable[..., Array], *codes: Array) -> Array:
    values = [a.view(np.float64) for a in codes]
    d = ufunc(*values)
    bits, nan = d.view(np.uint64), np.isnan(d)
    if any_set(nan):
        chosen = np.full(bits.shape, ABSENT)
        for i in reversed(NAN_SOURCES[op]):
            v = values[i]
            np.copyto(chosen, v.view(np.uint64) | np.uint64(QUIET64), where=np.isnan(v))
        np.copyto(bits, chosen, where=nan)
    return bits


def fused32(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of codes of f32: the exact product, and its sum with `c`, in f64, rounded to f32.

    The sum is rounded twice, which can go wrong only if it looks like a tie between two numbers of f32 or is subnormal.
    Those lanes, usually few, get the sum rounded to odd first.
    """
    v = np.add(np.multiply(a.view(SINGLE), b.view(SINGLE), dtype=np.float64), c.view(SINGLE))
    bits = v.astype(SINGLE).view(CODE32)
    rare = np.bitwise_and(v.view(CODE64), BELOW_F32) == TIE_OF_F32
    rare |= (np.left_shift(bits, ONE_BIT) - SECOND_NORMAL) >= ORDINARY
    if any_set(rare):
        return rounded_again(bits, v, rare, a, b, c)
    return bits


def rounded_again(bits: Array, v: Array, rare: Array, a: Array, b: Array, c: Array) -> Array:
    """The results of `fused32` with the lanes in `rare` rounded as defined, or NaN; zeros are right."""
    nan = np.isnan(v)
    if any_set(nan):
        np.copyto(bits, NAN32, where=nan)
    chosen = ((rare & (v != 0)) > nan).nonzero()
    if chosen[0].size:
        some = [np.broadcast_to(x.view(SINGLE), v.shape)[chosen].astype(np.float64) for x in (a, b, c)]
        bits[chosen] = odd_multiply_add(*some).astype(SINGLE).view(CODE32)
    return bits


class NumpyFloats(NumpyIntegers):
    _quiet = False

    @contextmanager
    def quietly(self) -> Generator[None]:
        """Enter this once around many operations: each then saves the microsecond that silencing NumPy takes."""
        before, self._quiet = self._quiet, True
        try:
            with np.errstate(all="ignore"):
                yield
        finally:
            self._quiet = before

    def _native(self, f: Callable[..., Array], *operands: Any) -> Array:
        if self._quiet:
            return f(*operands)
        with np.errstate(all="ignore"):
            return f(*operands)

    # Arithmetic

    def fadd(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self._rounded("fadd", odd_sum, f, rnd, ftz, a, b)

    def fmul(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self._rounded("fmul", np.multiply, f, rnd, ftz, a, b)

    def fdiv(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self._rounded("fdiv", np.divide, f, rnd, ftz, a, b)

    def fsqrt(self, f: Format, a: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self._rounded("fsqrt", np.sqrt, f, rnd, ftz, a)

    def _rounded(
        self, op: str, in_f64: Callable[..., Array], f: Format, rnd: str, ftz: bool, *operands: Bits
    ) -> Bits:  # fmt: skip
        """An operation by the processor, in f64 if that is wide enough to round the result once more, or as defined."""
        if (function := in_hardware(op, f.name, rnd, ftz)) is not None:
            return Bits(self, f.storage, self._native(function, *[a.v for a in operands]))
        if f.name in _IN_F64:
            return self._through_f64(f, in_f64, rnd, ftz, *operands)
        generic = getattr(super(), op)
        return self.blocks(lambda *operands: generic(f, *operands, rnd, ftz), *operands)

    def fma(self, f: Format, a: Bits, b: Bits, c: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        if (function := in_hardware("fma", f.name, rnd, ftz)) is not None:
            return self.blocks(lambda a, b, c: Bits(self, 32, self._native(function, a.v, b.v, c.v)), a, b, c)
        if f.name in _IN_F64:
            return self._through_f64(f, odd_multiply_add, rnd, ftz, a, b, c)
        if rnd == "rn" and not ftz:
            return self.blocks(self._fma64, a, b, c)
        generic = super().fma
        return self.blocks(lambda a, b, c: generic(f, a, b, c, rnd, ftz), a, b, c)

    def _through_f64(self, f: Format, op: Callable[..., Array], rnd: str, ftz: bool, *operands: Bits) -> Bits:
        return self.blocks(partial(self._block_in_f64, f, op, rnd, ftz), *operands)

    def _block_in_f64(self, f: Format, op: Callable[..., Array], rnd: str, ftz: bool, *operands: Bits) -> Bits:
        wide = [self._widen(f, self.flush(f, a, ftz)) for a in operands]
        v = self._native(rounded_sum, f, op, wide) if rnd == "rn" and op in PLAIN else self._native(op, *wide)
        d = self._narrow(f, v, rnd, ftz)
        if rnd == "rm" and op in (odd_sum, odd_multiply_add):  # a zero difference is -0, except for (+0) + (+0)
            left = self._native(np.multiply, *wide[:2]) if op is odd_multiply_add else wide[0]
            minus = (v == 0) & (np.signbit(left) | np.signbit(wide[-1]))
            d = Bits(self, d.width, d.v | (minus.astype(d.v.dtype) << d.v.dtype.type(f.storage - 1)))
        return d

    def _widen(self, f: Format, a: Bits) -> Array:
        """Exact values in f64; NaN stays NaN."""
        if f is F16:
            return a.v.view(np.float16).astype(np.float64)
        if f is BF16:
            return self._native((a.v.astype(np.uint32) << np.uint32(16)).view(np.float32).astype, np.float64)
        return self._native(a.v.view(np.float32).astype, np.float64)

    def _narrow(self, f: Format, v: Array, rnd: str, ftz: bool = False) -> Bits:
        """f64 values, exact or odd, rounded once to f32, f16 or bf16; NaN canonical."""
        if f is F32:
            d = self._to_f32(v, rnd)
            if ftz:
                self._flush_tiny(d, v, rnd)
            np.copyto(d, NAN32, where=np.isnan(v))
            return Bits(self, 32, d)
        odd = self._to_f32(v, "odd")
        np.copyto(odd, NAN32, where=np.isnan(v))
        return self.convert(f, F32, Bits(self, 32, odd), rnd) if not ftz else self._narrow_ftz(f, v, rnd)

    def _narrow_ftz(self, f: Format, v: Array, rnd: str) -> Bits:
        wide = self.unpack(F64, Bits(self, 64, v.view(np.uint64)), 64)
        return self.round(f, wide, rnd, ftz=True)

    def _to_f32(self, v: Array, rnd: str) -> Array:
        """Codes of `v` in f32; NaN is left to the caller. "odd" is towards zero, with the last bit set if inexact."""
        d = self._native(v.astype, np.float32)
        bits = d.view(np.uint32)
        if rnd == "rn":
            return bits
        back = self._native(d.astype, np.float64)
        if rnd in ("rz", "odd"):
            bits -= self._native(np.greater, np.abs(back), np.abs(v))
            if rnd == "odd":
                bits |= self._native(np.not_equal, back, v)
            return bits
        minus = (bits >> np.uint32(31)).astype(bool)
        if rnd == "rm":
            wrong = self._native(np.greater, back, v)
        elif rnd == "rp":
            wrong = self._native(np.less, back, v)
        else:
            raise ValueError(f"no rounding is called `{rnd}`")
        # One code further from zero if that is the direction of rounding, one nearer if it is the other.
        away = minus if rnd == "rm" else ~minus
        bits += (wrong & away).astype(np.uint32) - (wrong & ~away).astype(np.uint32)
        return bits

    def _flush_tiny(self, d: Array, v: Array, rnd: str) -> None:
        """Replaces values that, rounded to 24 bits with unbounded exponent, are below the smallest normal number by
        zero."""
        m = np.abs(v)
        if rnd == "rn":
            tiny = self._native(np.less, m, SMALLEST - 2.0**-151)
        elif rnd == "rz":
            tiny = self._native(np.less, m, SMALLEST)
        else:
            away = np.signbit(v) if rnd == "rm" else ~np.signbit(v)
            limit = np.where(away, SMALLEST - 2.0**-150, np.nextafter(SMALLEST, 0))
            tiny = self._native(np.less_equal, m, limit)
        np.copyto(d, d & np.uint32(0x80000000), where=tiny)

    def _fma64(self, a: Bits, b: Bits, c: Bits) -> Bits:
        """Boldo and Melquiond's fma from sums and products with exact errors, if nothing can overflow or underflow."""
        p, q, r = np.broadcast_arrays(*(v.v.view(np.float64) for v in (a, b, c)))
        d = self._native(fma_exact, p, q, r)
        zero = (p == 0) | (q == 0)  # then the product is exact, and so is the sum
        safe = between(p, -450, 450) & between(q, -450, 450)
        np.copyto(d, self._native(multiply_add, p, q, r), where=zero | (safe & (r == 0)))
        fine = safe & ((r == 0) | between(r, -900, 900)) | (zero & np.isfinite(p) & np.isfinite(q) & np.isfinite(r))
        bits = d.view(np.uint64)
        if not fine.all():
            rest = ~fine
            x, y, z = (Bits(self, 64, v[rest].view(np.uint64)) for v in (p, q, r))
            bits[rest] = super().fma(F64, x, y, z).v
        return Bits(self, 64, bits)

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        generic = super().approx
        return self.blocks(lambda a: generic(op, f, a, ftz), a)

    # Conversion

    def convert(
        self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False,
        rbits: RandomBits | None = None,
    ) -> Bits:  # fmt: skip
        if rbits is None:
            return self.blocks(lambda a: self._convert(d, s, a, rnd, ftz, satfinite), a)
        generic, (r, count) = super().convert, rbits
        return self.blocks(lambda a, r: generic(d, s, a, rnd, ftz=ftz, satfinite=satfinite, rbits=(r, count)), a, r)

    def _convert(self, d: Format, s: Format, a: Bits, rnd: str, ftz: bool, satfinite: bool) -> Bits:
        if d is not s and not satfinite:
            if s is F64 and d in (F32, F16, BF16) and rnd in ROUND:
                return self._from_f64(d, a, rnd, ftz and d is F32)
            if s is F32 and d is BF16 and rnd in ("rn", "rz"):
                return self._to_bf16(self.flush(F32, a, ftz), rnd)
            if s is F32 and d is F16 and rnd == "rn":
                return self._to_f16(self.flush(F32, a, ftz))
            if (s is F16 or (s is BF16 and not ftz)) and d is F32:
                return self.flush(F32, self._to_single(s, a), ftz)
            if s in (F16, BF16, F32) and d is F64:
                return self._to_double(s, a, ftz and s is F32)
        return super().convert(d, s, a, rnd, ftz=ftz, satfinite=satfinite)

    def _from_f64(self, d: Format, a: Bits, rnd: str, ftz: bool) -> Bits:
        v = a.v.view(np.float64)
        code = self._narrow(d, v, rnd, ftz)
        nan = np.isnan(v)
        if nan.any():
            np.copyto(code.v, self.kept_nan(d, F64, a, Bits(self, 1, nan), code, False).v)
        return code

    def _to_bf16(self, a: Bits, rnd: str) -> Bits:
        u = a.v
        d = u >> np.uint32(16)
        if rnd == "rn":
            up = d & np.uint32(1)
            up += np.uint32(0x7FFF)
            up += u
            d = np.right_shift(up, np.uint32(16), out=up)
        d = d.astype(np.uint16)
        np.copyto(d, np.uint16(0x7FFF), where=self._native(np.isnan, u.view(np.float32)))
        return Bits(self, 16, d)

    def _to_f16(self, a: Bits) -> Bits:
        v = a.v.view(np.float32)
        d = self._native(v.astype, np.float16).view(np.uint16)
        np.copyto(d, np.uint16(0x7FFF), where=self._native(np.isnan, v))
        return Bits(self, 16, d)

    def _to_single(self, s: Format, a: Bits) -> Bits:
        if s is BF16:
            return Bits(self, 32, a.v.astype(np.uint32) << np.uint32(16))
        d = self._native(a.v.view(np.float16).astype, np.float32).view(np.uint32)
        np.copyto(d, NAN32, where=self._native(np.isnan, d.view(np.float32)))
        return Bits(self, 32, d)

    def _to_double(self, s: Format, a: Bits, ftz: bool) -> Bits:
        v = self._widen(s, self.flush(s, a, ftz))
        d = v.view(np.uint64)
        nan = np.isnan(v)
        if ftz:
            np.copyto(d, np.uint64(0x7FFFFFFFE0000000), where=nan)
        else:  # the processor keeps sign and payload, as PTX does; but it must not set the quiet bit of a half
            np.bitwise_or(d, np.uint64(QUIET64), out=d, where=nan)
        return Bits(self, 64, d)

    def from_int(
        self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False
    ) -> Bits:
        if f.name in NATIVE and (rnd == "rn" or (f is F64 and a.width < 64)):
            v = a.v.view(f"i{a.v.itemsize}") if t.signed else a.v
            return Bits(self, f.storage, v.astype(NATIVE[f.name]).view(f"u{f.storage // 8}"))
        return super().from_int(f, t, a, rnd, ftz=ftz, satfinite=satfinite)

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        return self.blocks(lambda a: self._to_int(t, f, a, rnd, w, ftz), a)

    def _to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, w: int, ftz: bool) -> Bits:
        rounded = ROUND.get(TO_INTEGER.get(rnd, rnd))
        if rounded is None or w == 64 or f not in (F16, BF16, F32, F64):
            return super().to_int(t, f, a, rnd, w=w, ftz=ftz)
        v = a.v.view(np.float64) if f is F64 else self._widen(f, self.flush(f, a, ftz and f is F32))
        low, high = (-(2.0 ** (w - 1)), 2.0 ** (w - 1) - 1) if t.signed else (0.0, 2.0**w - 1)
        d = np.clip(self._native(rounded, v), low, high)
        np.copyto(d, float(1 << w - 1) if f is F64 else 0.0, where=np.isnan(v))
        return Bits(self, w, d.astype(np.int64).astype(f"u{w // 8}"))

    def integral(self, f: Format, a: Bits, rnd: str, ftz: bool = False) -> Bits:
        rounded = ROUND.get(TO_INTEGER.get(rnd, rnd))
        if rounded is None or f is not F32:
            return super().integral(f, a, rnd, ftz)
        v = self.flush(f, a, ftz).v.view(np.float32)
        d = self._native(rounded, v)
        np.copyto(d.view(np.uint32), NAN32, where=np.isnan(v))
        return Bits(self, 32, d.view(np.uint32))

    # Comparisons

    def isnan(self, f: Format, a: Bits) -> Bits:
        if f.name in NATIVE:
            return Bits(self, 1, np.isnan(a.v.view(NATIVE[f.name])))
        return super().isnan(f, a)

    def fless(self, f: Format, a: Bits, b: Bits) -> Bits:
        if f.name in NATIVE:
            dtype = NATIVE[f.name]
            return Bits(self, 1, self._native(np.less, a.v.view(dtype), b.v.view(dtype)))
        return super().fless(f, a, b)

    def fequal(self, f: Format, a: Bits, b: Bits) -> Bits:
        if f.name in NATIVE:
            dtype = NATIVE[f.name]
            return Bits(self, 1, self._native(np.equal, a.v.view(dtype), b.v.view(dtype)))
        return super().fequal(f, a, b)

    def extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool, xorsign: bool) -> Bits:
        if f.name not in NATIVE or xorsign or len(operands) != 2:
            return super().extreme(f, operands, largest, nan, xorsign)
        # NumPy's own minimum is not used: its result for a signalling NaN depends on the processor.
        a, b = operands
        p, q = (v.v.view(NATIVE[f.name]) for v in operands)
        first = self._native(np.greater if largest else np.less, p, q)
        d = self.select(Bits(self, 1, first if nan else first | np.isnan(q)), a, b).v
        # Equal numbers have equal bits, except zeros, of which the smaller has the sign bit.
        zeros = (np.bitwise_and if largest else np.bitwise_or)(a.v, b.v)
        np.copyto(d, zeros, where=self._native(np.equal, p, q))
        lost = np.isnan(p) | np.isnan(q) if nan else np.isnan(d.view(NATIVE[f.name]))
        if f is F64 and lost.any():
            return super().extreme(f, operands, largest, nan, xorsign)
        np.copyto(d, d.dtype.type(f.nan or 0), where=lost)
        return Bits(self, f.storage, d)


_IN_F64 = frozenset(("f32", "f16", "bf16"))
