"""The level of a mipmapped texture from gradients, as an H200 computes it: bit for bit for one to three axes.

The level is the logarithm of a length in texels: the longest of the gradients in x and y of the screen, and of the
diagonals, their sum and difference over the square root of two. All of it is arithmetic of ten bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from openptx.array_types import Array

BITS = 10
"""The bits of a significand; the rest is truncated."""

# A length is the largest component plus fractions of the others: numerator and exponent of two of each.
LENGTH = ((1, 0), (11, 5), (1, 2))
DIAGONAL = ((11, 4), (121, 9), (11, 6))
"""`LENGTH` times 11/16, which approximates the root of 1/2."""

FRACTION = 256
"""Levels have eight fraction bits."""

_middles = np.log2(1 + (np.arange(FRACTION) + 0.47) / FRACTION) * FRACTION
LOGARITHM = np.clip(np.floor(_middles + 0.5), 0, FRACTION - 1)
"""Indexed by the eight bits after a significand's first."""
LOGARITHM[0] = 0


def level(extents: Sequence[int], dx: Sequence[Array], dy: Sequence[Array]) -> Array:
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
