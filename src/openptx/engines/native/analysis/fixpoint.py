"""The fixpoint: facts about registers, branches and accesses that hold on every path.

Blocks are interpreted in sweeps, in their order, until nothing changes. A register has one fact for the whole function,
the join of the values that blocks leave in it: flow-sensitive facts were tried and gained 22 of 7,292 registers. A
register for each web (rewrite/webs.py) would gain less: of 5,455 registers for %tid, %ctaid, %ntid and %laneid in
2,024 kernels of nvcc, 46 are written elsewhere, too, and in each the writers reach a common reader.

Speculation computes them again with branches assumed uniform, where divergence would lose the affine form of addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from openptx.control_flow import control
from openptx.engines.native.analysis.abstract_machine import AbstractMachine
from openptx.engines.native.analysis.accesses import Access
from openptx.engines.native.analysis.block_interpreter import BlockInterpreter, Branch, Findings, RegisterState
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lane_patterns import Pattern
from openptx.engines.native.analysis.lattice import Fact, fact_of, join, varying
from openptx.engines.native.analysis.meaning_memo import MeaningMemo
from openptx.engines.native.analysis.reconvergence import reconvergence
from openptx.engines.native.analysis.unsupported import UnsupportedByJit

SWEEPS = 40
SETTLE = 3
"""Sweeps after which bounds that still grow are widened."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that hold on every path."""

    registers: list[Fact | None]
    """By cell; None: never written."""
    divergent: frozenset[int]
    """Blocks whose branch may diverge."""
    waiting: list[frozenset[int]]
    """Where lanes may wait while a block runs."""
    partial: list[bool]
    """Blocks that only some lanes of a warp may execute."""
    ended: frozenset[int]
    """Blocks during which lanes of the warp may have exited."""
    reached: list[bool]
    accesses: dict[int, Access]
    patterns: dict[int, Pattern]
    """Those of the addresses of accesses at a separate address per lane, by position."""
    touches: dict[int, str]
    """The memory effect of instructions, by position: "load", "atomic", or "probe", an atomic that adds 0 in order to
    read."""
    touches_others: dict[int, str]
    """The same of instructions that access memory which other CTAs can access."""
    interpreted: frozenset[int]
    """Positions of instructions that the interpreter executes."""
    calls: frozenset[int]
    """Positions of calls that lanes may reach."""
    may_leave: frozenset[int]
    """Positions where the warp exits to the generic version if an assumption fails."""
    masked: dict[int, None]
    """In their order, blocks with a mask of their lanes: lanes wait there, or elsewhere while it runs."""
    branches: dict[int, Branch]
    """How lanes leave blocks that end with a branch, a return or an exit."""
    has_tensor_memory: bool
    """Whether an instruction touches tensor memory."""
    interprets_globally: bool
    """Whether an instruction that the interpreter executes may change what other CTAs see."""

    def lanes_of(self, block: int) -> Literal["all", "live", "own"]:
        """Which lanes run a block: the whole warp, those that have not exited, or those in the block's mask."""
        return "all" if not self.partial[block] else "own" if self.waiting[block] else "live"


def fixpoint(
    c: FunctionContext, uniform_branches: frozenset[int] = frozenset(), memo: MeaningMemo | None = None
) -> Facts:
    """Raises UnsupportedByJit if only the interpreter can run the function. `memo`: that of an earlier fixpoint."""
    return Solver(c, uniform_branches, memo or MeaningMemo()).solve()


