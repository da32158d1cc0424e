"""Sums of products on the NumPy machine: whole tiles at once, as exact arithmetic in f64 or integers.

The terms of a float sum, truncated at their common position, are integers below 2^47: f64 adds them without rounding.
Axes are rows, columns, lanes, elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from openptx.numerics.bits import Bits
from openptx.numerics.dot import BLOCK, BLOCK_FRACTION, E2M1X8, FRACTION, ZERO, ZERO_ADDEND, Factors
from openptx.numerics.formats import F16, F32, F64, Format
from openptx.numerics.numpy_machine_float import NAN32, NumpyFloats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.array_types import Array
    from openptx.numerics.dot import Scales, Tile


LANES = 2048  # lanes at once: a megabyte or two of intermediate values
FAR = 960  # no finite term has a larger exponent, and two to its power is invertible

_VALUES: dict[str, Array] = {}


class NumpyDots(NumpyFloats):
    def picked(self, columns: Tile, w: int, places: Sequence[Bits], chunk: int) -> Tile:
        n = max(b.v.size for line in (*columns, places) for b in line)
        units = stacked(columns, 0, n).view(f"u{w // 8}")
        at = stacked((tuple(places),), 0, n)[0].astype(np.intp)
        at += np.arange(len(places)) // (chunk // 2) * chunk
        found = np.moveaxis(np.take_along_axis(units, at[None], -1), 2, 1)
        return tuple(tuple(Bits(self, w, lanes) for lanes in line) for line in np.ascontiguousarray(found))

    def dots(
        self, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, h: Format, d: Format,
        scales: Scales | None = None, fraction: int = FRACTION,
    ) -> Tile:  # fmt: skip
        def compute(a: Array, b: Array, c: Array, *more: Array) -> Array:
            p, ep = self.values(f, a)
            q, eq = self.values(g, b)
            if scales is not None:
                (u, eu), (v, ev) = (self.values(Factors(8, scales[0]), each) for each in more)
                p, ep, q, eq = p * u, ep + eu, q * v, eq + ev
            r, er = self.values(Factors(h.storage, h), c[..., None])
            if scales is None:
                np.copyto(er, ZERO_ADDEND, where=r == 0)
            products, exponents = p[:, None] * q[None], ep[:, None] + eq[None]
            np.copyto(exponents, 2 * ZERO, where=products == 0)
            top = np.maximum(exponents.max(-1), er[..., 0])
            return self.narrowed(d, aligned_sum(products, r, top, fraction))

        tiles = [rows, columns, addends]
        if scales is not None:
            tiles += [tuple((code,) for code in codes) for codes in scales[1:]]
        return self.tile(compute, tiles, d.storage)

    def block_dots(self, rows: Tile, columns: Tile, addends: Tile, s: Format, of_rows: Tile, of_columns: Tile) -> Tile:
        k = Factors(8, s)

        def compute(a: Array, b: Array, c: Array, of_a: Array, of_b: Array) -> Array:
            products = self.values(E2M1X8, a)[0][:, None] * self.values(E2M1X8, b)[0][None]
            sums = products.reshape(*products.shape[:-1], -1, BLOCK).sum(-1)
            (u, eu), (v, ev) = self.values(k, of_a), self.values(k, of_b)
            scale = np.repeat(u[:, None] * v[None], sums.shape[-1] // u.shape[-1], axis=-1)
            r, er = self.values(Factors(32, F32), c[..., None])
            top = np.maximum((eu[:, None] + ev[None]).max(-1), er[..., 0])
            return self.narrowed(F32, aligned_sum(sums * scale, r, top, BLOCK_FRACTION))

        return self.tile(compute, [rows, columns, addends, of_rows, of_columns], 32)

    def integer_dots(self, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, satfinite: bool) -> Tile:
        def compute(a: Array, b: Array, c: Array) -> Array:
            products = small(f, a).astype(np.int32)[:, None] * small(g, b).astype(np.int32)[None]
            total = products.sum(-1, dtype=np.int64) + c.view(np.int32)
            if satfinite:
                np.clip(total, -(1 << 31), (1 << 31) - 1, out=total)
            return total.astype(np.uint32)

        return self.tile(compute, [rows, columns, addends], 32)

    def fma_dots(self, rows: Tile, columns: Tile, addends: Tile, rnd: str) -> Tile:
        def compute(a: Array, b: Array, c: Array) -> Array:
            sums = Bits(self, 64, c.reshape(-1))
            for k in range(a.shape[-1]):
                p, q = np.broadcast_to(a[:, None, :, k], c.shape), np.broadcast_to(b[None, :, :, k], c.shape)
                sums = self.fma(F64, Bits(self, 64, p.reshape(-1)), Bits(self, 64, q.reshape(-1)), sums, rnd)
            return sums.v.reshape(c.shape)

        return self.tile(compute, [rows, columns, addends], 64)

    def tile(self, compute: Callable[..., Array], tiles: list[Tile], w: int) -> Tile:
        """`compute` applied to rows, columns, addends and further operands, as arrays, for some lanes at a time."""
        n = max(b.v.size for part in tiles for line in part for b in line)
        done: list[Array] = []
        for start in range(0, n, LANES):
            a, b, c, *more = (stacked(part, start, min(start + LANES, n)) for part in tiles)
            done.append(self._native(compute, a, b, np.ascontiguousarray(np.moveaxis(c, 2, 1)), *more))
        whole = done[0] if len(done) == 1 else np.concatenate(done, axis=2)
        return tuple(tuple(Bits(self, w, lanes) for lanes in line) for line in whole)

    def values(self, f: Factors, raw: Array) -> tuple[Array, Array]:
        """The elements along the last axis, in f64, and the exponents that a sum uses for them."""
        raw, k = small(f, raw), f.format
        assert k is not None
        if k.storage == 8:
            v = self.table(k).take(raw)
        else:
            v = self._widen(F32 if k.low else k, Bits(self, k.storage, raw >> k.low << k.low if k.low else raw))
        e = (v.view(np.uint64) >> np.uint64(52)).astype(np.int32) & 0x7FF
        e -= 1023
        np.maximum(e, k.emin, out=e)
        if k.emin > ZERO:
            np.copyto(e, ZERO, where=v == 0)
        return v, e

    def table(self, k: Format) -> Array:
        """The values of codes of at most eight bits; bits above a code are ignored."""
        found = _VALUES.get(k.name)
        if found is None:
            codes = self.lanes(np.arange(256, dtype=np.uint8) & np.uint8((1 << k.width) - 1))
            found = _VALUES[k.name] = self.convert(F64, k, codes).v.view(np.float64)
        return found

    def narrowed(self, d: Format, v: Array) -> Array:
        """Sums as codes: f32 rounded towards zero, f16 to nearest; overflow gives infinity, a zero is positive."""
        if d is F16:
            code = self._narrow(F16, v.reshape(-1), "rn").v.reshape(v.shape)
            code[code == 0x8000] = 0
            return code
        if d is not F32:
            raise ValueError(f"no sum of products has the format `{d.name}`")
        code = self._to_f32(v, "rz")
        huge = np.abs(v) >= 2.0**128
        np.copyto(code, (code & np.uint32(1 << 31)) | np.uint32(0x7F800000), where=huge)
        np.copyto(code, NAN32, where=np.isnan(v))
        code[code == 1 << 31] = 0
        return code


def stacked(tile: Tile, start: int, stop: int) -> Array:
    """Lines of registers as an array: line, lane, register."""
    d = np.empty((len(tile), stop - start, len(tile[0])), tile[0][0].v.dtype)
    for i, line in enumerate(tile):
        for r, b in enumerate(line):
            d[i, :, r] = b.v if b.v.size == 1 else b.v[start:stop]
    return d


def small(f: Factors, raw: Array) -> Array:
    """The elements in registers (the last axis): unsigned codes, or signed integers."""
    if f.width >= 8:
        raw = raw.view(f"u{f.width // 8}")
        if f.low:
            return raw >> raw.dtype.type(f.low)
        return raw.view(f"i{f.width // 8}") if f.negative else raw
    pairs = raw.view(np.uint8)
    raw = np.stack((pairs & np.uint8(15), pairs >> np.uint8(4)), axis=-1).reshape(*pairs.shape[:-1], -1)
    return (raw.view(np.int8) ^ 8) - np.int8(8) if f.negative else raw


def aligned_sum(products: Array, addend: Array, top: Array, fraction: int) -> Array:
    """The sum of terms, each truncated `fraction` bits below the exponent `top`; exact otherwise."""
    np.minimum(top, FAR, out=top)
    up = np.ldexp(1.0, fraction - top)
    total = np.trunc(products * up[..., None]).sum(-1)
    total += np.trunc(addend[..., 0] * up)
    return total * np.ldexp(1.0, top - fraction)
