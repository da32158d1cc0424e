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
"""Bytes of PTX from which on a second process saves more than it costs; a pool takes about 20 ms to start."""


def answers(paths: list[str], check: Check, jobs: int | None = None) -> Iterator[Answer]:
    """What `check` says to each path, with `jobs` processes at most."""
    count = min(processes(paths), jobs or len(paths))
    if count == 1:
        yield from map(check, paths)
        return
    from multiprocessing import get_context

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with context.Pool(count, initializer=begin) as pool:  # its end is the end of the processes
        yield from pool.imap(check, paths, chunksize=max(1, min(16, len(paths) // (4 * count))))


def processes(paths: list[str]) -> int:
    """How many processes are worth starting for the files. Stdin is read by this process alone."""
    if len(paths) < 2 or STDIN in paths or sum(map(size, paths)) < WORTH_IT:
        return 1
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, len(paths))


def size(path: str) -> int:
    """The size of a file; 0 for what is none (`-`, a path that does not exist: reading it will say so)."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def begin() -> None:
    """What a worker does first. Ctrl-C reaches every process of the terminal; the one that started it answers."""
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Ends this process when the one that started it has ended, which may have been killed and could not say so."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
