"""Registers during emission: kept with the facts about them, blended only if waiting lanes need their old values."""

from __future__ import annotations

from openptx.engines.native.analysis.affine import affine_of
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import ZEROS, Fact, Value
from openptx.engines.native.emit.ir_builder import FLOAT, LaneType
from openptx.engines.native.emit.llvm_machine import LlvmMachine
from openptx.numerics import Bits


class RegisterFile:
    """The environment of operands: `current` holds registers at the current point of the block."""

    def __init__(self, x: LlvmMachine, facts: Facts) -> None:
        self.x, self.ir, self.scope, self.c, self.facts = x, x.ir, x.scope, x.c, facts
        self.blends = True
        """Whether waiting lanes keep their old values."""
        self.of_launch: dict[int, str] = {}
        """Registers that are written once, with a value that is computed once per launch: its name."""
        self.written_once = written_once(x.c)
        self.begin_block()

    def begin_block(self) -> None:
        self.current: dict[int, Bits] = {}
        self.written: set[int] = set()
        self.scope.entry.begin_block()

    @property
    def frame_base(self) -> Bits | None:
        return self.x.frame.base

    def kept_in_memory(self, cell: int) -> Fact | None:
        """The facts about a register that is kept in memory; None if its value is known, or nothing is written to
        it."""
        fact = self.facts.registers[cell]
        return fact if fact is not None and fact.known is None else None

    @property
    def cells_in_memory(self) -> list[int]:
        return [cell for cell in range(len(self.facts.registers)) if self.kept_in_memory(cell) is not None]

    def cell_type(self, cell: int) -> str:
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        assert fact is not None
        return LaneType(w, fact.lanes is not None).of(FLOAT[w] if fact.raw else f"i{w}")

    def get(self, cell: int) -> Bits:
        found = self.current.get(cell)
        if found is not None:
            return found
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        if fact is None:  # nothing has been written on any path
            return self.x.const(0, w)
        if fact.known is not None:
            found = Bits(self.x, w, fact.known)
        else:
            found = self.held(cell, self.ir.load_slot(self.cell_type(cell), self.ir.own(f"%r{cell}")))
            if cell in self.of_launch and isinstance(found.v, Value):
                self.ir.of_launch[found.v.name] = self.of_launch[cell]
        if not self.ir.cold:
            self.current[cell] = found
        return found

    def held(self, cell: int, name: str) -> Bits:
        """A register's value, as its storage holds it."""
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        assert fact is not None
        if fact.raw:
            return self.x.raw(name, w, fact.lanes is not None)
        return self.x.come_from(self.x.bits(name, w, fact.lanes, fact.tz, fact.high), fact.origin)

    def store_cell(self, cell: int, value: Bits) -> None:
        """Writes to a register in the executing lanes; other lanes keep the old values that they need."""
        if not self.c.options.lane_facts:
            value = self.x.bits(self.x.vector(value), value.width)
        blocks, scope = self.c.graph.blocks, self.scope
        if self.blends and any(cell in blocks[c].live_in for c in self.facts.waiting[scope.block.index]):
            value = self.x.select(scope.mask, value, self.get(cell))
        elif scope.guard is not None and cell in scope.live_results:
            value = self.x.select(scope.guard, value, self.get(cell))
        self.current[cell] = value
        self.written.add(cell)
        if cell in self.written_once and isinstance(value.v, Value) and value.v.name in self.ir.of_launch:
            self.of_launch[cell] = self.ir.of_launch[value.v.name]

    def spill(self) -> None:
        """Stores registers at the block's end if other blocks read them."""
        for cell in sorted(self.written & (self.scope.block.live_out | self.scope.kept)):
            self.keep_in(cell, self.current[cell])

    def keep_in(self, cell: int, value: Bits) -> None:
        fact = self.facts.registers[cell]
        assert fact is not None
        if fact.known is not None:
            assert value.v == fact.known, (cell, value, fact)
            return
        self.ir.store(self.cell_type(cell), self.conformed(value, fact), self.ir.own(f"%r{cell}"), 4)

    def conformed(self, a: Bits, fact: Fact) -> str:
        """The value in a register's form."""
        if fact.raw:
            return self.x.float(a, fact.lanes is not None)
        if fact.lanes is None or fact.lanes is ZEROS:
            return self.x.name_of(a, fact.lanes is ZEROS)
        parts = affine_of(a.v, a.width)
        assert parts is not None
        assert parts.lanes == fact.lanes
        return self.x.texts(parts.base, a.width)

    def variable(self, name: str) -> Bits:
        found = self.x.bits(self.scope.entry.variable(name), 64, ZEROS, 8)
        return self.x.come_from(found, ("variable", name))


def written_once(c: FunctionContext) -> set[int]:
    """The registers that one instruction writes, before they are read."""
    once: set[int] = set()
    more = set(c.graph.blocks[0].live_in)
    for op in c.function.code:
        written = c.cells.writes(op)
        more |= written & once
        once |= written
    return once - more
