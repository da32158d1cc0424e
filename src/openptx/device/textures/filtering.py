"""The weighted averages of linear filtering, as an H200 rounds them: weights of corners and of levels, sums of texels.

Texels are summed in parts of at most four: those with the same level and z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from openptx.array_types import Array

# fmt: off
CODES = (
    0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240, 264, 288, 312,
    340, 368, 396, 428, 460, 492, 524, 560, 600, 636, 676, 720, 760, 804, 852, 896,
    944, 1000, 1048, 1104, 1160, 1216, 1272, 1328, 1392, 1456, 1520, 1584, 1648, 1720, 1792, 1864,
    1936, 2016, 2096, 2176, 2256, 2336, 2416, 2496, 2592, 2688, 2768, 2864, 2960, 3056, 3152, 3264,
    3360, 3456, 3584, 3680, 3776, 3904, 4000, 4128, 4256, 4352, 4480, 4608, 4736, 4864, 4992, 5120,
    5248, 5408, 5536, 5664, 5824, 5952, 6112, 6240, 6400, 6560, 6688, 6848, 7008, 7168, 7328, 7488,
    7680, 7808, 8000, 8192, 8320, 8512, 8704, 8896, 9088, 9280, 9472, 9664, 9856, 10048, 10240, 10432,
    10624, 10816, 11008, 11264, 11456, 11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888,
    14144, 14400, 14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664, 18048,
    18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504, 21760, 22144, 22400, 22784,
    23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600, 25984, 26368, 26752, 27008, 27392, 27776, 28032,
    28416, 28800, 29184, 29568, 29952, 30336, 30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048,
    34560, 35072, 35328, 35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848, 47360, 47872, 48384,
    48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504, 54016, 54528, 55040, 55552, 56064, 56576,
    57088, 57600, 58112, 58624, 59392, 59904, 60416, 60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
)
# fmt: on
"""The linear values of the 256 sRGB codes, in 65,536ths: recorded on an H200, within a 256th of IEC 61966-2-1."""

LINEAR = np.array(CODES, np.float32) / np.float32(65536)

FRACTION = 256
"""Linear filtering uses fixed-point weights with eight fraction bits, in which 1 is exact."""

# Texels are truncated this many bits below the largest, and their sum is rounded to that many bits, ties away from
# zero.
KEPT = {"float32": (28, 24), "float16": (15, 11), "sRGB": (8, 11)}

NAN = 0x7FFFFFFF
DOUBLE = np.finfo(np.float64)
LEAST = DOUBLE.maxexp - 200
"""A double's exponent field below that of any float."""
TOGETHER = 4
"""Parts are aligned to exponents that are multiples of this."""


class Part(NamedTuple):
    """Texels as stored (corner, lane, component), and their weights in 256ths (corner, lane)."""

    texels: Array
    weights: Array


def quads(fractions: Sequence[Array], share: Array) -> list[tuple[Array, Array]]:
    """The corners around a position, in parts: rows of 0 and 1 for each dimension, and the weight of each.

    `fractions` is the distance of the position from the lowest corner in x, y, z, in 256ths. The weights sum to
    `share`, in 256ths.
    """
    x, *rest = fractions
    if not rest:
        right = halved(share * x)
        return [(np.array([[0], [1]]), np.stack([share - right, right]))]
    y, *rest = rest
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    if not rest:
        return [(corners, quad(share, x, y))]
    front = halved(share * (FRACTION - rest[0]))
    return [(np.insert(corners, 2, z, axis=1), quad(part, x, y)) for z, part in enumerate((front, share - front))]


def quad(share: Array, x: Array, y: Array) -> Array:
    """The weights of the corners of a square. A product is rounded half up, and the corner that it is split from gets
    the rest."""
    right = halved(share * x)
    left = share - right
    upper = left - halved(left * (FRACTION - y))
    # If all weight is on the right, that is the corner from which the position is counted.
    other = np.where(x < FRACTION, halved(right * y), right - halved(right * (FRACTION - y)))
    return np.stack([left - upper, right - other, upper, other])


