"""One execution of a debugged launch, on its own thread."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from openptx.debug.observer import Abandoned, StoppingObserver
from openptx.debug.stops import EXITED, Stop
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.interp.machine import Threads
from openptx.errors import Bug, Error
from openptx.trace.observer import ObservedLaunch, run_observed


class DebuggedThreads(Threads):
    """Lanes whose output goes to the session, and whose clocks are the same in each execution."""

    observer: StoppingObserver

    def output(self, text: str) -> None:
        self.observer.print(text)

    def now(self) -> int:
        return self.tick() * 1000


@dataclass(frozen=True, slots=True)
class DebuggedLaunch(ObservedLaunch):
    """A launch whose lanes are `DebuggedThreads`."""

    def machine(self, geometry: Any) -> Threads:
        made = DebuggedThreads(geometry, self.memory, self.image)
        assert isinstance(self.observer, StoppingObserver)
        made.observer = self.observer
        return made


class Execution:
    """The launch, from its start to its end or until it is abandoned."""

    def __init__(self, prepared: PreparedLaunch, observer: StoppingObserver) -> None:
        self.prepared, self.observer = prepared, observer
        self.thread = threading.Thread(target=self.run, name="openptx-launch", daemon=True)
        self.thread.start()

    def run(self) -> None:
        """Runs the launch; the thread's target."""
        error: Error | None = None
        try:
            run_observed(self.prepared, self.observer, make=DebuggedLaunch)
        except Abandoned:
            return
        except Error as found:
            error = found
        except Exception as found:
            error = Bug.of(found)
        self.observer.ends(Stop(EXITED, self.observer.step, "the launch has ended", error=error))

    def abandon(self) -> None:
        """Ends the launch, and waits until it no longer accesses memory."""
        self.observer.abandon()
        self.thread.join()
