"""Ranges of device addresses that are reserved first, and given memory in parts later: CUDA's virtual memory.

A part of memory is an anonymous file (memfd_create(2)), so that it can be mapped at several addresses at a time.
Unmapped or inaccessible addresses fault in kernels, except between two parts within the same 4 GiB, where they read as
zeros.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from dataclasses import dataclass, field

from openptx.device.mapping import NORESERVE, library
from openptx.device.memory import Allocation, Bytes, Memory
from openptx.locks import MEMORY

FIXED = 0x10
"""MAP_FIXED: replaces any mapping at the address."""


class Physical:
    """Memory without an address. It lives as long as it is referenced, by its creator or a mapping."""

    def __init__(self, size: int, descriptor: int | None = None) -> None:
        self.size = size
        self.descriptor = os.memfd_create("openptx") if descriptor is None else descriptor
        if descriptor is None:
            os.ftruncate(self.descriptor, size)

    def __del__(self) -> None:
        os.close(self.descriptor)


@dataclass(slots=True)
class Part:
    """A piece of memory from `offset` on, at an address. `access` is "", "r" or "rw"."""

    address: int
    size: int
    memory: Physical
    offset: int
    access: str = ""

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(slots=True)
class Reservation:
    """`data` is the host memory at the same addresses: pages of zeros where nothing is mapped."""

    place: Memory
    data: Bytes
    parts: list[Part] = field(default_factory=list[Part])
    shown: list[tuple[Allocation, Bytes]] = field(default_factory=list[tuple[Allocation, Bytes]])

    @property
    def address(self) -> int:
        return self.data.ctypes.data

    @property
    def end(self) -> int:
        return self.address + self.data.size

    def within(self, address: int, size: int) -> bool:
        return self.address <= address and address + size <= self.end

    def overlapping(self, address: int, size: int) -> list[Part]:
        """Parts that share bytes with a range."""
        return [part for part in self.parts if part.address < address + size and address < part.end]

    def whole(self, address: int, size: int) -> list[Part]:
        """The parts that a range consists of; empty if it cuts a part, or has a gap."""
        found = self.overlapping(address, size)
        inside = all(address <= part.address and part.end <= address + size for part in found)
        return found if inside and sum(part.size for part in found) == size else []

    def map(self, part: Part) -> None:
        """Maps memory at an address that has none."""
        replace(part.address, part.size, part.memory.descriptor, part.offset)
        self.parts.append(part)
        self.parts.sort(key=lambda one: one.address)

    def unmap(self, parts: list[Part]) -> None:
        self.parts = [part for part in self.parts if part not in parts]
        self.show()
        for part in parts:
            replace(part.address, part.size, None, 0)

    def show(self) -> None:
        """Tells kernels what they may access: adjacent parts form one range, and so do those in one slot."""
        with MEMORY:
            for allocation, _ in self.shown:
                self.place.remove(allocation)
            self.shown.clear()
            for begin, end, writable in self.ranges():
                data = self.data[begin - self.address : end - self.address]
                data.flags.writeable = writable
                self.shown.append((self.place.show("mapped memory", begin, data), data))

    def ranges(self) -> list[tuple[int, int, bool]]:
        """The mapped ranges: start, end, and whether they are writable."""
        found, shift = list[tuple[int, int, bool]](), self.place.shift
        for part in self.parts:
            if not part.access:
                continue
            begin, writable = part.address, part.access == "rw"
            if found:
                before, end, also = found[-1]
                if (end == begin and writable == also) or end - 1 >> shift == begin >> shift:
                    found.pop()
                    begin, writable = before, writable or also
            found.append((begin, part.end, writable))
        return found

    def release(self) -> None:
        """Frees the addresses, which are not reused for some time."""
        self.place.end_reservation(self.address, self.data.size)


def reserve(place: Memory, size: int) -> Reservation:
    """Reserves addresses. Raises MemoryError if there are none left."""
    return Reservation(place, place.reserve(size))


def replace(address: int, size: int, descriptor: int | None, offset: int) -> None:
    """Maps a file, or pages of zeros, over existing mappings. Raises MemoryError if the system refuses."""
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE if descriptor is None else mmap.MAP_SHARED
    protection = mmap.PROT_READ | mmap.PROT_WRITE
    found = library().mmap(address, size, protection, kind | FIXED, -1 if descriptor is None else descriptor, offset)
    if found != address:
        raise MemoryError(f"no memory for {size} bytes at 0x{address:x}: {os.strerror(ctypes.get_errno())}")
