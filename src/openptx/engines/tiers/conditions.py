"""Conditions on which a launch on the reference engine is abandoned for compiled code; the launch polls them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class Alarm:
    """Expires when this thread has used that many seconds of processor time from now on.

    Reading processor time is a system call, which may cost as much as an instruction of a kernel; reading wall-clock
    time is not, and that passes at least as fast. So the former is read only when enough of the latter has passed.
    """

    __slots__ = ("_end", "_next")

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds
        self._next = time.perf_counter() + seconds

    def expired(self) -> bool:
        now = time.perf_counter()
        if now < self._next:
            return False
        left = self._end - time.thread_time()
        self._next = now + left
        return left <= 0


Wanted = Callable[[float], bool]
"""Whether the launch is to be abandoned now; called often, with a lower bound of its remaining seconds."""


def now(_: float) -> bool:
    return True


def after(seconds: float, longer: float = math.inf) -> Wanted:
    """True when this thread has used that much processor time, because a busy machine compiles more slowly, too; or
    when the launch will take `longer`."""
    alarm = Alarm(seconds)
    return lambda left: left > longer or alarm.expired()


def later(decide: Callable[[float], Wanted | None], seconds: float, longer: float = math.inf) -> Wanted:
    """The condition that `decide` returns once `after(seconds, longer)` holds.

    `decide` gets the forecast remaining seconds of the launch. None abandons the launch at once.
    """
    is_due = after(seconds, longer)
    found: list[Wanted] = []

    def wanted(left: float) -> bool:
        if not found:
            if not is_due(left):
                return False
            found.append(decide(left) or now)
        return found[0](left)

    return wanted
