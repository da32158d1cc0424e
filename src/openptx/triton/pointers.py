"""The objects that Triton's kernels accept as pointers, as device addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from openptx import memory
from openptx.device.arrays import as_array
from openptx.errors import ArgumentError

ARRAYS = ("__dlpack__", "__array_interface__", "__cuda_array_interface__")
"""What tensors and arrays have. Triton takes any other object with a method `data_ptr` for a pointer."""


class Tensor:
    """A NumPy array in the form that Triton expects while it determines an argument's type."""

    def __init__(self, array: Any) -> None:
        self.array, self.dtype = as_array(array), array.dtype

    def data_ptr(self) -> int:
        return memory.address(self.array)


def as_tensor(argument: object) -> object:
    """An argument of a kernel; NumPy arrays are wrapped."""
    return Tensor(argument) if isinstance(argument, np.ndarray) else argument


def arrays_of(argument: object) -> Iterator[object]:
    """The NumPy arrays that an argument of a kernel is or contains."""
    if isinstance(argument, tuple):
        for item in cast("tuple[object, ...]", argument):
            yield from arrays_of(item)
    elif isinstance(argument, np.ndarray):
        yield argument
    elif isinstance(argument, Tensor):
        yield argument.array


def address(name: str, argument: Any) -> int:
    """The device address of an argument. Raises ArgumentError for anything that is not CPU memory.

    Views of tensors that libraries make, such as FlagGems' `StridedBuffer`, say their own address.
    """
    if argument is None:
        return 0
    if isinstance(argument, int):
        return argument
    if hasattr(argument, "data_ptr") and hasattr(argument, "base") and not isinstance(argument, memory.Block):
        return address(name, argument.base)  # `triton.reinterpret`, a descriptor
    own: Any = getattr(argument, "data_ptr", None)
    if own is not None and not any(hasattr(argument, protocol) for protocol in ARRAYS):
        return own()
    try:
        return memory.address(argument)
    except ArgumentError as error:
        raise ArgumentError(f"argument `{name}`: {error}") from error
