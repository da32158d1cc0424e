"""How the programs here call the library: a context, results that are checked, kernels by name."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref
from typing import Any

CUDA: Any = ctypes.CDLL("libcuda.so.1")
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
handle, address, size, word = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint32


def call(name: str, *arguments: Any, result: int = 0) -> None:
    """Calls an entry point, which must return `result`."""
    found = getattr(CUDA, name)(*arguments)
    assert found == result, f"{name} returned {found}, not {result}"


def context() -> handle:
    """A new context, current to this thread."""
    found = handle()
    call("cuInit", 0)
    call("cuCtxCreate_v2", byref(found), 0, 0)
    return found


def load(text: str) -> handle:
    """A module of PTX without its first lines."""
    found = handle()
    call("cuModuleLoadData", byref(found), (HEAD + text).encode())
    return found


def kernel(module: handle, name: str) -> handle:
    found = handle()
    call("cuModuleGetFunction", byref(found), module, name.encode())
    return found


def variable(module: handle, name: str) -> tuple[int, int]:
    """Its address and its bytes."""
    found, extent = address(), size()
    call("cuModuleGetGlobal_v2", byref(found), byref(extent), module, name.encode())
    return found.value, extent.value


def allocate(count: int) -> address:
    """Device memory of so many bytes."""
    found = address()
    call("cuMemAlloc_v2", byref(found), size(count))
    return found


def pointers(arguments: Sequence[Any]) -> Any:
    """What `kernelParams` leads to; the arguments must live as long."""
    return (handle * max(len(arguments), 1))(*(ctypes.addressof(one) for one in arguments))


def launch(kernel: handle, threads: int, *arguments: Any, result: int = 0, stream: handle | None = None) -> None:
    """One block."""
    given = pointers(arguments)
    call("cuLaunchKernel", kernel, 1, 1, 1, threads, 1, 1, 0, stream, given, None, result=result)


def words(place: address, count: int) -> list[int]:
    """What device memory holds."""
    found = (word * count)()
    call("cuMemcpyDtoH_v2", found, place, size(4 * count))
    return list(found)
