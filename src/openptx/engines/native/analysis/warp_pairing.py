"""Warp pairing: whether two warps of a CTA can run a function at once, block by block, and whether that pays.

It pays where a loop is one chain of operations, each of which waits for the one before. It is possible where both warps
take the same branches: values that may differ between the warps of a CTA are found by a forward data-flow analysis,
and no branch may depend on them, nor may a warp leave for other code. Both are allowed before the first loop and the
first store: there the two warps can still begin again, each alone (`Pairing.restartable`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from openptx.control_flow import END, control, converges
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.program import Address, Op, Operand, Special

SAME = "ctaid", "nctaid", "ntid", "laneid", "lanemask", "nwarpid", "clusterid", "nclusterid"
"""Special registers that are the same in the warps of a CTA, lane by lane."""
UNCHANGING = frozenset(("param", "const"))
"""Spaces that a kernel does not write."""


class Pairing(NamedTuple):
    restartable: frozenset[int]
    """Blocks in which warps can begin again: none of their effects can be seen, and no loop has begun."""
    differing: frozenset[int]
    """Blocks whose branch may depend on the warp."""

    def covers(self, leaving: Iterable[int]) -> bool:
        """Whether warps can begin again in all of these blocks."""
        return self.restartable.issuperset(leaving)


def pairing(c: FunctionContext, facts: Facts) -> Pairing | None:
    """How two warps run the function at once, if that is possible and pays."""
    plain = c.runs_next_warp and c.all_warps_full and c.warps > 1 and not facts.masked and not c.entered_from
    if not plain or c.suspending or c.options.watched or c.options.baseline or facts.interpreted:
        return None
    blocks = [b for b in c.graph.blocks if facts.reached[b.index]]
    if not all(is_local(c, facts, b, pc) for b in blocks for pc in range(b.start, b.stop)):
        return None
    if not any(b.index in b.successors and is_chain(c, facts, b) for b in blocks):
        return None
    found = Pairing(restartable(c, blocks), differing_branches(c, facts, blocks))
    return found if found.covers(found.differing) else None


def is_local(c: FunctionContext, facts: Facts, b: Block, pc: int) -> bool:
    """Whether an operation affects other threads at most by a load or a store, and does not depend on which lanes of
    its warp have ended, or skip it."""
    op = c.function.code[pc]
    if control(op) is not None:
        return control(op) in ("branch", "return", "exit")
    instruction = op.form.instruction
    if instruction.access or pc in facts.touches or any(isinstance(o, Address) for o in op.operands):
        return instruction.access in ("load", "store") and facts.touches.get(pc) != "atomic"
    if (facts.partial[b.index] or op.guard is not None) and (converges(op) or instruction.across_lanes):
        return False
    return bool(c.cells.writes(op))  # and not a fence, a prefetch, a wait


def is_chain(c: FunctionContext, facts: Facts, b: Block) -> bool:
    """Whether at least half of a loop's operations on lanes each wait for the one before, iteration after iteration,
    and none accesses memory."""
    if any(pc in facts.accesses or pc in facts.touches for pc in range(b.start, b.stop)):
        return False

    def varies(cell: int) -> bool:
        fact = facts.registers[cell]
        return fact is not None and fact.known is None and fact.lanes is None

    written = frozenset[int]().union(*(c.cells.writes(op) for op in c.function.code[b.start : b.stop]))
    vectors = {cell for cell in b.live_in if varies(cell)}
    depth = dict.fromkeys(vectors & written, 0)  # operations since the iteration began, in the longest chain
    operations = 0
    for op in c.function.code[b.start : b.stop]:
        results = c.cells.writes(op)
        before = [depth[cell] for cell in c.cells.reads(op) if cell in depth]
        if vectors.isdisjoint(c.cells.reads(op)):
            vectors -= results
        else:
            vectors |= results
            operations += bool(results)
        for cell in results:
            depth.pop(cell, None)
        depth.update(dict.fromkeys(results, max(before) + 1) if before else {})
    carried = [depth.get(cell, 0) for cell in b.live_in & written]
    return operations > 0 and 2 * max(carried, default=0) >= operations


def restartable(c: FunctionContext, blocks: list[Block]) -> frozenset[int]:
    """The blocks that no path reaches from a loop or from a block that stores."""

    def stores(b: Block) -> bool:
        return any(op.form.instruction.access == "store" for op in c.function.code[b.start : b.stop])

    work = [b.index for b in blocks if b.index in c.headers or stores(b)]
    begun: set[int] = set()
    while work:
        at = work.pop()
        if at != END and at not in begun:
            begun.add(at)
            work += c.graph.blocks[at].successors
    return frozenset(b.index for b in blocks) - begun


def differing_branches(c: FunctionContext, facts: Facts, blocks: list[Block]) -> frozenset[int]:
    """The blocks that end with a branch whose guard may differ between the warps.

    Control dependence adds nothing: either both warps take the same branches, or they begin again.
    """
    differ: set[int] = set()
    before = -1
    while before != len(differ):
        before = len(differ)
        for b in blocks:
            differ |= differing_after(c, facts, b, differ) & b.live_out

    def may_differ(b: Block) -> bool:
        if facts.branches.get(b.index) in ("assumed", "divergent"):  # which lanes take part may differ, too
            return True
        guard = b.last.guard if b.last is not None else None
        return guard is not None and not differing_after(c, facts, b, differ).isdisjoint(c.cells.of(guard))

    return frozenset(b.index for b in blocks if may_differ(b))


def differing_after(c: FunctionContext, facts: Facts, b: Block, differ: set[int]) -> set[int]:
    """The registers that may differ where a block ends; `differ`: those where one begins."""
    found = differ & b.live_in
    for op in c.function.code[b.start : b.stop]:
        if differs(c, op, found):
            found |= {cell for cell in c.cells.writes(op) if not is_known(facts, cell)}
        elif op.guard is None:
            found -= c.cells.writes(op)
    return found


def differs(c: FunctionContext, op: Op, differ: set[int]) -> bool:
    """Whether the results of an operation may differ between warps; `differ`: registers that may."""
    if not differ.isdisjoint(c.cells.reads(op)) or any(map(is_of_warp, op.operands)):
        return True
    return bool(op.form.instruction.access) and op.m.space not in UNCHANGING


def is_of_warp(operand: Operand | None) -> bool:
    return isinstance(operand, Special) and not operand.name.startswith(SAME)


def is_known(facts: Facts, cell: int) -> bool:
    fact = facts.registers[cell]
    return fact is not None and fact.known is not None
