"""Fork safety: a child process finds no lock held by a thread that exists in its parent alone.

Imported with the package, since any import may be what a thread is at; hence from modules that cost nothing.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class ModuleLock(Protocol):
        owner: int | None

    class Lock(Protocol):
        @property
        def acquire(self) -> Callable[[], bool]: ...
        @property
        def release(self) -> Callable[[], None]: ...


PACKAGES = ("openptx", "numpy", "llvmlite", "ml_dtypes")
IMPORTS_END = 60.0
"""Seconds for imports on other threads."""
OTHERS_END = 1.0
"""The same where this thread imports, too, since others may wait for what it imports: a module may fork as it is
imported, or a signal's handler in the midst of an import."""

_order: list[Lock] = []
_held: list[Lock] = []
"""An exception of a signal's handler may come before all are held."""


def hold_at_forks(*locks: Lock) -> None:
    """Makes forks wait until no other thread holds these locks. A thread may take them in this order only."""
    _order.extend(locks)


def _before() -> None:
    """Wait until no other thread imports one of our modules or holds a lock."""
    start = time.monotonic()
    while True:
        while imports_of_others(start):
            time.sleep(0.001)
        for lock in _order:
            lock.acquire()
            _held.append(lock)
        if not imports_of_others(start):
            return
        _release()  # a module that is being imported may want them


def _release() -> None:
    while _held:
        _held.pop().release()


def _in_child() -> None:
    """The imports that other threads of the parent began after the last look at them begin anew."""
    _release()
    me = get_ident()
    for name, lock in module_locks().items():
        if lock.owner != me:
            _table().pop(name)
            sys.modules.pop(name, None)


def imports_of_others(start: float) -> bool:
    """Whether a fork that began at a time waits, since another thread imports a module of ours."""
    owners, me = importing(), get_ident()
    limit = OTHERS_END if me in owners else IMPORTS_END
    return bool(owners - {me}) and time.monotonic() < start + limit


def importing() -> set[int | None]:
    """Threads that import modules of ours. One that has no owner is being taken."""
    return {lock.owner for lock in module_locks().values()}


def module_locks() -> dict[str, ModuleLock]:
    """The locks of our modules that are being imported, which Python does not free in a child."""
    locks = {name: found() for name, found in [*_table().items()] if name.startswith(PACKAGES)}
    return {name: lock for name, lock in locks.items() if lock is not None}


def _table() -> dict[str, Callable[[], ModuleLock | None]]:
    """The import system's table, which has no public name; without it nobody waits."""
    return getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_in_child)
