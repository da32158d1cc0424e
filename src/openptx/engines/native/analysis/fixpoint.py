"""The fixpoint: facts about registers, branches and accesses that hold on every path.

Blocks are interpreted in sweeps, in their order, until nothing changes. A register has one fact for the whole function,
the join of the values that blocks leave in it: flow-sensitive facts were tried and gained 22 of 7,292 registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from openptx.control_flow import control
from openptx.engines.common.call_site import CallSite
from openptx.engines.common.cancellation import check_cancelled
from openptx.engines.native.analysis.abstract_machine import AbstractMachine
from openptx.engines.native.analysis.accesses import Access
from openptx.engines.native.analysis.affine import UNKNOWN
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, Fact, Value, fact_of, join, varying
from openptx.engines.native.analysis.liveness import live_results
from openptx.engines.native.analysis.meaning_memo import MeaningMemo, Stored
from openptx.engines.native.analysis.reconvergence import reconvergence
from openptx.engines.native.analysis.shared_addresses import AffineBinder
from openptx.engines.native.analysis.unsupported import InterpretInstruction, InterpretWithinCta, UnsupportedByJit
from openptx.errors import Unsupported
from openptx.numerics import Bits
from openptx.program import Op, Reg

SWEEPS = 40
SETTLE = 3
"""Sweeps after which bounds that still grow are widened."""

CHECKED = 16
"""Operations between two looks at the launch's time limit."""


Branch = Literal["taken", "skipped", "uniform", "assumed", "divergent"]
"""The kind of a branch: decided at compile time, by a scalar, or lane by lane. If it is assumed uniform and diverges,
the warp takes a side exit to the generic version."""


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
    touches: dict[int, str]
    """The memory effect of instructions, by position: "load" or "atomic"."""
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

    def changed(self, cell: int) -> None:
        self.changed_at[cell] = self.clock + 1

    def has_settled(self, since: int) -> bool:
        """Whether no fact has changed after the first block that was interpreted since."""
        return max(self.changed_at, default=0) <= since + 1


