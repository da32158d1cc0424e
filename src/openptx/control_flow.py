"""Control flow as both engines define it: where blocks begin, what ends them, the registers in an operand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from openptx.isa.notation.forms import Form
from openptx.program import Address, Arguments, Function, Imm, Op, Operand, Reg, Target, Targets, Vector

LEAVES = frozenset(("return", "exit", "trap"))
"""Kinds of control instructions that end a function or a thread."""

JUMPS = LEAVES | {"branch", "branch-table"}
"""Kinds of control instructions after which, without a guard, the next instruction does not follow."""

ENDS = JUMPS | {"barrier", "cluster-barrier"}
"""Kinds of control instructions that end a block of an engine."""

END = -1
"""The position, and the block, that lanes reach when they return or exit."""

BARRIERS = frozenset(("barrier", "cluster-barrier", "warp-barrier"))
"""The kinds of control instructions at which threads wait for each other."""


def control(op: Op) -> str | None:
    return op.form.instruction.control


def converges(op: Op) -> bool:
    """Whether lanes of a warp wait for each other at the instruction: those of a mask, or all."""
    return op.form.instruction.converges is not None or bool(control(op) is None and op.m.sync and op.m.aligned)


def targets(op: Op) -> Iterator[int]:
    """Positions that a branch names."""
    for operand in op.operands:
        if isinstance(operand, Target):
            yield operand.pc
        elif isinstance(operand, Targets):
            yield from operand.pcs


@lru_cache(maxsize=512)
def control_instructions(function: Function) -> tuple[tuple[int, Op], ...]:
    """The control instructions and their positions; functions are compared by identity."""
    return tuple((pc, op) for pc, op in enumerate(function.code) if op.form.instruction.control)


@lru_cache(maxsize=512)
def branches(function: Function) -> tuple[tuple[int, int], ...]:
    """The position and the target of each branch, once for each of several targets."""
    return tuple((pc, goal) for pc, op in control_instructions(function) for goal in targets(op))


@lru_cache(maxsize=512)
def branch_targets(function: Function) -> frozenset[int]:
    """All branch targets."""
    return frozenset(goal for _, goal in branches(function))


def jump_targets(op: Op) -> tuple[int, ...]:
    """The positions that a jump leads to, without the next instruction's; END where it leaves."""
    return (tuple(targets(op)) or (END,)) if control(op) in JUMPS else ()


def falls_through(op: Op) -> bool:
    """Whether the next instruction may follow."""
    return op.guard is not None or control(op) not in JUMPS


def successors(op: Op, following: int) -> tuple[int, ...]:
    """The positions where control may continue after an instruction, that of the next one last."""
    return (*jump_targets(op), following) if falls_through(op) else jump_targets(op)


def reachable(function: Function, start: int, avoiding: int = END) -> set[int]:
    """The positions that control may reach from one, itself included, without passing another."""
    code, found, work = function.code, set[int](), [start]
    while work:
        pc = work.pop()
        if pc not in found and pc not in (END, avoiding, len(code)):
            found.add(pc)
            work += successors(code[pc], pc + 1)
    return found


def block_bounds(function: Function, leaders: Iterable[int]) -> list[tuple[int, int]]:
    """Start and stop of each basic block in text order. Blocks begin at the first instruction, if any, at branch
    targets and at these positions."""
    starts = sorted(pc for pc in {0, *branch_targets(function), *leaders} if pc < len(function.code))
    return list(pairwise([*starts, len(function.code)]))


class Places(NamedTuple):
    """The positions of the operands that instructions of a form read, and of those that they write."""

    read: tuple[int, ...]
    written: tuple[int, ...]
    reads_carry: bool
    writes_carry: bool


@cache
def places(form: Form) -> Places:
    updates, carry = form.instruction.updates, form.instruction.carry.split()
    written = [i for i, t in enumerate(form.operands) if t.role in ("write", "returns")]
    read = [i for i, t in enumerate(form.operands) if i not in written or t.name in updates]
    return Places(tuple(read), tuple(written), "in" in carry, "out" in carry)


def is_read(op: Op, i: int) -> bool:
    """Whether the instruction reads operand `i`."""
    return i in places(op.form).read


def is_written(op: Op, i: int) -> bool:
    """Whether the instruction writes operand `i`."""
    return i in places(op.form).written


def registers(operand: Operand | None) -> Iterator[Reg]:
    """All registers in an operand."""
    match operand:
        case Reg():
            yield operand
        case Address():
            for part in (operand.base, *operand.parts):
                yield from registers(part)
        case Vector():
            for element in operand.elements:
                yield from registers(element)
        case Arguments():
            for value in operand.values:
                yield from registers(value)
        case _:
            pass


def read_registers(op: Op) -> tuple[int, ...]:
    """The indices of registers in the operands that the instruction reads; its guard is not among them. They are found
    once: passes ask for those of every instruction again and again."""
    found = op.reads
    if found is None:
        found = registers_at(op, places(op.form).read)
        object.__setattr__(op, "reads", found)
    return found


def written_registers(op: Op) -> tuple[int, ...]:
    """The indices of registers that the instruction writes."""
    found = op.writes
    if found is None:
        found = registers_at(op, places(op.form).written)
        object.__setattr__(op, "writes", found)
    return found


def registers_at(op: Op, positions: Iterable[int]) -> tuple[int, ...]:
    found: list[int] = []
    operands = op.operands
    for i in positions:
        operand = operands[i]
        if isinstance(operand, Reg):
            found.append(operand.index)
        elif operand is not None and not isinstance(operand, Imm):
            found += (register.index for register in registers(operand))
    return tuple(found)


def retarget(op: Op, places: Sequence[int] | Mapping[int, int]) -> Op:
    """The instruction with updated branch targets, by their old positions."""
    if not any(isinstance(operand, (Target, Targets)) for operand in op.operands):
        return op

    def target(operand: Operand | None) -> Operand | None:
        if isinstance(operand, Target):
            return Target(places[operand.pc])
        if isinstance(operand, Targets):
            return Targets(tuple(places[pc] for pc in operand.pcs), operand.functions)
        return operand

    return replace(op, operands=tuple(map(target, op.operands)))
