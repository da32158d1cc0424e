"""A function decoded for execution: its instructions bound to closures, in basic blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from openptx.control_flow import branch_targets, converges
from openptx.engines.common.operands import bind_destinations, bind_sources, source_position
from openptx.engines.interp import lane_sets
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.operands import Reader, Registers, Writer, address, destination, fresh, source
from openptx.engines.interp.recorded_steps import recorded_step
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.memory_consistency import may_poll, may_wait
from openptx.isa.notation import Instruction
from openptx.isa.semantics.elements import unpacked
from openptx.isa.types import Type
from openptx.program import Function, Op, Operand, Reg

Step = Callable[["Threads", Registers, lane_sets.Lanes], None]

WAITING = 1 << 13
"""The number of instructions that one counts for if it may be waiting for other lanes, so that its group is preempted
earlier."""

POLLING = 64
"""The same for a load that may be polling memory, though it need not wait for that."""


class Block:
    """The instructions up to a control instruction, and the latter (None if the next block follows)."""

    __slots__ = ("control", "end", "ops", "start", "steps", "weight")

    def __init__(self, start: int, end: int, steps: list[Step], ops: list[Op], control: Op | None, weight: int) -> None:
        self.start, self.end = start, end  # positions in the code: of the first instruction, and of what follows
        self.steps, self.ops, self.control = steps, ops, control
        self.weight = weight  # number of instructions, with a larger weight for those that may wait for other lanes


class DecodedFunction:
    """A function's blocks, by the position of their first instruction; decoded when control first reaches them."""

    waiting = WAITING

    def __init__(self, function: Function) -> None:
        self.function = function
        self.code = function.code
        self.carry = len(function.registers)  # the register after the last is CC.CF
        self.leaders = branch_targets(function)  # other labels, as debug information has them, end no block
        self._blocks: dict[int, Block] = {}

    # Binding of operands and instructions: an observer of executions overrides these.

    def source(self, operand: Operand | None, t: Type | None) -> Reader:
        return source(operand, t)

    def destination(self, operand: Operand | None, t: Type | None) -> Writer | None:
        return destination(operand, t)

    def sources(self, op: Op) -> list[Reader]:
        return sources(op)

    def results(self, op: Op) -> list[Writer | None]:
        return results(op)

    def step(self, op: Op) -> Step:
        """The instruction as a closure that ignores its guard."""
        return unguarded(op, self.carry)

    def bind(self, op: Op) -> Step:
        """The instruction as a closure, with its guard."""
        step = self.step(op)
        return step if op.guard is None else guard_step(op.guard, step)

    def registers(self) -> Registers:
        """A register file in which nothing has been written."""
        return [fresh(r.type.width) for r in self.function.registers] + [fresh(1)]

    def weight(self, op: Op) -> int:
        """The number of instructions that one counts for in the time slice of its group."""
        return self.waiting if may_wait(op.m) else POLLING if may_poll(op.m) else 1

    def block(self, pc: int) -> Block:
        found = self._blocks.get(pc)
        if found is None:
            found = self._blocks[pc] = self._make(pc)
        return found

    def _make(self, start: int) -> Block:
        steps, ops, pc, weight = list[Step](), list[Op](), start, 1
        while pc < len(self.code):
            op = self.code[pc]
            instruction = op.form.instruction
            pc += 1
            weight += self.weight(op)
            if instruction.control is not None or converges(op):
                return Block(start, pc, steps, ops, op, weight)
            steps.append(self.bind(op))
            ops.append(op)
            if pc in self.leaders:
                break
        return Block(start, pc, steps, ops, None, weight)


@lru_cache(maxsize=512)
def plan(function: Function) -> DecodedFunction:
    """A decoded function; functions are compared by identity."""
    return DecodedFunction(function)


# One instruction.


@lru_cache(maxsize=1 << 14)
def sources(op: Op) -> list[Reader]:
    """A reader for every source operand, in the order of the form."""
    return bind_sources(op, source, address)


