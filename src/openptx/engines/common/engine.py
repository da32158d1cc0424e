"""The engines, as launches know them: by name, through one protocol, given a launch that is ready to run.

An engine is imported when it is first chosen.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from openptx.device.image import Image
from openptx.device.memory_view import MemoryView
from openptx.engines.common import fault_text
from openptx.errors import Fault, Triple, require_choice
from openptx.logging import from_environment
from openptx.program import Function, Program


class PreparedLaunch(NamedTuple):
    """A launch whose extents are checked and whose arguments are converted."""

    program: Program
    function: Function
    image: Image
    grid: Triple
    block: Triple
    cluster: Triple | None
    shared: int
    """The size of dynamic shared memory in bytes."""
    memory: MemoryView
    """Holds the kernel's parameters."""
    kept: tuple[object, ...]
    """What must live until the launch ends."""
    blocks: tuple[int, int] | None = None
    """The CTAs to run, a half-open range of linear indices, of which x varies fastest; None: all of them."""
    timeout: float | None = None
    """Seconds until the launch ends with a fault."""
    since: float | None = None
    """When these begin, in `time.monotonic`'s time; None: when the engine is called."""
    max_instructions: int | None = None

    def within(
        self, timeout: float | None, max_instructions: int | None = None, since: float | None = None
    ) -> PreparedLaunch:
        """The same launch with limits."""
        if timeout is max_instructions is self.timeout is self.max_instructions is None:
            return self
        limits = timeout, since, max_instructions
        return PreparedLaunch._make(self[:-3] + limits)  # `_replace` takes four times as long

    def later(self, seconds: float) -> PreparedLaunch:
        """The same launch, whose time limit began later."""
        return self if self.since is None else self._replace(since=self.since + seconds)

    def require_time(self) -> None:
        """Raises Fault if nothing is left of the time limit before the launch: a command reads its files since then."""
        if self.timeout is not None and self.since is not None and time.monotonic() > self.since + self.timeout:
            said = fault_text.not_started(self.timeout)
            raise Fault("timeout", said, kernel=self.function.name, file=self.program.file)

    @property
    def interpreted(self) -> bool:
        """Whether only the reference engine can run it: with clusters, or with a limit on instructions."""
        return self.cluster is not None or self.max_instructions is not None


_running: set[object] = set()
_crowded: set[object] = set()
"""Launches that have overlapped with another."""


class _OfThread(threading.local):
    """The launches that run on a thread; those that a kernel makes run on its own."""

    def __init__(self) -> None:
        self.launches = list[object]()


_of_thread = _OfThread()


class Running:
    """While this is entered, a launch is running on the thread, identified by an object of its own."""

    __slots__ = ("launch",)

    def __init__(self, launch: object) -> None:
        self.launch = launch

    def __enter__(self) -> None:
        _of_thread.launches.append(self.launch)
        _proceed([self.launch])

    def __exit__(self, *raised: object) -> None:
        _of_thread.launches.remove(self.launch)
        _running.discard(self.launch)
        _crowded.discard(self.launch)


@contextmanager
def stopped() -> Generator[None]:
    """While this is entered, the launches on the thread access no memory, so that no other overlaps with them. What it
    raises ends them."""
    _running.difference_update(_of_thread.launches)
    yield
    _proceed(_of_thread.launches)


def _proceed(launches: list[object]) -> None:
    _running.update(launches)
    if len(_running) > 1:
        _crowded.update(_running)


def alone(launch: object) -> bool:
    """Whether no other launch has run since this one began."""
    return launch not in _crowded


class Engine(Protocol):
    def __call__(self, launch: PreparedLaunch, /, **options: Any) -> object:
        """Runs a launch to its end. `options` are the engine's own. Raises Fault."""


_MODULES = {
    "auto": ("openptx.engines.auto.launch",),
    "interp": ("openptx.engines.interp.launch",),
    # `auto` imports the first late
    "native": ("openptx.engines.native.runtime.launch", "openptx.engines.native.entry"),
}
"""What a launch on each engine needs; the last has its `launch`."""


def import_engine(name: str) -> tuple[Engine, float]:
    """The engine of a name, and the seconds that its import took now: 0.1, several on a busy computer that compiles all
    of Python's files. They do not count towards a launch's time limit. ArgumentError if the engine does not exist."""
    if type(name) is str and name in _imported:
        return _imported[name], 0.0
    require_choice("engine", name, tuple(_MODULES))
    start = time.monotonic()
    for module in _MODULES[name]:
        import_module(module)
    _imported[name] = entry(name).launch
    return _imported[name], time.monotonic() - start


_imported: dict[str, Engine] = {}
from_environment()  # before the first launch


def why_interp(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with these blocks, only the interpreter can run; None if nothing."""
    return entry("native").gap(program, function, image, block)


def entry(name: str) -> ModuleType:
    """The module of an engine that has its `launch`."""
    return import_module(_MODULES[name][-1])
