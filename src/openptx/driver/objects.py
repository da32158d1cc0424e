"""Objects with handles: contexts, streams, events, modules. A handle is never reused."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from typing import Any, Self, TypeVar

from openptx.driver.calls import Failure
from openptx.driver.library import Library
from openptx.driver.results import Result
from openptx.errors import ArgumentError
from openptx.isa.targets import target as find_target
from openptx.profile.occupancy import MULTIPROCESSORS

FIRST_HANDLE = 0x5000_0000_0000
STEP = 0x40


class Object:
    """An object with a handle. `unknown` is the result of a call with a handle of no such object; `null` and
    `destroyed`, if they are given, those of calls with a null handle and with one of a destroyed object."""

    what, unknown = "object", Result.INVALID_HANDLE
    null: Result | None = None
    destroyed: Result | None = None

    def __init__(self) -> None:
        self.handle = 0

    @classmethod
    def of_argument(cls, handle: int, context: Any) -> Self:
        """The object of a handle that an entry point gets as an argument."""
        return driver().find(handle, cls)

    def __repr__(self) -> str:
        return f"<{self.what} 0x{self.handle:x}>"


T = TypeVar("T", bound=Object)


class Driver:
    """The state of the driver in this process."""

    def __init__(self, library: Library, capability: int) -> None:
        self.library, self.capability = library, capability
        self.initialized = False
        self.lock = threading.RLock()
        self._objects: dict[int, Object] = {}
        self._gone: dict[int, type[Object]] = {}
        self._numbers = itertools.count(FIRST_HANDLE, STEP)

    def add(self, made: T) -> T:
        """Assigns a handle to an object."""
        made.handle = next(self._numbers)
        self._objects[made.handle] = made
        return made

    def remove(self, known: Object) -> None:
        """Forgets an object: its handle becomes invalid."""
        self._objects.pop(known.handle, None)
        self._gone[known.handle] = type(known)

    def find(self, handle: int, kind: type[T], otherwise: Result | None = None) -> T:
        """The object of a handle. Fails if it is not of that kind, and reports its kind."""
        found = self._objects.get(handle)
        if isinstance(found, kind):
            return found
        if not handle:
            raise Failure(otherwise or kind.null or kind.unknown, f"the {kind.what}'s handle is null")
        gone = self._gone.get(handle)
        if found is not None:
            why = f"the handle of a {found.what} is given for a {kind.what}"
        elif gone is not None:
            why = f"the {gone.what} 0x{handle:x} has been destroyed"
        else:
            why = f"0x{handle:x} is not a handle of a {kind.what}"
        destroyed = kind.destroyed if gone is kind else None
        raise Failure(otherwise or destroyed or kind.unknown, why)

    def with_objects(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """An entry point's function that takes a handle for each parameter annotated with a class of objects."""
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        annotated = [
            (i, function.__annotations__.get(name, "int")) for i, name in enumerate(names) if name != "context"
        ]
        known = [(i, function.__globals__[name]) for i, name in annotated if name not in ("int", "float")]
        kinds = [(i, kind) for i, kind in known if issubclass(kind, Object)]
        if not kinds:
            return function
        objects = self._objects

        def entry(*arguments: Any) -> Any:
            converted = [*arguments]
            for i, kind in kinds:
                found = objects.get(converted[i])
                converted[i] = found if type(found) is kind else kind.of_argument(converted[i], arguments[0])
            return function(*converted)

        return entry

    @property
    def count(self) -> int:
        """How many objects there are."""
        return len(self._objects)

    def every(self, kind: type[T]) -> list[T]:
        """All objects of a kind, the oldest first."""
        return [found for found in [*self._objects.values()] if isinstance(found, kind)]


class _Place:
    driver: Driver | None = None


def driver() -> Driver:
    """The state of this process. Fails if the driver was not started."""
    if _Place.driver is None:
        raise Failure(Result.NOT_INITIALIZED, "the driver was not started")
    return _Place.driver


def install(found: Driver) -> Driver:
    """Makes it the state of this process."""
    _Place.driver = found
    return found


def chosen_capability() -> int:
    """The compute capability in OPENPTX_DEVICE: 90 for sm_90. Raises ArgumentError if it is not a target."""
    return capability_of(os.environ.get("OPENPTX_DEVICE") or "sm_90")


def capability_of(target: str) -> int:
    """90 for "sm_90" and "sm_90a". Raises ArgumentError unless it is the target of a known device."""
    found = find_target(target)
    if found is None or found.name != target or found.number not in MULTIPROCESSORS:
        known = ", ".join(f"sm_{n}" for n in sorted(MULTIPROCESSORS))
        raise ArgumentError(f"no device `{target}`: OPENPTX_DEVICE and `--device` name one of {known}")
    return found.number
