"""Speculation: branches worth assuming uniform, because divergence would lose the affine form of addresses."""

from __future__ import annotations

from openptx.control_flow import control
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts, fixpoint
from openptx.engines.native.analysis.meaning_memo import MeaningMemo


def solve(c: FunctionContext) -> Facts:
    """The facts; computed again with branches assumed uniform if their divergence loses the affine form of
    addresses."""
    memo = MeaningMemo()
    real = fixpoint(c, memo=memo)
    if not (c.options.speculates and c.options.lane_facts) or c.is_function or not blends_addresses(c, real):
        return real
    ideal = fixpoint(c, branches(c), memo)
    costly = branches_that_cost_offsets(c, real, ideal)
    return fixpoint(c, costly, memo) if costly else real


def branches(c: FunctionContext) -> frozenset[int]:
    return frozenset(b.index for b in c.graph.blocks if b.last is not None and control(b.last) == "branch")


def blended(c: FunctionContext, facts: Facts) -> dict[int, set[int]]:
    """Address registers that are written while waiting lanes need their old values, with the blocks where those lanes
    wait."""
    found: dict[int, set[int]] = {}
    blocks = c.graph.blocks
    for b in blocks:
        if not facts.reached[b.index]:
            continue
        for cell in c.graph.writes(b.index) & c.address_cells:
            waiting = {w for w in facts.waiting[b.index] if cell in blocks[w].live_in}
            if waiting:
                found.setdefault(cell, set()).update(waiting)
    return found


def has_offsets(facts: Facts, cell: int) -> bool:
    fact = facts.registers[cell]
    return fact is not None and fact.lanes is not None


def blends_addresses(c: FunctionContext, real: Facts) -> bool:
    return any(not has_offsets(real, cell) for cell in blended(c, real))


def branches_that_cost_offsets(c: FunctionContext, real: Facts, ideal: Facts) -> frozenset[int]:
    waiting = {
        block
        for cell, blocks in blended(c, real).items()
        if has_offsets(ideal, cell) and not has_offsets(real, cell)
        for block in blocks
    }
    parting = (c.graph.blocks[i] for i in branches(c) & real.divergent)
    return frozenset(b.index for b in parting if not waiting.isdisjoint(b.successors))
