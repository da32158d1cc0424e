"""Long work for a launch can be cancelled: by its time limit, or because another of its threads has been stopped.

Translating and compiling are far from the launch that they are for, and the same whoever asks. So the launch says how
to find out whether to go on, for the thread and while it waits, and the work looks now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from openptx.locks import LLVM

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def cancellable(check: Callable[[], None]) -> Generator[None]:
    """Work on this thread meanwhile calls `check`, which raises what ends it."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def check_cancelled() -> None:
    """Raises what ends the work, if it is to end."""
    if (check := _check.get()) is not None:
        check()


LLVM.check = check_cancelled  # a launch waits for LLVM no longer than its time limit
