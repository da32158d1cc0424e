"""Definite assignment: which instructions may read registers that no path to them has written, guards considered.

A forward must-analysis on single instructions. A state records for each register whether it was definitely written,
and, for each predicate that guards something, whether it was written if the predicate holds or if it does not:
compilers leave a register unwritten on the path that skips its use by the same predicate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from openptx.control_flow import (
    ENDS,
    JUMPS,
    block_bounds,
    control,
    falls_through,
    jump_targets,
    read_registers,
    written_registers,
)
from openptx.dataflow import bits_of, numbers_of, solve
from openptx.program import Function, Op, Reg, Register, Variable

Literal = tuple[int, bool]
"""A predicate, and whether it is negated."""

STATES = 1 << 21
"""The number of guard facts kept for all blocks together; functions with more are analysed without them."""


class Read(NamedTuple):
    """The instruction at `pc` may read `register` before it is written; the carry flag has the number after the last
    register."""

    pc: int
    register: int


@dataclass(slots=True)
class State:
    """`always`: the definitely written registers, as bits; `when`: those written if a literal holds. If the literal is
    known not to hold, these are all registers."""

    always: int
    when: dict[Literal, int]

    def copy(self) -> State:
        return State(self.always, dict(self.when))

    def of(self, guard: Reg | None) -> int:
        """The registers definitely written if a guard holds."""
        return self.always if guard is None else self.when.get((guard.index, guard.negated), self.always)

    def write(self, bit: int, guard: Reg | None) -> None:
        """A register is written if the guard holds."""
        if guard is None:
            self.always |= bit
            for literal in self.when:
                self.when[literal] |= bit
            return
        literal, other = (guard.index, guard.negated), (guard.index, not guard.negated)
        if literal not in self.when:
            return
        self.when[literal] |= bit
        if self.when[other] & bit:  # either way
            self.write(bit, None)

    def forget(self, predicate: int) -> None:
        """The predicate gets a new value, so facts about the old one are dropped."""
        for negated in (False, True):
            if (predicate, negated) in self.when:
                self.when[predicate, negated] = self.always

    def assume(self, guard: Reg, all_registers: int) -> State:
        """The state if a guard holds."""
        found, literal = self.copy(), (guard.index, guard.negated)
        if literal in found.when:
            bits = found.when[literal]
            found.when[guard.index, not guard.negated] = all_registers
            found.always |= bits
            for each in found.when:
                found.when[each] |= bits
        return found

    def join(self, other: State) -> State:
        """What holds in both states."""
        when = {literal: bits & other.when[literal] for literal, bits in self.when.items()}
        return State(self.always & other.always, when)


@lru_cache(maxsize=256)
def unassigned_reads(function: Function) -> tuple[Read, ...]:
    """All reads of registers that may not have been written. A function's parameters are written at its entry, and its
    return values are read at its returns."""
    given = registers_of(function.parameters)
    suspects = _Analysis(function, given, frozenset()).reads()
    predicates = frozenset(op.guard.index for op in function.code if op.guard is not None)
    if not suspects or 2 * len(predicates) * len(_bounds(function)) > STATES:
        return tuple(suspects)
    return tuple(_Analysis(function, given, predicates).reads())


def registers_of(formals: tuple[Register | Variable, ...]) -> int:
    """The formals that are registers, as bits."""
    return bits_of(formal.index for formal in formals if isinstance(formal, Register))


def _bounds(function: Function) -> dict[int, int]:
    return dict(block_bounds(function, (pc + 1 for pc, op in enumerate(function.code) if control(op) in ENDS)))


class _Analysis:
    def __init__(self, function: Function, given: int, predicates: frozenset[int]) -> None:
        self.code, self.carry = function.code, len(function.registers)
        self.returns = registers_of(function.returns)
        self.all = (1 << self.carry + 1) - 1
        self.stops = _bounds(function)
        literals = [(p, negated) for p in sorted(predicates) for negated in (False, True)]
        self.entry = State(given, dict.fromkeys(literals, given))

    def reads(self) -> list[Read]:
        before = solve({0: self.entry}, self.ends, State.join) if self.code else {}
        return [read for start in sorted(before) for read in self.found_in(start, before[start].copy())]

    def found_in(self, start: int, state: State) -> Iterator[Read]:
        for pc in range(start, self.stops[start]):
            op = self.code[pc]
            missing = self.read(op) & ~state.of(op.guard)
            if op.guard is not None:
                missing |= 1 << op.guard.index & ~state.always
            yield from (Read(pc, i) for i in numbers_of(missing))
            self.step(state, op)

    def ends(self, start: int, before: State) -> Iterator[tuple[int, State]]:
        """The successors of a block, with the states on their edges."""
        state, stop = before.copy(), self.stops[start]
        for op in self.code[start:stop]:
            self.step(state, op)
        last = self.code[stop - 1]
        guard = last.guard if control(last) in JUMPS else None
        for goal in jump_targets(last):
            if goal in self.stops:
                yield goal, state if guard is None else state.assume(guard, self.all)
        if stop in self.stops and falls_through(last):
            other = None if guard is None else Reg(guard.index, 1, not guard.negated)
            yield stop, state if other is None else state.assume(other, self.all)

    def step(self, state: State, op: Op) -> None:
        for i in written_registers(op):
            state.forget(i)
            if op.guard is None or op.guard.index != i:
                state.write(1 << i, op.guard)
        if "out" in op.form.instruction.carry.split():
            state.write(1 << self.carry, op.guard)

    def read(self, op: Op) -> int:
        found = self.returns if control(op) == "return" else 0
        for i in read_registers(op):
            found |= 1 << i
        if "in" in op.form.instruction.carry.split():
            found |= 1 << self.carry
        return found
