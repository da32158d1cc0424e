"""Reserved addresses and memory mapped there in parts: growing, moved, shared, inaccessible."""

import ctypes
import os
import struct
from ctypes import byref

from driver_calls import Address, Handle, Size, Word, call, context, kernel, launch, load, words

MIB = 1 << 20
PAGE = 2 * MIB
ON_DEVICE = struct.pack("<4i16x", 1, 1, 1, 0)
READ, WRITE = struct.pack("<3i", 1, 0, 1), struct.pack("<3i", 1, 0, 3)
KERNEL = """
.visible .entry next(.param .u64 a) {
    .reg .b64 %p; .reg .b32 %v;
    ld.param.u64 %p, [a];
    ld.global.u32 %v, [%p];
    add.u32 %v, %v, 1;
    st.global.u32 [%p], %v;
    ret;
}
"""


def reserve(size: int) -> int:
    found = Address()
    call("cuMemAddressReserve", byref(found), Size(size), Size(0), Address(0), ctypes.c_uint64(0))
    return found.value


def create(size: int) -> Handle:
    found = Handle()
    call("cuMemCreate", byref(found), Size(size), ON_DEVICE, ctypes.c_uint64(0))
    return found


def attach(place: int, size: int, handle: Handle, offset: int = 0, result: int = 0) -> None:
    call("cuMemMap", Address(place), Size(size), Size(offset), handle, ctypes.c_uint64(0), result=result)


def allow(place: int, size: int, access: bytes = WRITE, result: int = 0) -> None:
    call("cuMemSetAccess", Address(place), Size(size), access, Size(1), result=result)


def detach(place: int, size: int, result: int = 0) -> None:
    call("cuMemUnmap", Address(place), Size(size), result=result)


def put(place: int, value: int, result: int = 0) -> None:
    call("cuMemsetD32_v2", Address(place), Word(value), Size(1), result=result)


context()
step = kernel(load(KERNEL), "next")
unit = Size()
call("cuMemGetAllocationGranularity", byref(unit), ON_DEVICE, 0)
assert unit.value == PAGE

begin = reserve(10 << 30)  # three slots of 4 GiB
first, second = create(2 * PAGE), create(PAGE)
put(begin, 1, result=1)  # nothing is mapped
attach(begin, 2 * PAGE, first)
put(begin, 1, result=1)  # and it is not accessible
allow(begin, 2 * PAGE)
put(begin, 1)
put(begin + 2 * PAGE - 4, 5)
put(begin + 2 * PAGE, 1, result=1)
attach(begin + 2 * PAGE, PAGE, second)
allow(begin + 2 * PAGE, PAGE)
launch(step, 1, Address(begin + 3 * PAGE - 4))
assert words(Address(begin + 3 * PAGE - 4), 1) == [1]
call("cuMemsetD32_v2", Address(begin), Word(3), Size(3 * PAGE // 4))  # across both parts
assert words(Address(begin + 2 * PAGE - 8), 4) == [3] * 4

# The same memory at two addresses, the second one beyond 4 GiB and for reading only.
far = begin + (5 << 30)
attach(far, PAGE, first, PAGE)
allow(far, PAGE, READ)
put(begin + PAGE, 77)
assert words(Address(far), 2) == [77, 3]
call("cuMemRelease", first)  # it stays as long as it is mapped
assert words(Address(far), 1) == [77]

# What the pointer is.
kind, base, extent, flags, again = Word(), Address(), Size(), ctypes.c_uint64(), Handle()
call("cuPointerGetAttribute", byref(kind), 2, Address(begin + PAGE))
assert kind.value == 2
call("cuMemGetAddressRange_v2", byref(base), byref(extent), Address(begin + PAGE))
assert (base.value, extent.value) == (begin, 2 * PAGE)
call("cuMemGetAccess", byref(flags), struct.pack("<2i", 1, 0), Address(far))
assert flags.value == 1
call("cuMemRetainAllocationHandle", byref(again), Handle(begin + 2 * PAGE))
assert again.value == second.value
call("cuMemRelease", again)

# Another place in this process gets it through a file descriptor.
descriptor, shared = ctypes.c_int(), Handle()
call("cuMemExportToShareableHandle", byref(descriptor), second, 1, ctypes.c_uint64(0))
call("cuMemImportFromShareableHandle", byref(shared), Handle(descriptor.value), 1)
os.close(descriptor.value)
attach(begin + 8 * PAGE, PAGE, shared)
allow(begin + 8 * PAGE, PAGE)
put(begin + 8 * PAGE, 1234)
assert words(Address(begin + 2 * PAGE), 1) == [1234]

# What CUDA refuses.
attach(begin + PAGE, PAGE, second, result=1)  # there is something
attach(begin + 4 * PAGE, 2 * PAGE, second, result=1)  # more than there is
attach(begin + 4 * PAGE + 4096, PAGE, second, result=1)
attach(0x1234, PAGE, second, result=1)
detach(begin, PAGE, result=1)  # half of a part
allow(begin, 9 * PAGE, result=1)  # with a gap
call("cuMemAddressFree", Address(begin), Size(10 << 30), result=1)
call("cuMemCreate", byref(Handle()), Size(4096), ON_DEVICE, ctypes.c_uint64(0), result=1)
call("cuMemCreate", byref(Handle()), Size(PAGE), struct.pack("<4i16x", 1, 0, 2, 0), ctypes.c_uint64(0), result=801)
call("cuMemAddressReserve", byref(Address()), Size(4096), Size(0), Address(0), ctypes.c_uint64(0), result=1)

detach(begin, 3 * PAGE)
put(begin, 1, result=1)
for place in (far, begin + 8 * PAGE):
    detach(place, PAGE)
attach(begin, PAGE, second)
allow(begin, PAGE)
assert words(Address(begin), 1) == [1234]  # the memory has kept what it held
detach(begin, PAGE)
call("cuMemAddressFree", Address(begin), Size(10 << 30))

other = reserve(2 * PAGE)
attach(other, PAGE, second)
allow(other, PAGE, READ)
launch(step, 1, Address(other), result=700)  # a write
