"""When a thread has had the processor for a while."""

from __future__ import annotations

import time


class Alarm:
    """Rings when this thread has had the processor for so many seconds from now on.

    The processor's time is a system call, which may cost as much as an instruction of a kernel; the time on the clock
    is none, and passes at least as fast. So the one is asked for only when enough of the other has passed.
    """

    __slots__ = ("_end", "_next")

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds
        self._next = time.perf_counter() + seconds

    def rings(self) -> bool:
        now = time.perf_counter()
        if now < self._next:
            return False
        left = self._end - time.thread_time()
        self._next = now + left
        return left <= 0
