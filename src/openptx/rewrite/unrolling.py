"""Unrolling: ptxas repeats the body of a loop with a known trip count, before it contracts.

Products of one iteration then meet sums of the next, and the last iteration's results have other uses than those of
earlier iterations. Found by experiment: docs/decisions/contraction.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import ChainMap
from dataclasses import replace
from typing import NamedTuple

from openptx.control_flow import control, moved, targets
from openptx.program import Imm, Reg, Target
from openptx.rewrite.algebra import algebra, copy, splits_block
from openptx.rewrite.dead_code import computes
from openptx.rewrite.operands import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.isa.types import Type
    from openptx.program import Function, Op

LARGEST = 480
"""The maximum number of instructions of an unrolled loop; somewhat larger ones were seen."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
"""Without `lo`, `ls`, `hi` and `hs`: loops that end by these are not unrolled."""

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


class Loop(NamedTuple):
    """A loop, from its first instruction to the branch back."""

    start: int
    last: int


class Counter(NamedTuple):
    """The loop counter: the register that determines the trip count, and its value after each iteration."""

    register: Reg
    step: int  # the position of its update
    leave: int  # the position of the branch that ends the loop: back, or out of it
    values: list[int]


def unroll(function: Function) -> Function:
    """The function with such loops unrolled, the inner ones first; the same object if there are none.

    Each register must have one web.
    """
    while True:
        found = Loops(function).countable()
        if not found:
            return function
        function = unrolled(function, found)


class Loops:
    """The loops of a function, and their counters."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.edges = sorted((target, pc) for pc, op in enumerate(function.code) for target in targets(op))
        self.writes: dict[int, list[int]] = {}  # positions, by register
        for pc, op in enumerate(function.code):
            for index in written(op):
                self.writes.setdefault(index, []).append(pc)

    def countable(self) -> list[tuple[Loop, Counter]]:
        """Loops with a known trip count, in text order; none within another."""
        found: list[tuple[Loop, Counter]] = []
        for loop in self.innermost():
            counter = self.counter(loop)
            if counter is not None and (loop.last - loop.start - 2) * len(counter.values) <= LARGEST:
                found.append((loop, counter))
        inner = found[:]
        return [each for each in found if not any(within(other, each[0]) for other, _ in inner)]

    def innermost(self) -> list[Loop]:
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

    def counter(self, loop: Loop) -> Counter | None:
        """The loop's counter, if the trip count is known."""
        ends = [
            pc for pc in range(loop.start, loop.last) if any(to > loop.last for to in targets(self.function.code[pc]))
        ]
        found = (self.counted(loop, pc) for pc in ends if self.is_always_run(loop, pc))
        return next((each for each in (self.counted(loop, loop.last), *found) if each is not None), None)

    def counted(self, loop: Loop, leave: int) -> Counter | None:
        """The loop's counter, if this branch ends the loop."""
        code = self.function.code
        guard = code[leave].guard
        if guard is None or guard.negated or control(code[leave]) != "branch":
            return None
        test = self.single(loop, guard.index, "comparison")
        if test is None or test > leave or code[test].operands[1] is not None:
            return None
        a, b = code[test].operands[2:4]
        swapped = isinstance(a, Imm)
        if swapped:
            a, b = b, a
        if not isinstance(a, Reg) or not isinstance(b, Imm):
            return None
        step = self.single(loop, a.index, "integer sum", "integer difference")
        start = self.initial(loop, a.index)
        by = None if step is None else change(code[step], a)
        if step is None or start is None or by is None or (test < step and leave == loop.last):
            return None
        compare = comparison(code[test], swapped=swapped)
        if compare is None:
            return None
        values = rounds(lambda n: compare(n, b.value) == (leave == loop.last), start, by, late=test > step)
        return None if values is None else Counter(a, step, leave, values)

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
        """The value of a register before the loop, if it is a single known number."""
        outside = [at for at in self.writes[index] if not loop.start <= at <= loop.last]
        op = self.function.code[outside[0]] if len(outside) == 1 else None
        if op is None or algebra(op) != "copy" or op.guard is not None:
            return None
        source = op.operands[1]
        return source.value if isinstance(source, Imm) else None


