"""Invalid calls of the runtime, and their results on NVIDIA's GPUs according to HIP's tests and to CUDA's manuals."""

import ctypes
from ctypes import byref
from typing import Any

from driver_calls import HEAD, Handle, Size

CUDA = ctypes.CDLL("libcudart.so.12")
INVALID, OUT_OF_MEMORY, BAD_PITCH, BAD_CHANNELS, NO_DEVICE, BAD_HANDLE, UNSUPPORTED = 1, 2, 12, 20, 101, 400, 801
BAD_CONFIGURATION, TOO_MANY_BLOCKS = 9, 720
LAYERED, CUBE, GATHER = 1, 4, 8
HUGE, MOST = 1 << 63, (1 << 64) - 1


class Channels(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("x", "y", "z", "w", "kind")]


class Extent(ctypes.Structure):
    _fields_ = [(name, Size) for name in ("width", "height", "depth")]


class Pitched(ctypes.Structure):
    _fields_ = [("pointer", Handle), ("pitch", Size), ("width", Size), ("height", Size)]


class Copy(ctypes.Structure):
    _fields_ = [("from_array", Handle), ("from_position", Extent), ("source", Pitched),
                ("to_array", Handle), ("to_position", Extent), ("target", Pitched),
                ("extent", Extent), ("direction", ctypes.c_int)]  # fmt: skip


class Dim3(ctypes.Structure):
    _fields_ = [(axis, ctypes.c_uint) for axis in "xyz"]


class PoolProperties(ctypes.Structure):
    _fields_ = [("allocation", ctypes.c_int), ("handles", ctypes.c_int), ("place", ctypes.c_int),
                ("number", ctypes.c_int), ("rest", ctypes.c_char * 72)]  # fmt: skip


class NodeAllocation(ctypes.Structure):
    _fields_ = [("pool", PoolProperties), ("access", Handle), ("count", Size), ("size", Size), ("address", Handle)]


class Access(ctypes.Structure):
    _fields_ = [("place", ctypes.c_int), ("number", ctypes.c_int), ("flags", ctypes.c_int)]


def call(name: str, *arguments: Any, result: int = 0) -> None:
    found = getattr(CUDA, name)(*arguments)
    assert found == result, (name, arguments, found)


floats, array = Channels(32, 0, 0, 0, 2), Handle()
for extent, flags, result in (
    ((131072, 0, 0), 0, 0), ((131073, 0, 0), 0, INVALID), ((16, 65537, 0), 0, INVALID), ((HUGE, HUGE, 0), 0, INVALID),
    ((16385, 4, 4), 0, INVALID), ((4, 4, 16385), 0, INVALID), ((4, 4, 2049), LAYERED, INVALID),
    ((4, 0, 2048), LAYERED, 0), ((16, 0, 0), GATHER, INVALID), ((8, 8, 8), GATHER, INVALID), ((8, 8, 0), GATHER, 0),
    ((8, 8, 5), CUBE, INVALID),
):  # fmt: skip
    call("cudaMalloc3DArray", byref(array), byref(floats), Extent(*extent), flags, result=result)
for sizes in (32, 0, 32, 0), (0, 32, 0, 0), (32, 32, 0, 32), (32, 32, 32, 0):
    call("cudaMallocArray", byref(array), byref(Channels(*sizes, 0)), Size(8), Size(8), 0, result=BAD_CHANNELS)

box, host = Pitched(), ctypes.create_string_buffer(64 * 8 * 4)
call("cudaMalloc3D", byref(box), Extent(64, 8, 4))
there, here = (box.pointer, box.pitch), (ctypes.addressof(host), 64)
for target, source, result in (
    (there, here, 0), ((box.pointer, 63), here, BAD_PITCH), (there, (here[0], 63), BAD_PITCH), (there, (0, 64), INVALID)
):  # fmt: skip
    copy = Copy(None, Extent(), Pitched(*source, 64, 8), None, Extent(), Pitched(*target, 64, 8), Extent(64, 8, 4), 1)
    call("cudaMemcpy3D", byref(copy), result=result)
for width, height, result in (MOST, 1, INVALID), (1, MOST, OUT_OF_MEMORY):
    call("cudaMallocPitch", byref(Handle()), byref(Size()), Size(width), Size(height), result=result)

