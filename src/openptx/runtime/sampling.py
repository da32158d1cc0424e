"""Texture fetching as the appendix of the CUDA programming guide has it: from coordinates to texels, and filtering.

All numbers are NumPy arrays with an element a lane. Coordinates are exact here: a 32-bit float, or its product with an
extent, is a double. Where the guide is silent: NaN is the coordinate 0; components that a texture lacks are 0 (H100).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from openptx.runtime.texture import Array, Image, Sampler, Texture

FRACTION = 256.0
"""Linear filtering weighs with a fixed-point number that has eight bits of fraction, and holds 1 exactly."""

NAN = 0x7FFFFFFF


class Place(NamedTuple):
    """Where lanes fetch: the layer (None: not layered), x, y, z, and what is added to them in texels, if anything."""

    layer: Array | None
    c: Sequence[Array]
    offset: Sequence[Array]


def fetch(t: Texture, s: Sampler, at: Place) -> Array:
    """The four components at float32 coordinates as 32 bits, in rows."""
    u = scaled(t, s, at.c)
    if s.filter == "linear":
        return four(t, linear(t, s, at, u))
    return four(t, texels(t, modes(t, s), at.layer, moved([np.floor(a) for a in u], at.offset)))


def element(t: Texture, s: Sampler, at: Place) -> Array:
    """The same at int32 coordinates, which are never normalized; nothing is filtered.

    Outside of the texture there are zeros, whatever the address mode (H100).
    """
    index = moved([a.astype(np.float64) for a in at.c], at.offset)
    return four(t, texels(t, ("border",) * len(index), at.layer, index))


def gather(t: Texture, s: Sampler, at: Place, component: int) -> Array:
    """One component of the four texels around: counter-clockwise from the lower left, y pointing down."""
    x, y = moved([np.floor(a - 0.5) for a in scaled(t, s, at.c)], at.offset)
    around = ((x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y))
    return np.stack([four(t, texels(t, modes(t, s), at.layer, each))[:, component] for each in around], axis=1)


def is_normalized(t: Texture, s: Sampler) -> bool:
    return t.normalized and not s.force_unnormalized


def scaled(t: Texture, s: Sampler, c: Sequence[Array]) -> list[Array]:
    """Coordinates in texels, as doubles; infinity is the largest number."""
    known = [np.nan_to_num(a, nan=0.0).astype(np.float64) for a in c]
    return [a * n for a, n in zip(known, t.shape, strict=True)] if is_normalized(t, s) else known


def moved(c: Sequence[Array], offset: Sequence[Array]) -> list[Array]:
    return [a + o for a, o in zip(c, offset, strict=True)] if offset else list(c)


def linear(t: Texture, s: Sampler, at: Place, u: Sequence[Array]) -> Array:
    """The weighted sum of the 2, 4 or 8 texels around, rounded once."""
    base = [a - 0.5 for a in u]
    low = [np.floor(a) for a in base]
    parts = [np.floor((a - i) * FRACTION + 0.5) / FRACTION for a, i in zip(base, low, strict=True)]
    low = moved(low, at.offset)
    total = np.zeros((low[0].size, t.channels))
    with np.errstate(all="ignore"):
        for corner in product((0, 1), repeat=len(u)):
            weights = [part if up else 1.0 - part for part, up in zip(parts, corner, strict=True)]
            found = texels(t, modes(t, s), at.layer, [i + up for i, up in zip(low, corner, strict=True)])
            total += np.prod(weights, axis=0)[:, np.newaxis] * found
        result = total.astype(np.float32)
    result.view(np.uint32)[np.isnan(result)] = NAN
    return result


def modes(t: Texture, s: Sampler) -> Sequence[str]:
    """How to address each dimension. Only where coordinates are normalized a texture may repeat itself."""
    return s.address if is_normalized(t, s) else [mode if mode == "border" else "clamp" for mode in s.address]


def texels(t: Texture, address: Sequence[str], layer: Array | None, at: Sequence[Array]) -> Array:
    """The components of texels at whole positions, each in its place or where the address mode puts it."""
    index: list[Array] = []
    outside = np.zeros(1, np.bool_)
    for i, n, mode in zip(at, t.shape, address, strict=False):
        index.insert(0, placed(i, n, mode).astype(np.int64))
        if mode == "border":
            outside = outside | (i < 0) | (i >= n)
    if layer is not None:
        assert t.layers is not None
        index.insert(0, np.minimum(layer, t.layers - 1).astype(np.int64))
    found = values(t, t.texels[tuple(index)])
    return np.where(outside[:, np.newaxis], found.dtype.type(0), found) if outside.any() else found


def placed(i: Array, n: int, mode: str) -> Array:
    """Whole positions (doubles) inside of 0 to n - 1."""
    if mode == "wrap":
        return np.mod(i, n)
    if mode == "mirror":
        j = np.mod(i, 2 * n)
        return np.minimum(j, 2 * n - 1 - j)
    return np.clip(i, 0, n - 1)


def values(t: Image, found: Array) -> Array:
    """Components as a fetch reads them: float32, or integers of 32 bits."""
    if t.floating:
        return found.astype(np.float32, copy=False)
    if t.real:
        # The most negative number reads as -1, as the one after it does.
        top = np.float32(np.iinfo(found.dtype).max)
        return np.maximum(found.astype(np.float32) / top, np.float32(-1))
    return found.astype(np.int32 if found.dtype.kind == "i" else np.uint32, copy=False)


def four(t: Image, found: Array) -> Array:
    """All four components as 32 bits."""
    bits = np.zeros((found.shape[0], 4), np.uint32)
    bits[:, : t.channels] = np.ascontiguousarray(found).view(np.uint32)
    return bits
