"""An allocation of device memory, and how an access misses it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

REMEMBERED = 1024
"""The number of freed allocations remembered, so that faults can name them."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Allocation:
    """`size` bytes of device memory at address `base`, at host address `pointer`."""

    name: str
    base: int
    size: int
    pointer: int
    writable: bool

    def bytes(self) -> Bytes:
        """The host memory. It lives only as long as its owner."""
        if not self.size:
            return np.zeros(0, np.uint8)
        data = np.frombuffer(memoryview((ctypes.c_uint8 * self.size).from_address(self.pointer)), np.uint8)
        data.flags.writeable = self.writable
        return data

    def __str__(self) -> str:
        return f"{self.name}, {in_bytes(self.size)} at 0x{self.base:x}"


def gap(a: Allocation, address: int, count: int) -> int:
    """How far an access of `count` bytes misses an allocation."""
    return max(a.base - address, address + count - (a.base + a.size), 0)


def beside(a: Allocation, address: int, count: int) -> str:
    """An allocation, and how far an access misses it."""
    if address < a.base:
        return f"{a}; the access begins {in_bytes(a.base - address)} before it"
    past = gap(a, address, count)
    return f"{a}; the access ends {in_bytes(past)} past it" if past else str(a)


def in_bytes(size: int) -> str:
    """`1 byte`, `7 bytes`."""
    return f"{size} byte{'s' if size != 1 else ''}"
