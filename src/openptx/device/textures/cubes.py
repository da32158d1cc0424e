"""Cube maps: the face that a direction hits, and the position on it; each face is then filtered separately.

Directions are float32, divided by their largest component: one of them is 1 or -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from openptx.array_types import Array
from openptx.device.textures.texture import FACES, Texture


class Facing(NamedTuple):
    """The major axis of directions, as conditions for z and for y, else x, and whether it is negative."""

    along: list[Array]
    negative: Array

    def axis(self, v: Sequence[Array]) -> Array:
        x, y, z = v
        return np.select(self.along, [z, y], x)

    def face_coordinates(self, v: Sequence[Array]) -> tuple[Array, Array]:
        """The guide's table: s and t for m of each face."""
        x, y, z = v
        down = self.negative
        s = np.select(self.along, [np.where(down, -x, x), x], np.where(down, z, -z))
        return s, np.select(self.along, [-y, np.where(down, -z, z)], -y)


def facing(direction: Sequence[Array]) -> Facing:
    """Among equally large components z precedes y, and y precedes x. NaN is smaller than the others (H200)."""
    x, y, z = (np.where(np.isnan(v), np.float32(-1), np.abs(v)) for v in direction)
    along_z = (z >= y) & (z >= x)
    along = [along_z, ~along_z & (y >= x)]
    a, b, c = (np.nan_to_num(v, nan=0.0) for v in direction)
    return Facing(along, np.select(along, [c, b], a) < 0)


def projected(x: Array, y: Array, z: Array) -> tuple[Array, list[Array]]:
    """The face (+x, -x, +y, -y, +z, -z), an integer, and the position on it, doubles from 0 to 1.

    A NaN component gives the middle: so do directions with infinite components (H200).
    """
    seen = facing((x, y, z))
    s, t = seen.face_coordinates([np.nan_to_num(v, nan=0.0) for v in (x, y, z)])
    face = np.select(seen.along, [4, 2], 0) + seen.negative
    return face, [(v.astype(np.float64) + 1) / 2 for v in (s, t)]


def direction(face: Array, s: Array, t: Array, m: Array) -> list[Array]:
    """The direction that meets a face at s and t, from -1 to 1, at the depth m: the guide's table backwards."""
    which = [face == number for number in range(FACES)]
    return [
        np.select(which, [m, -m, s, s, s, -s]),
        np.select(which, [-t, -t, m, -m, -t, -t]),
        np.select(which, [-s, s, t, -t, m, -m]),
    ]


def gradient(direction: Sequence[Array], change: Sequence[Array]) -> list[Array]:
    """The derivative of the position on the face (Vulkan 1.3, cube map derivative transformation)."""
    seen = facing(direction)
    place = seen.face_coordinates([np.nan_to_num(v, nan=0.0).astype(np.float64) for v in direction])
    along = seen.axis([v.astype(np.float64) for v in change]) * np.where(seen.negative, -1, 1)
    turned = seen.face_coordinates([v.astype(np.float64) for v in change])
    return [(d - p * along) / 2 for d, p in zip(turned, place, strict=True)]


def layer(t: Texture, cube: Array | None, face: Array) -> Array:
    """The layer of a face: in a single cube, or in the given cube of an array, clamped to the last."""
    if cube is None:
        return face
    assert t.layers is not None
    return FACES * np.minimum(cube, t.layers // FACES - 1).astype(np.int64) + face
