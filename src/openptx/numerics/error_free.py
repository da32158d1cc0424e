"""Error-free transformations: sums and products of f64 with their rounding errors (Knuth, Dekker)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from openptx.numerics.formats import Format
from openptx.numerics.reductions import any_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.array_types import Array


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum and its error, exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def odd_sum(a: Array, b: Array) -> Array:
    """a + b rounded to odd: an inexact result whose last bit is clear moves to its neighbour on the side of the exact
    sum."""
    s, error = two_sum(a, b)
    bits = s.view(np.int64)
    step = np.where((error > 0) == (s > 0), 1, -1)
    even = (bits & 1 == 0) & (error != 0) & np.isfinite(s)
    np.add(bits, step, out=bits, where=even)
    return s


def odd_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """a * b + c rounded to odd, if the product is exact."""
    return odd_sum(a * b, c)


def rounded_sum(f: Format, odd: Callable[..., Array], operands: Sequence[Array]) -> Array:
    """The sum rounded to f64: enough to round it to nearest in `f`, unless it looks like a tie or is subnormal.

    Those lanes, usually few, get the sum rounded to odd.
    """
    v = PLAIN[odd](*operands)
    bits = v.view(np.uint64)
    below, half, normal = _bounds(f)
    near = bits & below == half
    double = bits << ONE
    double -= ONE
    near |= double < normal
    if any_set(near):
        v[near] = odd(*(np.broadcast_to(a, v.shape)[near] for a in operands))
    return v


ONE = np.array(1, np.uint64)


@lru_cache(maxsize=8)
def _bounds(f: Format) -> tuple[Array, Array, Array]:
    """A mask of the bits of an f64 below the last place of `f`, the value of these bits in a tie, and one less than
    twice the code of f's smallest normal number."""
    below = 52 - f.man
    values = (1 << below) - 1, 1 << below - 1, (f.emin + 1023 << 53) - 1
    one, other, third = (np.array(v, np.uint64) for v in values)
    return one, other, third


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """a * b + c, rounded twice."""
    return a * b + c


PLAIN: dict[Callable[..., Array], Callable[..., Array]] = {odd_sum: np.add, odd_multiply_add: multiply_add}
"""The plain operation for each operation that rounds to odd."""


def between(v: Array, low: int, high: int) -> Array:
    """Whether 2^low <= |v| <= 2^high."""
    m = np.abs(v)
    return (m >= 2.0**low) & (m <= 2.0**high)


def _halves(a: Array) -> tuple[Array, Array]:
    """Veltkamp's split into 26 and 27 bits."""
    t = a * 134217729.0
    high = t - (t - a)
    return high, a - high


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product and its error, exactly (Dekker)."""
    p = a * b
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def fma_exact(a: Array, b: Array, c: Array) -> Array:
    """a * b + c rounded once, if no part of it overflows or underflows."""
    high, low = two_product(a, b)
    t, rest = two_sum(c, low)
    v, below = two_sum(high, t)
    return v + odd_sum(rest, below)
