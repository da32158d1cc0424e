"""Graphs: what was captured from streams, as a list that a launch does again in the order of the capture."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from openptx.driver.calls import Failure, in_context, put, put_int, put_size
from openptx.driver.contexts import Context
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.driver.streams import DEFAULT, Stream, stream_of
from openptx.driver.user_objects import References, UserObject

NODE_TYPES = {"kernel": 0, "copy": 1, "fill": 2, "host": 3, "graph": 4, "empty": 5, "event": 7, "memory": 8}
"""CUgraphNodeType."""
ACTIVE, INVALIDATED = 1, 2
MOVE = 1
"""Of references to a user object: the caller's become the graph's."""
_captures = itertools.count(1)


class Node(Object):
    """A piece of work. Its arguments are those of the capture; what pointers lead to is read at the launch."""

    what = "graph node"

    def __init__(self, kind: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        super().__init__()
        self.kind, self.work, self.arguments = kind, work, arguments


class Graph(Object):
    """Nodes in an order that fits what they depend on."""

    what = "graph"

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self.references = References()

    def add(self, kind: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Node:
        made = driver().add(Node(kind, work, arguments))
        self.nodes.append(made)
        return made

    def run(self) -> None:
        """Does all of it."""
        for node in self.nodes:
            node.work(*node.arguments)


class Executable(Object):
    """A graph as it was when it was instantiated."""

    what = "executable graph"

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.nodes = [*graph.nodes]
        self.references = graph.references.copy()


class Capture:
    """A capture that goes on: the stream that it began in, and those that have joined by waiting for its events."""

    def __init__(self, origin: Stream, graph: Graph) -> None:
        self.number = next(_captures)
        self.origin, self.graph = origin, graph
        self.streams = [origin]
        self.valid = True

    def add(self, kind: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Instead of doing it."""
        if not self.valid:
            raise Failure(Result.STREAM_CAPTURE_INVALIDATED, "the capture failed before")
        self.graph.add(kind, work, arguments)

    def join(self, stream: Stream) -> None:
        """Work of another stream is captured, too, from now on."""
        stream.capture = self
        self.streams.append(stream)

    def end(self) -> None:
        for stream in self.streams:
            stream.capture = None


