"""A copy of all memory that a kernel may write, for a launch that may run again."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.device.allocation import Bytes
from openptx.device.memory_view import MemoryView

MOST = 2 << 30
"""The default maximum of the bytes that are copied."""


class Contents:
    """The contents of writable allocations, of the heap, and of other arrays, before a launch.

    If they have more than `most` bytes together, nothing is `kept`.
    """

    def __init__(self, memory: MemoryView, others: Iterable[Bytes] = (), most: int | None = None) -> None:
        heap = memory.heap
        rows = [row for row in memory.allocations() if row.writable]
        places = [*(row.bytes() for row in rows if heap is None or row.base != heap.allocation.base), *others]
        places += heap.contents() if heap is not None else []
        self.size = sum(place.size for place in places)
        self.kept = self.size <= (MOST if most is None else most)
        self._copies = [(place, place.copy()) for place in places] if self.kept else []
        self._heap = heap
        self._state = self._heap.state() if self._heap is not None and self.kept else None

    def restore(self) -> bool:
        """Restores them; False if they were too much to be kept."""
        for place, before in self._copies:
            place[:] = before
        if self._heap is not None and self._state is not None:
            self._heap.restore(self._state)
        return self.kept
