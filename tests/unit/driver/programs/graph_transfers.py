"""Copies and fills of graphs are checked when a program describes them; a destroyed stream has an error of its own."""

import ctypes
import struct
from ctypes import byref

from driver_calls import Handle, Size, Word, allocate, call, context, words

ON_HOST, ON_DEVICE = 1, 2
INVALID, DESTROYED = 1, 709

context()
x, y = allocate(64), allocate(64)
host = (Word * 16)(*range(16))


def side(kind: int, address: int, pitch: int = 0) -> tuple[int, ...]:
    held, device = (address, 0) if kind == ON_HOST else (0, address)
    return 0, 0, 0, 0, kind, held, device, 0, 0, pitch, 0


def copy(source: tuple[int, ...], target: tuple[int, ...], *extent: int) -> bytes:
    return struct.pack("<25Q", *source, *target, *extent)


def fill(address: int, width: int, height: int = 1, pitch: int = 0) -> bytes:
    return struct.pack("<QQIIQQ", address, pitch, 7, 4, width, height)


def instantiate(where: Handle) -> Handle:
    ready = Handle()
    call("cuGraphInstantiateWithFlags", byref(ready), where, ctypes.c_uint64(0))
    return ready


on_host, on_x, on_y = side(ON_HOST, ctypes.addressof(host)), side(ON_DEVICE, x.value), side(ON_DEVICE, y.value)
graph, copied, filled, other, last = (Handle() for _ in range(5))
call("cuGraphCreate", byref(graph), 0)
call("cuGraphAddMemcpyNode", byref(copied), graph, None, Size(0), copy(on_host, on_x, 64, 1, 1), None)
call("cuGraphAddMemsetNode", byref(filled), graph, byref(copied), Size(1), fill(x.value, 2), None)

WRONG_COPIES = [
    copy(side(ON_HOST, 0), on_x, 64, 1, 1),
    copy(on_host, side(ON_DEVICE, 0), 64, 1, 1),
    copy(on_host, on_x, 65 + 16, 1, 1),
    copy(side(ON_DEVICE, x.value, 8), side(ON_DEVICE, y.value, 8), 16, 2, 1),
]
for wrong in WRONG_COPIES:
    call("cuGraphAddMemcpyNode", byref(other), graph, None, Size(0), wrong, None, result=INVALID)
    call("cuGraphMemcpyNodeSetParams", copied, wrong, result=INVALID)
for wrong in fill(0, 2), fill(x.value, 32), fill(x.value, 4, 2, 8):
    call("cuGraphAddMemsetNode", byref(other), graph, None, Size(0), wrong, None, result=INVALID)
    call("cuGraphMemsetNodeSetParams", filled, wrong, result=INVALID)
count = Size()
call("cuGraphGetNodes", graph, None, byref(count))
assert count.value == 2

# An executable graph copies in the direction in which it was made.
ready = instantiate(graph)
call("cuGraphExecMemcpyNodeSetParams", ready, copied, copy(on_x, on_y, 64, 1, 1), None, result=INVALID)
call("cuGraphExecMemcpyNodeSetParams", ready, copied, copy(on_x, on_host, 64, 1, 1), None, result=INVALID)
call("cuGraphExecMemcpyNodeSetParams", ready, copied, copy(on_host, on_y, 64, 1, 1), None)
call("cuGraphLaunch", ready, None)
assert words(y, 16) == [*range(16)]
assert words(x, 2) == [7, 7]

# Memory that a node allocates may be named before it exists.
whole = Handle()
call("cuGraphCreate", byref(whole), 0)
description = struct.pack("<3i", 1, 0, 1).ljust(104, b"\0") + struct.pack("<QQ", 64, 0)
room = ctypes.create_string_buffer(description, len(description))
first = Handle()
call("cuGraphAddMemAllocNode", byref(first), whole, None, Size(0), room)
(address,) = struct.unpack_from("<Q", room.raw, 112)
call("cuGraphAddMemcpyNode", byref(other), whole, byref(first), Size(1),
     copy(on_host, side(ON_DEVICE, address), 64, 1, 1), None)  # fmt: skip
call("cuGraphAddMemcpyNode", byref(last), whole, byref(other), Size(1),
     copy(side(ON_DEVICE, address), on_x, 64, 1, 1), None)  # fmt: skip
call("cuGraphLaunch", instantiate(whole), None)
assert words(x, 16) == [*range(16)]

stream = Handle()
call("cuStreamCreate", byref(stream), 0)
call("cuStreamDestroy_v2", stream)
call("cuStreamDestroy_v2", stream, result=DESTROYED)
call("cuStreamSynchronize", stream, result=DESTROYED)
call("cuMemsetD32Async", x, 0, Size(1), stream, result=DESTROYED)
call("cuStreamSynchronize", graph, result=400)
