"""Cube maps: from a direction to a face and a place on it (CUDA programming guide, cubemap textures)."""

from __future__ import annotations

import numpy as np

from openptx.device.texture import FACES, Array, Texture


def projected(x: Array, y: Array, z: Array) -> tuple[Array, list[Array]]:
    """The face (+x, -x, +y, -y, +z, -z) and the place on it, from 0 to 1, of a direction with a component of 1 or -1.

    All are float32, the face is a whole number. Of components that are equally large z wins over y, and y over x:
    Vulkan's order, where the guide has none.
    """
    magnitude = [np.abs(np.nan_to_num(v, nan=0.0)) for v in (x, y, z)]
    along_z = (magnitude[2] >= magnitude[1]) & (magnitude[2] >= magnitude[0])
    along_y = ~along_z & (magnitude[1] >= magnitude[0])
    which = [along_z, along_y]
    negative = np.select(which, [z, y], x) < 0
    face = np.select(which, [4, 2], 0) + negative
    # The guide's table: s and t for m of each face.
    s = np.select(which, [np.where(negative, -x, x), x], np.where(negative, z, -z))
    t = np.select(which, [-y, np.where(negative, -z, z)], -y)
    return face, [((v.astype(np.float64) + 1) / 2).astype(np.float32) for v in (s, t)]


def layer(t: Texture, cube: Array | None, face: Array) -> Array:
    """The layer of a face: of the only cube, or of that cube, or the last."""
    if cube is None:
        return face
    assert t.layers is not None
    return FACES * np.minimum(cube, t.layers // FACES - 1).astype(np.int64) + face
