"""The locks that all threads of the process share. A forked child finds them free, and what they guard whole."""

from __future__ import annotations

import os
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LLVM = threading.RLock()
"""Held around every call of llvmlite. Its own lock is not free in a child either, if another thread was in a call."""
MEMORY = threading.RLock()
"""Held while the table of device memory or a heap changes."""

ORDER = (LLVM, MEMORY)
"""A thread that holds one of them may wait for a later one only: a finalizer of an array, for one, takes MEMORY
wherever the garbage collector happens to run."""

PACKAGES = ("openptx", "numpy", "llvmlite", "ml_dtypes")
IMPORTS_END = 60.0
"""Seconds."""


class _Fork:
    """Whoever forks waits until no other thread holds a lock."""

    def __init__(self) -> None:
        self._held: list[threading.RLock] = []  # an exception of a signal's handler may come before all are

    def acquire(self) -> None:
        end = time.monotonic() + IMPORTS_END
        while True:
            while importing() and time.monotonic() < end:
                time.sleep(0.001)
            for lock in ORDER:
                lock.acquire()
                self._held.append(lock)
            if not importing() or time.monotonic() > end:
                return
            self.release()  # a module that is being imported may want them

    def release(self) -> None:
        while self._held:
            self._held.pop().release()


def importing() -> bool:
    """Whether a module of ours is being imported: Python has a lock for each, which it does not free in a child.

    They are in a table of the import system that has no public name; without it nobody waits.
    """
    locks: Mapping[str, object] = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    return any(name.startswith(PACKAGES) for name in [*locks])


if hasattr(os, "register_at_fork"):
    _fork = _Fork()
    os.register_at_fork(before=_fork.acquire, after_in_parent=_fork.release, after_in_child=_fork.release)
