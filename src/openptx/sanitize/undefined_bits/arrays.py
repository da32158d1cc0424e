"""Arrays with uninitialised elements: `openptx.empty`."""

from __future__ import annotations

from typing import Any

import numpy as np

from openptx.array_types import Array
from openptx.errors import ArgumentError

NOISE = 0x5EED


class Undefined(np.ndarray[Any, Any]):
    """An array of noise. `undefined` has a byte for each of its bytes with the undefined bits."""

    undefined: Array | None

    def __array_finalize__(self, of: object) -> None:
        self.undefined = None  # views and results do not track undefined bits


def empty(shape: int | tuple[int, ...], dtype: Any = np.float32) -> Array:
    """An array of this `shape` and `dtype`, filled with noise, whose content `openptx.sanitize` treats as undefined.

    Elements that a kernel writes under `openptx.sanitize` are defined from then on. Elements that Python code writes
    stay undefined. Raises ArgumentError for an impossible shape, and for a dtype that NumPy does not have or that is
    not of numbers.
    """
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        raise ArgumentError(f"no dtype {dtype!r}: write one of NumPy's, such as numpy.float32") from None
    if kind.hasobject:
        raise ArgumentError(f"an array of {dtype!r} has no bits: write a dtype of numbers, such as numpy.float32")
    try:
        array = np.empty(shape, kind)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the shape is a number of elements from 0, or a tuple of them, not {shape!r}") from error
    data = array.reshape(-1).view(np.uint8)
    data[:] = np.random.default_rng(NOISE).integers(0, 256, data.size, np.uint8)
    found = array.view(Undefined)
    found.undefined = np.full(data.size, 0xFF, np.uint8)
    return found


def undefined_bits(argument: object) -> Array | None:
    """The undefined bits of an argument's bytes; None if all are defined, or if they are unknown."""
    return argument.undefined if isinstance(argument, Undefined) else None
