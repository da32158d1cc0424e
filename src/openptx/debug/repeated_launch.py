"""A launch that may run again: from memory as it was, and without printing twice what it printed before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from openptx.debug.observer import Abandoned, Decide, StoppingObserver
from openptx.debug.stops import EXITED, Stop
from openptx.device.allocation import Bytes
from openptx.device.contents import Contents
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.interp.machine import Threads
from openptx.errors import Bug, Error, InputError
from openptx.trace.observer import ObservedBatch, ObservedLaunch, run_observed


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


MOST = 1 << 30
"""The maximum bytes of memory that are saved, so that the launch can run again."""

PERIOD = 0.1
"""Seconds between two checks for an interrupt while the launch runs."""


class RepeatedLaunch:
    """The executions of a launch, one after another. `others` are arrays outside of device memory that it may write.

    `begin` and `resume` return the stop that the launch reached; `decide` says where it stops.
    """

    def __init__(
        self, prepared: PreparedLaunch, others: Iterable[Bytes], decide: Decide, print: Callable[[str], object]
    ) -> None:
        self._prepared, self._decide, self._print = prepared, decide, print
        self._printed = self._shown = 0  # characters: by the current execution, and by the one that printed most
        self._before = Contents(prepared.memory, others, MOST)
        self._execution: Execution | None = None

    @property
    def observer(self) -> StoppingObserver:
        """The observer of the current execution. Raises InputError if there is none."""
        if self._execution is None:
            raise InputError("the launch has not started")
        return self._execution.observer

    @property
    def batches(self) -> Sequence[ObservedBatch]:
        """The batches of the current execution that have begun."""
        return self._execution.observer.batches if self._execution is not None else ()

    def begin(self) -> Stop:
        """Runs the launch from its start. Raises InputError if it ran before, and has changed more than is saved."""
        if self._execution is not None:
            if not self._before.kept:
                size = self._before.size
                raise InputError(
                    f"the launch can write {size} bytes, and the debugger saves at most {MOST} to run it again"
                )
            self._execution.abandon()
            self._before.restore()
        self._printed = 0
        self._execution = Execution(self._prepared, StoppingObserver(self._decide, self._output))
        return self._wait()

    def resume(self) -> Stop:
        """Continues from a stop."""
        self.observer.resume()
        return self._wait()

    def interrupt(self) -> None:
        """Stops a running execution at its next instruction."""
        if self._execution is not None:
            self._execution.observer.pausing = True

    def end(self) -> None:
        """Ends the current execution, wherever it is."""
        if self._execution is not None:
            self._execution.abandon()
            self._execution = None

    def _wait(self) -> Stop:
        """Waits for the next stop; an interrupt (Ctrl-C) stops the launch, not the session."""
        while True:
            try:
                stop = self.observer.wait(PERIOD)
                if stop is not None:
                    return stop
            except KeyboardInterrupt:
                self.interrupt()

    def _output(self, text: str) -> None:
        """Prints output, except that of a repeated execution, which has been printed before."""
        self._printed += len(text)
        fresh = self._printed - self._shown
        if fresh > 0:
            self._print(text[-fresh:])
            self._shown = self._printed
