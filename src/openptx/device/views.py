"""The memory that an array or tensor is a view of: where it begins, its extent, and what keeps it alive."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from openptx.array_types import Array
from openptx.device.arrays import any_array, as_array
from openptx.device.memory import Memory
from openptx.device.memory_view import owner
from openptx.device.tensors import is_in_cpu_memory, is_tensor, memoised_array, storage_of
from openptx.errors import ArgumentError

MEMORYVIEW: type[object] = type(np.zeros(1).data)
"""Imported under another name: tinygrad's tests replace the builtin by a class of their own."""


class View(NamedTuple):
    """`pointer` is the first element's host address, in the memory from `low` to `high` that `root` keeps alive."""

    root: Array
    pointer: int
    low: int
    high: int
    writable: bool
    size: int

    def address(self, memory: Memory, name: str) -> int:
        """The device address of the first element; the same for the life of the memory."""
        placed = memory.placed_allocation(self.root)
        if placed is not None and (placed.writable <= self.writable):
            return placed.base + self.pointer - placed.pointer
        found = memory.span(name, self.root, self.low, self.high - self.low, self.writable, self.low % 16)
        return found.base + self.pointer - self.low


def memory_of(where: object, argument: Any) -> View:
    """An array, a tensor, or any other object with CPU memory, with any strides.

    Raises ArgumentError for other objects.
    """
    if is_tensor(argument):
        return of_tensor(where, argument)
    array = any_array(where, argument if isinstance(argument, np.ndarray) else lasting(where, argument))
    root = owner(array)
    low, high = extremes(root)
    pointer = array.__array_interface__["data"][0]
    return View(root, pointer, low, high, array.flags.writeable, array.size)


def extremes(array: Array) -> tuple[int, int]:
    """The host address of an array's lowest byte, and one past its highest."""
    pointer: int = array.__array_interface__["data"][0]
    steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
    high = pointer + sum(step for step in steps if step > 0) + array.itemsize
    return pointer + sum(step for step in steps if step < 0), high if array.size else pointer


def device_pointer(argument: Any, memory: Memory) -> int | None:
    """The address in `__cuda_array_interface__`, if it is device memory; None for other objects, and for tensors in
    the memory of the CPU, of which `openptx.torch` makes such an interface."""
    if is_tensor(argument) and is_in_cpu_memory(argument):
        return None
    interface = getattr(argument, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):
        return None
    pointer = cast("dict[str, Any]", interface).get("data", (0,))[0]
    return pointer if isinstance(pointer, int) and memory.occupied(pointer) else None


def lasting(where: object, argument: Any) -> Array:
    """An array of an object's memory, the same for each call. It lives as long as the object, which it must not keep
    alive: it may keep the memory of a memoryview alive, but arrays of other buffers keep their object itself alive."""
    if type(argument) is MEMORYVIEW:
        return memoised_array(argument, as_array(np.asarray(argument)))
    if hasattr(argument, "__dlpack__"):
        return memoised_array(argument, any_array(where, argument))
    if hasattr(argument, "__array_interface__") or is_buffer(argument):
        fix = "keep `numpy.asarray(...)` or a memoryview of it, and give that"
        raise ArgumentError(f"{where}: nothing tells how long the memory of {type(argument).__name__} lives; {fix}")
    return any_array(where, argument)


def is_buffer(argument: Any) -> bool:
    """Whether Python's buffer protocol exports its memory."""
    try:
        memoryview(argument).release()
    except (TypeError, ValueError, BufferError):
        return False
    return True


def of_tensor(where: object, tensor: Any) -> View:
    """All memory of the tensor's storage. Raises ArgumentError if it is not in the CPU's memory or cannot be used."""
    try:
        if tensor.untyped_storage().device.type != "cpu":  # openptx.torch may override the tensor's `device`
            raise ArgumentError(f"{where}: the tensor is not in the memory of the CPU")
        root = storage_of(tensor)
    except (BufferError, RuntimeError, TypeError, NotImplementedError) as error:
        raise ArgumentError(f"{where}: the tensor's memory cannot be used: {error}") from error
    low = root.__array_interface__["data"][0]
    first = low + tensor.storage_offset() * tensor.element_size()  # openptx.torch may override `data_ptr` for kernels
    return View(root, first, low, low + root.size, True, tensor.numel())
