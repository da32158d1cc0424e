"""A launch that is ready to run, as engines and the tools that observe launches are given it; and which launches run at
the same time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from openptx.engines.common import fault_text
from openptx.errors import Fault

if TYPE_CHECKING:
    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.errors import Triple
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
        return PreparedLaunch(*self[:-3], timeout, since, max_instructions)  # `_replace` takes twice as long

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


class Running:
    """While this is entered, a launch is running, identified by an object of its own."""

    __slots__ = ("launch",)

    def __init__(self, launch: object) -> None:
        self.launch = launch

    def __enter__(self) -> None:
        _running.add(self.launch)
        if len(_running) > 1:
            _crowded.update(_running)

    def __exit__(self, *raised: object) -> None:
        _running.discard(self.launch)
        _crowded.discard(self.launch)


def alone(launch: object) -> bool:
    """Whether no other launch has run since this one began."""
    return launch not in _crowded
