"""A timer of a thread's processor time."""

from __future__ import annotations

import time


class Alarm:
    """Expires when this thread has used that many seconds of processor time from now on.

    Reading processor time is a system call, which may cost as much as an instruction of a kernel; reading wall-clock
    time is not, and that passes at least as fast. So the former is read only when enough of the latter has passed.
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
