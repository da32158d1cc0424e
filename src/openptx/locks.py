"""Process-wide locks, and cancelling work that waits for them or takes long.

After a fork the locks are free in the child, and the data that they guard is consistent. Translation and compilation do
not know which launch they work for. So the launch registers, for its thread and while it waits, a function that raises
an exception when its time limit has passed, or another of its threads has been stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from openptx.forks import hold_at_forks

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


INTERVAL = 0.05
"""Seconds between two checks whether to keep waiting."""


class CancellableLock:
    """A reentrant lock; a waiting thread calls `check_cancelled` repeatedly, which may raise.

    A signal handler may raise at any point, too, and must not leave the lock held. CPython runs handlers when a
    function begins, when a loop jumps back, and after calls, a call of C included: hence after `acquire` has succeeded,
    and before the body of the `with`.

    * In `__enter__` all such points after the first `acquire` lie in the `try`. A thread whose `acquire` failed does
      not own the lock at all, since that of an owner succeeds at once. So if something is raised, `release` gives back
      what was taken just now, or says that there is nothing. No handler runs between the `except` and the end of this
      call; `contextlib.suppress` would begin with a function, where one does.
    * Nor does one between the end of the loop and the body of the `with`.
    * `__exit__` is the lock's own, a function of C, and is found before `__enter__` is called. One in Python could end
      as it begins, with the lock still taken.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.mend: Callable[[], None] = lambda: None
        """Frees what the thread that waits holds by mistake; the thread that it waits for may wait for that."""
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self) -> None:
        lock = self._lock
        try:
            while not lock.acquire(timeout=INTERVAL):
                check_cancelled()
                self.mend()
        except BaseException:
            try:  # noqa: SIM105
                lock.release()
            except RuntimeError:  # another thread held it all the time
                pass
            raise

    @property
    def __exit__(self) -> Callable[..., None]:
        return self._lock.__exit__


LLVM = CancellableLock()
"""Held around every call of llvmlite, whose own lock is not free in a child either, if another thread was in a call."""
MEMORY = threading.RLock()
"""Held while the table of device memory or a heap changes."""

ORDER = (LLVM, MEMORY)
"""A thread that holds one of them may only wait for a later one: a finalizer of an array, for example, acquires MEMORY
wherever garbage collection happens to run."""
hold_at_forks(*ORDER)
