"""Events: the host time at which the work before them had ended, which is when they are recorded."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterator

from openptx.driver.calls import Failure, in_context, initialized, invalid, put
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.graph import Node
from openptx.driver.objects import Object
from openptx.driver.results import Result
from openptx.driver.streams.capture_modes import require_safe, require_usable
from openptx.driver.streams.objects import UNDERWAY, Capture, Stream
from openptx.driver.streams.queues import Ready, wait_until

DISABLE_TIMING, INTERPROCESS = 2, 4
EXTERNAL = 1
"""CU_EVENT_RECORD_EXTERNAL: a record in a capture is a node of the graph, and each launch records the event."""
LEAST_MILLISECONDS = 1e-3
"""Two events never have the same time, or programs would divide by 0."""


class Event(Object):
    """`capture` is set by a record in a stream under capture: other streams may then wait for it. Their work comes
    `after` these nodes.
    """

    what = "event"

    def __init__(self, context: Context, flags: int) -> None:
        super().__init__()
        self.context, self.flags = context, flags
        self.time: float | None = None
        self.begun = self.ended = 0  # records, including unfinished ones in waiting streams
        self.capture: Capture | None = None
        self.after: list[Node] = []

    def record(self) -> None:
        self.end(self.begin())

    def begin(self) -> int:
        """The number of a record."""
        self.begun += 1
        return self.begun

    def end(self, number: int) -> None:
        self.time, self.ended = time.perf_counter(), max(self.ended, number)

    def require_ended(self) -> None:
        if self.ended < self.begun:
            raise Failure(Result.NOT_READY, "the event's stream has not reached it", usual=True)

    def wait(self) -> Iterator[Ready]:
        """The work of a node: yields whether the last record so far has ended."""
        number = self.begun
        yield lambda: self.ended >= number


def no_work() -> None:
    """The work of a stream that has only waited."""


@in_context("cuEventCreate")
def create(context: Context, out: int, flags: int) -> None:
    if flags > 7 or (flags & INTERPROCESS and not flags & DISABLE_TIMING):
        raise invalid(f"flags {flags} of an event")
    put(out, 0)
    put(out, context.own(Event(context, flags)).handle)


@initialized("cuEventDestroy", "cuEventDestroy_v2")
def destroy(event: Event) -> None:
    event.context.disown(event)


@in_context("cuEventRecord")
def record(context: Context, event: Event, stream: Stream) -> None:
    require_usable(stream)
    event.capture = stream.capture
    if stream.capture is None:
        stream.queue.run(event.end, event.begin())
    else:
        event.after = [*stream.capture.after[stream]]


@in_context("cuEventRecordWithFlags")
def record_with_flags(context: Context, event: Event, stream: Stream, flags: int) -> None:
    capture = capture_of_node(stream, flags)
    if capture is not None:
        capture.add(stream, "event", Event.record, (event,))
    else:
        record(context, event, stream)


def capture_of_node(stream: Stream, flags: int) -> Capture | None:
    """The capture whose graph gets a node for an event, by the flag EXTERNAL. Fails for this flag outside of a capture,
    and for others."""
    if flags == EXTERNAL and stream.capture is not None:
        return stream.capture
    if flags:
        raise invalid(f"flags {flags} for an event; {EXTERNAL} is one in captures only")
    return None


def require_uncaptured(event: Event) -> None:
    """Fails for an event of a stream that was being captured, and where a capture forbids to wait."""
    if event.capture is not None:
        result = Result.INVALID_VALUE if event.capture.ended else Result.CAPTURED_EVENT  # as on an H200, driver 580
        raise Failure(result, "the event was recorded in a stream that was being captured")
    if UNDERWAY:
        require_safe()


@in_context("cuEventQuery")
def query(context: Context, event: Event) -> None:
    require_uncaptured(event)
    event.require_ended()


@in_context("cuEventSynchronize")
def synchronize(context: Context, event: Event) -> None:
    require_uncaptured(event)
    number = event.begun
    wait_until(lambda: event.ended >= number or context.error != Result.SUCCESS, "cuEventSynchronize")
    if context.error:
        raise Failure(context.error)


@in_context("cuEventElapsedTime", "cuEventElapsedTime_v2")
def elapsed(context: Context, out: int, first: Event, last: Event) -> None:
    for event in first, last:
        event.require_ended()
    if DISABLE_TIMING & (first.flags | last.flags) or first.time is None or last.time is None:
        raise Failure(Result.INVALID_HANDLE, "the time between events that were not recorded, or have no times")
    passed = 1e3 * (last.time - first.time)
    put(out, math.copysign(max(abs(passed), LEAST_MILLISECONDS), passed), ctypes.c_float)


@in_context("cuStreamWaitEvent")
def wait(context: Context, stream: Stream, event: Event, flags: int) -> None:
    capture = capture_of_node(stream, flags)
    if capture is not None:
        capture.add(stream, "wait", Event.wait, (event,))
    elif event.capture is None:
        if stream.capture is not None:
            stream.capture.valid = False
            raise Failure(Result.STREAM_CAPTURE_ISOLATION, "a captured stream waits for work outside of the capture")
        require_usable(stream)
        number = event.begun
        stream.queue.run(no_work, ready=lambda: event.ended >= number)
    elif event.capture.ended:
        raise invalid("the event was recorded in a capture that has ended")
    elif stream.capture not in (None, event.capture):
        raise Failure(Result.STREAM_CAPTURE_MERGE, "the event is of another capture than the stream")
    else:
        event.capture.wait(stream, event.after)