def change(op: Op, counter: Reg) -> int | None:
    """The increment by which an instruction changes a register; None if unknown."""
    a, b = op.operands[1:3]
    if algebra(op) == "integer sum" and isinstance(a, Imm):
        a, b = b, a
    if op.m.sat or a != counter or not isinstance(b, Imm):
        return None
    return b.value if algebra(op) == "integer sum" else -b.value


def within(loop: Loop, other: Loop) -> bool:
    return loop != other and other.start <= loop.start and loop.last <= other.last


def keeps_rolled(op: Op) -> bool:
    """Whether an instruction prevents unrolling: a fence, an event, a call, a guarded barrier."""
    if control(op) in ("breakpoint", "call"):
        return True
    if op.guard is not None and control(op) in ("barrier", "cluster-barrier"):
        return True
    return splits_block(op) and not computes(op)


def comparison(test: Op, *, swapped: bool) -> Callable[[int, int], bool] | None:
    """A comparison on the bits of two integers, the second of which comes first in the text if they are `swapped`."""
    name, type = test.m.CmpOp or "", test.m.type
    compare = COMPARISONS.get(SWAPPED.get(name, name) if swapped else name)
    if compare is None or test.m.values.get("BoolOp") or type.format:
        return None
    return lambda a, b: compare(signed(a, type), signed(b, type))


def rounds(goes_on: Callable[[int], bool], start: int, by: int, *, late: bool) -> list[int] | None:
    """The counter's values after each iteration; None if there are too many. The value tested may be that before the
    update."""
    found, value = list[int](), start
    for _ in range(LARGEST):
        before, value = value, value + by
        found.append(value)
        if not goes_on(value if late else before):
            return found
    return None


def signed(value: int, type: Type) -> int:
    """The number that the bits represent."""
    value &= (1 << type.width) - 1
    return value - (1 << type.width) if type.signed and value >> type.width - 1 else value


def unrolled(function: Function, found: list[tuple[Loop, Counter]]) -> Function:
    """The function with copies of loop bodies, in which counters are set to their known values."""
    code = function.code
    places: dict[int, int] = {}  # of the first copy
    more = 0
    for loop, counter in found:
        places |= {pc: pc + more for pc in range(len(places), loop.last + 1)}
        more += (loop.last - loop.start) * (len(counter.values) - 1) - 1
    places |= {pc: pc + more for pc in range(len(places), len(code) + 1)}
    made: list[Op] = []
    at = 0
    for loop, counter in found:
        made += (moved(op, places) for op in code[at : loop.start])
        size = loop.last - loop.start
        for n, value in enumerate(counter.values):
            copied_places = {pc: places[pc] + n * size for pc in range(loop.start, loop.last + 1)}
            for pc in range(loop.start, loop.last):
                op = code[pc]
                if pc == counter.step:
                    op = copy(
                        counter.register,
                        Imm(value & (1 << counter.register.width) - 1, counter.register.width),
                        op,
                        op.rule,
                    )
                elif pc == counter.leave:
                    op = decided(op, pc, leaves=n == len(counter.values) - 1)
                made.append(moved(op, ChainMap(copied_places, places)))
        at = loop.last + 1
    made += (moved(op, places) for op in code[at:])
    labels = {name: places[pc] for name, pc in function.labels.items()}
    return replace(function, code=tuple(made), labels=labels, rolled=frozenset(places[pc] for pc in function.rolled))


def decided(op: Op, at: int, *, leaves: bool) -> Op:
    """The branch that ends a loop, in an iteration known to be the last or not; if not, control falls through."""
    return replace(op, guard=None, operands=(op.operands[0] if leaves else Target(at + 1), *op.operands[1:]))
