"""Streams that wait for a word that the host, another stream or a kernel writes later, and the work after it."""

import ctypes
import threading
import time
from ctypes import byref

from driver_calls import CUDA, Address, Handle, Size, Word, allocate, call, context, kernel, launch, load, words

EQ, NON_BLOCKING, NOT_READY, ILLEGAL_ADDRESS = 1, 1, 600, 700
STORE = """
.visible .entry store(.param .u64 at, .param .u32 value) {
    .reg .b64 %a; .reg .b32 %v;
    ld.param.u64 %a, [at];
    ld.param.u32 %v, [value];
    st.global.u32 [%a], %v;
    ret;
}"""


def stream(flags: int = NON_BLOCKING) -> Handle:
    found = Handle()
    call("cuStreamCreate", byref(found), flags)
    return found


def event() -> Handle:
    found = Handle()
    call("cuEventCreate", byref(found), 0)
    return found


def wait(where: Handle | None, place: Address, value: int) -> None:
    call("cuStreamWaitValue32_v2", where, place, Word(value), EQ)


def at(place: Address, index: int) -> Address:
    return Address(place.value + 4 * index)


def word(place: Address, index: int) -> int:
    """What memory holds, whatever waits: another context's copy would wait as well."""
    return ctypes.c_uint32.from_address(place.value + 4 * index).value


context()
store = kernel(load(STORE), "store")
shared = Handle()
call("cuMemHostAlloc", byref(shared), Size(64), 2)  # mapped: one address for host and device
flags = Address(shared.value or 0)
ctypes.memset(shared, 0, 64)

# Another thread of the host writes; a kernel, a copy, an event and another stream come after the wait.
first, second, done, begun = stream(), stream(), event(), event()
target = allocate(16)
call("cuMemsetD32_v2", target, Word(0), Size(4))
call("cuEventRecord", begun, first)
wait(first, flags, 1)
launch(store, 1, at(flags, 1), Word(11), stream=first)
call("cuMemcpyDtoDAsync_v2", target, at(flags, 1), Size(4), first)
call("cuEventRecord", done, first)
call("cuStreamWaitEvent", second, done, 0)
call("cuMemcpyDtoDAsync_v2", at(target, 1), target, Size(4), second)
for one in first, second:
    call("cuStreamQuery", one, result=NOT_READY)
call("cuEventQuery", begun)
call("cuEventQuery", done, result=NOT_READY)
passed = ctypes.c_float()
call("cuEventElapsedTime", byref(passed), begun, done, result=NOT_READY)
time.sleep(0.02)
assert word(flags, 1) == 0
writer = threading.Timer(0.05, lambda: ctypes.memset(shared, 1, 1))
writer.start()
call("cuEventSynchronize", done)
call("cuStreamSynchronize", second)
assert words(target, 2) == [11, 11]
call("cuEventElapsedTime", byref(passed), begun, done)
assert passed.value > 40
call("cuStreamQuery", first)

# Another stream writes; the context waits for all.
wait(first, at(flags, 2), 7)
launch(store, 1, at(flags, 3), Word(12), stream=first)
call("cuStreamWriteValue32_v2", second, at(flags, 2), Word(7), 0)
call("cuCtxSynchronize")
assert word(flags, 3) == 12

# The legacy default stream waits for blocking streams, and they for it. Others go on.
blocking = stream(0)
wait(blocking, at(flags, 4), 1)
launch(store, 1, at(flags, 5), Word(13))
launch(store, 1, at(flags, 6), Word(14), stream=second)
call("cuStreamSynchronize", second)
assert (word(flags, 5), word(flags, 6)) == (0, 14)
call("cuStreamQuery", None, result=NOT_READY)
launch(store, 1, at(flags, 4), Word(1), stream=second)
assert words(at(flags, 5), 1) == [13]  # the copy is in the default stream

# A batch of operations; several threads that submit to a stream that waits.
batch = (ctypes.c_uint64 * 12)(1, at(flags, 7).value, 1, EQ, 0, 0, 2, at(flags, 8).value, 15, 0, 0, 0)
call("cuStreamBatchMemOp_v2", first, 2, batch, 0)
call("cuStreamQuery", first, result=NOT_READY)


def submit(index: int) -> None:
    CUDA.cuCtxSetCurrent(own)
    launch(store, 1, at(flags, index), Word(index), stream=first)


