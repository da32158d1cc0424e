"""The observer that stops a launch: it runs on the launch's thread, which waits for the session's thread at each
stop."""

from __future__ import annotations

import threading
from collections.abc import Callable

from openptx.control_flow import control, written_registers
from openptx.debug.stops import FAULT, PAUSE, Stop
from openptx.engines.common.engine import stopped
from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import DeadlockError
from openptx.engines.interp.frames import Frame
from openptx.engines.interp.initcheck import WrittenRegisters
from openptx.engines.interp.memory.spaces import Violation
from openptx.engines.interp.reports import deadlock, fault
from openptx.errors import Error, Unsupported
from openptx.program import Op
from openptx.trace.observer import ObservedBatch, Observer

Decide = Callable[["StoppingObserver", "lane_sets.Lanes"], Stop | None]
"""Decides, at an instruction that lanes have reached, whether to stop."""


class Abandoned(BaseException):
    """Ends an execution that its session has abandoned."""


class StoppingObserver(Observer):
    """`step` is the index of the instruction that `lanes` have reached; `pc` and `op` identify it. `last` are the lanes
    that executed the one before.

    `decide` is called at each instruction. The launch's thread waits in `stop` until the session's calls `resume`.
    """

    op: Op
    pc: int
    lanes: lane_sets.Lanes

    def __init__(self, decide: Decide, output: Callable[[str], object]) -> None:
        super().__init__()
        self.decide, self.print = decide, output
        self.step = 0
        self.batches: list[ObservedBatch] = []
        self.pausing = self.abandoned = False
        self.stopped_at: Stop | None = None
        self._stopped, self._go = threading.Semaphore(0), threading.Semaphore(0)
        self.last: tuple[ObservedBatch, lane_sets.Lanes] | None = None
        self._written: dict[ObservedBatch, WrittenRegisters] = {}

    # On the launch's thread.

    def begins(self, batch: ObservedBatch) -> None:
        self.batches.append(batch)
        self._written[batch] = WrittenRegisters(batch.x.n)

    def arrives(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        self.step += 1
        self.pc, self.op, self.lanes = pc, op, lanes
        if self.abandoned:
            raise Abandoned
        stop = Stop(PAUSE, self.step, "interrupted") if self.pausing else self.decide(self, lanes)
        if stop is not None:
            self.pausing = False
            self.stop(stop)

    def executed(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        self.last = self.batch, lanes
        self._written[self.batch].after(op, self.batch.frame_running, lanes)

    def suspended(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        callee = self.batch.frame_running
        if control(op) == "return" and callee.parent is not None and callee.call is not None:
            for i in written_registers(callee.call):
                self._written[self.batch].write(callee.parent, i, lanes)

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        for formal in frame.plan.function.parameters:
            index = getattr(formal, "index", None)
            if isinstance(index, int):
                self._written[self.batch].write(frame, index, lanes)

    def fails(self, batch: ObservedBatch, problem: Exception) -> None:
        """The launch is about to end in a fault; all state is as it was at the failing instruction."""
        if self.abandoned:
            return
        error: Error
        if isinstance(problem, Violation):
            error = fault(batch.launch, batch, problem)
            if problem.lane >= 0:
                self.lanes = slice(problem.lane, problem.lane + 1)
        elif isinstance(problem, DeadlockError):
            error = deadlock(batch.launch, batch, problem.spins)
        elif isinstance(problem, Unsupported):
            error = problem
        else:
            error = Unsupported(str(problem), file=batch.program.file, span=self.op.span)
        message = f"{getattr(error, 'name', 'unsupported')}: {getattr(error, 'message', problem)}"
        self.stop(Stop(FAULT, self.step, message, error=error))

    def stop(self, stop: Stop) -> None:
        """Reports a stop and waits until the session continues the launch."""
        self.stopped_at = stop
        self._stopped.release()
        with stopped():
            self._go.acquire()
            if self.abandoned:
                raise Abandoned

    def ends(self, stop: Stop) -> None:
        """Reports that the launch has ended."""
        self.stopped_at = stop
        self._stopped.release()

    # On the session's thread.

    def resume(self) -> None:
        """Continues the launch."""
        self.stopped_at = None
        self._go.release()

    def wait(self, seconds: float | None = None) -> Stop | None:
        """The next stop; None if there is none within the timeout."""
        if not self._stopped.acquire(timeout=seconds):
            return None
        return self.stopped_at

    def abandon(self) -> None:
        """Ends the launch, stopped or running."""
        self.abandoned = True
        self._go.release()

    def wrote(self, batch: ObservedBatch, frame: Frame, register: int, lanes: lane_sets.Lanes) -> None:
        """Lanes' registers have been assigned."""
        self._written[batch].write(frame, register, lanes)

    def has_written(self, batch: ObservedBatch, frame: Frame, register: int, lane: int) -> bool:
        """Whether a lane has written a register of an activation."""
        return self._written[batch].has_written(frame, register, lane)
