"""Calls that need no current context: on memory in a stream's order, cuMemFree, of events; names of devices."""

import ctypes
from ctypes import byref

from driver_calls import CUDA, Address, Handle, Size, Word, call, context

INVALID_CONTEXT, INVALID_DEVICE = 201, 101

own, memory, current, number = context(), Address(), Handle(1), ctypes.c_int(-1)
stream, events = Handle(), (Handle(), Handle())
call("cuStreamCreate", byref(stream), 0)
for event in events:
    call("cuEventCreate", byref(event), 0)
    call("cuEventRecord", event, stream)
other = Address()
call("cuMemAlloc_v2", byref(other), Size(400))
while current.value:
    call("cuCtxSetCurrent", None)
    call("cuCtxGetCurrent", byref(current))
call("cuMemAlloc_v2", byref(memory), Size(400), result=INVALID_CONTEXT)
call("cuMemAllocAsync", byref(memory), Size(400), None, result=INVALID_CONTEXT)
call("cuMemAllocAsync", byref(memory), Size(400), stream)
call("cuMemsetD32Async", memory, Word(7), Size(100), stream)
call("cuMemcpyAsync", other, memory, Size(400), stream)
words = (ctypes.c_uint32 * 100)()
call("cuMemcpyDtoHAsync_v2", words, other, Size(400), stream)
assert [*words] == [7] * 100
call("cuMemFreeAsync", memory, stream)
call("cuMemFree_v2", other)
call("cuMemFree_v2", other, result=INVALID_CONTEXT)  # no memory, so no context
call("cuEventQuery", events[1])
milliseconds = ctypes.c_float()
call("cuEventElapsedTime", byref(milliseconds), *events)
assert milliseconds.value > 0
call("cuCtxDestroy_v2", own)

# A device is found by its place on the bus, however that is written.
for name in b"0:1:0.0", b"0000:01:00.0", b"0000:01:00", b"1:0", b"01:00.0":
    call("cuDeviceGetByPCIBusId", byref(number), name)
for name in b"1", b"0:2:0.0", b"1:1:0.0", b"0:1:1.0", b"0:1:0.1", b"0:1:0.0.0", b"":
    assert CUDA.cuDeviceGetByPCIBusId(byref(number), name) == INVALID_DEVICE
