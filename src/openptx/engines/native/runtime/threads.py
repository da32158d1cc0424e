"""Threads that run machine code beside the one that launches: kept for the next launch, and no reason to stay alive."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue

STACK_SIZE = 256 << 20
"""Bytes of the processor's stack for kernels that call themselves or were compiled without optimisation; only what is
used is really taken."""

Job = tuple[Callable[[], int], Future[int]]

_idle: list[SimpleQueue[Job]] = []  # where threads without work wait for it


def start(work: Callable[[], int], future: Future[int], *, deep: bool) -> None:
    """Runs `work` on another thread, with a large stack if `deep`, unless the future is cancelled before it begins."""
    if deep:
        before = threading.stack_size(STACK_SIZE)
        try:
            threading.Thread(target=run, args=(work, future), name="openptx", daemon=True).start()
        finally:
            threading.stack_size(before)
        return
    try:
        queue = _idle.pop()
    except IndexError:
        queue = SimpleQueue[Job]()
        threading.Thread(target=serve, args=(queue,), name="openptx", daemon=True).start()
    queue.put((work, future))


def serve(queue: SimpleQueue[Job]) -> None:
    while True:
        run(*queue.get())
        _idle.append(queue)


def run(work: Callable[[], int], future: Future[int]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


if hasattr(os, "register_at_fork"):  # a child has none of the threads
    os.register_at_fork(after_in_child=_idle.clear)
