"""Idle warps: where a warp that has nothing to do before a barrier knows that none of the following ones has.

In a reduction in shared memory (`if (tid < s) ...; __syncthreads(); s /= 2`) most warps of a block only skip the work
and wait. If the first thread of a warp is beyond the bound, so are the threads of all warps after it, and they skip
the work too, provided that they come to the branch by the same path, and that what changes on it is the same for all
warps. Then nothing is to be run for them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import NamedTuple

from openptx.control_flow import END, control, converges
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.segments import BEGIN, Segments
from openptx.engines.native.analysis.warp_pairing import differs, is_known
from openptx.isa.types import Type
from openptx.program import Address, Imm, Op, Operand, Reg, Special

MOST_BLOCKS = 400
"""The size of a function above which post-dominators, whose sets grow with its square, are not computed."""
BEYOND = {"ge": "ge", "gt": "gt", "ne": "gt", "hs": "ge", "hi": "gt"}
"""By the comparison of a thread's number with a bound that makes it skip the work, the one that makes all following
threads skip it, too."""
OPPOSITE = {"lt": "ge", "le": "gt", "eq": "ne", "lo": "hs", "ls": "hi"}


class Skip(NamedTuple):
    """A block whose branch leads warps past work to a barrier."""

    barrier: Block
    predicate: str
    """LLVM's comparison of the number of a warp's first thread with the bound, if no later thread has work."""
    bound: Operand | None
    type: Type
    saved: list[tuple[int, int]]
    """Registers that change before the barrier and live after it, and their places in the frame."""


def skips(
    c: FunctionContext, facts: Facts, segments: Segments, places: Callable[[Block], list[tuple[int, int]]],
    counted: Container[int],
) -> dict[int, Skip]:  # fmt: skip
    """By block. `places`: registers that live after a barrier, and their places in the frame; `counted`: headers of
    loops whose iterations are counted."""
    if not may_have_idle_warps(c):
        return {}
    tests = {b.index: found for b in c.graph.blocks if facts.reached[b.index] for found in guarding(c, facts, b)}
    if not tests:
        return {}
    differ = Differences(c, facts)
    found: dict[int, Skip] = {}
    for at, (barrier, predicate, test) in tests.items():
        path = leading_to(c, facts, at, c.suspending)
        written = frozenset[int]().union(*(c.graph.writes(b) for b in path))
        saved = [(cell, offset) for cell, offset in places(barrier) if cell in written]
        same = {cell for cell, _ in saved} | {*bound_cells(c, test)}
        if (
            BEGIN not in segments.origins[at]
            and segments.barriers[barrier.stop] is not None
            and path.isdisjoint(c.graph.blocks[at].successors)
            and not any(b in counted for b in path)
            and differ.same_at_barriers
            and differ.cells.isdisjoint(same)
            and all(is_quiet(c, facts, c.graph.blocks[b], differ.cells, b == at) for b in path)
        ):
            found[at] = Skip(barrier, predicate, test.operands[3], test.m.type, saved)
    return found


def may_have_idle_warps(c: FunctionContext) -> bool:
    """Whether threads of later warps have greater numbers `tid.x`, and the function is no longer than is analysed."""
    y, z = c.block[1:]
    return c.all_warps_full and c.warps > 1 and y * z <= 1 and len(c.graph.blocks) <= MOST_BLOCKS


def bound_cells(c: FunctionContext, test: Op) -> tuple[int, ...]:
    bound = test.operands[3]
    return c.cells.of(bound) if isinstance(bound, Reg) else ()


def guarding(c: FunctionContext, facts: Facts, b: Block) -> Iterator[tuple[Block, str, Op]]:
    """The barrier to which a block's branch leads past work, the predicate, and the comparison with the bound."""
    branch = b.last
    if branch is None or control(branch) != "branch" or branch.guard is None or facts.lanes_of(b.index) != "all":
        return
    if facts.branches[b.index] not in ("uniform", "divergent") or len({*b.successors}) != 2:
        return
    test = comparison(c, facts, b, branch.guard)
    if test is None or test.m.CmpOp is None or not isinstance(test.operands[3], Reg | Imm):
        return
    for taken, goal in zip((True, False), b.successors, strict=True):
        if goal == END or not is_only_barrier(c, facts, c.graph.blocks[goal]):
            continue
        name = test.m.CmpOp
        if taken == branch.guard.negated:
            name = {**OPPOSITE, **{v: k for k, v in OPPOSITE.items()}}[name]
        if name in BEYOND:
            signed = test.m.type.name.startswith("s") and name != "ne"
            yield c.graph.blocks[goal], f"{'s' if signed else 'u'}{BEYOND[name]}", test
            return


def is_only_barrier(c: FunctionContext, facts: Facts, b: Block) -> bool:
    """Whether a block is a barrier for whole warps, and nothing else."""
    return b.index in c.suspending and b.stop - b.start == 1 and b.index not in facts.ended


def comparison(c: FunctionContext, facts: Facts, b: Block, guard: Reg) -> Op | None:
    """The comparison of the thread's number with a bound that decides a block's branch."""
    cells, after = c.cells, frozenset[int]()
    for op in reversed(c.function.code[b.start : b.stop - 1]):
        written = cells.writes(op)
        if guard.index not in written:
            after |= written
            continue
        plain = (
            op.form.instruction.algebra == "comparison" and op.guard is None and written == frozenset((guard.index,))
        )
        if not plain or len(op.operands) != 4 or not after.isdisjoint(cells.reads(op)):
            return None
        number, kind = op.operands[2], op.m.type
        is_integer = kind.format is None and kind.width == 32
        return op if is_integer and isinstance(number, Reg) and is_thread_number(c, facts, number, b.index) else None
    return None


