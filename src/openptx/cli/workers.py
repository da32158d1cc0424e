"""Checks many files in several processes. Results come in order; a file that cannot be read yields a message."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

from openptx.cli.files import STDIN

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic

    Answer = tuple[list[Diagnostic], str, bytes]  # the findings in a file, or a message about it; its digest
    Check = Callable[[str], Answer]

WORTH_IT = 2_000_000
"""The bytes of PTX from which on a second process saves time: a pool takes about 20 ms to start."""


def answers(paths: list[str], check: Check, jobs: int | None = None) -> Iterator[Answer]:
    """The findings in each path, with at most `jobs` processes."""
    count = min(processes(paths), jobs or len(paths))
    if count == 1:
        yield from map(check, paths)
        return
    from multiprocessing import get_context

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with context.Pool(count, initializer=begin) as pool:  # leaving the block ends the processes
        yield from pool.imap(check, paths, chunksize=max(1, min(16, len(paths) // (4 * count))))


def processes(paths: list[str]) -> int:
    """How many processes are worth starting for the files. Stdin is read only by this process."""
    if len(paths) < 2 or STDIN in paths or sum(map(size, paths)) < WORTH_IT:
        return 1
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, len(paths))


def size(path: str) -> int:
    """The size of a file; 0 if it is not a file (`-`, or a path that does not exist, which reading reports)."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def begin() -> None:
    """The start of a worker. Ctrl-C reaches every process of the terminal; the one that started it handles it."""
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Ends this process when its parent has ended, which may have been killed."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
