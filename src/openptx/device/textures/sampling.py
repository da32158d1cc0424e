"""Texture fetching by the appendix of the CUDA programming guide: from coordinates to texels.

All numbers are NumPy arrays with one element per lane. What the guide leaves open is as recorded on an H100: the
truncation of coordinates and weights, NaN as the coordinate 0, and 0 for a missing component; `filtering` computes
sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from openptx.array_types import Array
from openptx.device.textures import levels, seams
from openptx.device.textures.filtering import FRACTION, LINEAR, Part, averaged, averaged_codes, quads, quantized
from openptx.device.textures.sampler import Sampler
from openptx.device.textures.texel_array import TexelArray
from openptx.device.textures.texture import Texture

_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "never": lambda depth, texel: np.zeros_like(texel),
    "less": np.less,
    "equal": np.equal,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "not_equal": np.not_equal,
    "greater_equal": np.greater_equal,
    "always": lambda depth, texel: np.ones_like(texel),
}

TURN = 2.0**21
"""Normalized coordinates have 21 fraction bits; the rest is truncated."""

SMALLEST = np.finfo(np.float32).smallest_normal

WHOLE = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}
"""Types by size in bytes."""


class Place(NamedTuple):
    """The position that lanes fetch from: layer (None: not layered), x, y, z, and offsets in texels, if any.

    `sample` is the index of one of several samples; texels are compared with `depth`, if given. `level` is named by the
    instruction, or computed from its `gradients`: float32, or int32 if coordinates are.
    """

    layer: Array | None
    c: Sequence[Array]
    offset: Sequence[Array]
    sample: Array | None = None
    depth: Array | None = None
    level: Array | None = None

    def of(self, lanes: Array) -> Place:
        """The positions of some lanes. Textures of several levels have no samples."""
        layer, depth = (None if v is None else v[lanes] for v in (self.layer, self.depth))
        return Place(layer, [v[lanes] for v in self.c], [v[lanes] for v in self.offset], depth=depth)


def fetch(t: Texture, s: Sampler, at: Place) -> Array:
    """The four components at float32 coordinates as 32 bits, in rows."""
    if t.level_count == 1:
        return four(t, fetched(t, s, at))
    level = levels.level_of_detail(t, s, at.level, len(at.c[0]))
    if s.level_filter == "nearest":
        return four(t, by_level(t, s, at, np.floor(level + 0.5)))
    return four(t, between_levels(t, s, at, level))


def fetched(t: Texture, s: Sampler, at: Place) -> Array:
    """The components at one level."""
    u = scaled(t, s, at.c)
    if s.filter == "linear":
        return average_parts(t, s, at, weighted_texels(t, s, at, u, np.full(len(u[0]), FRACTION)))
    return texels(t, s, modes(t, s), at, whole(u, at.offset))


def by_level(t: Texture, s: Sampler, at: Place, level: Array) -> Array:
    """The components at each lane's level."""
    found: Array | None = None
    for number, lanes in levels.groups(level):
        some = fetched(t.level(number), s, at.of(lanes))
        if found is None:
            found = np.zeros((len(level), t.channels), some.dtype)
        found[lanes] = some
    assert found is not None
    return found


def between_levels(t: Texture, s: Sampler, at: Place, level: Array) -> Array:
    """The average of two levels. All texels of both are weighted together."""
    low = np.floor(level)
    share = ((level - low) * FRACTION).astype(np.int64)
    parts: list[Part] = []
    for number, portion in ((low, FRACTION - share), (np.minimum(low + 1, t.level_count - 1), share)):
        several: list[Part] = []
        for i, lanes in levels.groups(number):
            one, place = t.level(i), at.of(lanes)
            some = weighted_texels(one, s, place, scaled(one, s, place.c), portion[lanes])
            several = several or [empty(part, len(level)) for part in some]
            for part, new in zip(several, some, strict=True):
                part.texels[:, lanes], part.weights[:, lanes] = new
        parts += several
    return average_parts(t, s, at, parts)


def empty(like: Part, lanes: int) -> Part:
    """A part for so many lanes, to be filled."""
    corners, _, channels = like.texels.shape
    return Part(np.zeros((corners, lanes, channels), like.texels.dtype), np.zeros((corners, lanes), np.int64))


