"""Streams: each does its work at once, in the submitting thread, unless it waits or is under capture."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from openptx.driver.calls import Failure, in_context, initialized, invalid, put, put_int, require_flags
from openptx.driver.devices.contexts import Context, context_of
from openptx.driver.getters import getter
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.driver.streams.capture_modes import require_no_capture_in, require_usable
from openptx.driver.streams.objects import DEFAULT, LEGACY, NON_BLOCKING, Stream, stream_of
from openptx.driver.streams.queues import Callback, of_context, settle


def submit(context: Context, handle: int, kind: str, work: Callable[..., Any], *arguments: Any) -> None:
    """Does work in stream order, or at each launch of the graph that it is captured for."""
    stream = stream_of(context, handle)
    if stream.capture is None:
        require_usable(stream)
        stream.queue.run(work, *arguments)
    else:
        stream.capture.add(stream, kind, work, arguments)


def require_no_capture(stream: Stream, action: str) -> None:
    """Fails for work that a capture cannot contain, and invalidates the capture."""
    require_usable(stream)
    if stream.capture is not None:
        stream.capture.valid = False
        raise Failure(Result.STREAM_CAPTURE_UNSUPPORTED, f"{action} of a stream whose work is being captured")


@in_context("cuStreamCreate")
def create(context: Context, out: int, flags: int) -> None:
    create_with_priority(context, out, flags, 0)


@in_context("cuStreamCreateWithPriority")
def create_with_priority(context: Context, out: int, flags: int, priority: int) -> None:
    require_flags(flags, NON_BLOCKING, "a stream")
    put(out, 0)
    made = Stream(context, flags, max(-5, min(priority, 0)))
    put(out, context.own(made, lambda: remove(made)).handle)


def remove(stream: Stream) -> None:
    """A capture that began in the stream ends with it."""
    if stream.capture is not None and stream.capture.origin is stream:
        stream.capture.end()
    driver().remove(stream)


@initialized("cuStreamDestroy", "cuStreamDestroy_v2")
def destroy(handle: int) -> None:
    if handle in DEFAULT:
        raise Failure(Result.INVALID_HANDLE, "the default stream cannot be destroyed")
    found = driver().find(handle, Stream)
    found.context.owned.pop(found, None)
    remove(found)


@in_context("cuStreamSynchronize")
def synchronize(context: Context, stream: Stream) -> None:
    require_no_capture(stream, "synchronization")
    settle([stream.queue, *stream.queue.before()], "cuStreamSynchronize")
    if context.error:
        raise Failure(context.error)


@in_context("cuCtxSynchronize_v2")
def synchronize_context(context: Context, handle: int) -> int:
    found = context_of(handle)
    require_no_capture_in(found)
    settle(of_context(found), "cuCtxSynchronize")
    return found.error


@in_context("cuStreamQuery")
def query(context: Context, stream: Stream) -> None:
    require_no_capture(stream, "a query")
    if stream.queue.items or stream.queue.before():
        raise Failure(Result.NOT_READY, "the stream has work left", usual=True)


getter("cuStreamGetFlags", lambda context, handle: stream_of(context, handle).flags, ctypes.c_uint32)
getter("cuStreamGetPriority", lambda context, handle: stream_of(context, handle).priority, ctypes.c_int32)
getter("cuStreamGetCtx", lambda context, handle: stream_of(context, handle).context.handle)
getter("cuStreamGetId", lambda context, handle: stream_of(context, handle).handle or handle or LEGACY)


@in_context("cuStreamGetDevice")
def get_device(context: Context, stream: Stream, out: int) -> None:
    put_int(out, 0)


@in_context("cuStreamAddCallback")
def add_callback(context: Context, handle: int, function: int, data: int, flags: int) -> None:
    if not function or flags:
        raise invalid("a callback is a function, and its flags are 0")
    require_no_capture(stream_of(context, handle), "a callback")
    kind = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int, ctypes.c_uint64)
    submit(context, handle, "host", Callback(kind(function), handle, data))


@in_context("cuLaunchHostFunc", "cuLaunchHostFunc_v2")
def launch_host(context: Context, handle: int, function: int, data: int, *mode: int) -> None:
    if not function:
        raise invalid("the function is null")
    submit(context, handle, "host", ctypes.CFUNCTYPE(None, ctypes.c_uint64)(function), data)
