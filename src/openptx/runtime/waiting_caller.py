"""Whether the caller of a distributed launch still waits for a range that a worker runs.

`Future.cancel` does not reach a task that has begun, and Ctrl-C reaches the processes of a pool only from a terminal.
So a file exists while the caller waits: ranges end soon after a signal to the caller alone, or the error of another
range; otherwise the pool would not shut down before they are done. Workers on other machines, or with parents of their
own, do not look at it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import platform
import time
from collections.abc import Generator
from contextlib import contextmanager
from tempfile import mkstemp
from typing import NamedTuple

INTERVAL = 0.2
"""Seconds between two looks."""


class Caller(NamedTuple):
    """A process that waits for ranges. `path` is empty if no file could be made."""

    machine: str
    process: int
    path: str


@contextmanager
def waiting() -> Generator[Caller]:
    """The file exists while this is entered."""
    machine, process = platform.node(), os.getpid()
    try:
        file, path = mkstemp(prefix="openptx-launch-")
    except OSError:  # there is no folder for it
        yield Caller(machine, process, "")
        return
    os.close(file)
    try:
        yield Caller(machine, process, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


class Watch:
    """Called now and then by a range's work: raises KeyboardInterrupt if its caller no longer waits."""

    __slots__ = ("_next", "_parent", "_path", "_started_by")

    def __init__(self, caller: Caller) -> None:
        self._parent, self._started_by, self._next = multiprocessing.parent_process(), os.getppid(), 0.0
        owners = os.getpid(), self._parent.pid if self._parent is not None else None
        near = caller.machine == platform.node() and caller.process in owners
        self._path = caller.path if near else ""

    def __call__(self) -> None:
        now = time.monotonic()
        if not self._path or now < self._next:
            return
        self._next = now + INTERVAL
        if not os.path.exists(self._path) or self._is_orphan():
            raise KeyboardInterrupt

    def _is_orphan(self) -> bool:
        """Whether this is a process of a pool whose caller has ended; the pipe by which `is_alive` sees it is inherited
        by processes that the caller forked later."""
        return self._parent is not None and (os.getppid() != self._started_by or not self._parent.is_alive())
