"""Bytes viewed as words of any width, for gathering and scattering."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.device.allocation import Bytes

Offsets = NDArray[np.int64]
View = tuple[Array, int, NDArray[np.int64] | int]
"""Vectors of words, the number of bytes before them, and log2 of a vector's size."""


class Plane:
    """`size` bytes, the first of which lies `lead` bytes after a boundary that is aligned for every width."""

    __slots__ = ("_views", "base", "data", "lead", "size", "writable")

    def __init__(self, data: Bytes, lead: int = 0, writable: bool = True, base: int = 0) -> None:
        """`base` is the device address of the first byte, for memory that has one for all lanes."""
        self.data, self.lead, self.writable = data, lead, writable
        self.base = np.array(base, np.uint64)
        self.size = data.size
        self._views: dict[tuple[int, int], View] = {}

    def view(self, width: int, count: int) -> View:
        """The bytes as vectors of `count` words of `width` bytes, the number of bytes before them, and log2 of
        a vector's size."""
        found = self._views.get((width, count))
        if found is None:
            total = width * count
            skip = -self.lead % total
            words = max(self.size - skip, 0) // total
            view = self.data[skip : skip + words * total].view(f"u{width}")
            found = view.reshape(words, count) if count > 1 else view, skip, np.array(total.bit_length() - 1)
            self._views[width, count] = found
        return found

    def gather(self, offsets: Offsets, width: int, count: int) -> list[Array]:
        """`count` arrays of the words at byte offsets, which must be aligned and inside."""
        view, skip, shift = self.view(width, count)
        index = np.right_shift(offsets - skip if skip else offsets, shift)
        if count == 1:
            return [view[index]]
        rows = view.take(index, axis=0)  # several times as fast as indexing
        return [np.ascontiguousarray(rows[:, i]) for i in range(count)]

    def scatter(self, offsets: Offsets, values: list[Array], width: int) -> None:
        """Writes words at byte offsets, which must be aligned and inside; of several at one place the last is kept."""
        count = len(values)
        view, skip, shift = self.view(width, count)
        index = np.right_shift(offsets - skip if skip else offsets, shift)
        if index.size == 1 and any(v.size > 1 for v in values):  # one place for all lanes: the last one wins
            values = [v[-1:] for v in values]
        if count == 1:
            view[index] = values[0]
        else:
            for i, v in enumerate(values):
                view[index, i] = v


def grown(plane: Plane, lanes: int, size: int) -> tuple[Plane, int]:
    """A plane with at least `size` bytes per lane and the same content, and the size per lane."""
    stride = max(64, 1 << (size - 1).bit_length())
    data, old = np.zeros(stride * lanes, np.uint8), plane.size // lanes
    data.reshape(lanes, stride)[:, :old] = plane.data.reshape(lanes, old)
    return Plane(data), stride
