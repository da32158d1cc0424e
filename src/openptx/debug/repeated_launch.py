"""A launch that may run again: from memory as it was, and without printing twice what it printed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from openptx.debug.execution import Execution
from openptx.debug.observer import Decide, StoppingObserver
from openptx.debug.stops import Stop
from openptx.device.allocation import Bytes
from openptx.device.contents import Contents
from openptx.engines.common.engine import PreparedLaunch
from openptx.errors import InputError
from openptx.trace.observer import ObservedBatch

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
