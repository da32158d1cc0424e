"""Interprets one block on the abstract machine: the fixpoint's transfer function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from openptx.control_flow import control
from openptx.engines.common.call_site import CallSite
from openptx.engines.native.analysis.abstract_machine import AbstractMachine
from openptx.engines.native.analysis.activations import only_interpreted
from openptx.engines.native.analysis.affine import UNKNOWN
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lane_patterns import ALIKE
from openptx.engines.native.analysis.lattice import ZEROS, Fact, Value
from openptx.engines.native.analysis.liveness import live_results
from openptx.engines.native.analysis.meaning_memo import MeaningMemo, Stored
from openptx.engines.native.analysis.operand_binder import AffineBinder
from openptx.engines.native.analysis.unsupported import InterpretInstruction, InterpretWithinCta, UnsupportedByJit
from openptx.errors import Unsupported
from openptx.locks import check_cancelled
from openptx.numerics import Bits
from openptx.program import Op, Reg

CHECKED = 16
"""Operations between two looks at the launch's time limit."""

Branch = Literal["taken", "skipped", "uniform", "assumed", "divergent"]
"""The kind of a branch: decided at compile time, by a scalar, or lane by lane. If it is assumed uniform and diverges,
the warp takes a side exit to the generic version."""


@dataclass(slots=True)
class Findings:
    """What has been found of instructions and branches."""

    divergent: set[int] = field(default_factory=set[int])
    branches: dict[int, Branch] = field(default_factory=dict[int, Branch])
    interpreted: set[int] = field(default_factory=set[int])
    calls: set[int] = field(default_factory=set[int])
    interprets_globally: bool = False


class RegisterState:
    """The registers while one block is interpreted."""

    def __init__(
        self, x: AbstractMachine, c: FunctionContext, facts: list[Fact | None], kept: frozenset[int], read: set[int]
    ) -> None:
        self.x, self.cells, self.facts, self.lane_facts = x, c.cells, facts, c.options.lane_facts
        self.kept = kept
        """Cells that live in lanes that wait while the block runs."""
        self.read = read
        self.current: dict[int, Bits] = {}
        self.written: set[int] = set()
        self.maybe_uninitialised: set[int] = set()
        """Cells whose value depends on registers that no block seen so far has written."""
        self.reads_undefined = False
        self.guard: Bits | None = None
        self.live_results: frozenset[int] = frozenset()
        self.stored: list[Stored] = []
        """What the current instruction has written."""
        self.frame_base = x.bits(UNKNOWN, 64, ZEROS, 4) if c.is_function else None

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
        if not self.lane_facts:
            value = self.x.unknown(value.width)
        if cell in self.kept:
            value = self.x.select(self.x.mask, value, self.get(cell))
        elif self.guard is not None and cell in self.live_results:
            value = self.x.select(self.guard, value, self.get(cell))
        self.current[cell] = value
        self.written.add(cell)

    def store_unknown(self, cell: int) -> None:
        self.store_cell(cell, self.x.unknown(self.cells.widths[cell]))

    def leave(self, keep: frozenset[int]) -> list[Stored]:
        """The values of those of the cells `keep` that the block has written, and all of whose sources are known."""
        return [(cell, self.current[cell]) for cell in sorted(self.written & keep - self.maybe_uninitialised)]


