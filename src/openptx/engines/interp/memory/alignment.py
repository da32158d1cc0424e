"""Whether offsets are multiples of the size of an access."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from openptx.array_types import Array
from openptx.numerics.reductions import any_set

MANY = 1 << 11
"""The number of lanes from which a second array of them costs more than NumPy's set-up of a reduction."""


@lru_cache(maxsize=64)
def within(size: int) -> Array:
    """The bits of an address that are zero where an access of `size` bytes, a power of two, is aligned."""
    return np.array(size - 1, np.uint64)


def any_unaligned(offsets: Array, size: int) -> bool:
    """Whether some offset is not a multiple of `size`: of many offsets in one pass, of few without the set-up of a
    reduction."""
    if offsets.size > MANY:
        return bool(int(np.bitwise_or.reduce(offsets)) & size - 1)
    return any_set(np.bitwise_and(offsets, within(size)))