def element(t: Texture, s: Sampler, at: Place) -> Array:
    """The texel at int32 coordinates, which are never normalized; nothing is filtered.

    Texels outside the texture are zeros in any address mode (H100). With an explicit level, the nearest texel is used
    outside, and levels that do not exist read as zeros (H200).
    """
    if at.level is None:
        return element_at(t, s, at, "border")
    found = np.zeros((len(at.level), 4), np.uint32)
    for number, lanes in levels.groups(at.level):
        if 0 <= number < t.level_count:
            found[lanes] = element_at(t.level(number), s, at.of(lanes), "clamp")
    return found


def element_at(t: Texture, s: Sampler, at: Place, outside: str) -> Array:
    index = whole([a.astype(np.float64) for a in at.c], at.offset)
    found = values(t, raw(t, (outside,) * len(index), at, index, np.zeros(1, t.texels.dtype)))
    return four(t, found if at.depth is None else compared(t, s, at.depth, found))


def gather(t: Texture, s: Sampler, at: Place, component: int) -> Array:
    """One component of the four texels around: counter-clockwise from the lower left, y pointing down.

    These are the texels that filtering would use: the position is first rounded to eight fraction bits (H200).
    """
    x, y = whole([np.floor((a - 0.5) * FRACTION + 0.5) / FRACTION for a in scaled(t, s, at.c)], at.offset)
    around = ((x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y))
    return np.stack([four(t, texels(t, s, modes(t, s), at, each))[:, component] for each in around], axis=1)


def is_normalized(t: Texture, s: Sampler) -> bool:
    """Whether coordinates run from 0 to 1. Those of a cube's faces always do."""
    return t.cube or (t.normalized and not s.force_unnormalized)


def scaled(t: Texture, s: Sampler, c: Sequence[Array]) -> list[Array]:
    """Coordinates in texels, as doubles. Infinity is the largest number, and subnormal ones are zeros (H200)."""
    known = [np.where(np.abs(a) < SMALLEST, 0.0, np.nan_to_num(a, nan=0.0)).astype(np.float64) for a in c]
    if not is_normalized(t, s):
        return known
    return [np.floor(a * TURN) / TURN * n for a, n in zip(known, t.shape, strict=True)]


def whole(c: Sequence[Array], offset: Sequence[Array]) -> list[Array]:
    """Positions of texels."""
    return add_offsets([np.floor(a) for a in c], offset)


def add_offsets(c: Sequence[Array], offset: Sequence[Array]) -> list[Array]:
    return [a + o for a, o in zip(c, offset, strict=True)] if offset else list(c)


def weighted_texels(t: Texture, s: Sampler, at: Place, u: Sequence[Array], share: Array) -> list[Part]:
    """The texel, or the 2, 4 or 8 neighbours that are averaged, with weights that sum to `share`."""
    address = modes(t, s)
    if t.seamless and s.filter == "linear":
        assert at.layer is not None
        return seams.weighted_texels(t, at.layer, add_offsets(u, at.offset), share)
    if s.filter == "nearest":
        return [Part(raw(t, address, at, whole(u, at.offset), t.border)[np.newaxis], share[np.newaxis])]
    base = [
        wrapped_place(a, n, mode) - 0.5 for a, n, mode in zip(add_offsets(u, at.offset), t.shape, address, strict=False)
    ]
    low = [np.floor(a) for a in base]
    fractions = [np.floor((a - i) * FRACTION + 0.5).astype(np.int64) for a, i in zip(base, low, strict=True)]
    return [Part(corner_texels(t, address, at, low, corners), weight) for corners, weight in quads(fractions, share)]


def wrapped_place(a: Array, n: int, mode: str) -> Array:
    """The place that is filtered around: numbers that have no fraction any more still wrap to one."""
    found: Array = np.clip(a, 0.5, n - 0.5) if mode == "clamp" else np.mod(a, n) if mode == "wrap" else a
    return found


def average_parts(t: Texture, s: Sampler, at: Place, parts: Sequence[Part]) -> Array:
    """The average of texels as a fetch reads them, or of the comparison results if there is a depth."""
    if at.depth is not None:  # sums of 256ths are exact
        shares = [compared(t, s, at.depth, values(t, found)) * weight[..., np.newaxis] for found, weight in parts]
        total: Array = np.sum([share.sum(axis=0) for share in shares], axis=0) / FRACTION
        return total.astype(np.float32)
    if t.srgb:
        return averaged_codes(parts)
    if not t.floating:
        return quantized(parts)
    with np.errstate(all="ignore"):
        return averaged(parts)


