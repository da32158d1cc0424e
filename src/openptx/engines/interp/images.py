"""Textures and surfaces on lanes: the object behind each lane's handle does the work for the lanes that name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from openptx.engines.interp import sets
from openptx.engines.interp.atomics import Queue
from openptx.engines.interp.memory import Violation
from openptx.isa import images, updates
from openptx.isa.images import DIMENSIONS, layered
from openptx.isa.windows import PARAM
from openptx.numerics import Bits
from openptx.numerics.lanes import UNSIGNED
from openptx.runtime import sampling
from openptx.runtime.attributes import attribute
from openptx.runtime.texture import Array, Image, Opaque, Sampler, Surface, Texture, find

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.isa.machine import Update

T = TypeVar("T", bound=Opaque)
NAMES: dict[type[Any], str] = {Texture: "texture", Sampler: "sampler", Surface: "surface"}
KINDS = {kind.kind: kind for kind in NAMES}


class LaneImages(images.Images):
    """The images that the lanes of `x` name."""

    def __init__(self, x: Threads) -> None:
        self.x = x

    # Handles.

    def object(self, handle: int) -> Opaque | None:
        """What a handle, the address of a variable or that of a kernel's parameter stands for."""
        x = self.x
        found = x.image.bound.get(handle)
        if found is None and handle >> x.shift == PARAM:
            row, at = x.memory.rows[PARAM], handle - (PARAM << x.shift)
            if row is not None and at + 8 <= row.size:
                handle = int.from_bytes(row.bytes()[at : at + 8].tobytes(), "little")
                return find(handle)
        return found or find(handle)

    def named(self, kind: type[T], handle: int, i: int) -> T:
        """The object of this kind that a handle names; a fault of the lane in place `i` where it does not."""
        found = self.object(handle)
        if isinstance(found, kind):
            return found
        what = f"0x{handle:x} is no {NAMES[kind]}"
        if found is not None:
            what += f" but a {NAMES[type(found)]}"
        else:
            unbound = next((n for n, at in self.x.image.addresses.items() if at == handle), None)
            what += f": nothing is bound to `{unbound}`" if unbound else ""
        raise self.wrong("invalid-texture", what, i)

    def wrong(self, code: str, message: str, i: int) -> Violation:
        """The violation of the lane in place `i` of those that execute."""
        return Violation(code, message, int(sets.positions(self.x.who, self.x.n)[i]))

    def groups(self, *handles: Bits) -> Iterator[tuple[list[int], Array]]:
        """The different handles (or pairs of them), each with the places of the lanes that hold it."""
        if all(h.v.size == 1 or (h.v == h.v[0]).all() for h in handles):
            yield [int(h.v[0]) for h in handles], np.arange(self.count)
            return
        rows = np.stack([np.broadcast_to(h.v, self.count) for h in handles])
        different, which = np.unique(rows, axis=1, return_inverse=True)
        for number, row in enumerate(different.T.tolist()):
            yield row, np.flatnonzero(which.reshape(-1) == number)

    @property
    def count(self) -> int:
        return sets.size(self.x.who, self.x.n)

    def fits(self, image: Image, geometry: str, i: int) -> None:
        """Whether the image has the axes that the instruction names."""
        if image.geometry != geometry:
            what = f"{image.name} of geometry `.{image.geometry}` in an instruction of geometry `.{geometry}`"
            raise self.wrong("invalid-texture", what, i)

    # Textures.

    def fetch(
        self, geometry: str, a: Bits, b: Bits | None, c: Sequence[Bits], offset: Sequence[Bits], *, real: bool
    ) -> tuple[Bits, ...]:
        def take(t: Texture, s: Sampler, layer: Array | None, at: list[Array], moved: list[Array]) -> Array:
            return sampling.fetch(t, s, layer, [v.view(np.float32 if real else np.int32) for v in at], moved, real)

        return self.sampled(geometry, a, b, c, offset, real, take)

    def gather(
        self, geometry: str, a: Bits, b: Bits | None, c: Sequence[Bits], offset: Sequence[Bits], component: int
    ) -> tuple[Bits, ...]:
        def take(t: Texture, s: Sampler, layer: Array | None, at: list[Array], moved: list[Array]) -> Array:
            return sampling.gather(t, s, layer, [v.view(np.float32) for v in at], moved, component)

        return self.sampled(geometry, a, b, c, offset, False, take)

    def sampled(
        self,
        geometry: str,
        a: Bits,
        b: Bits | None,
        c: Sequence[Bits],
        offset: Sequence[Bits],
        real: bool,
        take: Callable[[Texture, Sampler, Array | None, list[Array], list[Array]], Array],
    ) -> tuple[Bits, ...]:
        """What `take` makes of each texture and the coordinates of its lanes."""
        found = np.zeros((self.count, 4), np.uint32)
        for handles, where in self.groups(*((a,) if b is None else (a, b))):
            first = int(where[0])
            t = self.named(Texture, handles[0], first)
            s = t.sampler if b is None else self.named(Sampler, handles[1], first)
            self.fits(t, geometry, first)
            if real and s.filter == "linear" and not t.real:
                raise self.wrong("invalid-texture", "linear filtering of a texture that reads as integers", first)
            layer, at = self.coordinates(geometry, c, where)
            moved = [o.view(np.int32) for o in self.columns(offset[: len(at)], where)]
            found[where] = take(t, s, layer, at, moved)
        return tuple(Bits(self.x, 32, np.ascontiguousarray(found[:, i])) for i in range(4))

    def columns(self, values: Sequence[Bits], where: Array) -> list[Array]:
        """The values of the lanes in these places."""
        return [np.broadcast_to(v.v, self.count)[where] for v in values]

    def coordinates(self, geometry: str, c: Sequence[Bits], where: Array) -> tuple[Array | None, list[Array]]:
        """The layer, if the geometry has one, and the coordinates, x first."""
        columns = self.columns(c, where)
        layer = columns.pop(0) if layered(geometry) else None
        return layer, columns[: DIMENSIONS[geometry]]

    # Surfaces.

    def places(
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, size: int, scaled: bool = False
    ) -> Iterator[tuple[Surface, Array, Array]]:
        """Each surface with the places of its lanes, and where their `size` bytes begin in it; -1 if they are outside."""
        for (handle,), where in self.groups(a):
            first = int(where[0])
            surface = self.named(Surface, handle, first)
            self.fits(surface, geometry, first)
            layer, at = self.coordinates(geometry, c, where)
            at = [v.view(np.int32).astype(np.int64) for v in at]
            if scaled:
                at[0] = at[0] * (size if surface.element < size else surface.element)
            if (at[0] % size).any():
                i = int(where[np.flatnonzero(at[0] % size)[0]])
                raise self.wrong("misaligned-access", f"an access of {size} bytes at an x that is not a multiple of it", i)
            extent = [surface.shape[0] * surface.element // size * size - size + 1, *surface.shape[1:]]
            if layer is not None:
                at, extent = [*at, layer.astype(np.int64)], [*extent, surface.layers or 1]
            yield surface, where, self.inside(surface, at, extent, outside, where)

    def inside(self, surface: Surface, at: list[Array], extent: list[int], outside: str, where: Array) -> Array:
        """Where in the surface's bytes: beyond the extent as `outside` says."""
        bad = reduce(np.logical_or, [(v < 0) | (v >= n) for v, n in zip(at, extent, strict=True)])
        if bad.any() and (outside == "trap" or extent[0] <= 0):
            i = int(np.flatnonzero(bad)[0])
            place = ", ".join(str(int(v[i])) for v in at)
            shape = " x ".join(str(n) for n in (*surface.shape, *([surface.layers] if surface.layers else [])))
            what = f"the place ({place}), x in bytes, outside of a surface of {shape} elements of {surface.element} bytes"
            raise self.wrong("out-of-bounds", what, int(where[i]))
        row = surface.shape[0] * surface.element
        steps = [1, *(row * int(np.prod(surface.shape[1:i])) for i in range(1, len(at)))]
        offset = sum(np.clip(v, 0, n - 1) * step for v, n, step in zip(at, extent, steps, strict=True))
        return np.where(bad, -1, offset) if outside == "zero" else np.asarray(offset)

    def load(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, w: int, count: int) -> tuple[Bits, ...]:
        size = w // 8 * count
        found = np.zeros((self.count, size), np.uint8)
        for surface, where, start in self.places(geometry, a, c, outside, size):
            good = start >= 0
            found[where[good]] = surface.bytes[start[good, np.newaxis] + np.arange(size)]
        words = found.view(UNSIGNED[w])
        return tuple(Bits(self.x, w, np.ascontiguousarray(words[:, i])) for i in range(count))

    def store(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, values: Sequence[Bits]) -> None:
        words = np.stack([np.broadcast_to(v.v, self.count) for v in values], axis=1)
        size = words.itemsize * len(values)
        for surface, where, start in self.places(geometry, a, c, outside, size):
            self.write(surface, where, start, np.ascontiguousarray(words[where]).view(np.uint8))

    def write(self, surface: Surface, where: Array, start: Array, data: Array) -> None:
        """Bytes in rows; where lanes write to one place the last one's stay."""
        good = start >= 0
        if not surface.bytes.flags.writeable and good.any():
            raise self.wrong("read-only", "a write to a surface of a read-only array", int(where[good][0]))
        surface.bytes[start[good, np.newaxis] + np.arange(data.shape[1])] = data[good]

    def store_sample(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, values: Sequence[Bits]) -> None:
        words = np.stack([np.broadcast_to(v.v, self.count) for v in values], axis=1)
        for (handle,), _ in self.groups(a):
            surface = self.named(Surface, handle, 0)
            ...
