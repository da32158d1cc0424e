"""The levels of a mipmapped texture from which lanes fetch, as an H200 computes them: bit for bit, from gradients for
one to three axes.

The level of gradients is the logarithm of a length in texels: the longest of the gradients in x and y of the screen,
and of the diagonals, their sum and difference over the square root of two. All of it is arithmetic of ten bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from openptx.array_types import Array
from openptx.device.textures.sampler import Sampler
from openptx.device.textures.texture import Texture

BITS = 10
"""The bits of a significand; the rest is truncated."""

# A length is the largest component plus fractions of the others: numerator and exponent of two of each.
LENGTH = ((1, 0), (11, 5), (1, 2))
DIAGONAL = ((11, 4), (121, 9), (11, 6))
"""`LENGTH` times 11/16, which approximates the root of 1/2."""

FRACTION = 256
"""Levels have eight fraction bits; the rest is truncated."""

_middles = np.log2(1 + (np.arange(FRACTION) + 0.47) / FRACTION) * FRACTION
LOGARITHM = np.clip(np.floor(_middles + 0.5), 0, FRACTION - 1)
"""Indexed by the eight bits after a significand's first."""
LOGARITHM[0] = 0


def of_gradients(extents: Sequence[int], dx: Sequence[Array], dy: Sequence[Array]) -> Array:
    """The level for gradients in normalized coordinates; minus infinity for zero gradients.

    NaN counts as 0. (Infinite gradients, and extents that are not powers of two, were not measured.)
    """
    one, two = ([truncate(finite(v)) * n for v, n in zip(gradient, extents, strict=True)] for gradient in (dx, dy))
    diagonals = [[total(a, sign * b) for a, b in zip(one, two, strict=True)] for sign in (1, -1)]
    lengths = [length(v, LENGTH) for v in (one, two)] + [length(v, DIAGONAL) for v in diagonals]
    return logarithm(np.maximum.reduce(lengths))


def finite(v: Array) -> Array:
    found: Array = np.nan_to_num(v.astype(np.float64), nan=0.0, posinf=2.0**100, neginf=-(2.0**100))
    return found


def unit(v: Array) -> Array:
    """The value of the last bit of the significand of a nonnegative number."""
    found: Array = np.ldexp(1.0, np.frexp(v)[1] - BITS)
    return found


def truncate(v: Array) -> Array:
    u = unit(np.abs(v))
    return np.trunc(v / u) * u


def total(a: Array, b: Array) -> Array:
    """The sum of two numbers, truncated to one bit more than the larger one has, as a magnitude."""
    u = unit(np.maximum(np.abs(a), np.abs(b))) / 2
    return np.abs(np.trunc(a / u) + np.trunc(b / u)) * u


def length(v: Sequence[Array], shares: Sequence[tuple[int, int]]) -> Array:
    """The approximate length of a vector: the components, sorted, times their fractions, added from the smallest on."""
    ordered = np.sort(np.abs(np.stack(v)), axis=0)[::-1]
    parts = [product(one, *share) for one, share in zip(ordered, shares, strict=False)]
    return truncate(reduce(added, reversed(parts)))


def product(v: Array, numerator: int, exponent: int) -> Array:
    """The number times `numerator / 2**exponent`, rounded to as many fraction bits as the number has, where the
    fraction's leading bit counts as 1."""
    u = unit(v)
    scale = numerator.bit_length() - 1
    return np.floor(np.floor(v / u) * numerator / 2.0**scale + 0.5) * u * 2.0 ** (scale - exponent)


def added(smaller: Array, larger: Array) -> Array:
    """The sum, without bits below the larger number's last bit."""
    u = unit(larger)
    return (np.floor(larger / u) + np.floor(smaller / u)) * u


def logarithm(v: Array) -> Array:
    significand, exponent = np.frexp(v)
    index = np.floor((significand * 2 - 1) * FRACTION).astype(np.int64)
    return np.where(v > 0, exponent - 1 + LOGARITHM[index] / FRACTION, -np.inf)


MOST = 1024.0
"""Larger than all levels and biases."""

NO_LEVEL = -32.0
"""The level for instructions that name none, as in ptxas 13.5: a bias does not lead to level 0 from there."""


def level_of_detail(t: Texture, s: Sampler, level: Array | None, count: int) -> Array:
    """The level of each of `count` lanes, with its fraction, as doubles: bias added, then clamped to the existing
    levels.

    `level` is None if the instruction names none. NaN counts as 0.
    """
    least, most = (max(quantize(np.float64(v)), 0.0) for v in s.level_clamp)
    named = np.full(count, NO_LEVEL) if level is None else np.clip(np.nan_to_num(level, nan=0.0), -MOST, MOST)
    found: Array = np.clip(
        quantize(named.astype(np.float64) + quantize(np.float64(s.level_bias))), least, min(most, t.level_count - 1)
    )
    return found


def quantize(v: Array | np.float64) -> Array:
    found: Array = np.floor(v * FRACTION) / FRACTION
    return found


def groups(level: Array) -> Iterator[tuple[int, Array]]:
    """The distinct levels, each with its lanes."""
    for number in np.unique(level).tolist():
        yield int(number), np.flatnonzero(level == number)
