"""Queues of waiting streams: a background thread does their work as soon as their conditions hold.

A stream that does not wait does its work in the submitting thread. Once it waits, for a word of memory or for an event
after one, later work is queued in order; so is the work that the legacy default stream orders after it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple, cast

from openptx.driver.calls import LOG, Failure
from openptx.driver.devices.contexts import AT_END, Context
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.errors import Bug, Error

Ready = Callable[[], bool]
SHORT, LONG = 1e-4, 2e-3
"""Seconds between two polls of the conditions: initially, and after a long wait."""
WARN_AFTER = 10.0
"""Seconds after which the log reports a waiting program."""


class Item(NamedTuple):
    ready: Ready
    work: Callable[..., Any]
    arguments: tuple[Any, ...]


class Callback:
    """A function of the program that `cuStreamAddCallback` submits, which is called after a fault as well."""

    def __init__(self, function: Callable[[int, int, int], None], handle: int, data: int) -> None:
        self.function, self.handle, self.data = function, handle, data

    def __call__(self) -> None:
        self.call(Result.SUCCESS)

    def call(self, result: Result) -> None:
        self.function(self.handle, result, self.data)


class Queue:
    """The pending work of a stream. The `legacy` default stream and those that are `blocking` wait for each other."""

    stalled: ClassVar[dict[Queue, None]] = {}
    """All streams with pending work."""
    captures: ClassVar[int] = 0
    """Active captures (capture_modes.py)."""
    lock = threading.RLock()
    worker: ClassVar[threading.Thread | None] = None

    def __init__(self, context: Context, *, legacy: bool = False, blocking: bool = True) -> None:
        self.context, self.legacy, self.blocking = context, legacy, blocking
        self.items = deque[Item]()
        self.done = 0

    def run(self, work: Callable[..., Any], *arguments: Any, ready: Ready | None = None) -> None:
        """Does work now, or queues it if something that it depends on is not `ready`. Work may return an iterator of
        the conditions it waits for."""
        if (not Queue.stalled and (ready is None or ready())) or not self.keep(Item(ready or always, work, arguments)):
            rest = rest_of(work(*arguments))
            if rest is not None:
                self.run_rest(rest)

    def run_rest(self, rest: Iterator[Ready]) -> None:
        """Does the rest of some work, or queues it from where it waits."""
        for ready in rest:
            if not ready() and self.keep(Item(ready, same, (rest,))):
                return

    def keep(self, item: Item) -> bool:
        """Queues work if it has to wait. Returns whether it has."""
        with Queue.lock:
            marks = [(other, other.done + len(other.items)) for other in self.before()]
            if not self.items and not marks and item.ready():
                return False
            after = item.ready
            self.items.append(item._replace(ready=lambda: after() and all(o.done >= n for o, n in marks)))
            Queue.stalled[self] = None
            update_busy()
            if Queue.worker is None:
                Queue.worker = threading.Thread(target=run_queues, daemon=True, name="openptx streams")
                Queue.worker.start()
        return True

    def before(self) -> list[Queue]:
        """Other streams with work that precedes the next work by the rules of the legacy default stream."""
        if self.legacy:
            return [
                queue
                for queue in Queue.stalled
                if queue is not self and queue.blocking and queue.context is self.context
            ]
        return [queue for queue in Queue.stalled if queue.legacy and self.blocking and queue.context is self.context]

    def advance(self) -> bool:
        """Does all work that can be done. Returns whether there was any."""
        moved = False
        while self.items and not self.context.error:
            item = self.items[0]
            try:
                if not item.ready():
                    break
                rest = rest_of(item.work(*item.arguments))
                ready = next(rest, None) if rest is not None else None
            except BaseException as error:
                broken(self.context, error)
                rest = ready = None
            moved = True
            with Queue.lock:
                if not self.items or self.items[0] is not item:  # the items were dropped meanwhile
                    break
                if rest is not None and ready is not None:
                    self.items[0] = Item(ready, same, (rest,))
                    continue
                self.items.popleft()
                self.done += 1
        if self.context.error:
            self.drop()
        return moved

    def drop(self) -> None:
        """Drops pending work, after a fault or at the context's end. Callbacks are told of the fault."""
        while True:
            with Queue.lock:
                if not self.items:
                    return
                work = self.items.popleft().work
            try:
                if self.context.error and isinstance(work, Callback):
                    work.call(self.context.error)
            finally:
                self.done += 1


def always() -> bool:
    return True


def rest_of(found: Any) -> Iterator[Ready] | None:
    """The result of work, if it is an iterator of conditions."""
    return cast("Iterator[Ready]", found) if found is not None and isinstance(found, Iterator) else None


def same(rest: Iterator[Ready]) -> Iterator[Ready]:
    """The work of an item that has waited: its rest."""
    return rest


def broken(context: Context, error: BaseException) -> None:
    """Handles an error in work that no call waits for: the context becomes unusable."""
    if context.error:
        return
    if isinstance(error, Failure):
        context.fail(error.result, error.why)
    elif isinstance(error, Error) and not isinstance(error, Bug):
        context.fail(Result.INVALID_VALUE, str(error))
    else:
        LOG.error("%s", Bug.of(error) if isinstance(error, Exception) else error, exc_info=error)
        context.fail(Result.UNKNOWN, "work of a stream failed")


def update_busy() -> None:
    """Sets whether `cuCtxSynchronize` has to call Python: streams have pending work, or are under capture."""
    driver().library.busy(bool(Queue.stalled or Queue.captures))


def run_queues() -> None:
    """Runs in its own thread until no stream has pending work."""
    pause = SHORT
    while True:
        with Queue.lock:
            for queue in [*Queue.stalled]:
                if not queue.items:
                    del Queue.stalled[queue]
            if not Queue.stalled:
                Queue.worker = None
                update_busy()
                return
            queues = [*Queue.stalled]
        moved = [queue.advance() for queue in queues]
        pause = SHORT if any(moved) else min(1.5 * pause, LONG)
        if not any(moved):
            time.sleep(pause)


def settle(queues: Iterable[Queue], what: str) -> None:
    """Waits until the current work of these streams is done."""
    with Queue.lock:
        marks = [(queue, queue.done + len(queue.items)) for queue in queues]
    wait_until(lambda: all(queue.done >= number for queue, number in marks), what)


def wait_until(ready: Ready, what: str) -> None:
    """Waits until something is ready; warns once that `what` has waited long."""
    start, warned, pause = time.monotonic(), False, SHORT
    while not ready():
        if not warned and time.monotonic() - start > WARN_AFTER:
            warned = True
            LOG.warning(
                "%s has waited for %.0f s: a stream waits for memory that nothing has written yet", what, WARN_AFTER
            )
        time.sleep(pause)
        pause = min(1.5 * pause, LONG)


def of_context(context: Context) -> list[Queue]:
    return [queue for queue in [*Queue.stalled] if queue.context is context]


def settle_legacy(context: Context, what: str) -> None:
    """Waits like a call that works in the legacy default stream."""
    settle([queue for queue in of_context(context) if queue.blocking], what)


def drop_all(context: Context) -> None:
    for queue in of_context(context):
        queue.drop()


AT_END.append(drop_all)
