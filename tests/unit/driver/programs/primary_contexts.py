"""The primary context keeps its handle and stays current, as cudaDeviceReset's documentation says."""

import ctypes
from ctypes import byref

from driver_calls import Address, Handle, Size, Word, call

RUNTIME = ctypes.CDLL("libcudart.so.13")
DESTROYED, INVALID_CONTEXT = 709, 201


def retain() -> Handle:
    found = Handle()
    call("cuDevicePrimaryCtxRetain", byref(found), 0)
    return found


def is_active() -> int:
    active = ctypes.c_int()
    call("cuDevicePrimaryCtxGetState", 0, byref(Word()), byref(active))
    return active.value


call("cuInit", 0)
call("cuDevicePrimaryCtxReset_v2", 0)  # other programs of this process may have used it
primary, current, number = retain(), Handle(), ctypes.c_int(-1)
call("cuCtxSetCurrent", primary)
call("cuDevicePrimaryCtxRelease_v2", 0)
assert not is_active()

# It stays current, and fails until it is retained again.
call("cuCtxGetCurrent", byref(current))
assert current.value == primary.value
call("cuCtxGetDevice", byref(number))
assert number.value == 0
memory = Address()
call("cuMemAlloc_v2", byref(memory), Size(4), result=DESTROYED)
call("cuCtxSynchronize", result=DESTROYED)
call("cuCtxGetApiVersion", primary, byref(Word()), result=DESTROYED)
call("cuDevicePrimaryCtxRelease_v2", 0, result=INVALID_CONTEXT)
call("cuCtxPushCurrent_v2", primary)
call("cuCtxPopCurrent_v2", byref(current))
assert retain().value == primary.value
assert is_active()
call("cuMemAlloc_v2", byref(memory), Size(4))
call("cuDevicePrimaryCtxRelease_v2", 0)
call("cuMemFree_v2", memory, result=DESTROYED)

# The runtime retains it for itself if the program made it current, but no other context.
pointer = Handle()
assert RUNTIME.cudaMalloc(byref(pointer), Size(4)) == 0
assert is_active()
assert retain().value == primary.value
call("cuDevicePrimaryCtxRelease_v2", 0)
assert is_active()
assert RUNTIME.cudaDeviceReset() == 0
assert not is_active()
own = Handle()
call("cuCtxCreate_v2", byref(own), 0, 0)
assert RUNTIME.cudaMalloc(byref(pointer), Size(4)) == 0
assert not is_active()
call("cuCtxDestroy_v2", own)
