"""The heap that kernels `malloc` from: one allocation of device memory, first fit, zero bytes give null."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from openptx.locks import MEMORY
from openptx.runtime.memory import Memory

SIZE = 8 << 20
"""CUDA's default (`cudaLimitMallocHeapSize`)."""

ALIGN = 16


class Heap:
    """Made on the first `malloc` of a program; lives as long as the program, as CUDA's lives as long as the context."""

    def __init__(self, memory: Memory, size: int = SIZE) -> None:
        self._bytes = np.zeros(size, np.uint8)
        self.allocation = memory.add("device heap", self._bytes, listed=False)
        self._free = [(self.allocation.base, size)]
        self._taken: dict[int, int] = {}
        self.left = np.zeros(size // ALIGN, np.uint8)
        """Of each 16 bytes: how many sixteens of a taken block begin there, 255 for more; 0 where it is free."""

    def holds(self, addresses: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
        """Whether accesses of `size` bytes are inside of what `take` gave and nobody gave back."""
        offsets = addresses - np.uint64(self.allocation.base)
        left = self.left[offsets // np.uint64(ALIGN)].astype(np.uint64)
        return offsets % np.uint64(ALIGN) + np.uint64(size) <= left * np.uint64(ALIGN)

    def within(self, address: int, size: int) -> bool:
        """Whether bytes lie in the heap, given out or not."""
        return self.allocation.base <= address <= self.allocation.base + self.allocation.size - size

    def _mark(self, address: int, size: int, taken: bool) -> None:
        first, count = (address - self.allocation.base) // ALIGN, size // ALIGN
        self.left[first : first + count] = np.minimum(np.arange(count, 0, -1), 255) if taken else 0

    def take(self, size: int) -> int:
        """The address of fresh bytes; 0 where the heap has no room for them."""
        size = -(-size // ALIGN) * ALIGN
        with MEMORY:
            for i, (at, room) in enumerate(self._free):
                if 0 < size <= room:
                    if room > size:
                        self._free[i] = at + size, room - size
                    else:
                        del self._free[i]
                    self._taken[at] = size
                    self._mark(at, size, True)
                    return at
        return 0

    def give_back(self, address: int) -> bool:
        """Frees what `take` gave; False where it gave no such thing, or it was freed before."""
        with MEMORY:
            size = self._taken.pop(address, None)
            if size is None:
                return False
            self._mark(address, size, False)
            i = bisect_left(self._free, (address, 0))
            if i < len(self._free) and self._free[i][0] == address + size:
                size += self._free.pop(i)[1]
            if i and sum(self._free[i - 1]) == address:
                address, before = self._free.pop(i - 1)
                size += before
            insort(self._free, (address, size))
            return True
