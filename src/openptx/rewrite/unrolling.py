"""Unrolling: ptxas repeats the body of a loop with a known trip count, before it contracts.

Products of one iteration then meet sums of the next, and the last iteration's results have other uses than those of
earlier iterations. Found by experiment: docs/contraction.md.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from openptx.control_flow import control, retarget
from openptx.program import Function, Imm, Op, Reg, Target
from openptx.rewrite.algebra import copy, splits_block
from openptx.rewrite.dead_code import computes
from openptx.rewrite.loops import Loop, Loops, signed, within

LARGEST = 480
"""The maximum number of instructions of an unrolled loop; somewhat larger ones were seen."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
"""Without `lo`, `ls`, `hi` and `hs`: loops that end by these are not unrolled."""


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
        found = countable(function)
        if not found:
            return function
        function = unrolled(function, found)


def countable(function: Function) -> list[tuple[Loop, Counter]]:
    """Loops with a known trip count, in text order; none within another."""
    loops, found = Loops(function), list[tuple[Loop, Counter]]()
    for loop in loops.innermost(keeps_rolled):
        counter = counter_of(loops, loop)
        if counter is not None and (loop.last - loop.start - 2) * len(counter.values) <= LARGEST:
            found.append((loop, counter))
    inner = found[:]
    return [each for each in found if not any(within(other, each[0]) for other, _ in inner)]


def counter_of(loops: Loops, loop: Loop) -> Counter | None:
    """The loop's counter, if the trip count is known."""
    ends = [loop.last]
    if loops.function.code[loop.last].guard is None:
        ends = [pc for pc in loops.exits(loop) if loops.is_always_run(loop, pc)]
    found = (known_counter(loops, loop, leave) for leave in ends)
    return next((each for each in found if each is not None), None)


def known_counter(loops: Loops, loop: Loop, leave: int) -> Counter | None:
    """The loop's counter, if this branch ends the loop."""
    count = loops.count(loop, leave)
    compare = None if count is None else COMPARISONS.get(count.comparison)
    start = None if count is None else loops.initial(loop, count.register.index)
    if count is None or compare is None or start is None or not isinstance(count.bound, Imm):
        return None
    bound = signed(count.bound.value, count.type)

    def iterates_again(n: int) -> bool:
        return compare(signed(n, count.type), bound) == (leave == loop.last)

    values = rounds(iterates_again, start, count.by, late=count.test > count.step)
    return None if values is None else Counter(count.register, count.step, leave, values)


def keeps_rolled(op: Op) -> bool:
    """Whether an instruction prevents unrolling: a fence, an event, a call, a guarded barrier."""
    if control(op) in ("breakpoint", "call"):
        return True
    if op.guard is not None and control(op) in ("barrier", "cluster-barrier"):
        return True
    return splits_block(op) and not computes(op)


def rounds(iterates_again: Callable[[int], bool], start: int, by: int, *, late: bool) -> list[int] | None:
    """The counter's values after each iteration; None if there are too many. The value tested may be that before the
    update."""
    found, value = list[int](), start
    for _ in range(LARGEST):
        before, value = value, value + by
        found.append(value)
        if not iterates_again(value if late else before):
            return found
    return None


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
        made += (retarget(op, places) for op in code[at : loop.start])
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
                made.append(retarget(op, ChainMap(copied_places, places)))
        at = loop.last + 1
    made += (retarget(op, places) for op in code[at:])
    labels = {name: places[pc] for name, pc in function.labels.items()}
    return replace(function, code=tuple(made), labels=labels, rolled=frozenset(places[pc] for pc in function.rolled))


def decided(op: Op, at: int, *, leaves: bool) -> Op:
    """The branch that ends a loop, in an iteration known to be the last or not; if not, control falls through."""
    return replace(op, guard=None, operands=(op.operands[0] if leaves else Target(at + 1), *op.operands[1:]))
