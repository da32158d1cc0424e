"""A time limit for reading and checking a file, before its kernel runs."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import TypeVar

from openptx.errors import Fault

T = TypeVar("T")

LONGEST = 1e6
AGAIN = 0.05
"""Seconds until the signal is repeated: an exception is lost in Python callbacks such as finalizers."""


class TimeOverError(BaseException):
    """Raised between any two bytecodes, so it is not an `Exception`: error handlers must not catch it."""


def limited(seconds: float | None, work: Callable[[], T]) -> T:
    """What `work` returns. After some seconds, ends it with the fault `timeout`.

    It has to run Python code in the main thread. Anything but a positive number is left for the launch to refuse. If
    the system has no such signal (Windows), there is no limit.
    """
    if seconds is None or not seconds > 0 or not hasattr(signal, "setitimer"):
        return work()
    active, last = True, -AGAIN

    def stop(*_: object) -> None:
        nonlocal last
        # Not again while the exception is on its way, which takes long on the clock of a busy computer.
        if active and (now := time.process_time()) >= last + AGAIN:
            last = now
            raise TimeOverError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, min(max(seconds, 1e-4), LONGEST), AGAIN)
            return work()
        finally:
            active = False
    except TimeOverError:
        unit = "second" if seconds == 1 else "seconds"
        raise Fault(
            "timeout", f"it took longer than {seconds:g} {unit}", notes=("the file was being read and checked",)
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
