"""The part of CuPy that cuda.core's examples use, on NumPy arrays in managed memory of our driver.

CuPy's wheels hold NVIDIA's runtime, which does not run on OpenPTX (docs/driver.md). Computation happens on the host.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core.utils import StridedMemoryView

float32, float64, int32, uint64, uint8 = np.float32, np.float64, np.int32, np.uint64, np.uint8


def checked(result: tuple[Any, ...]) -> Any:
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) > 1 else None


class ndarray(np.ndarray):
    """An array whose memory kernels may use. What computations give lies in host memory until `there` copies it."""

    def __new__(cls, shape: Any, dtype: Any = float, memptr: Any = None) -> ndarray:
        return at(memptr.ptr if memptr else allocated(np.dtype(dtype).itemsize * int(np.prod(shape))), shape, dtype)

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=0)

    @property
    def __cuda_array_interface__(self) -> Any:
        return {**self.__array_interface__, "version": 3, "stream": None}

    def __dlpack__(self, **options: Any) -> Any:
        return StridedMemoryView.from_cuda_array_interface(self, stream_ptr=-1).__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def get(self) -> np.ndarray:
        return np.array(self)


def allocated(size: int) -> int:
    return int(checked(driver.cuMemAllocManaged(max(size, 1), 1)))


def at(address: int, shape: Any, dtype: Any) -> ndarray:
    """The array at an address: memory of the device is the host's, at the same address."""
    dtype = np.dtype(dtype)
    memory = (ctypes.c_uint8 * (dtype.itemsize * int(np.prod(shape)))).from_address(address)
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(shape).view(ndarray)


def as_ndarray(values: Any) -> ndarray:
    """The values in memory that kernels may use."""
    values = np.asarray(values)
    made = at(allocated(values.nbytes), values.shape, values.dtype)
    made[...] = values
    return made


def empty(shape: Any, dtype: Any = float) -> ndarray:
    return ndarray(shape, dtype)


def empty_like(array: Any) -> ndarray:
    return ndarray(array.shape, array.dtype)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    return as_ndarray(np.zeros(shape, dtype))


def ones(shape: Any, dtype: Any = float) -> ndarray:
    return as_ndarray(np.ones(shape, dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> ndarray:
    return as_ndarray(np.full(shape, fill_value, dtype))


def arange(*given: Any, **options: Any) -> ndarray:
    return as_ndarray(np.arange(*given, **options))


def asnumpy(array: Any) -> np.ndarray:
    return np.array(array)


def allclose(a: Any, b: Any, **options: Any) -> bool:
    return np.allclose(np.asarray(a), np.asarray(b), **options)


def array_equal(a: Any, b: Any) -> bool:
    return np.array_equal(np.asarray(a), np.asarray(b))


def from_dlpack(value: Any) -> ndarray:
    """Of what says by DLPack where it lies in memory of the device."""
    view = value if isinstance(value, StridedMemoryView) else StridedMemoryView.from_dlpack(value, stream_ptr=-1)
    return at(view.ptr, view.shape, view.dtype)


class Generator:
    """Random numbers from NumPy's generator."""

    def __init__(self, seed: int | None = None) -> None:
        self._generator = np.random.default_rng(seed)

    def random(self, size: Any, dtype: Any = float) -> ndarray:
        return as_ndarray(self._generator.random(int(size), dtype))


class Stream:
    """There is nothing to order: the host computes at once."""

    null: Any
    ptr = 0

    def use(self) -> None: ...

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 0


Stream.null = Stream()
random = SimpleNamespace(default_rng=Generator)
testing = SimpleNamespace(assert_array_equal=lambda a, b: np.testing.assert_array_equal(np.asarray(a), np.asarray(b)))
cuda = SimpleNamespace(
    ExternalStream=lambda handle: Stream(),
    Stream=Stream,
    get_current_stream=lambda: Stream.null,
    UnownedMemory=lambda address, size, owner: address,
    MemoryPointer=lambda address, offset: SimpleNamespace(ptr=address + offset),
)