class Solver:
    frame_base: Bits | None

    def __init__(self, c: FunctionContext, uniform_branches: frozenset[int], memo: MeaningMemo) -> None:
        self.memo, self.stored = memo, list[Stored]()
        self.c, self.graph, self.cells = c, c.graph, c.cells
        self.uniform_branches = uniform_branches
        self.x = AbstractMachine(c)
        self.binder = AffineBinder(self.x, self, c)
        self.facts: list[Fact | None] = entry_facts(c)
        self.divergent: set[int] = set()
        self.branches: dict[int, Branch] = {}
        self.interpreted: set[int] = set()
        self.interprets_globally = False
        self.calls: set[int] = set()
        self.frame_base = self.x.bits(UNKNOWN, 64, ZEROS, 4) if c.is_function else None
        self.worklist = Worklist(len(self.graph.blocks), len(self.facts))
        self.partial: list[bool] = []
        self.widen = False

    def solve(self) -> Facts:
        for sweep in range(SWEEPS):
            start, divergent = self.worklist.clock, len(self.divergent)
            self.widen = sweep >= SETTLE
            lanes = self.lanes = reconvergence(self.graph.blocks, self.divergent)
            self.partial = [
                not self.c.all_warps_full or bool(lanes.waiting[b.index]) or b.index in lanes.ended
                for b in self.graph.blocks
            ]
            self.sweep()
            if divergent == len(self.divergent) and self.worklist.has_settled(start):
                break
        else:
            raise UnsupportedByJit(f"facts about registers that still change after {SWEEPS} sweeps")
        return Facts(
            self.facts, frozenset(self.divergent), self.lanes.waiting, self.partial, self.lanes.ended,
            self.lanes.reached, self.x.accesses, self.x.touches, frozenset(self.interpreted), frozenset(self.calls),
            frozenset(self.x.may_leave), self.lanes.masked, self.branches,
            self.x.has_tensor_memory, self.interprets_globally,
        )  # fmt: skip

    def sweep(self) -> None:
        """Interprets the blocks whose inputs have changed since they were last interpreted."""
        for b in self.graph.blocks:
            lanes = self.partial[b.index], b.index in self.lanes.ended, self.lanes.waiting[b.index]
            if self.lanes.reached[b.index] and self.worklist.is_due(b.index, lanes):
                self.read = self.worklist.begin(b.index, lanes)
                self.interpret(b)

    # One block

    def interpret(self, b: Block) -> None:
        x = self.x
        self.block, waiting = b, self.lanes.waiting[b.index]
        self.current: dict[int, Bits] = {}
        self.written: set[int] = set()
        self.maybe_uninitialised: set[int] = set()
        """Cells whose value depends on registers that no block seen so far has written."""
        self.reads_undefined = False
        self.kept = frozenset[int]().union(*(self.graph.blocks[c].live_in for c in waiting))
        self.guard: Bits | None = None
        self.block_mask = x.mask = x.unknown(1) if self.partial[b.index] else x.const(1, 1)
        x.lanes_ended = b.index in self.lanes.ended
        lives = live_results(self.graph, b, self.kept)
        for pc in range(b.start, b.stop - 1 if b.last is not None else b.stop):
            self.live_results = lives[pc - b.start]
            if pc % CHECKED == 0:
                check_cancelled()
            self.perform(pc, self.c.function.code[pc])
        self.live_results, x.site = lives[-1], b.stop - 1
        if b.last is not None:
            x.forget(x.site)
            self.finish(b, b.last)
        self.leave_registers()

    def perform(self, pc: int, op: Op) -> None:
        x = self.x
        x.site = pc
        x.forget(pc)
        if op.guard is not None:
            p = self.binder.read_register(op.guard)
            if isinstance(p.v, int):
                if p.v:
                    self.act(op)
                return
            self.guard = p
            x.mask = x.unknown(1) if x.uniform(p) else p & self.block_mask
        self.act(op)
        self.guard, x.mask = None, self.block_mask

    def act(self, op: Op) -> None:
        kind, converges = op.form.instruction.control, op.form.instruction.converges is not None
        if kind == "breakpoint" or (kind == "warp-barrier" and converges):
            return
        if kind == "call":
            self.call(op)
            return
        if kind is not None:
            raise UnsupportedByJit(f"`{op.form.instruction.name}`")
        outer, self.reads_undefined = self.reads_undefined, False
        self.execute(op)
        self.reads_undefined = outer

    def execute(self, op: Op) -> None:
        if self.x.site not in self.interpreted:
            operands = [self.get(cell) for cell in self.cells.sources(op)]
            key = self.memo.key(self.x, operands)
            if self.memo.repeat(self.x, key, operands, self.store_cell):
                return
            self.stored.clear()
            try:
                self.binder.execute(op)
                self.memo.remember(self.x, key, operands, self.stored)
                return
            except (InterpretInstruction, NotImplementedError, Unsupported) as gap:
                self.interpreted.add(self.x.site)
                self.interprets_globally |= not isinstance(gap, InterpretWithinCta)
                self.x.forget(self.x.site)
        self.x.touches[self.x.site] = "atomic"  # its effects are unknown
        for cell in sorted(self.cells.reads(op)):
            self.get(cell)
        for cell in sorted(self.cells.writes(op)):
            self.store_cell(cell, self.x.unknown(self.cells.widths[cell]))

    def call(self, op: Op) -> None:
        """The results of a function are unknown."""
        self.calls.add(self.x.site)
        for wanted in CallSite(op).results:
            if isinstance(wanted, Reg):
                for cell in self.cells.of(wanted):
                    self.store_cell(cell, self.x.unknown(self.cells.widths[cell]))

    def finish(self, b: Block, op: Op) -> None:
        """The end of a block: whether its branch diverges, and the result of a barrier."""
        x, kind = self.x, control(op)
        decides = self.binder.read_register(op.guard) if op.guard is not None else x.const(1, 1)
        if kind == "barrier":
            for place in self.binder.destinations(op):
                if place is not None:
                    self.binder.write(place, x.unknown(32 if op.m.op == "popc" else 1, uniform=True))
            return
        if kind == "branch-table":
            decides = self.binder.source(op.operands[0], op.types[0])
        elif kind == "trap":
            return
        assumed = kind != "branch-table" and b.index in self.uniform_branches
        branch = self.branches[b.index] = branch_by(x, decides, assumed)
        if branch == "assumed":
            x.may_leave.add(x.site)
        elif branch == "divergent" and not self.reads_undefined:
            self.divergent.add(b.index)

    # Registers

    def variable(self, name: str) -> Bits:
        return self.x.come_from(self.x.bits(UNKNOWN, 64, ZEROS, 8), ("variable", name))

    def get(self, cell: int) -> Bits:
        found = self.current.get(cell)
        if found is not None:
            self.reads_undefined |= cell in self.maybe_uninitialised
            return found
        fact, w = self.facts[cell], self.cells.widths[cell]
        self.read.add(cell)
        if fact is None:
            self.reads_undefined = True
            return self.x.const(0, w)
        found = self.current[cell] = value_of(self.x, fact, w)
        return found

    def store_cell(self, cell: int, value: Bits) -> None:
        self.stored.append((cell, value))
        (self.maybe_uninitialised.add if self.reads_undefined else self.maybe_uninitialised.discard)(cell)
        if not self.c.options.lane_facts:
            value = self.x.unknown(value.width)
        if cell in self.kept:
            value = self.x.select(self.x.mask, value, self.get(cell))
        elif self.guard is not None and cell in self.live_results:
            value = self.x.select(self.guard, value, self.get(cell))
        self.current[cell] = value
        self.written.add(cell)

    def leave_registers(self) -> None:
        keep = self.block.live_out | self.kept
        for cell in sorted(self.written & keep - self.maybe_uninitialised):
            found, old = fact_of(self.current[cell].v, self.cells.widths[cell]), self.facts[cell]
            joined = found if old is None else join(old, found, self.widen)
            if joined != old:
                self.facts[cell] = joined
                self.worklist.changed(cell)


def branch_by(x: AbstractMachine, decides: Bits, assumed: bool) -> Branch:
    if x.uniform(decides):
        return "uniform" if isinstance(decides.v, Value) else "taken" if decides.v else "skipped"
    return "assumed" if assumed else "divergent"


def value_of(x: AbstractMachine, fact: Fact, w: int) -> Bits:
    if fact.known is not None:
        return Bits(x, w, fact.known)
    if fact.raw:
        return x.unknown(w, fact.lanes is not None, is_float=True)
    return x.come_from(x.bits(UNKNOWN, w, fact.lanes, fact.tz, fact.high), fact.origin)


def entry_facts(c: FunctionContext) -> list[Fact | None]:
    """Registers that are never written are 0."""
    found: list[Fact | None] = [None] * len(c.cells.widths)
    for cell in c.graph.blocks[0].live_in if c.graph.blocks else ():
        found[cell] = fact_of(0, c.cells.widths[cell])
    for cell in c.argument_cells:
        found[cell] = varying()
    return found
