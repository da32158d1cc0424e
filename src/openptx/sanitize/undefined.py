"""Arrays whose elements nobody has set: `openptx.empty`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
NOISE = 0x5EED


class Undefined(np.ndarray[Any, Any]):
    """An array of noise. `undefined` has a byte for each of its bytes: the bits of it that are undefined."""

    undefined: Array | None

    def __array_finalize__(self, of: object) -> None:
        self.undefined = None  # views and results know nothing


def empty(shape: int | tuple[int, ...], dtype: Any = np.float32) -> Array:
    """An array of this `shape` and `dtype`, filled with noise, whose content `openptx.sanitize` takes for undefined.

    What a kernel writes under `openptx.sanitize` is defined from then on. What Python code writes stays undefined.

    Raises TypeError and ValueError for a shape or dtype, as `numpy.empty` does.
    """
    array = np.empty(shape, dtype)
    data = array.reshape(-1).view(np.uint8)
    data[:] = np.random.default_rng(NOISE).integers(0, 256, data.size, np.uint8)
    found = array.view(Undefined)
    found.undefined = np.full(data.size, 0xFF, np.uint8)
    return found


def undefined_bits(argument: object) -> Array | None:
    """The undefined bits of an argument's bytes; None where all are defined, or nobody knows."""
    return argument.undefined if isinstance(argument, Undefined) else None
