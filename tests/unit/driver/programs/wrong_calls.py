"""Invalid calls and their results, as returned by NVIDIA's driver 580 (CUDA 13.0) on an H200."""

import ctypes
from ctypes import byref

from driver_calls import Handle, Size, allocate, call, context

PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .entry k() { ret; }
\0"""
INVALID, BAD_CLUSTER = 1, 912
CLUSTER = 4  # CUlaunchAttributeID
CARVEOUT = 9  # CUfunction_attribute


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", Handle), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]  # fmt: skip


context()
number, place, stream, event = ctypes.c_int(), ctypes.c_uint64(), Handle(), Handle()
call("cuMemGetInfo_v2", None, None)
call("cuMemFreeHost", None)
pinned = Handle()
call("cuMemHostAlloc", byref(pinned), Size(4096), 2)
call("cuMemHostGetDevicePointer_v2", byref(place), pinned, 1, result=INVALID)
call("cuMemHostGetDevicePointer_v2", byref(place), pinned, 0)

module, kernel = Handle(), Handle()
call("cuModuleLoadData", byref(module), PTX)
call("cuModuleGetFunction", byref(kernel), module, b"k")
call("cuFuncGetAttribute", byref(number), 15, kernel)
call("cuFuncGetAttribute", byref(number), 16, kernel, result=INVALID)
for value, result in ((-1, 0), (100, 0), (50, 0), (101, INVALID), (-2, INVALID)):
    call("cuFuncSetAttribute", kernel, CARVEOUT, value, result=result)
call("cuFuncSetCacheConfig", kernel, 3)
call("cuFuncSetCacheConfig", kernel, 9, result=INVALID)
for x, result in ((2, 0), (0, BAD_CLUSTER), (3, BAD_CLUSTER)):
    cluster = Attribute(CLUSTER, b"", (ctypes.c_uint * 16)(x, 1, 1))
    config = Config((4, 1, 1), (32, 1, 1), 0, None, ctypes.pointer(cluster), 1)
    call("cuLaunchKernelEx", byref(config), kernel, None, None, result=result)

call("cuStreamCreate", byref(stream), 1)
call("cuEventCreate", byref(event), 4, result=INVALID)  # between processes, and with times
call("cuEventCreate", byref(event), 6)
call("cuEventCreate", byref(event), 0)
call("cuStreamWaitEvent", stream, event, 2, result=INVALID)
call("cuStreamWaitEvent", stream, event, 0)
call("cuStreamBeginCapture_v2", stream, 7, result=INVALID)
assert allocate(16)
