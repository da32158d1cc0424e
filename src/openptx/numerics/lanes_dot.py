"""Sums of products on the NumPy machine: whole tiles at once, as exact arithmetic in f64 or integers.

The terms of a float sum, cut at their common place, are integers below 2^40 or so: f64 adds them without rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.numerics.bits import Bits
from openptx.numerics.dot import BLOCK, BLOCK_FRACTION, FRACTION, ZERO, Factors
from openptx.numerics.formats import F16, F32, F64, Format
from openptx.numerics.lanes_float import NAN32, FloatLanes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from openptx.numerics.dot import Scales, Tile

    Array = NDArray[Any]

LANES = 2048  # at once: some megabytes of intermediate values
FAR = 960  # no exponent of a finite term is beyond it, and two to its power can be inverted

_VALUES: dict[str, Array] = {}


class DotLanes(FloatLanes):
    def dots(
        self, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, h: Format, d: Format,
        scales: Scales | None = None,
    ) -> Tile:  # fmt: skip
        def compute(parts: list[Array]) -> Array:
            a, b = (self.values(k, part) for k, part in ((f, parts[0]), (g, parts[1])))
            ea, eb = exponents(a, f.format), exponents(b, g.format)
            if scales is not None:
                for part, v, e in ((parts[3], a, ea), (parts[4], b, eb)):
                    scale = self.values(Factors(8, scales[0]), part[..., None])
                    v *= scale
                    e += exponents(scale, scales[0])
            c = self.values(Factors(h.storage, h), parts[2][..., None])
            products = a[:, None] * b[None]
            top = np.maximum((ea[:, None] + eb[None]).max(-1), exponents(c, h)[..., 0])
            return aligned_sum(products, c, top, FRACTION)

        tiles: list[Tile] = [rows, columns, addends]
        if scales is not None:
            tiles += [scales[1], scales[2]]  # type: ignore
        return self.tile(lambda parts: self.narrowed(d, self._native(compute, parts)), tiles, d.storage)

    def values(self, f: Factors, raw: Array) -> Array:
        """The elements along the last axis, registers before, as f64."""
        raw = small(f, raw)
        k = f.format
        assert k is not None
        if k.storage == 8:
            table = _VALUES.get(k.name)
            if table is None:
                codes = self.lanes(np.arange(256, dtype=np.uint8))
                table = _VALUES[k.name] = self.convert(F64, k, codes).v.view(np.float64)
            return table.take(raw)
        if k.low:
            raw = raw >> k.low << k.low
        return self._widen(k if k.storage == 16 else F32, Bits(self, k.storage, raw))

    def narrowed(self, d: Format, v: Array) -> Array:
        """Sums as codes: f32 towards zero, f16 to nearest; overflow gives infinity, zero is positive."""
        if d is F16:
            code = self._narrow(F16, v, "rn").v
            code[code == 0x8000] = 0
            return code
        if d is not F32:
            raise ValueError(f"no sum of products has the format `{d.name}`")
        code = self._to_f32(v, "rz")
        huge = np.abs(v) >= 2.0**128
        if huge.any():
            code[huge] = (np.signbit(v[huge]).astype(np.uint32) << 31) | np.uint32(0x7F800000)
        code[code == 0x80000000] = 0
        np.copyto(code, NAN32, where=np.isnan(v))
        return code

    def block_dots(
        self, rows: Tile, columns: Tile, addends: Tile, s: Format, of_rows: Tile, of_columns: Tile
    ) -> Tile:
        f, k = Factors(4, FORMAT_OF_BLOCKS), Factors(8, s)

        def compute(parts: list[Array]) -> Array:
            a, b = self.values(f, parts[0]), self.values(f, parts[1])
            sums = (a[:, None] * b[None]).reshape(*a.shape[:1], *b.shape[:2], -1, BLOCK).sum(-1)
            p, q = self.values(k, parts[3]), self.values(k, parts[4])
            scale = np.repeat(p[:, None] * q[None], sums.shape[-1] // p.shape[-1], axis=-1)
            exponent = exponents(p, s)[:, None] + exponents(q, s)[None]
            c = self.values(Factors(32, F32), parts[2][..., None])
            top = np.maximum(exponent.max(-1), exponents(c, F32)[..., 0])
            return aligned_sum(sums * scale, c, top, BLOCK_FRACTION)

        tiles = [rows, columns, addends, of_rows, of_columns]
        return self.tile(lambda parts: self.narrowed(F32, self._native(compute, parts)), tiles, 32)

    def integer_dots(
        self, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, satfinite: bool
    ) -> Tile:
        def compute(parts: list[Array]) -> Array:
            a, b = (small(k, part).astype(np.int32) for k, part in ((f, parts[0]), (g, parts[1])))
            total = (a[:, None] * b[None]).sum(-1, dtype=np.int64)
            total += parts[2].view(np.int32)
            if satfinite:
                np.clip(total, -(1 << 31), (1 << 31) - 1, out=total)
            return total.astype(np.uint32)

        return self.tile(compute, [rows, columns, addends], 32)

    def fma_dots(self, rows: Tile, columns: Tile, addends: Tile, rnd: str) -> Tile:
        def compute(parts: list[Array]) -> Array:
            a, b, c = parts
            shape = c.shape
            sums = Bits(self, 64, c.reshape(-1))
            for k in range(a.shape[-1]):
                p, q = np.broadcast_to(a[:, None, :, k], shape), np.broadcast_to(b[None, :, :, k], shape)
                sums = self.fma(F64, Bits(self, 64, p.reshape(-1)), Bits(self, 64, q.reshape(-1)), sums, rnd)
            return np.broadcast_to(sums.v, c.size).reshape(shape)

        return self.tile(compute, [rows, columns, addends], 64)

    def tile(self, compute: Callable[[list[Array]], Array], tiles: Sequence[Any], w: int) -> Tile:
        """Results from rows (i, lane, register), columns (j, lane, register) and addends (i, j, lane), some lanes at a time.

        Scales of rows and columns, where there are some, follow: (i, lane) or (i, lane, scale).
        """
        n = max(b.v.size for part in tiles for b in flat(part))
        shape = len(tiles[0]), len(tiles[1])
        d: list[list[list[Array]]] = [[[] for _ in range(shape[1])] for _ in range(shape[0])]
        for start in range(0, n, LANES):
            some = slice(start, start + LANES)
            parts = [stacked(t, some, min(LANES, n - start)) for t in tiles]
            parts[2] = np.moveaxis(parts[2], -1, 1) if False else parts[2]
            result = compute(parts)
            for i in range(shape[0]):
                for j in range(shape[1]):
                    d[i][j].append(result[i, j])
        return tuple(
            tuple(Bits(self, w, each[0] if len(each) == 1 else np.concatenate(each)) for each in line) for line in d
        )
