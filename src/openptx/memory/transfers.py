"""Copies between the host and device memory: every byte must lie in device memory, as for an access of a kernel.

They accept any device memory: allocations, registrations, arrays that were passed to kernels, variables of modules.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from openptx.device import undefined
from openptx.device.allocation import Bytes, in_bytes
from openptx.device.arrays import as_array
from openptx.device.memory import device
from openptx.device.views import device_pointer, memory_of
from openptx.errors import ArgumentError
from openptx.locks import MEMORY
from openptx.memory.blocks import BLOCKS, Block, whole

Place = Block | int
"""A block's start, or a device address."""


def read(source: Place, size: int | None = None) -> bytes:
    """`size` bytes of device memory; of a Block, by default all.

    Raises ArgumentError if the range is not entirely within one allocation.
    """
    with host(source, extent_of(source, size), "read") as data:
        return data.tobytes()


def write(target: Place, data: object) -> None:
    """Copies the content of an array or another buffer (made contiguous if necessary) to device memory.

    Raises ArgumentError like `read`, and for read-only memory.
    """
    given = bytes_of(data)
    with host(target, given.size, "write") as destination:
        destination[:] = given


def copy(target: Place, source: Place, size: int) -> None:
    """Copies within device memory; the ranges may overlap. Raises ArgumentError like `write`."""
    with host(source, size, "read") as origin, host(target, size, "write") as destination:
        ctypes.memmove(destination.ctypes.data, origin.ctypes.data, origin.size)


def fill(target: Place, value: int, size: int | None = None) -> None:
    """Sets bytes to a value of 0 to 255; of a Block, by default all. Raises ArgumentError like `write`."""
    value = whole("the value of a byte", value, 0)
    if value > 255:
        raise ArgumentError(f"the value of a byte is 0 to 255, not {value}")
    with host(target, extent_of(target, size), "write") as destination:
        destination[:] = value


def extent_of(place: Place, size: int | None) -> int:
    """The bytes of a range; of a whole block if `size` is None. Raises ArgumentError for an address without one."""
    if size is not None:
        return whole("a size", size, 0)
    if isinstance(place, Block):
        return place.size
    raise ArgumentError("an address needs a size, in bytes")


def bytes_of(data: Any) -> Bytes:
    """The data to copy, as host bytes. Raises ArgumentError if it is no array or buffer."""
    try:
        array = as_array(np.asarray(data if hasattr(data, "__array_interface__") else memoryview(data)))
    except (TypeError, ValueError, BufferError) as error:
        raise ArgumentError(f"an array or a buffer is copied, not {type(data).__name__}: {error}") from error
    if array.dtype.hasobject:
        raise ArgumentError("an array of Python objects cannot be copied to device memory")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@contextmanager
def host(place: Place, size: int, action: str) -> Generator[Bytes]:
    """The host's view of a range of device memory, which stays allocated in this scope. Raises ArgumentError if the
    range may not be accessed."""
    size = whole("a size", size, 0)
    if isinstance(place, Block) and not place.live:
        raise ArgumentError(f"{action} of {place}, which has been {place.ended}")
    address = whole("an address", place, 0)
    if not size:
        yield np.zeros(0, np.uint8)
        return
    found = span_of(address)
    if found is None or address + size > found.base + found.data.size:
        nearest = device(64).map().nearest(address, size)
        raise ArgumentError(
            f"{action} of {in_bytes(size)} at 0x{address:x} outside of device memory; nearest: {nearest}"
        )
    first = address - found.base
    data = found.data[first : first + size]
    if action == "write" and not data.flags.writeable:
        raise ArgumentError(f"write of {in_bytes(size)} at 0x{address:x}, in memory that may only be read")
    yield data
    if action == "write":
        undefined.define(found.base, first, size)


class Span(NamedTuple):
    """Device memory from `base` on, its bytes on the host, and the object that keeps them alive."""

    base: int
    data: Bytes
    keeper: object


def span_of(address: int) -> Span | None:
    """The memory that contains an address; None if there is none, or if it is in the kernels' `malloc` heap."""
    with MEMORY:
        block = BLOCKS.at(address)
        if block is not None:
            return Span(block.address, block.data, block)
    view = device(64).map()
    slot = address >> view.shift
    row = view.snapshot.rows[slot] if slot < len(view.snapshot.rows) else None
    if row is None or address < row.base or (view.heap is not None and row.base == view.heap.allocation.base):
        return None
    return Span(row.base, row.bytes(), view)


def address(argument: Any) -> int:
    """The device address of the first element of an array, or of any object with CPU memory, without a copy.

    Accepts NumPy arrays, tensors, DLPack objects, memoryviews, Blocks and other arrays of this memory, with any strides
    and offsets. The address is in the memory of the object that a view was made from, so kernels may use it in all
    launches during that object's life, and access all of it. Raises ArgumentError for other objects, whose lifetime is
    unknown.
    """
    where = "`openptx.memory.address`"
    memory = device(64)
    pointer = device_pointer(argument, memory)
    if pointer is not None:
        return pointer
    found = memory_of(where, argument)
    return found.address(memory, "array") if found.size else 0
