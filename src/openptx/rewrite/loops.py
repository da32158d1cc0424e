"""Innermost loops, which ptxas unrolls, and their counters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

from openptx.control_flow import control, reachable, targets, written_registers
from openptx.isa.types import Type
from openptx.program import Function, Imm, Op, Operand, Reg
from openptx.rewrite.algebra import algebra


class Loop(NamedTuple):
    """A loop, from its first instruction to the branch back."""

    start: int
    last: int


class Count(NamedTuple):
    """The loop counter: a register with a constant increment, and the comparison that ends the loop."""

    register: Reg
    by: int
    bound: Operand
    comparison: str  # `lt`: the branch is taken if the register is less than the bound
    type: Type  # of the comparison
    step: int  # positions: of the increment,
    test: int  # of the comparison,
    leave: int  # and of the branch that ends the loop: back, or out of it


SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "lo": "hi", "ls": "hs", "hi": "lo", "hs": "ls"}


class Loops:
    """The loops of a function, in which each register must have one web."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.edges = sorted((target, pc) for pc, op in enumerate(function.code) for target in targets(op))
        self.writes: dict[int, list[int]] = {}  # positions, by register
        for pc, op in enumerate(function.code):
            for index in written_registers(op):
                self.writes.setdefault(index, []).append(pc)

    def innermost(self, keeps_rolled: Callable[[Op], bool]) -> list[Loop]:
        """Loops with a single back edge, from their last instruction, that are entered only at their first
        instruction."""
        found: list[Loop] = []
        for target, pc in self.edges:
            op = self.function.code[pc]
            if target > pc or control(op) != "branch" or target in self.function.rolled:
                continue
            inside = range(target, pc + 1)
            around = self.edges[bisect_left(self.edges, (target, 0)) : bisect_left(self.edges, (pc + 1, 0))]
            enters = any(at not in inside and to != target for to, at in around)
            again = any(at in inside and to <= at and at != pc for to, at in around)
            if not enters and not again and not any(map(keeps_rolled, self.function.code[target:pc])):
                found.append(Loop(target, pc))
        return found

    def exits(self, loop: Loop) -> list[int]:
        """Positions of the branches out of a loop."""
        inside = range(loop.start, loop.last)
        return [pc for pc in inside if any(not loop.start <= to <= loop.last for to in targets(self.function.code[pc]))]

    def count(self, loop: Loop, leave: int) -> Count | None:
        """The loop's counter, if this branch ends the loop."""
        code = self.function.code
        guard = code[leave].guard
        if guard is None or guard.negated or control(code[leave]) != "branch":
            return None
        test = self.single(loop, guard.index, "comparison")
        if test is None or test > leave or (compared := self.compared(loop, code[test])) is None:
            return None
        register, name, bound = compared
        step = self.single(loop, register.index, "integer sum", "integer difference")
        by = None if step is None else change(code[step], register)
        if step is None or by is None or (test < step and leave == loop.last):
            return None
        return Count(register, by, bound, name, code[test].m.type, step, test, leave)

    def compared(self, loop: Loop, test: Op) -> tuple[Reg, str, Operand] | None:
        """The register that an integer comparison reads, how it is compared, and with which bound."""
        m, name, (a, b) = test.m, test.m.CmpOp or "", test.operands[2:4]
        if test.operands[1] is not None or m.values.get("BoolOp") or m.type.format:
            return None
        if not self.is_bound(loop, b):
            a, b, name = b, a, SWAPPED.get(name, name)
        return (a, name, b) if isinstance(a, Reg) and b is not None and self.is_bound(loop, b) else None

    def is_bound(self, loop: Loop, operand: Operand | None) -> bool:
        """Whether an operand is the same in each iteration."""
        return isinstance(operand, Imm) or self.is_kept(loop, operand)

    def is_kept(self, loop: Loop, operand: Operand | None) -> bool:
        """Whether a register is loop-invariant."""
        return isinstance(operand, Reg) and not any(
            loop.start <= at <= loop.last for at in self.writes.get(operand.index, ())
        )

    def single(self, loop: Loop, index: int, *kinds: str) -> int | None:
        """The only position in a loop that writes a register, if it is an operation of this algebra executed in every
        iteration."""
        places = [at for at in self.writes.get(index, ()) if loop.start <= at < loop.last]
        if len(places) != 1:
            return None
        at = places[0]
        op = self.function.code[at]
        return at if op.guard is None and algebra(op) in kinds and self.is_always_run(loop, at) else None

    def is_always_run(self, loop: Loop, at: int) -> bool:
        """Whether every iteration that does not end the loop executes an instruction."""
        skips = (to for pc in range(loop.start, at) for to in targets(self.function.code[pc]))
        return not any(at < to <= loop.last for to in skips)

    def initial(self, loop: Loop, index: int) -> int | None:
        """The value of a register whenever the loop is entered, if it is a single known number."""
        outside = [at for at in self.writes[index] if not loop.start <= at <= loop.last]
        op = self.function.code[outside[0]] if len(outside) == 1 else None
        if op is None or algebra(op) != "copy" or op.guard is not None or not isinstance(op.operands[0], Reg):
            return None
        source = op.operands[1]
        return source.value if isinstance(source, Imm) and not self.is_entered_again(loop, outside[0]) else None

    def is_entered_again(self, loop: Loop, avoiding: int) -> bool:
        """Whether control may come back to a loop that it left, without passing a position."""
        code = self.function.code
        exits = {to for pc in self.exits(loop) for to in targets(code[pc])} | {loop.last + 1}
        left = (to for to in exits if not loop.start <= to <= loop.last)
        return any(loop.start in reachable(self.function, to, avoiding) for to in left)


def change(op: Op, counter: Reg) -> int | None:
    """The signed increment by which an instruction changes a register; None if unknown."""
    a, b = op.operands[1:3]
    if algebra(op) == "integer sum" and isinstance(a, Imm):
        a, b = b, a
    if op.m.sat or a != counter or not isinstance(b, Imm):
        return None
    value = b.value if algebra(op) == "integer sum" else -b.value
    half = 1 << op.m.type.width - 1
    return (value + half) % (2 * half) - half


def signed(value: int, type: Type) -> int:
    """The number that the bits represent."""
    value &= (1 << type.width) - 1
    return value - (1 << type.width) if type.signed and value >> type.width - 1 else value


def within(loop: Loop, other: Loop) -> bool:
    return loop != other and other.start <= loop.start and loop.last <= other.last