def is_thread_number(c: FunctionContext, facts: Facts, register: Reg, at: int) -> bool:
    """Whether a register is `tid.x` wherever a block reads it."""
    (cell,) = c.cells.of(register)
    around = sorted(leading_to(c, facts, at, frozenset()))
    pcs = (pc for b in around for pc in range(c.graph.blocks[b].start, c.graph.blocks[b].stop))
    writing = [op for op in (c.function.code[pc] for pc in pcs) if cell in c.cells.writes(op)]
    if len(writing) != 1 or cell in c.graph.blocks[0].live_in or register.width != 32:
        return False
    (op,) = writing
    source = op.operands[1]
    copied = op.form.instruction.algebra == "copy" and op.guard is None
    return copied and isinstance(source, Special) and source.name == "tid.x"


def leading_to(c: FunctionContext, facts: Facts, at: int, ending: frozenset[int]) -> frozenset[int]:
    """The blocks from which a block is reached, itself included, without leaving one that is `ending`."""
    found, work = {at}, [at]
    while work:
        goal = work.pop()
        for b in c.graph.blocks:
            if goal in b.successors and facts.reached[b.index] and b.index not in ending | found:
                found.add(b.index)
                work.append(b.index)
    return frozenset(found)


def is_quiet(c: FunctionContext, facts: Facts, b: Block, differ: set[int], parts: bool) -> bool:
    """Whether a block only computes registers, in all lanes, and leads warps that agree on registers the same way.
    `parts`: except for its branch."""
    ops = c.function.code[b.start : b.stop]
    if facts.lanes_of(b.index) != "all" or b.syncs_warp:
        return False
    if b.last is not None:
        ops = ops[:-1]
        agrees = facts.branches[b.index] in ("uniform", "taken", "skipped") and differ.isdisjoint(c.cells.reads(b.last))
        if control(b.last) != "branch" or not (parts or agrees):
            return False
    return all(is_computation(c, facts, b.start + i, op) for i, op in enumerate(ops))


def is_computation(c: FunctionContext, facts: Facts, pc: int, op: Op) -> bool:
    instruction = op.form.instruction
    if control(op) is not None or converges(op) or instruction.across_lanes or instruction.access:
        return False
    if pc in facts.may_leave or pc in facts.interpreted or pc in facts.touches:
        return False
    return bool(c.cells.writes(op)) and not any(isinstance(o, Address) for o in op.operands)


class Differences:
    """What may differ between the warps of a CTA that have come to the same barriers."""

    def __init__(self, c: FunctionContext, facts: Facts) -> None:
        self.c, self.facts = c, facts
        self.cells: set[int] = set()
        """Registers whose values may differ, lane by lane."""
        self.blocks: set[int] = set()
        """Blocks that a warp may execute more or less often than another one."""
        self.after = post_dominators(c.graph.blocks, facts)
        before = (-1, -1)
        while self.after is not None and before != (len(self.cells), len(self.blocks)):
            before = len(self.cells), len(self.blocks)
            for b in c.graph.blocks:
                if facts.reached[b.index]:
                    self.visit(b)

    @property
    def same_at_barriers(self) -> bool:
        """Whether all warps come to the same barriers equally often."""
        return self.after is not None and self.blocks.isdisjoint(self.c.suspending)

    def visit(self, b: Block) -> None:
        c = self.c
        for op in c.function.code[b.start : b.stop]:
            lanes = converges(op) or op.form.instruction.across_lanes or control(op) is not None
            if lanes or b.index in self.blocks or differs(c, op, self.cells):
                self.cells |= {cell for cell in c.cells.writes(op) if not is_known(self.facts, cell)}
        if b.last is not None and len({*b.successors}) > 1 and not self.cells.isdisjoint(c.cells.reads(b.last)):
            self.add_between(b)

    def add_between(self, b: Block) -> None:
        """Adds the blocks between one whose branch may differ and where the ways meet again."""
        assert self.after is not None
        meets, between, work = self.after[b.index] & ~(1 << b.index), set[int](), [*b.successors]
        while work:
            at = work.pop()
            if at != END and at not in between and not meets >> at & 1:
                between.add(at)
                work += self.c.graph.blocks[at].successors
        self.blocks |= between


def post_dominators(blocks: list[Block], facts: Facts) -> list[int] | None:
    """For each block those, as bits, that all its paths to the end come by; None if some block has no such path."""
    every = (1 << len(blocks)) - 1
    found = [every if facts.reached[b.index] else 0 for b in blocks]
    changed, ends = True, set[int]()
    while changed:
        changed = False
        for b in reversed(blocks):
            if not facts.reached[b.index]:
                continue
            common = every
            for s in b.successors:
                common &= 0 if s == END else found[s]
            common |= 1 << b.index
            if b.index not in ends and any(s == END or s in ends for s in b.successors):
                ends.add(b.index)
                changed = True
            if common != found[b.index]:
                found[b.index] = common
                changed = True
    return found if all(not facts.reached[b.index] or b.index in ends for b in blocks) else None
