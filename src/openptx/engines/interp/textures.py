"""Texture fetches by lanes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from openptx.device import sampling
from openptx.device.sampling import Place
from openptx.device.texture import Array, Sampler, Texture
from openptx.engines.interp.handles import Handles
from openptx.isa.semantics.images import DIMENSIONS, Lookup, layered, multisample
from openptx.numerics import Bits

TOGETHER = 8192
"""Lanes whose fetches are computed at once: larger arrays would not stay in the cache."""


class Textures(Handles):
    def fetch(self, lookup: Lookup) -> tuple[Bits, ...]:
        return self.sampled(lookup, sampling.fetch if lookup.real else sampling.element)

    def gather(self, lookup: Lookup, component: int) -> tuple[Bits, ...]:
        def take(t: Texture, s: Sampler, at: Place) -> Array:
            return sampling.gather(t, s, at, component)

        return self.sampled(lookup, take)

    def sampled(self, lookup: Lookup, take: Callable[[Texture, Sampler, Place], Array]) -> tuple[Bits, ...]:
        """The result of `take` for each texture and the coordinates of the lanes that name it."""
        found = np.zeros((self.count, 4), np.uint32)
        for handles, where in self.groups(*(h for h in (lookup.texture, lookup.sampler) if h is not None)):
            first = int(where[0])
            t = self.image(Texture, handles[0], lookup.geometry, first)
            s = t.sampler if lookup.sampler is None else self.named(Sampler, handles[1], first)
            if take is sampling.fetch and s.filter == "linear" and not t.real:
                raise self.wrong("invalid-texture", "linear filtering of a texture that reads as integers", first)
            if lookup.depth is not None and not t.real:
                raise self.wrong(
                    "invalid-texture", "comparison of a depth with a texture that reads as integers", first
                )
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
            message = f"the texture has {t.samples} samples, and sample {sample[wrong]} is asked for"
            raise self.wrong("invalid-texture", message, int(where[wrong]))
        layer = c.pop(0) if layered(lookup.geometry) else None
        at = [v.view(np.float32 if lookup.real else np.int32) for v in c[: DIMENSIONS[lookup.geometry]]]
        if t.cube:
            face, at = sampling.projected(*at)
            layer = sampling.layer(t, layer, face)
        moved = [o.view(np.int32) for o in self.columns(lookup.offset[: len(at)], where)]
        depth = None if lookup.depth is None else self.columns([lookup.depth], where)[0].view(np.float32)
        return Place(layer, at, moved, sample, depth)