class BlockInterpreter:
    """Executes the instructions of one block on the abstract machine."""

    def __init__(
        self, x: AbstractMachine, c: FunctionContext, memo: MeaningMemo, findings: Findings, registers: RegisterState,
        mask: Bits,
    ) -> None:  # fmt: skip
        self.x, self.c, self.memo, self.findings, self.registers = x, c, memo, findings, registers
        self.block_mask = x.mask = mask
        self.binder = AffineBinder(x, registers, c)

    def interpret(self, b: Block, assumed: bool) -> None:
        """`assumed`: the branch at its end is assumed uniform."""
        x, registers = self.x, self.registers
        lives = live_results(self.c.graph, b, registers.kept)
        for pc in range(b.start, b.stop - 1 if b.last is not None else b.stop):
            registers.live_results = lives[pc - b.start]
            if pc % CHECKED == 0:
                check_cancelled()
            self.perform(pc, self.c.function.code[pc])
        registers.live_results, x.site = lives[-1], b.stop - 1
        if b.last is not None:
            x.forget(x.site)
            self.finish(b, b.last, assumed)

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
            self.registers.guard = p
            x.mask = x.unknown(1) if x.uniform(p) else p & self.block_mask
        self.act(op)
        self.registers.guard, x.mask = None, self.block_mask

    def act(self, op: Op) -> None:
        kind, converges = op.form.instruction.control, op.form.instruction.converges is not None
        if kind == "breakpoint" or (kind == "warp-barrier" and converges):
            return
        if kind == "call":
            self.call(op)
            return
        if kind is not None:
            raise UnsupportedByJit(f"`{op.form.instruction.name}`")
        outer, self.registers.reads_undefined = self.registers.reads_undefined, False
        self.execute(op)
        self.registers.reads_undefined = outer

    def execute(self, op: Op) -> None:
        x, cells, registers, found = self.x, self.c.cells, self.registers, self.findings
        if x.site not in found.interpreted:
            operands = [registers.get(cell) for cell in cells.sources(op)]
            key = self.memo.key(x, operands)
            if self.memo.repeat(x, key, operands, registers.store_cell):
                return
            registers.stored.clear()
            try:
                self.binder.execute(op)
                self.memo.remember(x, key, operands, registers.stored)
                return
            except (InterpretInstruction, NotImplementedError, Unsupported) as gap:
                found.interpreted.add(x.site)
                found.interprets_globally |= not isinstance(gap, InterpretWithinCta)
                x.forget(x.site)
        x.touch_all()
        for cell in sorted(cells.reads(op)):
            registers.get(cell)
        for cell in sorted(cells.writes(op)):
            registers.store_unknown(cell)

    def call(self, op: Op) -> None:
        """The results of a function are unknown."""
        if not only_interpreted(self.c.function, self.x.site):
            self.findings.calls.add(self.x.site)
        for wanted in CallSite(op).results:
            if isinstance(wanted, Reg):
                for cell in self.c.cells.of(wanted):
                    self.registers.store_unknown(cell)

    def finish(self, b: Block, op: Op, assumed: bool) -> None:
        """The end of a block: whether its branch diverges, and the result of a barrier."""
        x, kind = self.x, control(op)
        decides = self.binder.read_register(op.guard) if op.guard is not None else x.const(1, 1)
        if kind == "barrier":
            for place in self.binder.destinations(op):
                if place is not None:
                    self.binder.write(place, x.unknown(32 if op.m.op == "popc" else 1, pattern=ALIKE))
            return
        if kind == "branch-table":
            decides = self.binder.source(op.operands[0], op.types[0])
        elif kind in ("trap", "cluster-barrier"):
            return
        branch = self.findings.branches[b.index] = branch_by(x, decides, assumed and kind != "branch-table")
        if branch == "assumed":
            x.may_leave.add(x.site)
        elif branch == "divergent" and not self.registers.reads_undefined:
            self.findings.divergent.add(b.index)


def branch_by(x: AbstractMachine, decides: Bits, assumed: bool) -> Branch:
    if x.uniform(decides):
        return "uniform" if isinstance(decides.v, Value) else "taken" if decides.v else "skipped"
    return "assumed" if assumed else "divergent"


def value_of(x: AbstractMachine, fact: Fact, w: int) -> Bits:
    if fact.known is not None:
        return Bits(x, w, fact.known)
    if fact.raw:
        return x.unknown(w, ALIKE if fact.lanes is not None else fact.pattern, is_float=True)
    v = Value(UNKNOWN, fact.lanes, fact.tz, fact.high)
    v.pattern, v.origin = fact.pattern, fact.origin
    return Bits(x, w, v)
