"""Cancelling long work for a launch: when its time limit passes, or another of its threads has been stopped.

Translation and compilation do not know which launch they work for. So the launch registers, for its thread and while it
waits, a function that says whether to continue, and the work calls it now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from openptx.locks import LLVM

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def cancellable(check: Callable[[], None]) -> Generator[None]:
    """While this is entered, work on this thread calls `check`, which raises whatever ends it."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def check_cancelled() -> None:
    """Raises the exception that ends the work, if it is to end."""
    if (check := _check.get()) is not None:
        check()


LLVM.check = check_cancelled  # a launch waits for LLVM no longer than its time limit
