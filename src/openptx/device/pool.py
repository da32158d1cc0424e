"""Small allocations of the host that share a slot, because there are not enough slots for a hundred thousand of them.

Each begins at a multiple of 256 bytes, as CUDA's do, with at least 16 bytes between the end of one and the next. A
freed block is reused only after `QUARANTINE` others, so that a stale pointer faults.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from openptx.device.allocation import REMEMBERED, Allocation, Bytes, beside
from openptx.locks import MEMORY

POOL = 256 << 20
"""Bytes of addresses. Memory is committed when it is touched."""
LARGEST = 8 << 10
"""The largest allocation in bytes that shares a slot."""

QUARANTINE = 1024
ALIGN = 256
REDZONE = 16
GRANULE = 16  # granularity of the table in which engines look accesses up


class Block(NamedTuple):
    """An allocation as requested: its name and size."""

    name: str
    size: int


class Pool:
    """`left` holds for each 16 bytes how many bytes of a block follow, like `Heap.left`, of which it is a part."""

    def __init__(self, base: int, data: Bytes, left: Bytes) -> None:
        self.base, self._data, self._left = base, data, left
        self.blocks: dict[int, Block] = {}
        self._fresh = -(-base // ALIGN) * ALIGN  # nothing was allocated from here on
        self._free: dict[int, list[int]] = {}  # by the bytes that a block takes
        self._quarantine: deque[tuple[int, int]] = deque()
        self._freed: dict[int, Block] = {}

    @property
    def size(self) -> int:
        """The size of its address range in bytes."""
        return self._data.size

    @property
    def used(self) -> int:
        """The number of bytes from its beginning that blocks have ever used."""
        return self._fresh - self.base

    def look_up_in(self, left: Bytes) -> None:
        """Replaces the table, by one with the same content that begins at the pool's base."""
        self._left = left[: self.size // GRANULE]

    def within(self, address: int) -> bool:
        return 0 <= address - self.base < self._data.size

    def take(self, name: str, size: int) -> Allocation | None:
        """New zeroed memory; None if the pool is exhausted."""
        extent = extent_of(size)
        with MEMORY:
            if known := self._free.get(extent):
                at = known.pop()
            elif self._fresh + extent <= self.base + self._data.size:
                at = self._fresh
                self._fresh += extent
            else:
                return None
            self._list(at, Block(name, size))
        view = self.view(at, size)
        view[:] = 0
        return Allocation(name, at, size, view.ctypes.data, True)

    def _list(self, at: int, block: Block) -> None:
        """Makes the bytes accessible."""
        self.blocks[at] = block
        self._freed.pop(at, None)
        first, count = (at - self.base) // GRANULE, -(-block.size // GRANULE)
        self._left[first : first + count] = np.minimum(np.arange(block.size, 0, -GRANULE), 255)

    def withdraw(self, address: int) -> Block:
        """Makes accesses fault until `restore`, as if the block were freed. Its address is not reused."""
        with MEMORY:
            block = self.blocks.pop(address)
            first = (address - self.base) // GRANULE
            self._left[first : first + -(-block.size // GRANULE)] = 0
            self._freed[address] = block
            while len(self._freed) > REMEMBERED:
                del self._freed[next(iter(self._freed))]
            return block

    def restore(self, name: str, address: int, size: int) -> None:
        """Restores a block that was withdrawn."""
        with MEMORY:
            self._list(address, Block(name, size))

    def give_back(self, address: int) -> None:
        """Frees a block of `take`."""
        with MEMORY:
            block = self.withdraw(address)
            self._quarantine.append((address, extent_of(block.size)))
            if len(self._quarantine) > QUARANTINE:
                at, extent = self._quarantine.popleft()
                self._free.setdefault(extent, []).append(at)

    def view(self, address: int, size: int) -> Bytes:
        """The host's memory of a block, which lives as long as the pool."""
        first = address - self.base
        return self._data[first : first + size]

    def nearest(self, address: int, count: int) -> str:
        """The block next to an access of `count` bytes, or a freed one that was there before."""
        with MEMORY:
            around = neighbours(sorted(self.blocks), address)
            taken = [Allocation(self.blocks[at].name, at, self.blocks[at].size, 0, True) for at in around]
            freed = [at for at, block in self._freed.items() if at <= address < at + block.size]
        if freed:
            block = self._freed[freed[-1]]
            return f"none: {Allocation(block.name, freed[-1], block.size, 0, True)}, was here and has been freed"
        found = min(taken, key=lambda a: max(a.base - address, address + count - a.base - a.size), default=None)
        return beside(found, address, count) if found is not None else "none: nothing is allocated here"


def neighbours(bases: Sequence[int], address: int) -> Sequence[int]:
    """The blocks that begin at or before an address and after it."""
    i = bisect_right(bases, address)
    return bases[max(i - 1, 0) : i + 1]


def extent_of(size: int) -> int:
    """The pool space that a block uses."""
    return -(-(size + REDZONE) // ALIGN) * ALIGN
