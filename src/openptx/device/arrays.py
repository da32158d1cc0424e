"""Arrays as device memory: NumPy arrays, and objects in CPU memory that share it by DLPack or the array interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from openptx.array_types import Array
from openptx.device.tensors import flat_bytes, is_tensor, memoised_array, with_elements
from openptx.errors import ArgumentError


def as_array(array: Any) -> Array:
    """NumPy's functions return arrays of unknown element types; here all are alike."""
    return array


def array_of(where: object, argument: Any) -> Array:
    """An array as device memory; any CPU object that supports DLPack or the array interface qualifies. Raises
    ArgumentError for other objects and for arrays that are not contiguous."""
    array = any_array(where, argument)
    if not array.flags.forc:
        raise ArgumentError(f"{where}: the array is not contiguous; pass `numpy.ascontiguousarray(...)`")
    return array


def any_array(where: object, argument: Any) -> Array:
    """An argument as an array, with any strides. Raises ArgumentError if it is none, is not in the CPU's memory, or has
    elements that kernels cannot read."""
    if isinstance(argument, np.ndarray):
        array = as_array(argument)
    elif hasattr(argument, "__dlpack__"):
        try:
            device = getattr(argument, "__dlpack_device__", lambda: (1, 0))()
            array = shared(argument) if device[0] == 1 else None
        except (BufferError, RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            raise ArgumentError(f"{where}: the array's memory cannot be used: {error}") from error
        if array is None:
            raise ArgumentError(f"{where}: the array is not in the memory of the CPU")
    elif hasattr(argument, "__array_interface__"):
        array = from_array_interface(where, argument)
    elif hasattr(argument, "__cuda_array_interface__"):
        raise ArgumentError(f"{where}: the array is not in the memory of the CPU")
    else:
        array = buffer(where, argument)
    if array.dtype.hasobject:
        raise ArgumentError(f"{where}: an array of Python objects cannot be device memory")
    if not array.dtype.isnative:
        fix = "`a.astype(a.dtype.newbyteorder('='))`"
        raise ArgumentError(f"{where}: the array's bytes are in another order than kernels read them; pass {fix}")
    return array


def buffer(where: object, argument: Any) -> Array:
    """The memory of an object with Python's buffer protocol: `array.array`, `mmap`, ctypes arrays. Raises ArgumentError
    for an object without it."""
    try:
        return as_array(np.asarray(memoryview(argument)))
    except TypeError:
        hint = "; make an array of it: `numpy.array(...)`" if type(argument) in (list, tuple) else ""
        what = f"{where} takes a number, an array, bytes or None, not {type(argument).__name__}{hint}"
        raise ArgumentError(what) from None
    except (ValueError, BufferError) as error:
        raise ArgumentError(f"{where}: the buffer's memory cannot be used: {error}") from error


LARGEST = 1 << 48
"""A number of bytes that no array exceeds."""


def from_array_interface(where: object, argument: Any) -> Array:
    """The memory that an `__array_interface__` describes. NumPy rejects most invalid ones; nothing identifies the
    owner."""
    try:
        array = as_array(np.asarray(argument))
        data: int = array.__array_interface__["data"][0]
        if array.nbytes and not (0 < data <= (1 << 64) - array.nbytes and array.nbytes <= LARGEST):
            raise ValueError(f"no memory has {array.nbytes} bytes from 0x{data:x} on")
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, BufferError, MemoryError) as error:
        raise ArgumentError(f"{where}: its `__array_interface__` is wrong: {error}") from error
    return array


def shared(argument: Any) -> Array:
    """The memory of an object that supports DLPack, as an array; for a torch tensor also memory that DLPack refuses.

    A tensor is detached first: DLPack keeps the exported object alive, and the tensor itself must be free to be
    collected. The first DLPack (before 1.0, which torch used for long) has no read-only flag, so NumPy treats all its
    memory as read-only. A caller that passes an array to a kernel wants results in it, so there the array is writable.
    """
    if not is_tensor(argument):
        return writable(argument)
    try:
        array = writable(argument.detach())
    except (BufferError, RuntimeError):
        array = with_elements(writable(flat_bytes(argument)), argument)
    return memoised_array(argument, array)


def writable(argument: Any) -> Array:
    """NumPy's array for an object that supports DLPack, writable unless the object forbids it."""
    array = as_array(np.from_dlpack(argument))
    if array.flags.writeable or "versioned" in repr(capsule(argument)):
        return array
    return as_array(np.asarray(Writable(array)))


def capsule(argument: Any) -> object:
    """The object passed to NumPy; its name states its version."""
    try:
        return argument.__dlpack__(max_version=(1, 0))
    except TypeError:
        return argument.__dlpack__()


class Writable:
    """An array whose memory can be written, whatever its own flag says; it keeps the memory alive."""

    def __init__(self, array: Array) -> None:
        address, _ = array.__array_interface__["data"]
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