def corner_texels(t: Texture, address: Sequence[str], at: Place, low: Sequence[Array], corners: Array) -> Array:
    """The texels at the corners (rows of 0 and 1 for each dimension) above the lowest ones: corner, lane, component."""
    places = [
        apply_address_mode(np.stack((i, i + 1)), n, mode) for i, n, mode in zip(low, t.shape, address, strict=False)
    ]
    chosen = [
        (index[up], None if outside is None else outside[up])
        for (index, outside), up in zip(places, corners.T, strict=True)
    ]
    return texels_or_border(t, at, chosen, t.border)


def modes(t: Texture, s: Sampler) -> Sequence[str]:
    """How to address each dimension. A texture may wrap or mirror only if coordinates are normalized."""
    return s.address if is_normalized(t, s) else [mode if mode == "border" else "clamp" for mode in s.address]


def texels(t: Texture, s: Sampler, address: Sequence[str], at: Place, index: Sequence[Array]) -> Array:
    """The components of texels at integer positions, as a fetch reads them."""
    found = values(t, raw(t, address, at, index, t.border))
    return found if at.depth is None else compared(t, s, at.depth, found)


def compared(t: Texture, s: Sampler, depth: Array, found: Array) -> Array:
    """1.0 if the depth compares to the component as the sampler says, else 0.0.

    The depth is clamped to 0 to 1 if texels are fixed-point numbers, as in OpenGL.
    """
    reference = depth if t.floating else np.clip(depth, np.float32(0), np.float32(1))
    result: Array = _COMPARE[s.compare](reference[:, np.newaxis], found).astype(np.float32)
    return result


def raw(t: Texture, address: Sequence[str], at: Place, c: Sequence[Array], border: Array) -> Array:
    """Texels as stored, each from its position or from where the address mode maps it; outside the `border`."""
    return texels_or_border(
        t, at, [apply_address_mode(i, n, mode) for i, n, mode in zip(c, t.shape, address, strict=False)], border
    )


def texels_or_border(t: Texture, at: Place, places: Sequence[tuple[Array, Array | None]], border: Array) -> Array:
    """Texels at positions in x, y, z: the border if they are outside. Components are the last axis."""
    index = [i for i, _ in reversed(places)]
    if at.layer is not None:
        assert t.layers is not None
        index.insert(0, np.minimum(at.layer, t.layers - 1).astype(np.int64))
    if at.sample is not None:
        index.append(at.sample.astype(np.int64))
    found = take_elements(t.texels, index)
    for _, outside in places:
        if outside is not None and outside.any():
            found = np.where(outside[..., np.newaxis], border, found)
    return found


def take_elements(texels: Array, index: Sequence[Array]) -> Array:
    """Elements with their components, which are read as one number if they are contiguous."""
    *extents, channels = texels.shape
    whole = WHOLE.get(channels * texels.itemsize)
    if whole is None or not texels.flags.c_contiguous:
        return texels[tuple(index)]
    flat = index[0]
    for extent, i in zip(extents[1:], index[1:], strict=True):
        flat = flat * extent + i
    return texels.reshape(-1).view(whole)[flat].view(texels.dtype).reshape(*flat.shape, channels)


def apply_address_mode(i: Array, n: int, mode: str) -> tuple[Array, Array | None]:
    """Integer positions (as doubles) clamped to 0 to n - 1, as integers, and which of them are outside, if that
    matters."""
    outside: Array | None = None
    if mode == "wrap":
        inside: Array = np.mod(i, n)
    elif mode == "mirror":
        j = np.mod(i, 2 * n)
        inside = np.minimum(j, 2 * n - 1 - j)
    else:
        inside = np.clip(i, 0, n - 1)
        if mode == "border":
            outside = inside != i
    return inside.astype(np.int64), outside


def values(t: TexelArray, found: Array) -> Array:
    """Components as a fetch reads them: float32, or integers of 32 bits."""
    if t.floating:
        return found.astype(np.float32, copy=False)
    if t.srgb:
        return np.concatenate([LINEAR[found[..., :3]], found[..., 3:].astype(np.float32) / np.float32(255)], axis=-1)
    if t.real:
        # The most negative number reads as -1, like its successor.
        top = np.float32(np.iinfo(found.dtype).max)
        return np.maximum(found.astype(np.float32) / top, np.float32(-1))
    return found.astype(np.int32 if found.dtype.kind == "i" else np.uint32, copy=False)


def four(t: TexelArray, found: Array) -> Array:
    """All four components as 32 bits."""
    bits = np.zeros((found.shape[0], 4), np.uint32)
    bits[:, : t.channels] = np.ascontiguousarray(found).view(np.uint32)
    return bits
