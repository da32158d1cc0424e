"""Texture fetches, and surface loads, stores and reductions, by lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np

from openptx.array_types import Array
from openptx.device.textures import cubes, levels, sampling
from openptx.device.textures.sampler import Sampler
from openptx.device.textures.sampling import Place
from openptx.device.textures.surface import Surface
from openptx.device.textures.texture import Texture
from openptx.engines.interp.handles import Handles
from openptx.isa.semantics.images import DIMENSIONS, Lookup, components, layered, multisample
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import UNSIGNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Update

TOGETHER = 8192
"""Lanes whose fetches are computed at once: larger arrays would not stay in the cache."""


class LaneImages(Handles):
    # Textures.

    def fetch(self, lookup: Lookup) -> tuple[Bits, ...]:
        return self.sampled(lookup, sampling.fetch if lookup.real else sampling.element)

    def gather(self, lookup: Lookup, component: int) -> tuple[Bits, ...]:
        def take(t: Texture, s: Sampler, at: Place) -> Array:
            return sampling.gather(t, s, at, component)

        return self.sampled(lookup, take)

    def sampled(self, lookup: Lookup, take: Callable[[Texture, Sampler, Place], Array]) -> tuple[Bits, ...]:
        """The result of `take` for each texture and the coordinates of the lanes that name it."""
        self.x.uses("decides where a texture is read", *lookup.values())
        found = np.zeros((self.count, 4), np.uint32)
        for handles, where in self.groups(*(h for h in (lookup.texture, lookup.sampler) if h is not None)):
            first = int(where[0])
            t = self.image(Texture, handles[0], lookup.geometry, first)
            s = t.sampler if lookup.sampler is None else self.require_object(Sampler, handles[1], first)
            why = refusal(t, s, lookup, filtered=take is sampling.fetch)
            if why:
                raise self.wrong("invalid-texture", why, first)
            for begin in range(0, len(where), TOGETHER):
                part = where[begin : begin + TOGETHER]
                found[part] = take(t, s, self.place(t, lookup, part))
        return tuple(Bits(self.x, 32, np.ascontiguousarray(found[:, i])) for i in range(4))

    def place(self, t: Texture, lookup: Lookup, where: Array) -> Place:
        """The place that the lanes fetch from. A sample beyond the last is a fault; a layer beyond the last is clamped
        to the last."""
        c = self.columns(lookup.coordinates, where)
        sample = c.pop(0) if multisample(lookup.geometry) else None
        if sample is not None and (sample >= t.samples).any():
            wrong = int(np.argmax(sample >= t.samples))
            message = f"the texture has {t.samples} samples, and sample {sample[wrong]} is requested"
            raise self.wrong("invalid-texture", message, int(where[wrong]))
        layer = c.pop(0) if layered(lookup.geometry) else None
        at = [v.view(np.float32 if lookup.real else np.int32) for v in c[: DIMENSIONS[lookup.geometry]]]
        level = self.level(t, lookup, at, where)
        if t.cube:
            face, at = cubes.projected(*at)
            layer = cubes.layer(t, layer, face)
        moved = [o.view(np.int32) for o in self.columns(lookup.offset[: len(at)], where)]
        depth = None if lookup.depth is None else self.columns([lookup.depth], where)[0].view(np.float32)
        return Place(layer, at, moved, sample, depth, level)

    def level(self, t: Texture, lookup: Lookup, at: list[Array], where: Array) -> Array | None:
        """The level of detail that each lane names or its gradients select; None if the instruction has neither.
        `at` are coordinates."""
        if lookup.level is not None:
            return self.columns([lookup.level], where)[0].view(np.float32 if lookup.real else np.int32)
        if not lookup.gradients or t.level_count == 1:
            return None
        dx, dy = ([v.view(np.float32) for v in self.columns(one, where)] for one in lookup.gradients)
        if t.cube:
            dx, dy = (cubes.gradient(at, one) for one in (dx, dy))
        return levels.of_gradients(t.shape, dx, dy)

    # Surfaces.

    def places(
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, size: int | None, scaled: bool = False
    ) -> Iterator[tuple[Surface, Array, Array]]:
        """Each surface, the indices of its lanes, and where their `size` bytes begin in it: -1 for lanes with nothing
        to do.

        Without a size it is that of an element. `scaled` coordinates count units of that size instead of bytes.
        """
        self.x.uses("decides where a surface is accessed", *c[: components(geometry)])
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
        self.x.stores_outside(*values)
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
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, update: Update, b: Bits, *,
        signed: Update | None = None,
    ) -> None:  # fmt: skip
        self.x.uses("is an operand of an atomic operation", b)
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


def refusal(t: Texture, s: Sampler, lookup: Lookup, *, filtered: bool) -> str:
    """Why this fetch from the texture is not allowed; "" if it is."""
    linear = s.filter == "linear" or (s.level_filter == "linear" and t.level_count > 1)
    if filtered and linear and not t.real:
        return "linear filtering of a texture that reads as integers"
    if lookup.depth is not None and not t.real:
        return "comparison of a depth with a texture that reads as integers"
    if filtered and t.level_count > 1 and not sampling.is_normalized(t, s):
        return "a texture of several levels has normalized coordinates"
    return ""


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
