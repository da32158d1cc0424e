"""Memory pools of the device, of the host and of managed memory, and what their allocations are."""

import ctypes
import struct
from ctypes import byref

from driver_calls import Address, Handle, Size, Word, call, context

PINNED, MANAGED = 1, 2
ON_DEVICE, ON_HOST = 1, 2
MEMORY_TYPE, IS_MANAGED, POOL = 2, 8, 17


def pool(allocation: int, place: int, handles: int = 0, number: int = 0, result: int = 0) -> Handle:
    made = Handle()
    properties = struct.pack("<4i", allocation, handles, place, number).ljust(88, b"\0")
    call("cuMemPoolCreate", byref(made), properties, result=result)
    return made


context()
for allocation, place, kind, managed in (PINNED, ON_DEVICE, 2, 0), (PINNED, ON_HOST, 1, 0), (MANAGED, ON_DEVICE, 2, 1):
    made, found, flag, owner, used = pool(allocation, place), Address(), Word(), Handle(), ctypes.c_uint64()
    call("cuMemAllocFromPoolAsync", byref(found), Size(100), made, None)
    call("cuPointerGetAttribute", byref(flag), MEMORY_TYPE, found)
    assert flag.value == kind
    call("cuPointerGetAttribute", byref(flag), IS_MANAGED, found)
    assert flag.value == managed
    call("cuPointerGetAttribute", byref(owner), POOL, found)
    assert owner.value == made.value
    call("cuMemPoolGetAttribute", made, 7, byref(used))
    assert used.value == 100
    call("cuMemFreeAsync", found, None)
    call("cuMemPoolGetAttribute", made, 7, byref(used))
    assert used.value == 0
    call("cuMemPoolDestroy", made)
    default, again = Handle(), Handle()
    for out in default, again:
        call("cuMemGetDefaultMemPool", byref(out), struct.pack("<2i", place, 0), allocation)
    assert default.value == again.value
    call("cuMemPoolDestroy", default, result=1)
pool(PINNED, ON_DEVICE, number=1, result=1)
pool(PINNED, ON_DEVICE, handles=2, result=1)
