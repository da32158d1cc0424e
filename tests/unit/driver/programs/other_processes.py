"""Memory and events that another process opens by handles: writes of one are visible to the other."""

import ctypes
import os
import subprocess
import sys
from ctypes import byref

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from driver_calls import CUDA, Address, Handle, Size, allocate, call, context, kernel, launch, load, words

TWICE = """
.visible .entry twice(.param .u64 place) {
    .reg .b64 p; .reg .b32 i, x;
    ld.param.u64 p, [place]; mov.u32 i, %tid.x; mad.wide.u32 p, i, 4, p;
    ld.global.u32 x, [p]; add.u32 x, x, x; st.global.u32 [p], x;
    ret;
}
"""
INTERPROCESS, NO_TIME = 4, 2


class Bytes64(ctypes.Structure):
    """A handle, by value."""

    _fields_ = (("data", ctypes.c_uint8 * 64),)


CUDA.cuIpcOpenMemHandle_v2.argtypes = (ctypes.c_void_p, Bytes64, ctypes.c_uint)
CUDA.cuIpcOpenEventHandle.argtypes = (ctypes.c_void_p, Bytes64)
CUDA.cuIpcCloseMemHandle.argtypes = (ctypes.c_uint64,)


def opened(data: bytes, result: int = 0) -> Address:
    found = Address()
    call("cuIpcOpenMemHandle_v2", byref(found), Bytes64.from_buffer_copy(data), 1, result=result)
    return found


def child(handles: list[bytes]) -> None:
    """Doubles four words of the first one and of the last one, and finds the second one stale."""
    context()
    small = opened(handles[3])
    launch(kernel(load(TWICE), "twice"), 2, small)
    assert words(small, 2) == [10, 12]
    call("cuMemcpyHtoD_v2", Address(small.value + 8), b"x", Size(1), result=1)
    shared, again = opened(handles[0]), opened(handles[0])
    assert shared.value == again.value
    launch(kernel(load(TWICE), "twice"), 4, shared)
    launched, base, extent = words(shared, 4), Address(), Size()
    call("cuMemGetAddressRange_v2", byref(base), byref(extent), Address(shared.value + 8))
    assert (base.value, extent.value) == (shared.value, 10000)
    call("cuMemcpyHtoD_v2", Address(shared.value + 10000), b"x", Size(1), result=1)
    call("cuMemFree_v2", shared, result=1)
    call("cuIpcCloseMemHandle", shared)
    call("cuIpcCloseMemHandle", shared)
    call("cuIpcCloseMemHandle", shared, result=1)
    call("cuMemcpyDtoH_v2", (ctypes.c_uint32 * 1)(), shared, Size(4), result=1)
    opened(handles[1], result=1)
    opened(bytes(64), result=1)
    event = Handle()
    call("cuIpcOpenEventHandle", byref(event), Bytes64.from_buffer_copy(handles[2]))
    call("cuEventQuery", event)
    call("cuStreamWaitEvent", None, event, 0)
    print(launched)


def parent() -> None:
    context()
    others = [allocate(8) for _ in range(1100)]  # the last ones share their pages
    small = others[-1]
    call("cuMemcpyHtoD_v2", small, (ctypes.c_uint32 * 2)(5, 6), Size(8))
    call("cuMemcpyHtoD_v2", others[-2], (ctypes.c_uint32 * 2)(77, 78), Size(8))
    places = [allocate(10000), allocate(10000)]
    given = (ctypes.c_uint32 * 4)(1, 20, 300, 4000)
    call("cuMemcpyHtoD_v2", places[0], given, Size(16))
    handles = [ctypes.create_string_buffer(64) for _ in range(4)]
    for handle, place in zip((handles[0], handles[1], handles[3]), (*places, small), strict=True):
        call("cuIpcGetMemHandle", handle, place)
    assert words(others[-2], 2) == [77, 78]
    assert words(places[0], 4) == list(given)  # its pages have moved, and what they hold has not
    opened(handles[0].raw, result=201)
    call("cuMemFree_v2", places[1])
    event, plain = Handle(), Handle()
    call("cuEventCreate", byref(event), INTERPROCESS | NO_TIME)
    call("cuEventCreate", byref(plain), 0)
    call("cuIpcGetEventHandle", handles[2], plain, result=1)
    call("cuIpcGetEventHandle", handles[2], event)
    command = [sys.executable, os.path.abspath(__file__), *(one.raw.hex() for one in handles)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "[2, 40, 600, 8000]\n", done.stdout + done.stderr
    assert words(places[0], 4) == [2, 40, 600, 8000]
    assert words(small, 2) == [10, 12]
    for place in (places[0], *others):
        call("cuMemFree_v2", place)
    managed = Address()
    call("cuMemAllocManaged", byref(managed), Size(64), 1)
    call("cuIpcGetMemHandle", handles[0], managed, result=1)


if len(sys.argv) == 5 and len(sys.argv[1]) == 128:
    child([bytes.fromhex(one) for one in sys.argv[1:]])
else:
    parent()
