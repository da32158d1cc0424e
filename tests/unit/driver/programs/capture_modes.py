"""Results of calls while a stream is captured, by the modes of the capture and of the calling thread."""

import ctypes
import threading
from ctypes import byref
from pathlib import Path

from driver_calls import CUDA, Handle, Size, allocate, call, context

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NON_BLOCKING = 1
INVALID, UNSUPPORTED, INVALIDATED, UNMATCHED, IMPLICIT, CAPTURED, WRONG_THREAD = 1, 900, 901, 903, 906, 907, 908

context()
place, host = allocate(64), ctypes.create_string_buffer(64)
blocking, stream, event = Handle(), Handle(), Handle()
call("cuStreamCreate", byref(blocking), 0)
call("cuStreamCreate", byref(stream), NON_BLOCKING)
call("cuEventCreate", byref(event), 0)
call("cuEventRecord", event, stream)
array = Handle()
call("cuArrayCreate_v2", byref(array), bytes([16, *bytes(15), 1, 0, 0, 0, 4, 0, 0, 0]))
pool = Handle()
call("cuDeviceGetDefaultMemPool", byref(pool), 0)
number, status = ctypes.c_uint64(), ctypes.c_int()
PTX = Path(__file__).read_bytes()  # what is refused is not read


def unsafe(make=Handle):
    """Unsafe calls, which are made anew: a refused one changes nothing."""
    return (
        ("cuMemAlloc_v2", byref(make()), Size(8)),
        ("cuMemAllocPitch_v2", byref(make()), byref(Size()), Size(8), Size(8), 4),
        ("cuMemAllocManaged", byref(make()), Size(8), 1),
        ("cuMemAllocHost_v2", byref(make()), Size(8)),
        ("cuMemHostAlloc", byref(make()), Size(8), 0),
        ("cuMemFree_v2", place),
        ("cuArrayDestroy", array),
        ("cuMemcpyHtoD_v2", place, host, Size(64)),
        ("cuMemcpyDtoH_v2", host, place, Size(64)),
        ("cuModuleLoadData", byref(make()), PTX),
        ("cuEventQuery", event),
        ("cuEventSynchronize", event),
        ("cuMemPoolGetAttribute", pool, 4, byref(number)),
    )


def begin(mode, which=stream):
    call("cuStreamBeginCapture_v2", which, mode)


def end(result=0, which=stream):
    graph = Handle()
    call("cuStreamEndCapture", which, byref(graph), result=result)
    if not result:
        call("cuGraphDestroy", graph)


def in_thread(*calls):
    """Results of calls of another thread, one after the other."""
    results = []
    current = Handle()
    call("cuCtxGetCurrent", byref(current))

    def run():
        CUDA.cuCtxSetCurrent(current)
        results.extend(getattr(CUDA, name)(*arguments) for name, *arguments in calls)

    other = threading.Thread(target=run)
    other.start()
    other.join()
    return results


def exchange(mode):
    value = ctypes.c_int(mode)
    call("cuThreadExchangeStreamCaptureMode", byref(value))
    return value.value


# In the thread of a capture that is not relaxed.
for mode in GLOBAL, THREAD_LOCAL:
    for name, *arguments in unsafe():
        begin(mode)
        call(name, *arguments, result=UNSUPPORTED)
        call("cuStreamIsCapturing", stream, byref(status))
        assert status.value == 2
        end(INVALIDATED)
begin(GLOBAL)
call("cuMemAllocAsync", byref(Handle()), Size(8), stream)
call("cuMemcpyHtoDAsync_v2", place, host, Size(64), stream)
call("cuMemGetInfo_v2", byref(Size()), byref(Size()))
end()

# Relaxed: the capture, or the thread for a while.
begin(RELAXED)
call("cuMemcpyHtoD_v2", place, host, Size(64))
call("cuEventQuery", event)
end()
begin(GLOBAL)
assert exchange(RELAXED) == GLOBAL
call("cuMemcpyHtoD_v2", place, host, Size(64))
assert exchange(GLOBAL) == RELAXED
call("cuThreadExchangeStreamCaptureMode", byref(ctypes.c_int(3)), result=INVALID)
call("cuThreadExchangeStreamCaptureMode", None, result=INVALID)
end()

# Another thread.
query = ("cuEventQuery", event)
for mode, results, ended in ((GLOBAL, [UNSUPPORTED], INVALIDATED), (THREAD_LOCAL, [0], 0), (RELAXED, [0], 0)):
    begin(mode)
    assert in_thread(query) == results
    end(ended)
begin(GLOBAL)
local = ("cuThreadExchangeStreamCaptureMode", byref(ctypes.c_int(THREAD_LOCAL)))
assert in_thread(local, query, ("cuStreamEndCapture", stream, byref(Handle()))) == [0, 0, WRONG_THREAD]
end()
begin(RELAXED)
assert in_thread(("cuStreamEndCapture", stream, byref(Handle()))) == [0]

# An event of the capture is that first, and the context is not synchronized whatever the mode.
begin(GLOBAL)
call("cuEventRecord", event, stream)
call("cuEventQuery", event, result=CAPTURED)
end()
call("cuEventRecord", event, stream)
begin(RELAXED)
call("cuCtxSynchronize", result=UNSUPPORTED)
end(INVALIDATED)
call("cuCtxSynchronize")

# The legacy default stream comes after blocking streams.
for name, *arguments in (
    ("cuMemsetD8Async", place, 1, Size(8), None),
    ("cuMemsetD8_v2", place, 1, Size(8)),
    ("cuMemcpyDtoH_v2", host, place, Size(8)),
    ("cuStreamSynchronize", None),
    ("cuStreamQuery", None),
    ("cuEventRecord", event, None),
    ("cuStreamWaitEvent", None, event, 0),
):
    begin(RELAXED, blocking)
    call(name, *arguments, result=IMPLICIT)
    end(INVALIDATED, blocking)
    begin(RELAXED)
    call(name, *arguments)
    end()
begin(RELAXED, blocking)
call("cuStreamIsCapturing", None, byref(status), result=IMPLICIT)
call("cuStreamGetCaptureInfo_v2", None, byref(status), *[None] * 4, result=IMPLICIT)
end(which=blocking)

# A capture that is not ended ends with its stream.
last = Handle()
call("cuStreamCreate", byref(last), NON_BLOCKING)
begin(GLOBAL, last)
call("cuStreamDestroy_v2", last)
call("cuMemFree_v2", place)

# A stream that joined a capture cannot end it, and the attempt invalidates it.
begin(THREAD_LOCAL)
joined, fork = Handle(), Handle()
call("cuStreamCreate", byref(joined), NON_BLOCKING)
call("cuEventCreate", byref(fork), 0)
call("cuEventRecord", fork, stream)
call("cuStreamWaitEvent", joined, fork, 0)
end(UNMATCHED, joined)
end(INVALIDATED)
