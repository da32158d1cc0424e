"""One execution of a debugged launch, on its own thread, and the memory snapshot that the next one starts from."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openptx.debug.observer import Abandoned, StoppingObserver
from openptx.debug.stops import EXITED, Stop
from openptx.device.texture import Surface
from openptx.engines.interp.machine import Threads
from openptx.errors import Bug, Error
from openptx.trace.observer import ObservedLaunch, run_observed

if TYPE_CHECKING:
    from openptx.device.heap import State
    from openptx.runtime.module import PreparedLaunch

MOST = 1 << 30
"""The maximum bytes of memory kept for restarts."""


class DebuggedThreads(Threads):
    """Lanes whose output goes to the session, and whose clocks are the same in each execution."""

    observer: StoppingObserver

    def output(self, text: str) -> None:
        self.observer.print(text)

    def now(self) -> int:
        return self.tick() * 1000


@dataclass(frozen=True, slots=True)
class DebuggedLaunch(ObservedLaunch):
    def machine(self, geometry: Any) -> Threads:
        made = DebuggedThreads(geometry, self.memory, self.image)
        assert isinstance(self.observer, StoppingObserver)
        made.observer = self.observer
        return made


class Snapshot:
    """The contents of memory before a launch: everything that a kernel can write."""

    def __init__(self, given: PreparedLaunch, arguments: list[object]) -> None:
        memory = given.memory
        surfaces = [argument.bytes for argument in arguments if isinstance(argument, Surface)]
        places = [row.bytes() for row in memory.allocations() if row.writable] + surfaces
        self.size = sum(place.size for place in places)
        self.kept = self.size <= MOST
        self._bytes = [(place, place.copy()) for place in places] if self.kept else []
        self._heap = memory.heap
        self._state: State | None = memory.heap.state() if memory.heap is not None else None

    def restore(self) -> None:
        """Restores memory."""
        for place, before in self._bytes:
            place[:] = before
        if self._heap is not None and self._state is not None:
            self._heap.restore(self._state)


class Execution:
    """The launch, from its start to its end or until it is abandoned."""

    def __init__(self, given: PreparedLaunch, observer: StoppingObserver) -> None:
        self.given, self.observer = given, observer
        self.thread = threading.Thread(target=self.run, name="openptx launch", daemon=True)
        self.thread.start()

    def run(self) -> None:
        """Runs the launch; the thread's target."""
        error: Error | None = None
        try:
            run_observed(self.given, self.observer, make=DebuggedLaunch)
        except Abandoned:
            return
        except Error as found:
            error = found
        except Exception as found:
            error = Bug.of(found)
        self.observer.ends(Stop(EXITED, self.observer.step, "the launch has ended", error=error))

    def abandon(self) -> None:
        """Ends it, and waits until it no longer accesses memory."""
        self.observer.abandon()
        self.thread.join()
