"""CUDA's driver through ctypes, as far as launches need it: modules of PTX, memory, textures, tensor maps.

Numbers and structures are those of cuda.h. Whatever the driver refuses is an OSError with the driver's name for it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
Extent = Sequence[int]

LOG = 8192  # bytes for what the compiler says
ERROR_LOG, ERROR_LOG_SIZE = 5, 6  # CUjit_option
CAPABILITY = (75, 76)  # CUdevice_attribute
DYNAMIC_SHARED, LARGE_CLUSTERS = 8, 14  # CUfunction_attribute
CLUSTER = 4  # CUlaunchAttributeID
STACK = 0  # CUlimit
STACK_BYTES = 8192
SHARED_AS_EVER = 48 << 10  # dynamic shared memory that needs no asking


class Attribute(ctypes.Structure):
    """CUlaunchAttribute, its value as 64 bytes of words."""

    _fields_ = [("id", c_int), ("pad", ctypes.c_char * 4), ("value", c_uint * 16)]


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", c_uint)]  # fmt: skip


class Driver:
    """The first device, and a context on it."""

    def __init__(self) -> None:
        for name in ("libcuda.so.1", "libcuda.so", "nvcuda.dll"):
            try:
                self.cuda = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise SystemExit("there is no NVIDIA driver on this machine (libcuda.so.1)")
        self.call("cuInit", 0)
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, len(name), device)
        version, major, minor = c_int(), c_int(), c_int()
        self.call("cuDriverGetVersion", byref(version))
        for value, attribute in zip((major, minor), CAPABILITY, strict=True):
            self.call("cuDeviceGetAttribute", byref(value), attribute, device)
        self.name = name.value.decode()
        self.version = version.value // 1000, version.value % 1000 // 10
        self.driver = f"{self.version[0]}.{self.version[1]}"
        self.capability = 10 * major.value + minor.value

    def call(self, function: str, *arguments: Any) -> None:
        """A call of the driver; OSError with its name for the error."""
        status = getattr(self.cuda, function)(*arguments)
        if status:
            text = c_char_p()
            self.cuda.cuGetErrorName(status, byref(text))
            raise OSError(f"{function}: {(text.value or b'unknown error').decode()}")

    def deep_stacks(self) -> None:
        """Room for recursion: a thread has 1 KB otherwise."""
        self.call("cuCtxSetLimit", STACK, c_size_t(STACK_BYTES))

    # Modules

    def load(self, text: str) -> c_void_p:
        """A module of PTX; OSError with what the compiler says."""
        handle, log = c_void_p(), ctypes.create_string_buffer(LOG)
        options = (c_int * 2)(ERROR_LOG, ERROR_LOG_SIZE)
        values = (c_void_p * 2)(ctypes.addressof(log), LOG)
        try:
            self.call("cuModuleLoadDataEx", byref(handle), text.encode() + b"\0", 2, options, values)
        except OSError as error:
            raise OSError(f"{error}: {log.value.decode(errors='replace').strip()}") from None
        return handle

    def unload(self, module: c_void_p) -> None:
        self.call("cuModuleUnload", module)

    def function(self, module: c_void_p, name: str) -> c_void_p:
        kernel = c_void_p()
        self.call("cuModuleGetFunction", byref(kernel), module, name.encode())
        return kernel

    # Memory

    def upload(self, array: Array) -> c_uint64:
        """Memory of the device with the array's bytes in it."""
        pointer = c_uint64()
        self.call("cuMemAlloc_v2", byref(pointer), c_size_t(max(array.nbytes, 16)))
        self.call("cuMemcpyHtoD_v2", pointer, c_void_p(array.ctypes.data), c_size_t(array.nbytes))
        return pointer

    def download(self, array: Array, pointer: c_uint64) -> None:
        self.call("cuMemcpyDtoH_v2", c_void_p(array.ctypes.data), pointer, c_size_t(array.nbytes))

    def free(self, pointer: c_uint64) -> None:
        self.call("cuMemFree_v2", pointer)

    # Launches

    def launch(
        self, kernel: c_void_p, grid: Extent, block: Extent, arguments: Sequence[bytes], shared: int = 0,
        cluster: Extent | None = None,
    ) -> None:  # fmt: skip
        """Runs a kernel to its end. Arguments are the bytes of parameters."""
        if shared > SHARED_AS_EVER:
            self.call("cuFuncSetAttribute", kernel, DYNAMIC_SHARED, shared)
        kept = [ctypes.create_string_buffer(a, max(len(a), 8)) for a in arguments]
        pointers = (c_void_p * max(len(kept), 1))(*map(ctypes.addressof, kept))
        config = Config((c_uint * 3)(*grid), (c_uint * 3)(*block), shared, None, None, 0)
        if cluster:
            self.call("cuFuncSetAttribute", kernel, LARGE_CLUSTERS, 1)
            attribute = Attribute(CLUSTER, b"", (c_uint * 16)(*cluster))
            config.attributes, config.count = ctypes.pointer(attribute), 1
        self.call("cuLaunchKernelEx", byref(config), kernel, pointers, None)
        self.call("cuCtxSynchronize")
