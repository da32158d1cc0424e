"""A copy of memory before a launch, for one that runs again."""

from __future__ import annotations

import numpy as np

from openptx.device.memory_view import Allocation, Bytes, MemoryView

COPIED = 2 << 30
"""The maximum number of bytes kept for restoring."""


def copies(memory: MemoryView) -> list[tuple[Allocation, Bytes]] | None:
    """Everything a kernel may write; None if that is too much."""
    writable = [a for a in memory.allocations() if a.writable]
    if sum(a.size for a in writable) > COPIED:
        return None
    return [(a, np.array(a.bytes())) for a in writable]


class KeptMemory:
    """The memory that a kernel may write, and the state of the heap that it may allocate from."""

    def __init__(self, memory: MemoryView) -> None:
        self._copies = copies(memory)
        self._heap = memory.heap
        self._state = self._heap.state() if self._heap is not None else None

    def put_back(self) -> bool:
        """Restores memory; False if it was too much to be kept."""
        if self._copies is None:
            return False
        for allocation, content in self._copies:
            allocation.bytes()[:] = content
        if self._heap is not None and self._state is not None:
            self._heap.restore(self._state)
        return True
