"""The bytes of shared memory that have been written, if reads of others are to be faults."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class WrittenBytes:
    def __init__(self, size: int) -> None:
        self._bytes = np.zeros(size, np.bool_)

    def mark(self, offsets: NDArray[np.int64], size: int) -> None:
        for i in range(size):
            self._bytes[offsets + i] = True

    def all_written(self, offsets: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
        """Whether all bytes of each access have been written."""
        good = self._bytes[offsets]
        for i in range(1, size):
            good = good & self._bytes[offsets + i]
        return good
