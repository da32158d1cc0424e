"""What is shown on a terminal: its width, a progress bar, a clock."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

from openptx.diagnostics.terminal import is_terminal

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import TextIO, TypeVar

    Item = TypeVar("Item")

DELAY = 1.0  # seconds of work before a bar appears
PERIOD = 0.1  # seconds between two updates of it


def width_of(stream: TextIO) -> int:
    """Columns of a terminal; 140 in a pipe, so that saved output does not depend on a window."""
    if not is_terminal(stream):
        return 140
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, 40)


def progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items, with a bar on stderr when it is a terminal and the work takes longer than a second."""
    if not is_terminal(sys.stderr):
        yield from items
        return
    start = shown = time.monotonic()
    drawn = False
    try:
        for count, item in enumerate(items):
            now = time.monotonic()
            if now - start > DELAY and now - shown > PERIOD:
                draw(count, total, what)
                shown, drawn = now, True
            yield item
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Clock:
    """A line on stderr with the elapsed time, if it is a terminal and the work takes longer than a second. Launches and
    proofs within have no line of their own."""

    def __init__(self, what: str) -> None:
        from threading import Event, Thread

        from openptx.progress import reported_elsewhere

        self.what, self.elsewhere = what, reported_elsewhere()
        self.ended = Event()
        self.thread = Thread(target=self.tick, daemon=True) if is_terminal(sys.stderr) else None

    def __enter__(self) -> None:
        self.elsewhere.__enter__()
        if self.thread:
            self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.elsewhere.__exit__(None, None, None)
        self.ended.set()
        if self.thread:
            self.thread.join()

    def tick(self) -> None:
        """Draws the line every second until the end."""
        start, drawn = time.monotonic(), False
        while not self.ended.wait(DELAY):
            sys.stderr.write(f"\r\x1b[K{self.what}: {time.monotonic() - start:.0f} s"[: width_of(sys.stderr) + 4])
            sys.stderr.flush()
            drawn = True
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def draw(count: int, total: int, what: str) -> None:
    """Draws the progress bar once."""
    room = max(min(width_of(sys.stderr) - len(what) - 24, 40), 4)
    done = room * count // max(total, 1)
    bar = "#" * done + "." * (room - done)
    sys.stderr.write(f"\r\x1b[K[{bar}] {count:,}/{total:,} {what}"[: width_of(sys.stderr) + 4])
    sys.stderr.flush()
