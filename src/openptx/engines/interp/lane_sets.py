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
    size = positions.size
    first = positions.item(0)
    if positions.item(size - 1) - first + 1 != size:
        return positions
    return None if size == n else slice(first, first + size)


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
    return chosen(lanes, where_set(mask), n)


def chosen(lanes: Lanes, found: Positions, n: int) -> Lanes:
    """The lanes at some positions, at least one, in a set."""
    if lanes is None:
        return normalize(found, n)
    if isinstance(lanes, slice):
        size = found.size
        first = found.item(0)
        if found.item(size - 1) - first + 1 == size:
            return slice(lanes.start + first, lanes.start + first + size)
        return found + lanes.start
    some = lanes[found]
    size = some.size
    first = some.item(0)
    if some.item(size - 1) - first + 1 == size and (size == 1 or all_set(some[1:] > some[:-1])):
        return None if size == n else slice(first, first + size)
    return some


def union(a: Lanes, b: Lanes, n: int) -> Lanes:
    """The union of two disjoint sets of lanes."""
    if size(a, n) + size(b, n) == n:
        return None
    if isinstance(a, slice) and isinstance(b, slice):
        if a.stop == b.start:
            return slice(a.start, b.stop)
        if b.stop == a.start:
            return slice(b.start, a.stop)
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
