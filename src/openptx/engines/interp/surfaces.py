"""Surface loads, stores and reductions by lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from openptx.device import sampling
from openptx.device.texture import Array, Surface
from openptx.engines.interp.textures import Textures
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import UNSIGNED

if TYPE_CHECKING:
    from openptx.isa.machine import Update


class LaneImages(Textures):
    """Surfaces, in addition to textures."""

    def places(
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, size: int | None, scaled: bool = False
    ) -> Iterator[tuple[Surface, Array, Array]]:
        """Each surface, the indices of its lanes, and where their `size` bytes begin in it: -1 for lanes with nothing
        to do.

        Without a size it is that of an element. `scaled` coordinates count units of that size instead of bytes.
        """
        for (handle,), where in self.groups(a):
            first = int(where[0])
            surface = self.image(Surface, handle, geometry, first)
            piece = size or surface.element
            layer, at = self.coordinates(geometry, c, where)
            at = [v.view(np.int32).astype(np.int64) for v in at]
            if scaled:
                at[0] *= piece
            if (odd := at[0] % piece != 0).any():
                what = f"an access of {piece} bytes at an x that is not a multiple of {piece}"
                raise self.wrong("misaligned-access", what, int(where[odd][0]))
            whole = surface.shape[0] * surface.element // piece * piece
            extent = [max(whole - piece + 1, 0), *surface.shape[1:]]
            if layer is not None:
                at.append(layer.astype(np.int64))
                extent.append(surface.layers or 0)
            yield surface, where, self.starts(surface, at, extent, outside, where)

    def starts(self, surface: Surface, at: list[Array], extent: list[int], outside: str, where: Array) -> Array:
        """Positions in the surface's bytes; those beyond the extent are handled as `outside` says."""
        bad = reduce(np.logical_or, [(v < 0) | (v >= n) for v, n in zip(at, extent, strict=True)])
        if bad.any() and (outside == "trap" or (outside == "clamp" and not extent[0])):
            i = int(np.flatnonzero(bad)[0])
            place = ", ".join(str(int(v[i])) for v in at)
            what = f"({place}), x in bytes, is outside of {surface.described}"
            raise self.wrong("out-of-bounds", what, int(where[i]))
        row = surface.shape[0] * surface.element
        steps = [1, *(row * int(np.prod(surface.shape[1:i])) for i in range(1, len(at)))]
        inside = [np.clip(v, 0, max(n - 1, 0)) * step for v, n, step in zip(at, extent, steps, strict=True)]
        return np.where(bad & (outside == "zero"), -1, reduce(np.add, inside))

    def load(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, w: int, count: int) -> tuple[Bits, ...]:
        size = w // 8 * count
        found = np.zeros((self.count, size), np.uint8)
        for surface, where, start in self.places(geometry, a, c, outside, size):
            good = start >= 0
            found[where[good]] = surface.bytes[start[good, np.newaxis] + np.arange(size)]
        words = found.view(UNSIGNED[w])
        return tuple(Bits(self.x, w, np.ascontiguousarray(words[:, i])) for i in range(count))

    def load_sample(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str) -> tuple[Bits, ...]:
        found = np.zeros((self.count, 4), np.uint32)
        for surface, where, start in self.places(geometry, a, c, outside, None, scaled=True):
            good = start >= 0
            rows = surface.bytes[start[good, np.newaxis] + np.arange(surface.element)]
            found[where[good]] = sampling.four(surface, sampling.values(surface, rows.view(surface.texels.dtype)))
        return tuple(Bits(self.x, 32, np.ascontiguousarray(found[:, i])) for i in range(4))

    def store(
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, values: Sequence[Bits], *, sample: bool = False
    ) -> None:
        words = np.stack([np.broadcast_to(v.v, self.count) for v in values], axis=1)
        size = None if sample else words.itemsize * len(values)
        for surface, where, start in self.places(geometry, a, c, outside, size, sample):
            rows = np.ascontiguousarray(words[where])
            data = converted(surface, rows) if sample else rows.view(np.uint8)
            good = self.writable(surface, where, start)
            surface.bytes[start[good, np.newaxis] + np.arange(data.shape[1])] = data[good]

    def writable(self, surface: Surface, where: Array, start: Array) -> Array:
        """Which lanes write; a fault if they may not."""
        good = start >= 0
        self.x.keep("it writes to surfaces")
        if not surface.bytes.flags.writeable and good.any():
            raise self.wrong(
                "read-only", f"a write to {surface.described}, whose array is read-only", int(where[good][0])
            )
        return good

    def reduce(
        self,
        geometry: str,
        a: Bits,
        c: Sequence[Bits],
        outside: str,
        update: Update,
        b: Bits,
        *,
        signed: Update | None = None,
    ) -> None:
        size = b.width // 8
        values = np.broadcast_to(b.v, self.count)
        for surface, where, start in self.places(geometry, a, c, outside, size, signed is not None):
            good = self.writable(surface, where, start)
            if not good.any():
                continue
            # A copy as words: in the surface's bytes they may lie at any alignment.
            places, index = np.unique(start[good], return_inverse=True)
            spread = places[:, np.newaxis] + np.arange(size)
            words = surface.bytes[spread].view(UNSIGNED[b.width]).reshape(-1)
            chosen = signed if signed is not None and surface.texels.dtype.kind == "i" else update
            self.x.exchange((words, 0, 0), index.reshape(-1), chosen, [values[where[good]]])
            surface.bytes[spread] = words.view(np.uint8).reshape(-1, size)


def converted(surface: Surface, rows: Array) -> Array:
    """Converts 32-bit components to the bytes of elements: integers lose their upper bits, floats are rounded.

    Components that the instruction does not have become 0; the manual leaves them open.
    """
    dtype, n = surface.texels.dtype, surface.channels
    taken = np.zeros((rows.shape[0], n), dtype)
    given = rows[:, :n].view(np.float32) if surface.floating else rows[:, :n]
    with np.errstate(all="ignore"):
        taken[:, : given.shape[1]] = given.astype(dtype)
    return taken.view(np.uint8)
