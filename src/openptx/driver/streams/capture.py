"""Captures: work submitted to streams becomes nodes of a graph instead of being executed."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

from openptx.driver.calls import Failure, in_context, invalid, put, put_int, put_size, require_flags
from openptx.driver.devices.contexts import Context, read_handles
from openptx.driver.graphs.graph import Graph, Node, require_nodes_of
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.driver.streams.capture_modes import RELAXED, blocking
from openptx.driver.streams.objects import DEFAULT, Capture, Stream, stream_of

ACTIVE, INVALIDATED = 1, 2
SET_DEPENDENCIES = 1


def begin(
    context: Context, handle: int, mode: int, graph: Callable[[], Graph], after: list[Node], given_graph: bool = False
) -> None:
    """Begins the capture of a stream. Fails if the stream cannot be captured, or is being captured."""
    if not 0 <= mode <= RELAXED:
        raise invalid(f"mode {mode} of a capture")
    stream = stream_of(context, handle)
    if handle in DEFAULT and handle != 2:
        raise Failure(Result.STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot be captured")
    if stream.capture is not None:
        raise Failure(Result.ILLEGAL_STATE, "the stream is being captured already")
    Capture(stream, graph(), after, given_graph, mode).begin()


@in_context("cuStreamBeginCapture", "cuStreamBeginCapture_v2")
def begin_capture(context: Context, handle: int, mode: int = 0) -> None:
    begin(context, handle, mode, lambda: driver().add(Graph()), [])


@in_context("cuStreamBeginCaptureToGraph")
def begin_capture_to(
    context: Context, handle: int, graph: Graph, after: int, edges: int, count: int, mode: int
) -> None:
    begin(context, handle, mode, lambda: graph, require_nodes_of(graph, read_handles(after, count)), given_graph=True)


@in_context("cuStreamEndCapture")
def end_capture(context: Context, stream: Stream, out: int) -> None:
    """The pointer to the graph may be null if the program provided the graph of the capture."""
    capture = stream.capture
    if out or capture is None or not capture.given_graph:
        put(out, 0)
    if capture is None:
        raise Failure(Result.ILLEGAL_STATE, "the stream is not being captured")
    if capture.origin is not stream:
        capture.valid = False
        raise Failure(Result.STREAM_CAPTURE_UNMATCHED, "the capture began in another stream")
    if capture.mode != RELAXED and capture.thread != threading.get_ident():
        raise Failure(Result.STREAM_CAPTURE_WRONG_THREAD, "the capture began in another thread, not in relaxed mode")
    capture.end()
    if not capture.valid:
        raise Failure(Result.STREAM_CAPTURE_INVALIDATED, "the capture failed before")
    if capture.unjoined():
        why = "a stream that joined the capture has work that its first stream does not wait for"
        raise Failure(Result.STREAM_CAPTURE_UNJOINED, why)
    if out:
        put(out, capture.graph.handle)


@in_context("cuStreamIsCapturing")
def is_capturing(context: Context, stream: Stream, out: int) -> None:
    require_queryable(context, stream)
    put_int(out, state(stream))


def require_queryable(context: Context, stream: Stream) -> None:
    """Fails for the legacy default stream during a capture, without invalidating any."""
    if stream.queue.legacy and blocking(context):
        raise Failure(Result.STREAM_CAPTURE_IMPLICIT, "the legacy default stream while a blocking one is captured")


def state(stream: Stream) -> int:
    """CUstreamCaptureStatus."""
    if stream.capture is None:
        return 0
    return ACTIVE if stream.capture.valid else INVALIDATED


@in_context("cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2")
def capture_info(
    context: Context, stream: Stream, status: int, number: int, graph: int = 0, after: int = 0, count: int = 0
) -> None:
    require_queryable(context, stream)
    put_int(status, state(stream))
    capture = stream.capture
    if capture is None:
        return
    nodes = capture.after[stream]
    capture.returned_nodes = (ctypes.c_uint64 * len(nodes))(*(node.handle for node in nodes))
    put_size(number, capture.number)
    put_size(graph, capture.graph.handle)
    put_size(after, ctypes.addressof(capture.returned_nodes))
    put_size(count, len(nodes))


@in_context("cuStreamGetCaptureInfo_v3")
def capture_info_v3(
    context: Context, stream: Stream, status: int, number: int, graph: int, after: int, edges: int, count: int
) -> None:
    """All edges are plain: their data are zeros, which cuda-bindings reads."""
    capture_info(context, stream, status, number, graph, after, count)
    capture = stream.capture
    if capture is not None:
        capture.returned_edges = (ctypes.c_uint64 * len(capture.after[stream]))()
        put_size(edges, ctypes.addressof(capture.returned_edges))


@in_context("cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies_v2")
def update_dependencies(context: Context, stream: Stream, nodes: int, *data_count_flags: int) -> None:
    *_, count, flags = data_count_flags
    capture = stream.capture
    if capture is None:
        raise Failure(Result.ILLEGAL_STATE, "the stream is not being captured")
    require_flags(flags, SET_DEPENDENCIES, "a change of dependencies")
    dependencies = require_nodes_of(capture.graph, read_handles(nodes, count))
    if flags == SET_DEPENDENCIES:
        capture.after[stream] = dependencies
    else:
        capture.wait(stream, dependencies)