class Worklist:
    """Which blocks have to be interpreted again: those that read a fact that has changed since, or during which other
    lanes may wait than before."""

    def __init__(self, blocks: int, cells: int) -> None:
        self.clock = 0  # blocks interpreted so far
        self.reads = [set[int]() for _ in range(blocks)]
        """The cells whose facts each block read when it was last interpreted."""
        self.changed_at = [0] * cells
        self.interpreted_at: list[tuple[int, object]] = [(-1, None)] * blocks

    def is_due(self, block: int, lanes: object) -> bool:
        at, before = self.interpreted_at[block]
        return before != lanes or any(self.changed_at[cell] > at for cell in self.reads[block])

    def begin(self, block: int, lanes: object) -> set[int]:
        """A block is interpreted. Returns the set of the cells that it reads, which is still empty."""
        self.clock += 1
        self.interpreted_at[block] = self.clock, lanes
        read = self.reads[block] = set[int]()
        return read

    def mark_changed(self, cell: int) -> None:
        self.changed_at[cell] = self.clock + 1

    def has_settled(self, since: int) -> bool:
        """Whether no fact has changed after the first block that was interpreted since."""
        return max(self.changed_at, default=0) <= since + 1


class Solver:
    def __init__(self, c: FunctionContext, uniform_branches: frozenset[int], memo: MeaningMemo) -> None:
        self.c, self.uniform_branches, self.memo = c, uniform_branches, memo
        self.x = AbstractMachine(c)
        self.facts: list[Fact | None] = entry_facts(c)
        self.findings = Findings()
        self.worklist = Worklist(len(c.graph.blocks), len(self.facts))
        self.partial: list[bool] = []
        self.widen = False

    def solve(self) -> Facts:
        x, found, blocks = self.x, self.findings, self.c.graph.blocks
        for sweep in range(SWEEPS):
            start, divergent = self.worklist.clock, len(found.divergent)
            self.widen = sweep >= SETTLE
            lanes = self.lanes = reconvergence(blocks, found.divergent)
            self.partial = [
                not self.c.all_warps_full or bool(lanes.waiting[b.index]) or b.index in lanes.ended for b in blocks
            ]
            self.sweep()
            if divergent == len(found.divergent) and self.worklist.has_settled(start):
                break
        else:
            raise UnsupportedByJit(f"facts about registers that still change after {SWEEPS} sweeps")
        return Facts(
            self.facts, frozenset(found.divergent), self.lanes.waiting, self.partial, self.lanes.ended,
            self.lanes.reached, x.accesses, x.patterns, x.touches, x.touches_others, frozenset(found.interpreted),
            frozenset(found.calls), frozenset(x.may_leave), self.lanes.masked, found.branches, x.has_tensor_memory,
            found.interprets_globally,
        )  # fmt: skip

    def sweep(self) -> None:
        """Interprets the blocks whose inputs have changed since they were last interpreted."""
        for b in self.c.graph.blocks:
            lanes = self.partial[b.index], b.index in self.lanes.ended, self.lanes.waiting[b.index]
            if self.lanes.reached[b.index] and self.worklist.is_due(b.index, lanes):
                self.interpret(b, self.worklist.begin(b.index, lanes))

    def interpret(self, b: Block, read: set[int]) -> None:
        """Joins what a block leaves in registers to the facts. Adds to `read` the cells whose facts it reads."""
        x, graph = self.x, self.c.graph
        kept = frozenset[int]().union(*(graph.blocks[c].live_in for c in self.lanes.waiting[b.index]))
        registers = RegisterState(x, self.c, self.facts, kept, read)
        mask = x.unknown(1) if self.partial[b.index] else x.const(1, 1)
        assumed = b.index in self.uniform_branches
        BlockInterpreter(x, self.c, self.memo, self.findings, registers, mask).interpret(b, assumed)
        for cell, value in registers.leave(b.live_out | kept):
            found, old = fact_of(value.v, self.c.cells.widths[cell]), self.facts[cell]
            joined = found if old is None else join(old, found, self.widen)
            if joined != old:
                self.facts[cell] = joined
                self.worklist.mark_changed(cell)


def entry_facts(c: FunctionContext) -> list[Fact | None]:
    """Registers that are never written are 0."""
    found: list[Fact | None] = [None] * len(c.cells.widths)
    for cell in c.graph.blocks[0].live_in if c.graph.blocks else ():
        found[cell] = fact_of(0, c.cells.widths[cell])
    for cell in c.argument_cells:
        found[cell] = varying()
    return found


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