pages = ctypes.create_string_buffer(8192)
call("cudaHostRegister", pages, Size(8192), 0xF0, result=INVALID)
managed, value, stream = Handle(), ctypes.c_int64(), Handle()
call("cudaStreamCreate", byref(stream))
call("cudaMallocManaged", byref(managed), Size(4096), 1)
for advice in 1, 3, 5:
    call("cudaMemAdvise", managed, Size(0), advice, 0, result=INVALID)
    call("cudaMemAdvise", managed, Size(4096), advice, 0)
call("cudaMemPrefetchAsync", managed, Size(0), 0, None, result=INVALID)
call("cudaMemPrefetchAsync", managed, Size(4096), 0, stream)
call("cudaMemPrefetchAsync", managed, Size(4096), 0, managed, result=BAD_HANDLE)
for size, count, result in (8, 4096, 0), (10, 4096, INVALID), (0, 4096, INVALID), (4, 0, INVALID):
    call("cudaMemRangeGetAttribute", byref(value), Size(size), 3, managed, Size(count), result=result)
for length, flags, result in (0, 4, 0), (4096, 4, 0), (3, 4, INVALID), (4096, 7, INVALID):
    call("cudaStreamAttachMemAsync", stream, managed, Size(length), flags, result=result)

pool = Handle()
for allocation, place, number, result in (0, 1, 0, INVALID), (1, 0, 0, INVALID), (1, 1, 1, INVALID), (1, 1, 0, 0):
    properties = PoolProperties(allocation, 0, place, number)
    call("cudaMemPoolCreate", byref(pool), byref(properties), result=result)
for *access, result in (0, 0, 3, INVALID), (1, 1, 3, NO_DEVICE), (1, 0, 0, NO_DEVICE), (1, 0, 2, INVALID), (1, 0, 3, 0):
    call("cudaMemPoolSetAccess", pool, byref(Access(*access)), Size(1), result=result)

for config, result in (3, 0), (4, INVALID), (-1, INVALID):
    call("cudaDeviceSetCacheConfig", config, result=result)
for config, result in (2, 0), (-1, INVALID):
    call("cudaDeviceSetSharedMemConfig", config, result=result)
for flags, result in (0b011, INVALID), (0b101, INVALID), (0b110, INVALID), (0xFFFF, INVALID), (0b100, 0), (0x18, 0):
    call("cudaSetDeviceFlags", flags, result=result)

library, kernel = Handle(), Handle()
image = (HEAD + ".visible .entry k() { ret; }").encode()
call("cudaLibraryLoadData", byref(library), image, None, None, 0, None, None, 0)
call("cudaLibraryGetKernel", byref(kernel), library, b"k")
one, blocks = Dim3(1, 1, 1), ctypes.c_int()
for launch in "cudaLaunchKernel", "cudaLaunchCooperativeKernel":
    for block in (1025, 1, 1), (1, 1, 65), (64, 64, 1), (0, 1, 1):
        call(launch, kernel, one, Dim3(*block), None, Size(0), None, result=BAD_CONFIGURATION)
    call(launch, kernel, Dim3(1, 65536, 1), one, None, Size(0), None, result=BAD_CONFIGURATION)
call("cudaLaunchCooperativeKernel", kernel, Dim3(1 << 20, 1, 1), one, None, Size(0), None, result=TOO_MANY_BLOCKS)
for flags, result in (0, 0), (1, 0), (2, INVALID):
    name = "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"
    call(name, byref(blocks), kernel, 32, Size(0), flags, result=result)

graph, node, after = Handle(), Handle(), Handle()
call("cudaGraphCreate", byref(graph), 0)
described = NodeAllocation(PoolProperties(1, 0, 1, 0), None, 0, 256)
call("cudaGraphAddMemAllocNode", byref(node), graph, None, Size(0), byref(described))
call("cudaGraphAddEmptyNode", byref(after), graph, byref(node), Size(1))
call("cudaGraphRemoveDependencies", graph, byref(node), byref(after), Size(1), result=UNSUPPORTED)
call("cudaGraphDestroy", None, result=INVALID)
call("cudaGraphExecDestroy", None, result=INVALID)
call("cudaGraphLaunch", None, stream, result=INVALID)
call("cudaGraphNodeGetType", None, byref(ctypes.c_int()), result=INVALID)
call("cudaGraphDestroy", graph)
call("cudaGraphDestroy", graph, result=BAD_HANDLE)
