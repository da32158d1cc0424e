"""The locks that all threads of the process share. A forked child finds them free, and what they guard whole."""

from __future__ import annotations

import os
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    class ModuleLock(Protocol):
        owner: int | None


INTERVAL = 0.05
"""Seconds between two looks at whether to go on waiting."""


class CancellableLock:
    """A lock that its thread may take again; whoever waits for it calls `check` all the while, which may raise.

    A signal's handler may raise at any point, too, and must not leave the lock taken. CPython runs handlers when a
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
        self.check: Callable[[], None] = lambda: None
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self) -> None:
        lock = self._lock
        try:
            while not lock.acquire(timeout=INTERVAL):
                self.check()
        except BaseException:
            try:  # noqa: SIM105
                lock.release()
            except RuntimeError:  # it was another thread's all the while
                pass
            raise

    @property
    def __exit__(self) -> Callable[..., None]:
        return self._lock.__exit__


LLVM = CancellableLock()
"""Held around every call of llvmlite. Its own lock is not free in a child either, if another thread was in a call."""
MEMORY = threading.RLock()
"""Held while the table of device memory or a heap changes."""

ORDER = (LLVM, MEMORY)
"""A thread that holds one of them may wait for a later one only: a finalizer of an array, for one, takes MEMORY
wherever the garbage collector happens to run."""

PACKAGES = ("openptx", "numpy", "llvmlite", "ml_dtypes")
IMPORTS_END = 60.0
"""Seconds for imports on other threads."""
OTHERS_END = 1.0
"""The same where this thread imports, too, since others may wait for what it imports: a module may fork as it is
imported, or a signal's handler in the midst of an import."""


class _Fork:
    """Whoever forks waits until no other thread holds a lock."""

    def __init__(self) -> None:
        # An exception of a signal's handler may come before all are held.
        self._held: list[CancellableLock | threading.RLock] = []

    def acquire(self) -> None:
        start = time.monotonic()
        while True:
            while imports_of_others(start):
                time.sleep(0.001)
            for lock in ORDER:
                lock.acquire()
                self._held.append(lock)
            if not imports_of_others(start):
                return
            self.release()  # a module that is being imported may want them

    def release(self) -> None:
        while self._held:
            self._held.pop().release()


def imports_of_others(start: float) -> bool:
    """Whether a fork that began at a time waits, since another thread imports a module of ours."""
    owners, me = importing(), threading.get_ident()
    limit = OTHERS_END if me in owners else IMPORTS_END
    return bool(owners - {me}) and time.monotonic() < start + limit


def importing() -> set[int | None]:
    """Threads that import modules of ours: Python has a lock for each module, which it does not free in a child.

    They are in a table of the import system that has no public name; without it nobody waits. One that has no owner is
    being taken.
    """
    table: Mapping[str, Callable[[], ModuleLock | None]] = getattr(
        sys.modules.get("_frozen_importlib"), "_module_locks", {}
    )
    locks = [found() for name, found in [*table.items()] if name.startswith(PACKAGES)]
    return {lock.owner for lock in locks if lock is not None}


if hasattr(os, "register_at_fork"):
    _fork = _Fork()
    os.register_at_fork(before=_fork.acquire, after_in_parent=_fork.release, after_in_child=_fork.release)
