"""Functions by name and version: one that is not found is no error of `cuGetProcAddress_v2`, but a null address. A
version that no release of CUDA has yet is an error."""

import ctypes
from ctypes import byref

from driver_calls import CUDA, Handle, call

NOT_FOUND = 500
FOUND, UNKNOWN_SYMBOL, VERSION_TOO_OLD = 0, 1, 2

function, status = Handle(), ctypes.c_int()
flags = ctypes.c_uint64()
for name, version, expected in (
    (b"cuMemAlloc", 3020, FOUND),
    (b"cuFuncSetAttribute", 9000, FOUND),
    (b"cuFuncSetAttribute", 2000, VERSION_TOO_OLD),
    (b"cuNoSuchFunction", 13000, UNKNOWN_SYMBOL),
):
    call("cuGetProcAddress_v2", name, byref(function), version, flags, byref(status))
    assert (status.value, bool(function.value)) == (expected, expected == FOUND), name
    call("cuGetProcAddress_v2", name, byref(function), version, flags, None)
    call("cuGetProcAddress", name, byref(function), version, flags, result=0 if expected == FOUND else NOT_FOUND)
    assert bool(function.value) == (expected == FOUND), name
call("cuGetProcAddress_v2", b"cuFuncGetParamCount", byref(function), 13020, flags, None)
assert function.value  # a function newer than the driver says it is
call("cuGetProcAddress_v2", b"cuMemAlloc", byref(function), 99000, flags, byref(status), result=1)
call("cuGetProcAddress", b"cuMemAlloc", byref(function), 99000, flags, result=1)
call("cuGetProcAddress_v2", None, byref(function), 13000, flags, byref(status), result=1)
assert hasattr(CUDA, "cuFuncSetAttribute")
