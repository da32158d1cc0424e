"""Definite assignment: which instructions may read registers that no path to them has written, guards considered.

A forward must-analysis on single instructions. A state records for each register whether it was definitely written,
and, for each predicate that guards something, whether it was written if the predicate holds or if it does not:
compilers leave a register unwritten on the path that skips its use by the same predicate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from openptx.control_flow import ENDS, branch_targets, control, read_registers, targets, written_registers
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


class State:
    """`always`: the definitely written registers, as bits; `when`: those written if a literal holds. If the literal is
    known not to hold, these are all registers."""

    __slots__ = ("always", "when")

    def __init__(self, always: int, when: dict[Literal, int]) -> None:
        self.always, self.when = always, when

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

    def join(self, other: State) -> bool:
        """Keeps what holds in both states; returns whether this one has lost a fact."""
        always = self.always & other.always
        when = {literal: bits & other.when[literal] for literal, bits in self.when.items()}
        lost = always != self.always or when != self.when
        self.always, self.when = always, when
        return lost


@lru_cache(maxsize=256)
def unassigned_reads(function: Function) -> tuple[Read, ...]:
    """All reads of registers that may not have been written. A function's parameters are written at its entry, and its
    return values are read at its returns."""
    given = bits_of(function.parameters)
    suspects = _Analysis(function, given, frozenset()).reads()
    predicates = frozenset(op.guard.index for op in function.code if op.guard is not None)
    if not suspects or 2 * len(predicates) * len(_leaders(function)) > STATES:
        return tuple(suspects)
    return tuple(_Analysis(function, given, predicates).reads())


def bits_of(formals: tuple[Register | Variable, ...]) -> int:
    """The formals that are registers, as bits."""
    return sum(1 << formal.index for formal in formals if isinstance(formal, Register))


def _leaders(function: Function) -> set[int]:
    after = (pc + 1 for pc, op in enumerate(function.code) if control(op) in ENDS)
    return {0, *branch_targets(function), *after}


class _Analysis:
    def __init__(self, function: Function, given: int, predicates: frozenset[int]) -> None:
        self.code, self.carry = function.code, len(function.registers)
        self.returns = bits_of(function.returns)
        self.all = (1 << self.carry + 1) - 1
        self.leaders = _leaders(function)
        literals = [(p, negated) for p in sorted(predicates) for negated in (False, True)]
        self.begin: dict[int, State] = {0: State(given, dict.fromkeys(literals, given))}
        """By the position of a reachable block."""

    def reads(self) -> list[Read]:
        ahead = [0]
        while ahead:
            start = ahead.pop()
            for goal, state in self.ends(start):
                known = self.begin.get(goal)
                if known is None:
                    self.begin[goal] = state.copy()
                elif not known.join(state):
                    continue
                if goal < len(self.code):
                    ahead.append(goal)
        return [read for start in sorted(self.begin) for read in self.found_in(start)]

    def found_in(self, start: int) -> Iterator[Read]:
        state, pc = self.begin[start].copy(), start
        while pc < len(self.code):
            op = self.code[pc]
            missing = self.read(op) & ~state.of(op.guard)
            if op.guard is not None:
                missing |= 1 << op.guard.index & ~state.always
            yield from (Read(pc, i) for i in range(missing.bit_length()) if missing >> i & 1)
            self.step(state, op)
            pc += 1
            if pc in self.leaders:
                return

    def ends(self, start: int) -> Iterator[tuple[int, State]]:
        """The successors of a block, with the states on their edges."""
        state, pc = self.begin[start].copy(), start
        while pc < len(self.code):
            op = self.code[pc]
            self.step(state, op)
            pc += 1
            if pc in self.leaders:
                break
        else:
            return
        guard, kind = op.guard, control(op)
        goals = [*targets(op)] if kind in ("branch", "branch-table") else []
        for goal in goals:
            yield goal, state if guard is None else state.assume(guard, self.all)
        leaves = kind in ("branch", "branch-table", "return", "exit", "trap")
        if guard is not None and leaves:
            yield pc, state.assume(Reg(guard.index, 1, not guard.negated), self.all)
        elif not leaves:
            yield pc, state

    def step(self, state: State, op: Op) -> None:
        for r in written_registers(op):
            state.forget(r.index)
            if op.guard is None or op.guard.index != r.index:
                state.write(1 << r.index, op.guard)
        if "out" in op.form.instruction.carry.split():
            state.write(1 << self.carry, op.guard)

    def read(self, op: Op) -> int:
        found = self.returns if control(op) == "return" else 0
        for r in read_registers(op):
            found |= 1 << r.index
        if "in" in op.form.instruction.carry.split():
            found |= 1 << self.carry
        return found
