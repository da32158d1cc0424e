"""Filtering across the edges of a cube's faces: seamless cube maps, as an H200 has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from openptx.array_types import Array
from openptx.device.textures import cubes
from openptx.device.textures.filtering import FRACTION, Part, quads
from openptx.device.textures.texture import FACES, Texture


def weighted_texels(t: Texture, layer: Array, u: Sequence[Array], share: Array) -> list[Part]:
    """The four texels around places in texels, some of them on neighbouring faces, with weights that are `share`
    together.

    Three texels meet at a corner of the cube. The fourth one's weight is divided: a third, rounded, for each of the two
    beside it, and the rest for the one across.
    """
    n = t.shape[0]
    low = [np.floor(v - 0.5) for v in u]
    fractions = [np.floor((v - 0.5 - i) * FRACTION + 0.5).astype(np.int64) for v, i in zip(u, low, strict=True)]
    ((corners, weights),) = quads(fractions, share)
    places = [(low[0] + dx, low[1] + dy) for dx, dy in corners.tolist()]
    missing = np.stack([((i < 0) | (i >= n)) & ((j < 0) | (j >= n)) for i, j in places])
    third = (weights * missing + 1) // 3
    weights = np.where(missing, 0, weights + third[[1, 0, 3, 2]] + third[[2, 3, 0, 1]])
    weights += (share - weights.sum(axis=0)) * missing[::-1]
    return [Part(np.stack([texel(t, layer, *place) for place in places]), weights)]


def texel(t: Texture, layer: Array, i: Array, j: Array) -> Array:
    """Texels at positions of which one may be just outside of the face."""
    n = t.shape[0]
    face = layer % FACES
    outside = (np.minimum(i, j) < 0) | (np.maximum(i, j) >= n)
    # Beyond an edge the surface goes on down the next face: half a texel from it.
    depth = np.where(outside, 1 - 1 / n, 1.0)
    s, r = (np.clip((2 * v + 1) / n - 1, -1, 1) for v in (i, j))
    seen, place = cubes.projected(*(v.astype(np.float32) for v in cubes.direction(face, s, r, depth)))
    column, row = (np.clip(np.floor(v * n), 0, n - 1).astype(np.int64) for v in place)
    found: Array = t.texels[layer - face + seen, row, column]
    return found
