"""Threads that run machine code besides the launching one: kept for the next launch, as daemons."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

STACK_SIZE = 256 << 20
"""Bytes of the processor's stack for kernels that are recursive or were compiled without optimisation; only what is
used is committed."""

INTERVAL = 0.05
"""The maximum duration of `Task.wait` in seconds."""


class Task:
    """Work for another thread, which runs it unless it was cancelled before, and its outcome.

    concurrent.futures has locks: a thread may hold one when another forks, and in the child it stays locked.
    """

    __slots__ = ("_claim", "_ended", "_runs", "error", "result", "work")

    def __init__(self, work: Callable[[], int]) -> None:
        self.work = work
        self.result = 0
        self.error: BaseException | None = None
        self._runs = False
        self._claim: dict[str, bool] = {}  # whether it runs, or is cancelled: the first to decide wins
        self._ended = SimpleQueue[None]()

    @property
    def over(self) -> bool:
        """Whether no thread runs the work, or will."""
        return not self._runs and "runs" in self._claim

    def run(self) -> None:
        self._runs = True
        if self._claim.setdefault("runs", True):
            try:
                self.result = self.work()
            except BaseException as error:
                self.error = error
        self._runs = False
        self._ended.put(None)

    def cancel(self) -> bool:
        """Cancels the work unless it has started; returns whether it will never start. May be called again if a signal
        handler raises."""
        return not self._claim.setdefault("runs", False)

    def lose(self) -> None:
        """Called in the child of a fork: the thread that runs the task does not exist there."""
        self._runs = False
        self._claim.setdefault("runs", False)

    def wait(self) -> None:
        """Returns when the work is done, or after an interval."""
        with suppress(Empty):
            self._ended.get(timeout=INTERVAL)


_idle: list[SimpleQueue[Task]] = []  # where threads without work wait for it


def start(task: Task, *, deep: bool) -> None:
    """Runs a task on another thread, with a large stack if `deep`."""
    if deep:
        before = threading.stack_size(STACK_SIZE)
        try:
            threading.Thread(target=task.run, name="openptx-worker", daemon=True).start()
        finally:
            threading.stack_size(before)
        return
    try:
        queue = _idle.pop()
    except IndexError:
        queue = SimpleQueue[Task]()
        threading.Thread(target=serve, args=(queue,), name="openptx-worker", daemon=True).start()
    queue.put(task)


def serve(queue: SimpleQueue[Task]) -> None:
    while True:
        queue.get().run()
        _idle.append(queue)


if hasattr(os, "register_at_fork"):  # a child has none of the threads
    os.register_at_fork(after_in_child=_idle.clear)
