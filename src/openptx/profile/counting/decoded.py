"""Functions decoded for a profiled execution: instructions that access memory report what their lanes access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openptx.engines.common.accesses import Access, CopyAccess, FragmentAccess, MatrixAccess, accessing
from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import DecodedFunction, assemble, guard_step
from openptx.isa.memory_consistency import may_wait
from openptx.profile.counting import observe
from openptx.profile.registers import live_registers
from openptx.program import Reg

if TYPE_CHECKING:
    from openptx.engines.interp.decode import Step
    from openptx.engines.interp.operands import Reader, Registers
    from openptx.profile.counters import Counters
    from openptx.profile.counting.machine import Traced
    from openptx.profile.counting.recorder import Recorder
    from openptx.program import Function, Op

Kept = dict[int, Any]
"""Values of source operands, by index of the operand."""


WAITING = 1 << 16
"""The weight of an instruction that may wait for other lanes: with it the scheduler sooner runs those lanes."""


class ProfiledFunction(DecodedFunction):
    """A function whose memory accesses are counted."""

    waiting = WAITING

    def __init__(self, function: Function, recorder: Recorder) -> None:
        super().__init__(function)
        self.recorder = recorder
        self.live = live_registers(function)

    def bind(self, op: Op) -> Step:
        step = self.step(op)
        if op.guard is None:
            return step
        return guard_step(op.guard, counting(step, self.recorder.of(op)))

    def step(self, op: Op) -> Step:
        found = accessing(op, self.live.unread.get(op, ()))
        if found is None:
            return super().step(op)
        counters = self.recorder.of(op)
        if isinstance(found, FragmentAccess):
            return fragments(super().step(op), found, counters)
        kept: Kept = {}
        wanted = [found.operand]
        if isinstance(found, CopyAccess) and found.limit is not None:
            wanted.append(found.limit)
        readers = self.sources(op)
        for i in wanted:
            readers[i] = keeping(readers[i], kept, i)
        carry = Reg(self.carry, 1)
        inner = assemble(op, readers, self.results(op), self.source(carry, None), self.destination(carry, None))
        return observed(inner, found, kept, counters)

    def weight(self, op: Op) -> int:
        return self.waiting if self.recorder.waits and may_wait(op.m) else 1

    def sources(self, op: Op) -> list[Reader]:
        return list(super().sources(op))


def counting(step: Step, counters: Counters) -> Step:
    """The instruction; counts the lanes that its guard lets execute."""

    def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
        step(x, regs, lanes)
        counters.active += lane_sets.size(lanes, x.n)

    return run


def keeping(read: Reader, kept: Kept, i: int) -> Reader:
    """A reader that also puts the value in `kept`."""

    def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> Any:
        kept[i] = value = read(x, regs, lanes)
        return value

    return run


def observed(inner: Step, found: Access | CopyAccess | MatrixAccess, kept: Kept, counters: Counters) -> Step:
    """The instruction; its access is counted after it."""

    def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
        inner(x, regs, lanes)
        if isinstance(found, Access):
            observe.access(x, found, kept[found.operand].v, lanes, counters)
        elif isinstance(found, MatrixAccess):
            observe.matrices(x, found, kept[found.operand].v, lanes, counters)
        else:
            limit = kept[found.limit] if found.limit is not None else None
            observe.copy(x, found, kept[found.operand].v, limit, lanes, counters)

    return run


def fragments(inner: Step, found: FragmentAccess, counters: Counters) -> Step:
    """A `wmma.load` or `.store`; its loads or stores are counted after it."""

    def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
        trace: list[Traced] = []
        x.trace = trace
        try:
            inner(x, regs, lanes)
        finally:
            x.trace = None
        observe.fragments(x, found, trace, lanes, counters)

    return run