own = Handle()
call("cuCtxGetCurrent", byref(own))
threads = [threading.Thread(target=submit, args=(index,)) for index in range(9, 13)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert [word(flags, index) for index in range(8, 13)] == [0] * 5
call("cuStreamWriteValue32_v2", second, at(flags, 7), Word(1), 0)
call("cuStreamSynchronize", first)
assert [word(flags, index) for index in range(8, 13)] == [15, 9, 10, 11, 12]

# A wait for invalid memory is refused at once; a fault after a wait is the error of every later call.
call("cuStreamWaitValue32_v2", first, Address(1 << 40), Word(0), EQ, result=1)
wait(first, at(flags, 13), 1)
launch(store, 1, Address(16), Word(0), stream=first)
launch(store, 1, at(flags, 14), Word(1), stream=first)
call("cuStreamWriteValue32_v2", second, at(flags, 13), Word(1), 0)
call("cuStreamSynchronize", first, result=ILLEGAL_ADDRESS)
call("cuCtxSynchronize", result=ILLEGAL_ADDRESS)
assert word(flags, 14) == 0
call("cuCtxDestroy_v2", own)

# A context that ends with a stream that waits takes it along.
context()
left, place = stream(), allocate(4)
call("cuMemsetD32_v2", place, Word(0), Size(1))
wait(left, place, 1)
call("cuStreamDestroy_v2", left)
last = Handle()
call("cuCtxGetCurrent", byref(last))
call("cuCtxDestroy_v2", last)

# A graph waits; its nodes that do not come after the wait go on, one of which may write the word. It may run again.
context()
shared = Handle()
call("cuMemHostAlloc", byref(shared), Size(64), 2)
flags = Address(shared.value or 0)
ctypes.memset(shared, 0, 64)
store, main, side, fork, join = kernel(load(STORE), "store"), stream(), stream(), event(), event()
graph, instance = Handle(), Handle()
call("cuStreamBeginCapture_v2", main, 0)
call("cuEventRecord", fork, main)
call("cuStreamWaitEvent", side, fork, 0)
wait(main, flags, 1)
launch(store, 1, at(flags, 2), Word(21), stream=main)
launch(store, 1, at(flags, 1), Word(22), stream=side)
call("cuEventRecord", join, side)
call("cuStreamWaitEvent", main, join, 0)
wait(main, at(flags, 3), 1)
launch(store, 1, at(flags, 4), Word(23), stream=main)
call("cuStreamEndCapture", main, byref(graph))
call("cuGraphInstantiateWithFlags", byref(instance), graph, ctypes.c_ulonglong(0))
for _ in range(2):
    ctypes.memset(shared, 0, 64)
    call("cuGraphLaunch", instance, main)
    launch(store, 1, at(flags, 5), Word(24), stream=main)
    assert [word(flags, index) for index in (1, 2, 4, 5)] == [22, 0, 0, 0]
    call("cuStreamQuery", main, result=NOT_READY)
    call("cuStreamWriteValue32_v2", second_writer := stream(), flags, Word(1), 0)
    while not word(flags, 2):
        time.sleep(0.001)
    time.sleep(0.01)
    assert [word(flags, index) for index in (2, 4, 5)] == [21, 0, 0]
    call("cuStreamWriteValue32_v2", second_writer, at(flags, 3), Word(1), 0)
    call("cuStreamSynchronize", main)
    assert [word(flags, index) for index in (2, 4, 5)] == [21, 23, 24]

# So does a launch of it that was captured, as part of another graph.
outer, whole = Handle(), Handle()
call("cuStreamBeginCapture_v2", side, 0)
call("cuGraphLaunch", instance, side)
call("cuStreamEndCapture", side, byref(outer))
call("cuGraphInstantiateWithFlags", byref(whole), outer, ctypes.c_ulonglong(0))
child = Handle()
parent, run = Handle(), Handle()
call("cuGraphCreate", byref(parent), 0)
call("cuGraphAddChildGraphNode", byref(child), parent, None, Size(0), graph)
call("cuGraphInstantiateWithFlags", byref(run), parent, ctypes.c_ulonglong(0))
for one in whole, run:
    ctypes.memset(shared, 0, 64)
    call("cuGraphLaunch", one, side)
    assert word(flags, 2) == 0
    ctypes.memset(shared, 1, 1)
    ctypes.memset((shared.value or 0) + 12, 1, 1)
    call("cuStreamSynchronize", side)
    assert [word(flags, index) for index in (1, 2, 4)] == [22, 21, 23]
call("cuStreamBeginCapture_v2", side, 0)
call("cuGraphLaunch", run, side)  # a graph with a graph in it
call("cuStreamEndCapture", side, byref(outer))
call("cuGraphInstantiateWithFlags", byref(whole), outer, ctypes.c_ulonglong(0))
ctypes.memset(shared, 0, 64)
for place in 0, 12:
    ctypes.memset((shared.value or 0) + place, 1, 1)
call("cuGraphLaunch", whole, side)
call("cuStreamSynchronize", side)
assert [word(flags, index) for index in (1, 2, 4)] == [22, 21, 23]
