"""Observation of the reference engine instruction by instruction: an observer's events, and the code that raises
them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import Batch, DeadlockError
from openptx.engines.interp.decode import Block, DecodedFunction, NoMeaning, Step, guard_mask
from openptx.engines.interp.frames import Frame, Group
from openptx.engines.interp.launch import Launch, launch
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory.spaces import Violation
from openptx.engines.interp.operands import Registers
from openptx.errors import Unsupported
from openptx.numerics import Bits
from openptx.program import Function, Op


class Observer:
    """Receives an event for every instruction. Subclasses override the events they need.

    `batch` is the batch of CTAs that executes at the moment.
    """

    batch: ObservedBatch

    def __init__(self) -> None:
        self._functions: dict[Function, ObservedFunction] = {}

    def decoded(self, function: Function) -> ObservedFunction:
        """The function as it is executed under observation."""
        found = self._functions.get(function)
        if found is None:
            found = self._functions[function] = ObservedFunction(function, self)
        return found

    def begins(self, batch: ObservedBatch) -> None:
        """A batch has been created."""

    def arrives(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        """Lanes reach an instruction, including those whose guard does not hold, and those that will wait."""

    def executes(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        """Lanes are about to execute an instruction. For a branch they are all lanes that decide, whatever the
        guard."""

    def executed(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        """Lanes have executed an instruction, and its results are written. Precedes any other event of these lanes."""

    def suspended(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        """Lanes have executed a control instruction that has no results yet: a call, a barrier that is not complete."""

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Lanes call a function, whose activation is `frame`."""

    def fails(self, batch: ObservedBatch, problem: Exception) -> None:
        """The launch is about to end in `problem`; registers, memory and waiting lanes still exist."""


class ObservedFunction(DecodedFunction):
    """A function whose instructions report to an observer."""

    def __init__(self, function: Function, observer: Observer) -> None:
        super().__init__(function)
        self.observer = observer
        self.positions = {op: pc for pc, op in enumerate(function.code)}

    def bind(self, op: Op) -> Step:
        inner, observer, pc = super().bind(op), self.observer, self.positions[op]

        def run(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
            observer.arrives(pc, op, lanes)
            active = guarded_lanes(op, regs, lanes, x.n)
            if isinstance(active, NoLanes):
                return
            x.executing = active
            observer.executes(pc, op, active)
            x.executing = lanes
            inner(x, regs, lanes)
            x.executing = active
            observer.executed(pc, op, active)
            x.executing = lanes

        return run


class NoLanes:
    """No lane at all, which a set of lanes cannot represent."""


NO_LANES = NoLanes()


def guarded_lanes(op: Op, regs: Registers, lanes: lane_sets.Lanes, n: int) -> lane_sets.Lanes | NoLanes:
    """The lanes for which the instruction's guard holds."""
    if op.guard is None:
        return lanes
    p = guard_mask(op.guard, regs, lanes, n)
    if p.all():
        return lanes
    return lane_sets.where(lanes, p, n) if p.any() else NO_LANES


class ObservedBatch(Batch):
    """A batch that reports to an observer. `group` are the running lanes."""

    group: Group

    def __init__(self, launch: ObservedLaunch, x: Threads) -> None:
        self.observer = launch.observer
        self._converged = False
        super().__init__(launch, x)
        launch.observer.begins(self)

    def run(self, until: int) -> bool:
        try:
            return super().run(until)
        except (Violation, DeadlockError, NoMeaning, Unsupported) as problem:
            self.observer.fails(self, problem)
            raise

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        self.observer.enters(frame, lanes)

    def advance(self, group: Group, slice_ends: int, until: int) -> None:
        self.observer.batch, self.group = self, group
        super().advance(group, slice_ends, until)

    def examine(self, group: Group) -> None:
        """A launch that is repeated, to go back, has to run its groups in the same order, so nothing is learned."""

    def execute_control(self, group: Group, block: Block) -> bool:
        op, pc, lanes, observer = block.control, block.end - 1, group.lanes, self.observer
        assert op is not None
        kind = op.form.instruction.control
        observer.arrives(pc, op, lanes)
        if kind in (None, "warp-barrier"):  # lanes that reach it may wait, and continue with others
            return self.converge(group, block, pc, op)
        active = lanes if kind == "branch" else guarded_lanes(op, group.frame.regs, lanes, self.x.n)
        if isinstance(active, NoLanes):
            return super().execute_control(group, block)
        self.x.executing = active
        observer.executes(pc, op, active)
        self.x.executing = lanes
        frame = group.frame
        continues = super().execute_control(group, block)
        if continues and group.frame is frame and kind != "branch":
            observer.executed(pc, op, active)
        else:
            observer.suspended(pc, op, active)
        return continues

    def converge(self, group: Group, block: Block, pc: int, op: Op) -> bool:
        self._converged = False
        continues = super().execute_control(group, block)
        if self._converged:
            self.observer.executed(pc, op, group.lanes)
        return continues

    def converges(self, op: Op, lanes: lane_sets.Lanes, mask: Bits) -> None:
        self._converged = True
        self.observer.executes(self.group.pc, op, lanes)

    @property
    def frame_running(self) -> Frame:
        """The activation whose instruction runs."""
        assert self.current is not None
        return self.current


@dataclass(frozen=True, slots=True)
class ObservedLaunch(Launch):
    """A launch whose batches report to the observer."""

    observer: Observer

    batches = ObservedBatch

    def decoded(self, function: Function) -> ObservedFunction:
        return self.observer.decoded(function)


def run_observed(
    prepared: PreparedLaunch, observer: Observer, timeout: float | None = None, max_instructions: int | None = None,
    make: type[ObservedLaunch] = ObservedLaunch,
) -> None:  # fmt: skip
    """Runs a launch on the reference engine, with an observer."""
    launch(prepared.within(timeout, max_instructions), make=partial(make, observer=observer))