@lru_cache(maxsize=1 << 14)
def results(op: Op) -> list[Writer | None]:
    """A writer for every destination, in the order of the form; None if the result is discarded."""
    return bind_destinations(op, destination)


def guard_mask(guard: Reg, regs: Registers, lanes: lane_sets.Lanes, n: int) -> lane_sets.Mask:
    """For each of the lanes, whether a guard holds."""
    p = np.broadcast_to(lane_sets.take(regs[guard.index], lanes), lane_sets.size(lanes, n))
    return ~p if guard.negated else p


def guard_step(guard: Reg, step: Step) -> Step:
    """The instruction, in the lanes for which its guard holds."""
    i, negated = guard.index, guard.negated

    def run(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        p = lane_sets.take(regs[i], lanes)
        if negated:
            p = ~p
        count = np.count_nonzero(p)
        if count == p.size:
            step(x, regs, lanes)
        elif count:
            x.executing = some = lane_sets.where(lanes, p, x.n)
            step(x, regs, some)
            x.executing = lanes

    return run


@lru_cache(maxsize=1 << 14)
def unguarded(op: Op, carry: int) -> Step:
    """The instruction as a closure that ignores its guard."""
    if (step := recorded_step(op)) is not None:
        return step
    return assemble(op, sources(op), results(op), *carry_accessors(carry))


@lru_cache(maxsize=512)
def carry_accessors(index: int) -> tuple[Reader, Writer | None]:
    """The reader and the writer of the register that holds the carry."""
    register = Reg(index, 1)
    return source(register, None), destination(register, None)


def assemble(
    op: Op, readers: list[Reader], writers: list[Writer | None], carry_in: Reader, carry_out: Writer | None
) -> Step:
    """The closure that reads operands, computes, and writes results."""
    instruction = op.form.instruction
    if instruction.meaning is None or instruction.fidelity(op.m) is UNSUPPORTED:
        return _missing(op)
    readers, writers = list(readers), list(writers)
    if "in" in instruction.carry.split():
        readers.append(carry_in)
    if "out" in instruction.carry.split() and op.m.cc:
        writers.append(carry_out)
    return _call(instruction, op.m, readers, writers)


class NoMeaning(Exception):
    """An instruction that cannot be executed: a gap in OpenPTX, not an error of the kernel."""

    def __init__(self, op: Op) -> None:
        super().__init__(str(op.m))
        self.op = op


def _missing(op: Op) -> Step:
    def run(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        raise NoMeaning(op)

    return run


def _call(instruction: Instruction, m: Any, readers: list[Reader], writers: list[Writer | None]) -> Step:
    """Reads, computes, writes; written out for the common shapes, because launches spend most of their time in it."""
    assert instruction.meaning is not None
    mean: Any = unpacked(instruction.meaning, m)
    if len(writers) == 1 and writers[0] is not None:
        write = writers[0]
        if len(readers) == 1:
            (a,) = readers
            return lambda x, regs, lanes: write(x, regs, lanes, mean(x, m, a(x, regs, lanes)))
        if len(readers) == 2:
            a, b = readers
            return lambda x, regs, lanes: write(x, regs, lanes, mean(x, m, a(x, regs, lanes), b(x, regs, lanes)))
        return lambda x, regs, lanes: write(x, regs, lanes, mean(x, m, *[r(x, regs, lanes) for r in readers]))

    if not writers and len(readers) == 2:  # a store
        a, b = readers
        return lambda x, regs, lanes: mean(x, m, a(x, regs, lanes), b(x, regs, lanes))

    def run(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        found = mean(x, m, *[read(x, regs, lanes) for read in readers])
        if len(writers) < 2:
            found = (found,)
        for write, result in zip(writers, found or (), strict=False):
            if write is not None:
                write(x, regs, lanes, result)

    return run


def member_mask(op: Op, sources: list[Reader]) -> Reader:
    """Reads the mask of the lanes that arrive together: the whole warp for `.aligned` instructions without a mask."""
    name = op.form.instruction.converges
    if name is None:
        return lambda x, regs, lanes: x.const(-1, 32)
    return sources[source_position(op, name)]
