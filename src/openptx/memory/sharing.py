"""Allocations that other processes also map: their pages move into an anonymous file (memfd_create(2))."""

from __future__ import annotations

import ctypes
import mmap
from dataclasses import dataclass

from openptx.device.memory import Allocation, Bytes, device
from openptx.device.reservations import Physical, Reservation, replace, reserve
from openptx.locks import MEMORY
from openptx.memory.blocks import Block

_SHARED: dict[int, Physical] = {}
"""By the address of the first page: an allocation's own, or that of the pool, because small ones share pages."""


def share(block: Block) -> tuple[Physical, int]:
    """The file that contains an allocation's bytes, and their offset in it."""
    with MEMORY:
        if block.own_slot:
            first, size, used = block.address, pages(block.size), pages(block.size)
        else:
            pool = device(64).device_heap().pool()
            first, size, used = pool.base, pool.size, pages(pool.used)
        if first not in _SHARED:
            made = Physical(size)
            with mmap.mmap(made.descriptor, used) as view:
                view[:] = ctypes.string_at(first, used)
            replace(first, size, made.descriptor, 0)
            _SHARED[first] = made
        return _SHARED[first], block.address - first


def end_sharing(address: int) -> None:
    """Closes the file of a freed allocation. Processes that have mapped it keep the bytes."""
    _SHARED.pop(address, None)


def pages(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


@dataclass(slots=True)
class ImportedAllocation:
    """An allocation of another process, at an address of this one."""

    reservation: Reservation
    allocation: Allocation
    data: Bytes
    file: Physical

    @classmethod
    def of(cls, file: Physical, offset: int, size: int) -> ImportedAllocation:
        """`size` bytes of a file. Raises MemoryError if addresses or memory are exhausted."""
        first = offset // mmap.PAGESIZE * mmap.PAGESIZE
        into = offset - first
        found = reserve(device(64), pages(into + size))
        replace(found.address, found.data.size, file.descriptor, first)
        data = found.data[into : into + size]
        return cls(found, device(64).show("memory of another process", found.address + into, data), data, file)

    @property
    def address(self) -> int:
        return self.allocation.base

    def block(self) -> Block:
        """As an allocation of this process."""
        return Block(self.allocation, self.data, False, True)

    def end(self) -> None:
        device(64).remove(self.allocation)
        self.reservation.release()
