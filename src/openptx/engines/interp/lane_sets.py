"""Sets of lanes, as indices into an array of lanes: None (all of them), a slice, or sorted positions.

A contiguous run is always a slice, because a slice reads registers without copying.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.numerics.reductions import all_set, where_set

Mask = NDArray[np.bool_]
Positions = NDArray[np.intp]
if TYPE_CHECKING:
    Run = slice[int, int, None]
else:
    Run = slice

Lanes = Run | Positions | None


def normalize(positions: Positions, n: int) -> Lanes:
    """The set of sorted, distinct positions of `n` lanes; never empty."""
    first, last = int(positions[0]), int(positions[-1])
    if last - first + 1 != positions.size:
        return positions
    return None if positions.size == n else slice(first, last + 1)


def positions(lanes: Lanes, n: int) -> Positions:
    if lanes is None:
        return np.arange(n)
    return np.arange(lanes.start, lanes.stop) if isinstance(lanes, slice) else lanes


def size(lanes: Lanes, n: int) -> int:
    if lanes is None:
        return n
    return lanes.stop - lanes.start if isinstance(lanes, slice) else lanes.size


def where(lanes: Lanes, mask: Mask, n: int) -> Lanes:
    """The lanes of the set for which `mask`, one element each, holds; it must hold for some.

    Positions may be in any order and repeat, because a lane can have several steps to do.
    """
    found = where_set(mask)
    if lanes is None:
        return normalize(found, n)
    if isinstance(lanes, slice):
        return normalize(found + lanes.start, n)
    some = lanes[found]
    run = int(some[-1]) - int(some[0]) + 1 == some.size and all_set(some[1:] > some[:-1])
    return normalize(some, n) if run else some


def union(a: Lanes, b: Lanes, n: int) -> Lanes:
    """The union of two disjoint sets of lanes."""
    if size(a, n) + size(b, n) == n:
        return None
    both = np.zeros(n, np.bool_)
    both[a] = both[b] = True
    return normalize(where_set(both), n)


def first(lanes: Lanes) -> int:
    if lanes is None:
        return 0
    return lanes.start if isinstance(lanes, slice) else int(lanes[0])


def take(array: NDArray[Any], lanes: Lanes) -> NDArray[Any]:
    """The lanes of an array that has one element for every lane, or one for all."""
    return array if lanes is None or array.size == 1 else array[lanes]
