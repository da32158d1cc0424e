"""The program's device memory: which allocations there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Allocations:
    """Sizes by address; host memory under its device address."""

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}
        self.hosts: dict[int, int] = {}
        """Device addresses of host memory, by host address."""
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None

    def add(self, address: int, size: int) -> None:
        if address and size:
            self.sizes[address], self._sorted = size, None

    def remove(self, address: int) -> None:
        if self.sizes.pop(address, None) is not None:
            self._sorted = None

    def containing(self, words: NDArray[np.uint64]) -> list[int]:
        """The addresses of the allocations that contain any of these words as addresses."""
        if self._sorted is None:
            pairs = sorted([*self.sizes.items()])
            self._sorted = np.array([p[0] for p in pairs], np.uint64), np.array([p[1] for p in pairs], np.uint64)
        starts, sizes = self._sorted
        if not starts.size:
            return []
        i = np.searchsorted(starts, words, side="right").astype(np.int64) - 1
        first = np.maximum(i, 0)
        inside = (i >= 0) & (words - starts[first] < sizes[first])
        return starts[np.unique(first[inside])].tolist()
