"""A progress line on the terminal for work that takes over a second. It is erased when the work is done.

Nothing is written if standard error is not a terminal, from threads other than the main one, for work that another
process waits for and reports (`reported_elsewhere`), and with OPENPTX_PROGRESS=0.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

LATE = 1.0
"""Seconds after which the line appears."""
INTERVAL = 0.2
"""Seconds between two updates of the line."""

ERASE = "\r\x1b[2K"

_thread = threading.local()


class Line:
    """The line of one piece of work. `update` is called often, and is cheap."""

    __slots__ = ("_describe", "_next", "_written")

    def __init__(self, describe: Callable[[], str]) -> None:
        self._describe, self._written = describe, False
        self._next = time.monotonic() + LATE

    def update(self) -> None:
        """Writes the current activity, if it is time to."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + INTERVAL
        self._written = True
        put(f"{ERASE}openptx: {self._describe()}")

    def erase(self) -> None:
        if self._written:
            put(ERASE)


class Elsewhere:
    """Takes the place of the line of work that is reported elsewhere."""

    __slots__ = ("update",)

    def __init__(self, update: Callable[[], None]) -> None:
        self.update = update

    def erase(self) -> None:
        """Nothing has been written."""


def put(text: str) -> None:
    if sys.stderr is None:  # in a fork that makes code for a launch: the line is its parent's
        return
    with contextlib.suppress(OSError, ValueError):  # the terminal no longer exists
        sys.stderr.write(text)
        sys.stderr.flush()


def silent() -> None:
    """Writes nothing."""


def on_terminal() -> bool:
    """Whether the line can be seen."""
    return (
        sys.stderr is not None
        and sys.stderr.isatty()
        and os.environ.get("OPENPTX_PROGRESS", "1") != "0"
        and os.environ.get("TERM") != "dumb"
        and threading.current_thread() is threading.main_thread()
    )


@contextmanager
def reported_elsewhere(update: Callable[[], None] = silent) -> Generator[None]:
    """What this thread does within has no line here: workers of a pool share the terminal of the caller, which has
    one. Work calls `update` instead, which may raise an exception to end it."""
    before = getattr(_thread, "elsewhere", None)
    _thread.elsewhere = Elsewhere(update)
    try:
        yield
    finally:
        _thread.elsewhere = before


def line_of(describe: Callable[[], str]) -> Line | Elsewhere | None:
    """The line of this thread's work, or what takes its place; None if nobody would see it."""
    elsewhere: Elsewhere | None = getattr(_thread, "elsewhere", None)
    return elsewhere or (Line(describe) if on_terminal() else None)


@contextmanager
def progress(describe: Callable[[], str]) -> Generator[Callable[[], None]]:
    """Returns a function that work calls now and then; `describe` returns the current activity, in a few words."""
    line = line_of(describe)
    try:
        yield line.update if line is not None else silent
    finally:
        if line is not None:
            line.erase()


@contextmanager
def progress_by_thread(describe: Callable[[], str]) -> Generator[None]:
    """The progress line of work that cannot update it, such as a solver's: a thread does, and launches within share the
    line."""
    line, over = line_of(describe), threading.Event()
    if not isinstance(line, Line):
        yield
        return

    def tick() -> None:
        while not over.wait(INTERVAL):
            line.update()

    thread = threading.Thread(target=tick, name="openptx progress", daemon=True)
    thread.start()
    try:
        with reported_elsewhere():
            yield
    finally:
        over.set()
        thread.join()
        line.erase()
