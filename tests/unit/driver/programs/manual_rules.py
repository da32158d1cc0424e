"""Rules of CUDA's manual on arguments and effects of calls, each of which was once not followed."""

import ctypes
import struct
import time
from ctypes import byref

from driver_calls import (
    Address,
    Handle,
    Size,
    Word,
    allocate,
    call,
    context,
    kernel,
    launch,
    load,
    pointers,
    variable,
    words,
)

INVALID, NO_MEMORY, NOT_FOUND, UNSUPPORTED, INVALIDATED = 1, 2, 500, 900, 901
EXTERNAL = 1
DISABLE_TIMING = 2
SYNCHRONOUS = 6  # CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
KERNEL = """
.visible .global .u32 plain;
.visible .entry store(.param .u64 a) { .reg .b64 %p; ld.param.u64 %p, [a]; st.global.u32 [%p], 7; ret; }
"""
TAKE = """
.extern .func (.param .b64 r) malloc(.param .b64 n);
.visible .entry take(.param .u64 out) {
    .reg .b64 o, p;
    ld.param.u64 o, [out];
    { .param .b64 a; .param .b64 r; st.param.b64 [a], 16777216; call (r), malloc, (a); ld.param.b64 p, [r]; }
    st.global.u32 [p+16777212], 3;
    st.global.u64 [o], p; ret;
}
"""

context()
place, pinned = allocate(64), Handle()
call("cuMemHostAlloc", byref(pinned), Size(64), 0)

# A wrong call frees nothing.
call("cuMemFreeHost", place, result=INVALID)
call("cuMemFree_v2", pinned, result=INVALID)
call("cuMemsetD32_v2", place, Word(5), Size(16))
call("cuMemsetD32_v2", pinned, Word(6), Size(16))
assert words(place, 1) == [5]
call("cuMemFreeHost", pinned)

# Events: the flag EXTERNAL is one of captures; a time has a sign.
stream, other, event, graph = Handle(), Handle(), Handle(), Handle()
call("cuStreamCreate", byref(stream), 1)
call("cuStreamCreateWithPriority", byref(other), 1, -1)
call("cuEventCreate", byref(event), 0)
for flags in EXTERNAL, 4:
    call("cuEventRecordWithFlags", event, stream, flags, result=INVALID)
    call("cuStreamWaitEvent", stream, event, flags, result=INVALID)
later, passed = Handle(), ctypes.c_float()
call("cuEventCreate", byref(later), 0)
call("cuEventRecordWithFlags", event, stream, 0)
call("cuEventRecord", later, stream)
call("cuEventElapsedTime", byref(passed), later, event)
assert passed.value < 0

# A stream waits by a graph's node for the record of an event in a stream that waits.
done = Handle()
call("cuStreamBeginCapture_v2", other, 2)
call("cuStreamWaitEvent", other, event, EXTERNAL)
call("cuStreamEndCapture", other, byref(graph))
call("cuGraphInstantiateWithFlags", byref(done), graph, ctypes.c_uint64(0))
call("cuMemsetD32_v2", place, Word(0), Size(16))
call("cuStreamWaitValue32_v2", stream, place, Word(1), 1)
call("cuEventRecord", event, stream)
call("cuGraphLaunch", done, other)
call("cuStreamQuery", other, result=600)
call("cuMemsetD32Async", place, Word(1), Size(1), Handle(2))
call("cuStreamSynchronize", other)

# Attributes of streams: initial values, and unknown ones.
value = ctypes.create_string_buffer(64)
for number, initial in (3, (1,)), (8, (-1,)), (9, (0x100,)), (10, (0,)):
    call("cuStreamGetAttribute", other, number, value)
    assert struct.unpack_from("<i", value) == initial
for number in 2, 99:
    call("cuStreamGetAttribute", other, number, value, result=INVALID)
    call("cuStreamSetAttribute", other, number, value, result=INVALID)
numbers = [ctypes.c_uint64() for _ in range(3)]
for i, found in enumerate(numbers):
    call("cuStreamGetId", Handle(i), byref(found))
assert numbers[0].value == numbers[1].value != numbers[2].value

# Callbacks cannot be captured, host functions can.
function = ctypes.CFUNCTYPE(None, Handle, ctypes.c_int, Handle)(lambda *_: None)
call("cuStreamBeginCapture_v2", stream, 2)
call("cuStreamAddCallback", stream, function, None, 0, result=UNSUPPORTED)
call("cuStreamEndCapture", stream, byref(graph), result=INVALIDATED)

