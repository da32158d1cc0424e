"""Host memory at a chosen address, so that a device address is valid on the host as well."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import sys
import weakref
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORESERVE = 0x4000 if sys.platform == "linux" else 0
"""Pages are committed when they are touched: an address range costs nothing (mmap(2); the same on x86-64 and
aarch64)."""
FIXED_NOREPLACE = 0x100000 if sys.platform == "linux" else 0
"""Fails if something is mapped already. Systems without it treat the address as a hint, so the result is compared."""

ASYNC = 1  # of msync(2), which fails with ENOMEM if pages are not mapped


class Occupied(Exception):
    """Something else is mapped at the address."""


class Mapping:
    """Pages of zeros, unmapped with the last array that uses them."""

    def __init__(self, address: int, size: int) -> None:
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}
        weakref.finalize(self, library().munmap, address, size).atexit = False


@cache
def library() -> Any:
    """The C library, for `mmap` with an address, which Python's module of that name does not offer."""
    found = ctypes.CDLL(None, use_errno=True)
    size, pointer, number = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
    found.mmap.argtypes = (pointer, size, number, number, number, ctypes.c_long)
    found.mmap.restype = pointer
    found.munmap.argtypes = (pointer, size)
    found.msync.argtypes = (pointer, size, number)
    return found


def can_choose() -> bool:
    """Whether the system lets a process choose the address of memory."""
    return os.name == "posix"


def mapped(address: int, size: int) -> NDArray[np.uint8]:
    """`size` bytes of zeros at an address that is a multiple of a page's size.

    Raises Occupied if something else is mapped there, MemoryError if the system has no memory.
    """
    c, flags = library(), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE | FIXED_NOREPLACE
    found = c.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if found == ctypes.c_void_p(-1).value:
        error = ctypes.get_errno()
        if error == errno.EEXIST:
            raise Occupied
        raise MemoryError(f"no memory for {size} bytes at 0x{address:x}: {os.strerror(error)}")
    if found != address:
        c.munmap(found, size)
        raise Occupied
    return np.asarray(Mapping(address, size))


def is_mapped(pointer: int, size: int) -> bool:
    """Whether the host has memory in all of a range; True if the system cannot be asked."""
    if not can_choose():
        return True
    page = mmap.PAGESIZE
    first = pointer // page * page
    return library().msync(first, pointer + size - first, ASYNC) == 0
