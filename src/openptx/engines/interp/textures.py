"""Texture fetches of lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from openptx.device import sampling
from openptx.device.sampling import Place
from openptx.device.texture import Array, Sampler, Texture
from openptx.engines.interp.handles import Handles
from openptx.numerics import Bits


class Textures(Handles):
    def fetch(
        self, geometry: str, a: Bits, b: Bits | None, c: Sequence[Bits], offset: Sequence[Bits], *, real: bool
    ) -> tuple[Bits, ...]:
        take = sampling.fetch if real else sampling.element
        return self.sampled(geometry, a, b, c, offset, real, take)

    def gather(
        self, geometry: str, a: Bits, b: Bits | None, c: Sequence[Bits], offset: Sequence[Bits], component: int
    ) -> tuple[Bits, ...]:
        def take(t: Texture, s: Sampler, at: Place) -> Array:
            return sampling.gather(t, s, at, component)

        return self.sampled(geometry, a, b, c, offset, True, take)

    def sampled(
        self,
        geometry: str,
        a: Bits,
        b: Bits | None,
        c: Sequence[Bits],
        offset: Sequence[Bits],
        real: bool,
        take: Callable[[Texture, Sampler, Place], Array],
    ) -> tuple[Bits, ...]:
        """What `take` makes of each texture and the coordinates of the lanes that name it."""
        found = np.zeros((self.count, 4), np.uint32)
        for handles, where in self.groups(*((a,) if b is None else (a, b))):
            first = int(where[0])
            t = self.image(Texture, handles[0], geometry, first)
            s = t.sampler if b is None else self.named(Sampler, handles[1], first)
            if take is sampling.fetch and s.filter == "linear" and not t.real:
                raise self.wrong("invalid-texture", "linear filtering of a texture that reads as integers", first)
            layer, at = self.coordinates(geometry, c, where)
            moved = [o.view(np.int32) for o in self.columns(offset[: len(at)], where)]
            found[where] = take(t, s, Place(layer, [v.view(np.float32 if real else np.int32) for v in at], moved))
        return tuple(Bits(self.x, 32, np.ascontiguousarray(found[:, i])) for i in range(4))
