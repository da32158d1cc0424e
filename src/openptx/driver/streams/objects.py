"""Streams, and captures of the work that is submitted to them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

from openptx.driver.calls import Failure
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.graph import Graph, Node
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.driver.streams.queues import Queue, update_busy

DEFAULT = (0, 1, 2)
"""CU_STREAM_LEGACY is 1, CU_STREAM_PER_THREAD 2; 0 means the first."""
LEGACY, PER_THREAD = 1, 2
NON_BLOCKING = 1
UNDERWAY: dict[Capture, None] = {}
"""Captures that have begun and not ended."""
_captures = itertools.count(1)


class Stream(Object):
    """`capture` receives its work instead of executing it."""

    what, destroyed = "stream", Result.CONTEXT_IS_DESTROYED  # as the tests of HIP expect of NVIDIA

    def __init__(self, context: Context, flags: int = 0, priority: int = 0, *, legacy: bool = False) -> None:
        super().__init__()
        self.context, self.flags, self.priority = context, flags, priority
        self.capture: Capture | None = None
        self.queue = Queue(context, legacy=legacy, blocking=not flags & NON_BLOCKING)
        self.attributes: dict[int, bytes] = {}

    @classmethod
    def of_argument(cls, handle: int, context: Context) -> Stream:
        return stream_of(context, handle)


_defaults: dict[tuple[Context, int], Stream] = {}


def stream_of(context: Context, handle: int) -> Stream:
    """The stream of a handle. Fails for one that has been destroyed."""
    if handle in DEFAULT:
        number = handle if handle == PER_THREAD else 0
        found = _defaults.get((context, number))
        if found is None:
            found = _defaults[context, number] = Stream(context, legacy=number == 0)
            context.owned[found] = lambda: forget_default(context, number)
        return found
    return driver().find(handle, Stream)


def forget_default(context: Context, handle: int) -> None:
    _defaults.pop((context, handle), None)


class Capture:
    """An active capture: the stream that it began in, and those that have joined by waiting for its events.

    `after` are the nodes that the next one of a stream depends on; `thread` is the one in which it began.
    """

    def __init__(self, origin: Stream, graph: Graph, after: list[Node], given_graph: bool, mode: int) -> None:
        self.number = next(_captures)
        self.origin, self.graph = origin, graph
        self.after = {origin: after}
        self.mode, self.thread = mode, threading.get_ident()
        self.given_graph = given_graph  # the program already has its handle
        self.valid = True
        self.ended = False
        # The last array of nodes that was returned to the program, which owns no memory for it.
        self.returned_nodes: Any = None
        self.returned_edges: Any = None  # the same for the data of the edges

    def begin(self) -> None:
        self.origin.capture = self
        UNDERWAY[self] = None
        _count()

    def add(self, stream: Stream, kind: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Node:
        """Adds a node for work that is captured instead of executed. Fails if the capture has failed before."""
        if not self.valid:
            raise Failure(Result.STREAM_CAPTURE_INVALIDATED, "the capture failed before")
        made = self.graph.add(kind, work, arguments, self.after[stream])
        self.after[stream] = [made]
        return made

    def wait(self, stream: Stream, nodes: list[Node]) -> None:
        """Work submitted to the stream from now on is captured, after these nodes."""
        stream.capture = self
        known = self.after.setdefault(stream, [])
        known += (node for node in nodes if node not in known)

    def unjoined(self) -> bool:
        """Whether a stream has work that no node of the first stream follows."""
        reached = set[Node]()
        waiting = [*self.after[self.origin]]
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting += node.after
        return any(node not in reached for nodes in self.after.values() for node in nodes)

    def end(self) -> None:
        self.ended = True
        UNDERWAY.pop(self, None)
        _count()
        for stream in self.after:
            stream.capture = None


def _count() -> None:
    Queue.captures = len(UNDERWAY)
    update_busy()
