"""Fork safety: in a child process no lock is held by a thread that exists only in its parent.

Imported with the package, because a thread may be in the middle of any import; it therefore imports only cheap modules.
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


PACKAGES = ("openptx", "numpy", "llvmlite", "ml_dtypes", "subprocess", "ctypes", "decimal", "html")
"""Ours, and what ours import when it is first needed, on any thread."""
IMPORTS_END = 60.0
"""The maximum wait in seconds for imports on other threads."""
OTHERS_END = 1.0
"""The maximum wait if this thread is importing, too, because others may wait for what it imports: a module may fork
while it is imported, or a signal handler in the middle of an import."""

_order: list[Lock] = []
_held: list[Lock] = []
"""A signal handler raised an exception before all locks were held."""
_prepared: list[int] = []
"""The thread that forks, once it holds the locks."""


def wait_at_forks() -> None:
    """Makes forks wait for imports and locks.

    What is registered last runs first before a fork. `logging` registers that its lock is acquired, which modules need
    as they are imported: after its import this is called again, so that forks wait for imports first.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_in_child)


def hold_at_forks(*locks: Lock) -> None:
    """Makes forks wait until no other thread holds these locks. Threads may acquire them only in this order."""
    _order.extend(locks)


def _before() -> None:
    """Waits until no other thread imports one of these modules or holds a lock."""
    if get_ident() in _prepared:
        return  # registered twice
    start = time.monotonic()
    while True:
        while imports_of_others(start):
            time.sleep(0.001)
        for lock in _order:
            lock.acquire()
            _held.append(lock)
        if not imports_of_others(start):
            _prepared.append(get_ident())
            return
        _release()  # a module that is being imported may need them


def _release() -> None:
    _prepared.clear()
    while _held:
        _held.pop().release()


def _in_child() -> None:
    """Imports that other threads of the parent began after the last check are restarted."""
    _release()
    me = get_ident()
    for name, lock in module_locks().items():
        if lock.owner != me:
            _table().pop(name)
            sys.modules.pop(name, None)


def imports_of_others(start: float) -> bool:
    """Whether a fork that began at a time has to wait, because another thread imports one of our modules."""
    owners, me = importing(), get_ident()
    limit = OTHERS_END if me in owners else IMPORTS_END
    return bool(owners - {me}) and time.monotonic() < start + limit


def importing() -> set[int | None]:
    """Threads that import these modules. A lock without an owner is just being acquired."""
    return {lock.owner for lock in module_locks().values()}


def module_locks() -> dict[str, ModuleLock]:
    """The import locks of these modules, which Python does not release in a child."""
    locks = {name: found() for name, found in [*_table().items()] if name.startswith(PACKAGES)}
    return {name: lock for name, lock in locks.items() if lock is not None}


def _table() -> dict[str, Callable[[], ModuleLock | None]]:
    """The import system's table, which has no public name; without it forks do not wait."""
    return getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})


wait_at_forks()
