"""Runtime unrolling: loops with an unknown trip count, by four while more than three iterations remain, then two, one.

ptxas unrolls them before it contracts. If the comparison is unsigned, an iteration is peeled that is executed if the
comparison does not hold before the loop. Found by experiment: docs/contraction.md.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace

from openptx.control_flow import control, converges, retarget
from openptx.isa.instructions import integer_arithmetic
from openptx.isa.types import TYPES
from openptx.program import Function, Imm, Op, Operand, Reg, Register, Target
from openptx.rewrite.algebra import algebra, form_of, make_op
from openptx.rewrite.blocks import ends_block
from openptx.rewrite.dead_code import computes
from openptx.rewrite.loops import Count, Loop, Loops

LARGEST = 18
"""The maximum cost of an iteration, without the increment, the comparison and the branch."""

LARGEST_WITH_LOADS = 46

UNSIGNED = frozenset(("lo", "ls", "hi", "hs"))
NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "lo": "hs", "ls": "hi", "hi": "ls", "hs": "lo", "eq": "ne"}
UPWARDS = frozenset(("lt", "le", "lo", "ls"))
DOWNWARDS = frozenset(("gt", "ge", "hi", "hs"))
INCLUSIVE = frozenset(("le", "ge", "ls", "hs"))


def unroll_by_four(function: Function) -> Function:
    """The function with such loops unrolled; the same object if there are none.

    Each register must have one web.
    """
    loops, found = Loops(function), list[tuple[Loop, Count]]()
    for loop in loops.innermost(keeps_rolled):
        count = count_of(loops, loop)
        if count is not None and is_small(function.code[loop.start : loop.last], count):
            found.append((loop, count))
    return Unrolling(function).finish(found) if found else function


def count_of(loops: Loops, loop: Loop) -> Count | None:
    """The counter of a loop that is tested in its last instruction, or in its first ones."""
    exits, code = loops.exits(loop), loops.function.code
    if has_nested_branches(loops, loop) or len(exits) > 1:
        return None
    count = loops.count(loop, exits[0] if exits else loop.last)
    if count is None or (isinstance(count.bound, Imm) and loops.initial(loop, count.register.index) is not None):
        return None
    if exits:
        first = count.test == loop.start and count.leave == loop.start + 1 and code[loop.last].guard is None
        if not first or count.comparison not in NEGATED:
            return None
        count = count._replace(comparison=NEGATED[count.comparison])
    right = count.comparison in (UPWARDS if count.by > 0 else DOWNWARDS) and fits(3 * count.by, count.type.width)
    return count if count.by and (right or (count.comparison == "ne" and abs(count.by) == 1)) else None


def fits(distance: int, width: int) -> bool:
    """Whether a counter can cover a distance, up or down, without repeating a value."""
    return abs(distance) < 1 << width


def has_nested_branches(loops: Loops, loop: Loop) -> bool:
    """Whether a branch with a guard stands between another one and its target."""
    end = 0
    for pc in range(loop.start, loop.last):
        op = loops.function.code[pc]
        target = op.operands[0] if control(op) == "branch" else None
        if not isinstance(target, Target) or not loop.start <= target.pc <= loop.last:
            continue
        if op.guard is not None:
            if pc < end:
                return True
            end = target.pc
    return False


def keeps_rolled(op: Op) -> bool:
    """Whether an instruction prevents unrolling: all but arithmetic, loads, stores and branches, and arithmetic that
    machine code has subroutines or branches for."""
    if converges(op):
        return True
    if control(op) is not None:
        return control(op) != "branch"
    if computes(op):
        return ends_block(op) or op.form.instruction in (integer_arithmetic.div, integer_arithmetic.rem)
    return op.form.instruction.access not in ("load", "store")


def is_small(code: tuple[Op, ...], count: Count) -> bool:
    """Whether the cost of an iteration is within the limit."""
    loads = any(is_load(op) for op in code)
    cost = sum(map(cost_of, code)) - 2 - (count.leave < count.step)
    return cost <= (LARGEST_WITH_LOADS if loads else LARGEST)


def is_load(op: Op) -> bool:
    return op.form.instruction.access == "load" and op.m.space not in ("param", "const")


def cost_of(op: Op) -> int:
    """The approximate number of machine instructions for one of PTX."""
    kind, m = algebra(op), op.m
    guarded = int(op.guard is not None and control(op) is None)
    if kind in ("copy", "negation", "magnitude"):
        return guarded
    if is_load(op) or op.form.instruction.access == "store":
        return 2 + guarded
    if kind == "quotient":
        return (12 if m.full else 7) + guarded
    if m.approx and not m.ftz and op.form.instruction.scales_subnormals:
        return 6 + guarded
    return (4 if m.wide and m.type.width == 32 and len(op.operands) == 4 else 1) + guarded


class Unrolling:
    """The unrolling of one function; `code` grows instruction by instruction."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.registers = list(function.registers)
        self.code: list[Op] = []
        self.places: dict[int, int] = {}  # of code outside of loops, and of the first copies of bodies
        self.waiting: list[tuple[int, dict[int, int]]] = []  # instructions whose targets are not yet known

    def finish(self, found: list[tuple[Loop, Count]]) -> Function:
        """The function with these loops, which are in text order, unrolled."""
        at = 0
        for loop, count in found:
            self.once(at, loop.start)
            Iterations(self, loop, count).emit()
            at = loop.last + 1
        self.once(at, len(self.function.code))
        self.places[len(self.function.code)] = len(self.code)
        for position, copied in self.waiting:
            self.code[position] = retarget(self.code[position], ChainMap(copied, self.places))
        return replace(
            self.function,
            registers=tuple(self.registers),
            code=tuple(self.code),
            labels={name: self.places[pc] for name, pc in self.function.labels.items()},
            rolled=frozenset(self.places[pc] for pc in self.function.rolled),
        )

    def once(self, start: int, stop: int) -> None:
        """Code outside of loops."""
        for pc in range(start, stop):
            self.places[pc] = len(self.code)
            self.waiting.append((len(self.code), {}))
            self.code.append(self.function.code[pc])

    def register(self, type: str) -> Reg:
        """A register that the text does not have."""
        self.registers.append(Register(f"{len(self.registers)}", TYPES[type], len(self.registers)))
        return Reg(self.registers[-1].index, TYPES[type].width)


