"""Texture fetches by lanes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from openptx.device import cubes, gradients, sampling
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
            message = f"the texture has {t.samples} samples, and sample {sample[wrong]} is asked for"
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
        """The level that the lanes name or their gradients ask for; `at` are coordinates."""
        if lookup.level is not None:
            return self.columns([lookup.level], where)[0].view(np.float32 if lookup.real else np.int32)
        if not lookup.gradients or t.level_count == 1:
            return None
        dx, dy = ([v.view(np.float32) for v in self.columns(one, where)] for one in lookup.gradients)
        if t.cube:
            dx, dy = (cubes.gradient(at, one) for one in (dx, dy))
        return gradients.level(t.shape, dx, dy)


def refusal(t: Texture, s: Sampler, lookup: Lookup, *, filtered: bool) -> str:
    """Why a texture can't be fetched from so; empty where it can."""
    linear = s.filter == "linear" or (s.level_filter == "linear" and t.level_count > 1)
    if filtered and linear and not t.real:
        return "linear filtering of a texture that reads as integers"
    if lookup.depth is not None and not t.real:
        return "comparison of a depth with a texture that reads as integers"
    if filtered and t.level_count > 1 and not sampling.is_normalized(t, s):
        return "a texture of several levels has normalized coordinates"
    return ""