# Callbacks that wait when a kernel faults are called, with its error.
seen = list[int]()
told = ctypes.CFUNCTYPE(None, Handle, ctypes.c_int, Handle)(lambda _, result, __: seen.append(result))
call("cuCtxCreate_v2", byref(Handle()), 0, 0)
blocked, never = Handle(), allocate(4)
call("cuMemsetD32_v2", never, Word(0), Size(1))
call("cuStreamCreate", byref(blocked), 1)
call("cuStreamWaitValue32_v2", blocked, never, Word(1), 1)
call("cuStreamAddCallback", blocked, told, None, 0)
wild = kernel(load(KERNEL), "store")
launch(wild, 1, Address(0), result=700)
call("cuStreamSynchronize", blocked, result=700)
for _ in range(1000):
    time.sleep(0 if seen else 1e-2)
assert seen == [700]
call("cuCtxPopCurrent_v2", byref(Handle()))

# The heap that kernels allocate from grows, and does not beyond 4 GiB.
bytes_ = Size()
call("cuCtxSetLimit", 2, Size(32 << 20))
call("cuCtxGetLimit", byref(bytes_), 2)
assert bytes_.value == 32 << 20
call("cuCtxSetLimit", 2, Size(1 << 40), result=NO_MEMORY)
taken = kernel(load(TAKE), "take")
launch(taken, 1, place)
assert words(place, 2) != [0, 0]

# Pools: their size, and how the highest use is set.
pool, taken, high = Handle(), Address(), ctypes.c_uint64(5)
call("cuMemPoolCreate", byref(pool), struct.pack("<4i8xQ", 1, 0, 1, 0, 1 << 20).ljust(88, b"\0"))
call("cuMemAllocFromPoolAsync", byref(taken), Size(1 << 20), pool, None)
call("cuMemAllocFromPoolAsync", byref(Address()), Size(16), pool, None, result=NO_MEMORY)
call("cuMemPoolSetAttribute", pool, 8, byref(high), result=INVALID)
call("cuMemFreeAsync", taken, None)
high.value = 0
call("cuMemPoolSetAttribute", pool, 8, byref(high))

for one in 1, 0:
    flag = ctypes.c_int(one)
    call("cuPointerSetAttribute", byref(flag), SYNCHRONOUS, place)
    flag.value = 7
    call("cuPointerGetAttribute", byref(flag), SYNCHRONOUS, place)
    assert flag.value == one

# Parameters are given once.
module = load(KERNEL)
store = kernel(module, "store")
given = pointers([place])
extent = Size(8)
extra = (Handle * 5)(1, ctypes.addressof(place), 2, ctypes.addressof(extent), 0)
call("cuLaunchKernel", store, 1, 1, 1, 1, 1, 1, 0, None, given, extra, result=INVALID)
call("cuLaunchKernel", store, 1, 1, 1, 1, 1, 1, 0, None, None, extra)
assert words(place, 1) == [7]
assert variable(module, "plain")[1] == 4
call("cuLibraryGetManaged", byref(Address()), byref(extent), module, b"plain", result=NOT_FOUND)

# The event of a launch is recorded: a stream that waits for it joins the capture.
of_launch, status = Handle(), ctypes.c_int()
call("cuEventCreate", byref(of_launch), DISABLE_TIMING)
for number in 7, 12:
    listed = ctypes.create_string_buffer(struct.pack("<i4xQii", number, of_launch.value, 0, 0).ljust(72, b"\0"), 72)
    config = struct.pack("<7I4xQQI4x", 1, 1, 1, 1, 1, 1, 0, stream.value, ctypes.addressof(listed), 1)
    call("cuStreamBeginCapture_v2", stream, 2)
    call("cuLaunchKernelEx", config, store, given, None)
    call("cuStreamWaitEvent", other, of_launch, 0)
    call("cuStreamIsCapturing", other, byref(status))
    assert status.value == 1
    call("cuStreamEndCapture", stream, byref(graph))

# Memory that is mapped for reading only is not written.
size, handle, mapped = Size(2 << 20), Handle(), Address()
call("cuMemCreate", byref(handle), size, struct.pack("<4i16x", 1, 1, 1, 0), ctypes.c_uint64(0))
call("cuMemAddressReserve", byref(mapped), size, Size(0), Address(0), ctypes.c_uint64(0))
call("cuMemMap", mapped, size, Size(0), handle, ctypes.c_uint64(0))
call("cuMemSetAccess", mapped, size, struct.pack("<3i", 1, 0, 1), Size(1))
assert words(mapped, 1) == [0]
call("cuMemsetD32_v2", mapped, Word(1), Size(1), result=INVALID)
