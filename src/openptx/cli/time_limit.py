"""A time limit for reading and checking a file, before its kernel runs."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager

from openptx.errors import Fault

LONGEST = 1e6
AGAIN = 0.05
"""Seconds until the signal is repeated: an exception is lost in Python callbacks such as finalizers."""


class TimeOverError(BaseException):
    """Raised between any two bytecodes, so it is not an `Exception`: error handlers must not catch it."""


@contextmanager
def time_limit(seconds: float | None) -> Generator[None]:
    """After some seconds, ends the block with the fault `timeout`.

    It has to run Python code in the main thread. Anything but a positive number is left for the launch to refuse. If
    the system has no such signal (Windows), there is no limit.
    """
    if seconds is None or not seconds > 0 or not hasattr(signal, "setitimer"):
        yield
        return
    armed = True

    def stop(*_: object) -> None:
        if armed:
            raise TimeOverError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, min(max(seconds, 1e-4), LONGEST), AGAIN)
            yield
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    except TimeOverError:
        armed = False
        unit = "second" if seconds == 1 else "seconds"
        raise Fault(
            "timeout", f"it took longer than {seconds:g} {unit}", notes=("the file was being read and checked",)
        ) from None
