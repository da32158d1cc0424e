"""The device heap under the sanitizer: freed blocks are not reused, and the freeing thread is recorded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.device.heap import Heap
from openptx.engines.interp.memory.views import Plane
from openptx.program import Op
from openptx.sanitize.executing import Executing


class GuardedHeap(Heap):
    """Replaces the device heap's `malloc` and `free` for one launch."""

    def __init__(self, heap: Heap, executing: Executing) -> None:
        self.heap, self.executing = heap, executing
        self.allocation = heap.allocation
        self.valid = heap.allocated_bytes()
        self.thread = 0  # the calling thread
        self.sizes = {**heap.blocks}  # initially the blocks of earlier launches
        self.extents = {**heap.blocks}
        self.taken: dict[int, tuple[Op, int]] = {}
        self.freed: dict[int, tuple[Op, int]] = {}
        self.stored: dict[int, Array] = {}
        """By the address of memory, which bytes the launch has stored since its first `malloc`."""
        self.defined = np.zeros(self.valid.size, np.uint8)  # untouched pages take no memory
        np.copyto(self.defined, 0xFF, where=self.valid)

    def within(self, address: int, size: int) -> bool:
        return self.heap.within(address, size)

    def content(self, address: int, size: int) -> NDArray[np.uint8]:
        return self.heap.content(address, size)

    def pooled(self, address: int) -> bool:
        return self.heap.pooled(address)

    def holds(self, addresses: Array, size: int) -> Array:
        """Whether accesses lie in live blocks."""
        first = (addresses - np.uint64(self.allocation.base)).astype(np.int64)
        last = np.minimum(first + size - 1, self.valid.size - 1)
        return self.valid[first] & self.valid[last]

    def caller(self) -> tuple[Op, int]:
        return self.executing.batch.x.op, self.thread

    def take(self, size: int) -> int:
        found = self.heap.take(size)
        if found:
            self.sizes[found] = self.extents[found] = size
            self.taken[found] = self.caller()
            self.mark(found, size, True)
        return found

    def give_back(self, address: int) -> bool:
        size = self.sizes.pop(address, None)
        if size is None:
            return False
        self.freed[address] = self.caller()
        self.mark(address, size, False)
        return True

    def mark(self, address: int, size: int, valid: bool) -> None:
        first = address - self.allocation.base
        self.valid[first : first + size] = valid
        self.defined[first : first + size] = 0

    def note_store(self, plane: Plane, offsets: Array, size: int) -> None:
        """A store, which may keep a pointer. The memory of threads and blocks, which ends with them, has no address."""
        base = int(plane.base)
        if base:
            stored = self.stored.setdefault(base, np.zeros(plane.size, np.bool_))
            stored[offsets[:, None] + np.arange(size)] = True

    def unfreed(self) -> dict[int, tuple[Op, int]]:
        """The blocks that the launch allocated and did not free, and the allocating calls."""
        return {address: by for address, by in self.taken.items() if address in self.sizes}

    def close(self) -> None:
        """Frees the blocks that the kernel has freed, which may be reused from now on."""
        for address in self.freed:
            self.heap.give_back(address)
