"""Calls of the library for the programs here: a context, checked results, kernels by name."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref
from typing import Any

CUDA: Any = ctypes.CDLL("libcuda.so.1")
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
Handle = ctypes.c_void_p
Address = ctypes.c_uint64
Size = ctypes.c_size_t
Word = ctypes.c_uint32


def call(name: str, *arguments: Any, result: int = 0) -> None:
    """Calls an entry point, which must return `result`."""
    found = getattr(CUDA, name)(*arguments)
    assert found == result, f"{name} returned {found}, not {result}"


def context() -> Handle:
    """A new context, current to this thread."""
    found = Handle()
    call("cuInit", 0)
    call("cuCtxCreate_v2", byref(found), 0, 0)
    return found


def load(text: str) -> Handle:
    """A module of PTX without its first lines."""
    found = Handle()
    call("cuModuleLoadData", byref(found), (HEAD + text).encode())
    return found


def kernel(module: Handle, name: str) -> Handle:
    found = Handle()
    call("cuModuleGetFunction", byref(found), module, name.encode())
    return found


def variable(module: Handle, name: str) -> tuple[int, int]:
    """Its address and its bytes."""
    found, extent = Address(), Size()
    call("cuModuleGetGlobal_v2", byref(found), byref(extent), module, name.encode())
    return found.value, extent.value


def allocate(count: int) -> Address:
    """Device memory of this many bytes."""
    found = Address()
    call("cuMemAlloc_v2", byref(found), Size(count))
    return found


def pointers(arguments: Sequence[Any]) -> Any:
    """What `kernelParams` leads to; the arguments must live as long."""
    return (Handle * max(len(arguments), 1))(*(ctypes.addressof(one) for one in arguments))


def launch(kernel: Handle, threads: int, *arguments: Any, result: int = 0, stream: Handle | None = None) -> None:
    """One block."""
    given = pointers(arguments)
    call("cuLaunchKernel", kernel, 1, 1, 1, threads, 1, 1, 0, stream, given, None, result=result)


def words(place: Address, count: int) -> list[int]:
    """What device memory holds."""
    found = (Word * count)()
    call("cuMemcpyDtoH_v2", found, place, Size(4 * count))
    return list(found)