def begin(context: Context, handle: int, graph: Graph) -> None:
    stream = stream_of(context, handle)
    if handle in DEFAULT and handle != 2:
        raise Failure(Result.STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream can not be captured")
    if stream.capture is not None:
        raise Failure(Result.ILLEGAL_STATE, "the stream is being captured already")
    stream.capture = Capture(stream, graph)


@in_context("cuStreamBeginCapture", "cuStreamBeginCapture_v2")
def begin_capture(context: Context, handle: int, mode: int = 0) -> None:
    begin(context, handle, driver().add(Graph()))


@in_context("cuStreamBeginCaptureToGraph")
def begin_capture_to(context: Context, handle: int, graph: int, after: int, edges: int, count: int, mode: int) -> None:
    begin(context, handle, driver().find(graph, Graph))


@in_context("cuStreamEndCapture")
def end_capture(context: Context, handle: int, out: int) -> None:
    put(out, 0)
    capture = stream_of(context, handle).capture
    if capture is None:
        raise Failure(Result.ILLEGAL_STATE, "the stream is not being captured")
    if capture.origin is not stream_of(context, handle):
        raise Failure(Result.STREAM_CAPTURE_UNMATCHED, "the capture began in another stream")
    capture.end()
    if not capture.valid:
        raise Failure(Result.STREAM_CAPTURE_INVALIDATED, "the capture failed before")
    put(out, capture.graph.handle)


@in_context("cuStreamIsCapturing")
def is_capturing(context: Context, handle: int, out: int) -> None:
    put_int(out, state(stream_of(context, handle)))


def state(stream: Stream) -> int:
    """CUstreamCaptureStatus."""
    if stream.capture is None:
        return 0
    return ACTIVE if stream.capture.valid else INVALIDATED


@in_context("cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", "cuStreamGetCaptureInfo_v3")
def capture_info(context: Context, handle: int, status: int, number: int, *more: int) -> None:
    stream = stream_of(context, handle)
    put_int(status, state(stream))
    if stream.capture is None:
        return
    put_size(number, stream.capture.number)
    if more:
        put_size(more[0], stream.capture.graph.handle)
        for pointer in more[1:]:
            put_size(pointer, 0)


@in_context("cuThreadExchangeStreamCaptureMode")
def exchange_mode(context: Context, mode: int) -> None:
    """All modes are as the most lenient one."""


@in_context("cuGraphCreate")
def create(context: Context, out: int, flags: int) -> None:
    put(out, 0)
    put(out, driver().add(Graph()).handle)


@in_context("cuGraphDestroy")
def destroy(context: Context, handle: int) -> None:
    found = driver().find(handle, Graph)
    for node in found.nodes:
        driver().remove(node)
    driver().remove(found)
    found.references.end()


@in_context("cuGraphClone")
def clone(context: Context, out: int, handle: int) -> None:
    found, made = driver().find(handle, Graph), driver().add(Graph())
    for node in found.nodes:
        made.add(node.kind, node.work, node.arguments)
    made.references = found.references.copy()
    put(out, made.handle)


def executable(handle: int) -> int:
    return driver().add(Executable(driver().find(handle, Graph))).handle


@in_context("cuGraphInstantiate")
def instantiate(context: Context, out: int, graph: int, node: int, buffer: int, size: int) -> None:
    put(out, executable(graph))


@in_context("cuGraphInstantiate_v2")
def instantiate_v2(context: Context, out: int, graph: int, node: int, buffer: int, size: int) -> None:
    put(out, executable(graph))


@in_context("cuGraphInstantiateWithFlags")
def instantiate_with_flags(context: Context, out: int, graph: int, flags: int) -> None:
    put(out, executable(graph))


@in_context("cuGraphInstantiateWithParams")
def instantiate_with_params(context: Context, out: int, graph: int, parameters: int) -> None:
    put(out, executable(graph))


@in_context("cuGraphUpload")
def upload(context: Context, handle: int, stream: int) -> None:
    driver().find(handle, Executable)


@in_context("cuGraphLaunch")
def launch(context: Context, handle: int, stream: int) -> None:
    found, where = driver().find(handle, Executable), stream_of(context, stream)
    for node in found.nodes:
        if where.capture is None:
            node.work(*node.arguments)
        else:
            where.capture.add(node.kind, node.work, node.arguments)


@in_context("cuGraphExecDestroy")
def destroy_executable(context: Context, handle: int) -> None:
    found = driver().find(handle, Executable)
    driver().remove(found)
    found.references.end()


@in_context("cuGraphRetainUserObject")
def retain_user_object(context: Context, handle: int, kept: int, count: int, flags: int) -> None:
    if not count or flags not in (0, MOVE):
        raise Failure(Result.INVALID_VALUE, f"{count} references of a graph to a user object, with flags {flags}")
    found = driver().find(kept, UserObject, Result.INVALID_VALUE)
    driver().find(handle, Graph).references.add(found, count, moved=flags == MOVE)


@in_context("cuGraphReleaseUserObject")
def release_user_object(context: Context, handle: int, kept: int, count: int) -> None:
    found = driver().find(kept, UserObject, Result.INVALID_VALUE)
    driver().find(handle, Graph).references.remove(found, count)


class UpdateInfo(NamedTuple):
    """Of `CUgraphExecUpdateResultInfo`: the result, and two nodes."""

    result: int
    node: int = 0
    before: int = 0

    def write(self, pointer: int) -> None:
        if pointer:
            put_int(pointer, self.result)
            put(pointer + 8, self.node)
            put(pointer + 16, self.before)


@in_context("cuGraphExecUpdate_v2")
def update(context: Context, handle: int, graph: int, info: int) -> None:
    found, new = driver().find(handle, Executable), driver().find(graph, Graph)
    kinds = [node.kind for node in found.nodes], [node.kind for node in new.nodes]
    if kinds[0] != kinds[1]:
        UpdateInfo(2).write(info)  # CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED
        raise Failure(Result.GRAPH_EXEC_UPDATE_FAILURE, "the graphs have other nodes", usual=True)
    found.nodes = [*new.nodes]
    UpdateInfo(0).write(info)


@in_context("cuGraphGetNodes", "cuGraphGetRootNodes")
def get_nodes(context: Context, handle: int, out: int, count: int) -> None:
    found = driver().find(handle, Graph)
    if out:
        for i, node in enumerate(found.nodes[: ctypes.c_uint64.from_address(count).value]):
            put(out + 8 * i, node.handle)
    put(count, len(found.nodes))


@in_context("cuGraphNodeGetType")
def node_type(context: Context, handle: int, out: int) -> None:
    put_int(out, NODE_TYPES[driver().find(handle, Node).kind])
