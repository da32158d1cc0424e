"""The heap that kernels `malloc` from: one allocation of device memory, first fit, zero bytes give null."""

from __future__ import annotations

import threading
from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from openptx.runtime.memory import Memory

SIZE = 8 << 20
"""CUDA's default (`cudaLimitMallocHeapSize`)."""

ALIGN = 16


class Heap:
    """Made on the first `malloc` of a program; lives as long as the program, as CUDA's lives as long as the context."""

    def __init__(self, memory: Memory, size: int = SIZE) -> None:
        self._bytes = np.zeros(size, np.uint8)
        self.allocation = memory.add("device heap", self._bytes)
        self._free = [(self.allocation.base, size)]
        self._taken: dict[int, int] = {}
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None
        self._lock = threading.Lock()

    def holds(self, addresses: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
        """Whether accesses of `size` bytes are inside of what `take` gave and nobody gave back."""
        with self._lock:
            if self._sorted is None:
                bases = np.array(sorted(self._taken), np.uint64)
                ends = bases + np.array([self._taken[at] for at in sorted(self._taken)], np.uint64)
                self._sorted = bases, ends
            bases, ends = self._sorted
        if not bases.size:
            return np.zeros(addresses.size, np.bool_)
        block = np.searchsorted(bases, addresses, side="right") - 1
        return (block >= 0) & (addresses + np.uint64(size) <= ends[np.maximum(block, 0)])

    def take(self, size: int) -> int:
        """The address of fresh bytes; 0 where the heap has no room for them."""
        size = -(-size // ALIGN) * ALIGN
        with self._lock:
            for i, (at, room) in enumerate(self._free):
                if 0 < size <= room:
                    if room > size:
                        self._free[i] = at + size, room - size
                    else:
                        del self._free[i]
                    self._taken[at] = size
                    self._sorted = None
                    return at
        return 0

    def give_back(self, address: int) -> bool:
        """Frees what `take` gave; False where it gave no such thing, or it was freed before."""
        with self._lock:
            size = self._taken.pop(address, None)
            self._sorted = None
            if size is None:
                return False
            i = bisect_left(self._free, (address, 0))
            if i < len(self._free) and self._free[i][0] == address + size:
                size += self._free.pop(i)[1]
            if i and sum(self._free[i - 1]) == address:
                address, before = self._free.pop(i - 1)
                size += before
            insort(self._free, (address, size))
            return True
