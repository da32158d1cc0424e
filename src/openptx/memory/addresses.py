"""Device addresses of arrays, tensors, views and buffers."""

from __future__ import annotations

from typing import Any

from openptx.device.memory import device
from openptx.device.views import device_pointer, memory_of


def address(argument: Any) -> int:
    """The device address of the first element of an array, or of whatever has memory on the CPU, without a copy.

    NumPy arrays, tensors, what speaks DLPack, memoryviews, Blocks and other arrays of this memory. Any strides and
    offsets: an address in the memory of the object that a view was made of, so kernels may use it in all launches while
    that lives, and reach all of it. Raises ArgumentError for other objects, of whose life nothing tells.
    """
    where = "`openptx.memory.address`"
    memory = device(64)
    pointer = device_pointer(argument, memory)
    if pointer is not None:
        return pointer
    found = memory_of(where, argument)
    return found.address(memory, "array") if found.size else 0