class Iterations:
    """The copies of one loop's body."""

    def __init__(self, unrolling: Unrolling, loop: Loop, count: Count) -> None:
        self.unrolling, self.loop, self.count = unrolling, loop, count
        self.code, self.of = unrolling.code, unrolling.function.code[count.test]
        self.unsigned = count.comparison in UNSIGNED or (count.comparison != "ne" and not count.type.signed)
        self.due = unrolling.register(
            "pred"
        )  # whether the first iteration, which is not tested, has yet to be executed
        self.width = count.type.width

    def emit(self) -> None:
        """Emits the loop, in basic blocks as before if-conversion."""
        loop, count, places = self.loop, self.count, self.unrolling.places
        places[loop.start] = len(self.code)
        if count.leave != loop.last:
            for pc in range(loop.start, count.leave + 1):
                places[pc] = len(self.code)
                self.unrolling.waiting.append((len(self.code), {}))
                self.code.append(self.unrolling.function.code[pc])
        self.set_due(True)
        if self.unsigned:
            self.peel()
        rolled = self.branch_unless_left() if count.comparison == "ne" else None
        two = self.branch_unless(self.remain(4))
        self.set_due(False)
        four = len(self.code)
        for _ in range(4):
            self.iteration()
        self.code.append(self.branch(self.remain(4), four))
        self.patch_target(two)
        one = self.branch_unless(self.remain(2))
        self.set_due(False)
        for _ in range(2):
            self.iteration()
        self.patch_target(one)
        end = self.branch_unless(self.compare(count.comparison, self.due, "or"))
        if rolled is not None:
            self.patch_target(rolled)
        first = len(self.code)
        self.iteration()
        if rolled is not None:
            self.code.append(self.branch(self.compare(count.comparison), first))
        self.patch_target(end)
        places[loop.last] = len(self.code)
        if count.leave != loop.last:  # the comparison's result may be read after the loop
            self.code.append(self.of)
            self.unrolling.waiting.append((len(self.code), {}))
            self.code.append(replace(self.unrolling.function.code[count.leave], guard=None))

    def peel(self) -> None:
        """The peeled iteration."""
        holds = self.compare(self.count.comparison)
        main = len(self.code)
        self.code.append(self.branch(holds, main))
        self.iteration()
        self.set_due(False)
        self.patch_target(main)

    def iteration(self) -> None:
        """One copy of the body, with the increment and the comparison."""
        loop, count = self.loop, self.count
        start = loop.start if count.leave == loop.last else count.leave + 1
        base = len(self.code)
        inside = {pc: base + pc - start for pc in range(start, loop.last + 1)}
        inside |= {} if start == loop.start else {loop.start: base + loop.last - start}
        for pc in range(start, loop.last):
            self.unrolling.places.setdefault(pc, len(self.code))
            self.unrolling.waiting.append((len(self.code), inside))
            self.code.append(self.unrolling.function.code[pc])

    # Comparisons and branches.

    def remain(self, iterations: int) -> Reg:
        """Emits the test whether at least so many iterations remain."""
        count, by = self.count, abs(self.count.by)
        far, near = (count.bound, count.register) if count.by > 0 else (count.register, count.bound)
        distance = self.unrolling.register(f"b{self.width}")
        form = form_of("integer difference", f"s{self.width}")
        assert form is not None
        self.code.append(make_op(form, (distance, far, near), self.of, None, ""))
        least = Imm((iterations - 1) * by, self.width)
        if count.comparison == "ne":
            return self.test("gt", f"s{self.width}", distance, least)
        name = "ge" if count.comparison in INCLUSIVE else "gt"
        return self.test(name, f"u{self.width}", distance, least, self.compare(count.comparison), "and")

    def branch_unless_left(self) -> int:
        """A branch to the remainder loop if the trip count would be negative."""
        count = self.count
        far, near = (count.bound, count.register) if count.by > 0 else (count.register, count.bound)
        return self.branch_unless(self.test("gt", f"s{self.width}", far, near))

    def compare(self, name: str, other: Reg | None = None, combined: str = "") -> Reg:
        """The loop's comparison."""
        return self.test(name, self.count.type.name, self.count.register, self.count.bound, other, combined)

    def test(self, name: str, type: str, a: Operand, b: Operand, other: Reg | None = None, combined: str = "") -> Reg:
        to = self.unrolling.register("pred")
        form = form_of("comparison", name, *((combined,) if combined else ()), type)
        assert form is not None
        operands = (to, None, a, b, *(() if other is None else (other,)))
        self.code.append(make_op(form, operands, self.of, None, ""))
        return to

    def set_due(self, value: bool) -> None:
        form = form_of("copy", "pred")
        assert form is not None
        self.code.append(make_op(form, (self.due, Imm(int(value), 1)), self.of, None, ""))

    def branch(self, guard: Reg, target: int) -> Op:
        op = self.unrolling.function.code[self.loop.last]
        return replace(op, guard=guard, operands=(Target(target), *op.operands[1:]))

    def branch_unless(self, holds: Reg) -> int:
        """A branch whose target is set by `patch_target`; its position."""
        self.code.append(self.branch(replace(holds, negated=True), len(self.code)))
        return len(self.code) - 1

    def patch_target(self, position: int) -> None:
        """Makes the next instruction the target of a branch."""
        op = self.code[position]
        self.code[position] = replace(op, operands=(Target(len(self.code)), *op.operands[1:]))
