"""The heap that kernels `malloc` from: one for a device's memory, as CUDA has one for a context. Zero bytes give null.

Its blocks are allocations too, but too many for the table of slots, so engines look them up in `Heap.left` instead. The
same holds for small allocations of the host that share its slot (device/pool.py).
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left, insort
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from openptx.device.allocation import REMEMBERED, Allocation, Bytes, beside, gap
from openptx.device.mapping import Occupied, mapped
from openptx.device.pool import Pool
from openptx.isa.address_windows import SHIFT
from openptx.locks import MEMORY

SIZE = 8 << 20
"""CUDA's default (`cudaLimitMallocHeapSize`)."""
PAGE = 1 << 16
"""A multiple of the system's pages."""

ALIGN = 16
GAP = 16
"""Bytes between two blocks, so that an access just beyond one block does not hit the next."""

State = tuple[list[tuple[int, int]], dict[int, int], dict[int, int], NDArray[np.uint8]]


class Heap:
    """First fit. Lives as long as the memory, whichever module allocated a block.

    It has the bytes of its allocation; `data` may have more, to which `extend` enlarges it for the pool.
    """

    def __init__(self, allocation: Allocation, data: Bytes, extend: Callable[[Allocation, int], Allocation]) -> None:
        self.allocation, self.bytes, self._extend = allocation, data, extend
        self._size = size = allocation.size
        self._free = [(self.allocation.base, size)]
        self.blocks: dict[int, int] = {}
        """Requested sizes of `malloc`, by address."""
        self._freed: dict[int, int] = {}
        self.left = np.zeros(data.size // ALIGN, np.uint8)
        """For each 16 bytes: how many bytes of a block follow from the first on, 255 for more; 0 outside blocks."""
        self._pool: Pool | None = None
        self._room = size
        """The bytes that `malloc` allocates from: the first `_size`, and those that `grow` added after the pool."""
        self._mapped: list[object] = []  # what `bytes` and `left` of an enlarged heap, or of running kernels, refer to

    def pool(self) -> Pool:
        """The pool of small host allocations in this heap's slot. Raises MemoryError in a 32-bit memory."""
        with MEMORY:
            if self._pool is None:
                if self.bytes.size == self._size:
                    raise MemoryError("32-bit programs have no memory that the host allocates")
                self.allocation = self._extend(self.allocation, self.bytes.size)
                base = self.allocation.base + self._size
                self._pool = Pool(base, self.bytes[self._size :], self.left[self._size // ALIGN :])
            return self._pool

    def grow(self, size: int) -> None:
        """Has `malloc` allocate from this many bytes in total, if they are more than before, from the next launch on.

        Raises MemoryError if the heap's slot, or the system, has no room.
        """
        with MEMORY:
            more = -(-(size - self._room) // PAGE) * PAGE
            if more <= 0:
                return
            pool, old, end = self.pool(), self.left, self.allocation.base + self.bytes.size
            if self.bytes.size + more > 1 << SHIFT[64]:
                raise MemoryError(f"a heap of {size} bytes; kernels `malloc` from less than 4 GiB")
            try:
                self._mapped += mapped(end, more), self.bytes, old
            except Occupied:
                raise MemoryError(f"the addresses after 0x{end:x} are occupied") from None
            total = self.bytes.size + more
            self.bytes = np.ctypeslib.as_array((ctypes.c_uint8 * total).from_address(self.allocation.base))
            self.left = np.zeros(total // ALIGN, np.uint8)
            self.left[: old.size] = old
            pool.look_up_in(self.left[self._size // ALIGN :])
            self.allocation = self._extend(self.allocation, total)
            self._room += more
            insort(self._free, (end, more))

    def _own(self) -> list[NDArray[np.uint8]]:
        """The parts of `left` that are not the pool's."""
        return [self.left[: self._size // ALIGN], self.left[(self.bytes.size + self._size - self._room) // ALIGN :]]

    def content(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes of a block."""
        return self.bytes[address - self.allocation.base :][:size]

    def pooled(self, address: int) -> bool:
        """Whether an address belongs to the pool, allocated or not, rather than to `malloc`."""
        return self._pool is not None and self._pool.within(address)

    def holds(self, addresses: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
        """Whether accesses of `size` bytes are inside live blocks of `take`."""
        offsets = addresses - np.uint64(self.allocation.base)
        return offsets % np.uint64(ALIGN) + np.uint64(size) <= self.left[offsets // np.uint64(ALIGN)]

    def allocated_bytes(self) -> NDArray[np.bool_]:
        """Whether each byte of the heap is part of an allocated block."""
        found = np.zeros(self.allocation.size, np.bool_)
        pooled = self._pool.blocks.items() if self._pool is not None else ()
        for at, size in (*self.blocks.items(), *((at, block.size) for at, block in pooled)):
            first = at - self.allocation.base
            found[first : first + size] = True
        return found

    def contents(self) -> list[NDArray[np.uint8]]:
        """All bytes that `malloc` allocates from, and those of the host's blocks: of the pool few may be in use."""
        end = self.bytes.size + self._size - self._room
        blocks = self._pool.blocks.items() if self._pool is not None else ()
        return [self.bytes[: self._size], self.bytes[end:], *(self.content(at, block.size) for at, block in blocks)]

    def within(self, address: int, size: int) -> bool:
        """Whether bytes lie in the heap, allocated or not."""
        return self.allocation.base <= address <= self.allocation.base + self.allocation.size - size

    def _mark(self, address: int, size: int, taken: bool) -> None:
        first, count = (address - self.allocation.base) // ALIGN, -(-size // ALIGN)
        self.left[first : first + count] = np.minimum(np.arange(size, 0, -ALIGN), 255) if taken else 0

    def take(self, size: int) -> int:
        """The address of newly allocated bytes; 0 if the heap has no room for them."""
        needed = extent(size)
        with MEMORY:
            for i, (at, room) in enumerate(self._free):
                if size > 0 and needed <= room:
                    if room > needed:
                        self._free[i] = at + needed, room - needed
                    else:
                        del self._free[i]
                    self.blocks[at] = size
                    self._freed.pop(at, None)
                    self._mark(at, size, True)
                    return at
        return 0

    def give_back(self, address: int) -> bool:
        """Frees a block of `take`; False if it is not one, or was freed before."""
        with MEMORY:
            size = self.blocks.pop(address, None)
            if size is None:
                return False
            self._mark(address, size, False)
            self._freed[address] = size
            while len(self._freed) > REMEMBERED:
                del self._freed[next(iter(self._freed))]
            room = extent(size)
            i = bisect_left(self._free, (address, 0))
            if i < len(self._free) and self._free[i][0] == address + room:
                room += self._free.pop(i)[1]
            if i and sum(self._free[i - 1]) == address:
                address, before = self._free.pop(i - 1)
                room += before
            insort(self._free, (address, room))
            return True

    def state(self) -> State:
        """The current allocations, to restore later."""
        with MEMORY:
            return [*self._free], {**self.blocks}, {**self._freed}, np.concatenate(self._own())

    def restore(self, state: State) -> None:
        """Restores the allocations of a snapshot, and only these. The contents of blocks are kept."""
        free, blocks, freed, left = state
        with MEMORY:
            self._free, self.blocks, self._freed = [*free], {**blocks}, {**freed}
            first, added = self._own()
            first[:] = left[: first.size]
            added[:] = left[first.size :]

    def nearest(self, address: int, count: int) -> str:
        """The block next to an access of `count` bytes, or a freed one that was there before."""
        if self._pool is not None and self._pool.within(address):
            return self._pool.nearest(address, count)
        with MEMORY:
            taken = [block(at, size) for at, size in self.blocks.items()]
            freed = [block(at, size) for at, size in self._freed.items() if at <= address < at + size]
        found = min(taken, key=lambda a: gap(a, address, count), default=None)
        again = any(
            a.base <= address < a.base + extent(a.size) for a in taken
        )  # allocated since, with the gap after it
        if freed and not again:
            return f"none: {freed[-1]}, was here and has been freed"
        return beside(found, address, count) if found is not None else "none: `malloc` has given out nothing"


def extent(size: int) -> int:
    """The heap space that a block uses."""
    return -(-size // ALIGN) * ALIGN + GAP


def block(address: int, size: int) -> Allocation:
    """A block as named in faults."""
    return Allocation("a block of `malloc`", address, size, 0, True)
