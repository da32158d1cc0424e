"""A pool that another process opens by a file descriptor, and its pointers by 64 bytes each."""

import ctypes
import os
import struct
import subprocess
import sys
from ctypes import byref

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from driver_calls import Address, Handle, Size, Word, call, context, words

PINNED, ON_DEVICE, DESCRIPTOR, INVALID_VALUE = 1, 1, 1, 1


def pool(handles: int) -> Handle:
    made = Handle()
    call("cuMemPoolCreate", byref(made), struct.pack("<4i", PINNED, handles, ON_DEVICE, 0).ljust(88, b"\0"))
    return made


def allocate(where: Handle, result: int = 0) -> Address:
    found = Address()
    call("cuMemAllocFromPoolAsync", byref(found), Size(64), where, None, result=result)
    return found


def imported(where: Handle, data: bytes, result: int = 0) -> Address:
    found = Address()
    call("cuMemPoolImportPointer", byref(found), where, ctypes.create_string_buffer(data, 64), result=result)
    return found


def child(descriptor: int, data: bytes, stale: bytes) -> None:
    context()
    theirs, other = Handle(), Handle()
    call("cuMemPoolImportFromShareableHandle", byref(theirs), Handle(descriptor), DESCRIPTOR, ctypes.c_uint64(0))
    with open(__file__) as file:
        number = Handle(file.fileno())
        call("cuMemPoolImportFromShareableHandle", byref(other), number, 1, ctypes.c_uint64(0), result=INVALID_VALUE)
    allocate(theirs, result=INVALID_VALUE)
    call("cuDeviceSetMemPool", 0, theirs, result=INVALID_VALUE)
    place = imported(theirs, data)
    print(words(place, 2))
    call("cuMemsetD32_v2", place, Word(9), Size(2))
    imported(theirs, stale, result=INVALID_VALUE)
    imported(theirs, bytes(64), result=INVALID_VALUE)
    call("cuMemFreeAsync", place, None)
    call("cuMemFreeAsync", place, None, result=INVALID_VALUE)
    call("cuMemPoolDestroy", theirs)


def parent() -> None:
    context()
    shared, own = pool(DESCRIPTOR), pool(0)
    descriptor, data, old = ctypes.c_int(), ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    call(
        "cuMemPoolExportToShareableHandle", byref(descriptor), own, DESCRIPTOR, ctypes.c_uint64(0), result=INVALID_VALUE
    )
    call("cuMemPoolExportToShareableHandle", byref(descriptor), shared, DESCRIPTOR, ctypes.c_uint64(0))
    place, freed, unshared = allocate(shared), allocate(shared), allocate(own)
    call("cuMemsetD32_v2", place, Word(5), Size(16))
    call("cuMemPoolExportPointer", data, place)
    call("cuMemPoolExportPointer", data, unshared, result=INVALID_VALUE)
    other = pool(DESCRIPTOR)
    call("cuMemPoolExportPointer", old, allocate(other))
    call("cuMemFreeAsync", freed, None)
    imported(shared, data.raw, result=INVALID_VALUE)  # it is this process's own
    command = [sys.executable, os.path.abspath(__file__), str(descriptor.value), data.raw.hex(), old.raw.hex()]
    done = subprocess.run(command, capture_output=True, text=True, pass_fds=(descriptor.value,), timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "[5, 5]\n"
    assert words(place, 3) == [9, 9, 5]


if len(sys.argv) == 4 and sys.argv[1].isdigit():
    child(int(sys.argv[1]), bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3]))
else:
    parent()
