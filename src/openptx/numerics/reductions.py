"""Predicates and extrema of whole arrays, without the 1 to 2 us that NumPy's reductions take for a small array.

`any`, `all`, `max` and `flatnonzero` go through Python and the set-up of a reduction; counting and searching do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from openptx.array_types import Array


def any_set(mask: NDArray[np.bool_]) -> bool:
    """Whether an element is set."""
    return bool(np.count_nonzero(mask))


def all_set(mask: NDArray[np.bool_]) -> bool:
    """Whether all elements are set."""
    return int(np.count_nonzero(mask)) == mask.size


def largest(a: Array) -> int:
    """The largest of integers in one dimension; ValueError if there is none."""
    return a.item(a.argmax())


def smallest(a: Array) -> int:
    """The smallest of integers in one dimension; ValueError if there is none."""
    return a.item(a.argmin())


def where_set(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The positions of the elements that are set, in one dimension."""
    return mask.nonzero()[0]


def distinct(a: Array) -> Array:
    """The different values of integers, ascending: `np.unique` imports `numpy.ma` when it is first called, which takes
    longer than most launches."""
    ordered = np.sort(a, axis=None)
    first = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def paired(a: Array, b: Array) -> tuple[Array, Array]:
    """Two operands of an elementwise operation; a single one with one element becomes a 0-d array, because a ufunc that
    broadcasts an array of one element takes three to five times as long."""
    if a.size != b.size:
        if b.size == b.ndim == 1:
            return a, b[0, ...]
        if a.size == a.ndim == 1:
            return a[0, ...], b
    return a, b
