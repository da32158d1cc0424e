"""User objects: resources that a program lets graphs keep, with a function that is called when the last reference is
released."""

from __future__ import annotations

import ctypes
import weakref
from collections import Counter

from openptx.driver.calls import initialized, invalid, put
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result

NO_DESTRUCTOR_SYNC = 1
DESTROY = ctypes.CFUNCTYPE(None, ctypes.c_uint64)


class UserObject(Object):
    """Counts the references of the program and of graphs."""

    what, unknown = "user object", Result.INVALID_VALUE

    def __init__(self, pointer: int, destroy: int, count: int) -> None:
        super().__init__()
        self.pointer, self.destroy, self.count = pointer, destroy, count

    def retain(self, count: int) -> None:
        self.count += count

    def release(self, count: int) -> None:
        """Fails if there are fewer references."""
        if not 0 < count <= self.count:
            raise invalid(f"{count} of {self.count} references to {self!r} are released")
        self.count -= count
        if not self.count:
            driver().remove(self)
            DESTROY(self.destroy)(self.pointer)


class References:
    """The references to user objects that a graph holds."""

    def __init__(self) -> None:
        self.counts = Counter[UserObject]()

    def add(self, kept: UserObject, count: int, *, moved: bool) -> None:
        """`moved` references are transferred from the caller."""
        if not moved:
            kept.retain(count)
        self.counts[kept] += count

    def remove(self, kept: UserObject, count: int) -> None:
        if not 0 < count <= self.counts[kept]:
            raise invalid(f"the graph has {self.counts[kept]} references to {kept!r}, not {count}")
        self.counts[kept] -= count
        kept.release(count)

    def copy(self) -> References:
        """The references of a graph that is cloned from this one."""
        made = References()
        for kept in +self.counts:
            made.add(kept, 1, moved=False)
        return made

    def end(self) -> None:
        """Releases all references."""
        for kept, count in (+self.counts).items():
            kept.release(count)
        self.counts.clear()


class Held:
    """References of a graph as a snapshot. They are released when this object is collected."""

    def __init__(self, references: References) -> None:
        weakref.finalize(self, references.copy().end).atexit = False


@initialized("cuUserObjectCreate")
def create(out: int, pointer: int, destroy: int, count: int, flags: int) -> None:
    if not destroy or not count or flags != NO_DESTRUCTOR_SYNC:
        raise invalid(f"a user object with {count} references and flags {flags}")
    put(out, 0)
    put(out, driver().add(UserObject(pointer, destroy, count)).handle)


@initialized("cuUserObjectRetain")
def retain(user_object: UserObject, count: int) -> None:
    user_object.retain(count)


@initialized("cuUserObjectRelease")
def release(user_object: UserObject, count: int) -> None:
    user_object.release(count)