def halved(product: Array) -> Array:
    """The product of two weights in 256ths, rounded half up to 256ths."""
    return (product + FRACTION // 2) // FRACTION


def averaged(parts: Sequence[Part]) -> Array:
    """The weighted average of floats, as float32."""
    used = [weighted(texels, weight).astype(np.float64) for texels, weight in parts]
    exponents = [np.abs(v).max(axis=0).view(np.int64) >> DOUBLE.nmant for v in used]
    weights = [weight[..., np.newaxis] for _, weight in parts]
    rounded = rounded_sum(used, weights, exponents, *KEPT[parts[0].texels.dtype.name])
    finite = np.all([np.isfinite(v).all(axis=0) for v in used], axis=0)
    if not finite.all():
        plain = np.sum([(v * weight).sum(axis=0) for v, weight in zip(used, weights, strict=True)], axis=0)
        rounded = np.where(finite, rounded, plain)
    result = rounded.astype(np.float32)
    result.view(np.uint32)[np.isnan(result)] = NAN
    return result


def averaged_codes(parts: Sequence[Part]) -> Array:
    """The weighted average of sRGB codes, as float32. The fourth component is linear.

    Texels are aligned by the exponent of the largest of the eight codes that share the upper five bits (H200).
    """
    colors, weights = [texels[..., :3] for texels, _ in parts], [weight[..., np.newaxis] for _, weight in parts]
    used = [weighted(LINEAR[c], w[..., 0]).astype(np.float64) for c, w in zip(colors, weights, strict=True)]
    nearby = [weighted(LINEAR[c | 7], w[..., 0]).astype(np.float64) for c, w in zip(colors, weights, strict=True)]
    exponents = [v.max(axis=0).view(np.int64) >> DOUBLE.nmant for v in nearby]
    found = rounded_sum(used, weights, exponents, *KEPT["sRGB"]).astype(np.float32)
    if parts[0].texels.shape[-1] < 4:
        return found
    return np.concatenate([found, quantized([Part(texels[..., 3:], weight) for texels, weight in parts])], axis=-1)


def weighted(texels: Array, weight: Array) -> Array:
    """Texels, zeros where they have no weight: they may be infinite."""
    return np.where(weight[..., np.newaxis] > 0, texels, 0)


def rounded_sum(
    v: Sequence[Array], weights: Sequence[Array], exponents: Sequence[Array], kept: int, precision: int
) -> Array:
    """The sum of parts, each cut below its largest texel's exponent. All are doubles, and computed by their bits."""
    exponents = [np.maximum(e, LEAST) for e in exponents]
    sums = [cut_sum(one, w, e + 1 - kept) for one, w, e in zip(v, weights, exponents, strict=True)]
    total = aligned(sums, exponents, kept) if len(sums) > 1 else sums[0]
    cut = DOUBLE.nmant + 1 - precision  # bits that rounding to `precision` bits removes, ties away from zero
    found: Array = ((total.view(np.int64) + (1 << (cut - 1))) & -(1 << cut)).view(np.float64) + 0.0
    return found


def cut_sum(v: Array, weight: Array, exponent: Array) -> Array:
    """The weighted sum of floats truncated to multiples of a power of two, given by its exponent field as a double."""
    found: Array = (np.trunc(v * power(2 * DOUBLE.maxexp - 2 - exponent)) * weight).sum(axis=0)
    found *= power(exponent)
    return found / FRACTION


def aligned(sums: Sequence[Array], exponents: Sequence[Array], kept: int) -> Array:
    """The sum of parts, which are rounded down to the unit of the largest one's sum.

    That exponent is the texel's without its last two bits. (Recordings rule out fewer bits, but not more.)
    """
    largest = np.maximum.reduce(exponents) & -TOGETHER
    exponent = largest + 1 - kept - (FRACTION.bit_length() - 1)
    unit, per_unit = power(exponent), power(2 * DOUBLE.maxexp - 2 - exponent)
    total: Array = np.sum([np.floor(part * per_unit) for part in sums], axis=0)
    return total * unit


def power(exponent: Array) -> Array:
    """The power of two with this exponent field."""
    found: Array = (exponent << DOUBLE.nmant).view(np.float64)
    return found


def quantized(parts: Sequence[Part]) -> Array:
    """The weighted average of integers that are read as floats: summed in 16 bits, or in 15 and a sign.

    It is rounded half up, except for int8: there the correction, a 128th of the sum without its last four bits, is
    rounded before it is added. The most negative number is used as it is; results below -1 become -1.
    """
    dtype = parts[0].texels.dtype
    top, signed = np.iinfo(dtype).max, dtype.kind == "i"
    steps = 2.0 ** (16 - signed) - 1
    total: Array = np.sum([(texels * weight[..., np.newaxis]).sum(axis=0) for texels, weight in parts], axis=0)
    if dtype == np.int8:
        rounded: Array = total + (((total >> 4) * 257 + 1024) >> 11)
    else:
        rounded = np.floor(total * steps / (FRACTION * top) + 0.5)
    return (np.maximum(rounded, -steps) / steps).astype(np.float32)
