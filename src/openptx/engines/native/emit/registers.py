"""Registers while code is made: kept by what is known of them, blended only where lanes that wait need them."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import ZEROS, Fact, N
from openptx.engines.native.emit.lane_type import FLOAT
from openptx.engines.native.emit.llvm_machine import LlvmMachine
from openptx.numerics import Bits


class RegisterFile:
    """The environment of operands: `current` are registers as they are at this point of the block."""

    def __init__(self, x: LlvmMachine, c: FunctionContext, facts: Facts) -> None:
        self.x, self.ir, self.scope, self.c, self.facts = x, x.ir, x.scope, c, facts
        self.blends = True
        """Whether lanes that wait keep their old values."""
        self.begin_block()

    def begin_block(self) -> None:
        self.current: dict[int, Bits] = {}
        self.written: set[int] = set()

    @property
    def frame_base(self) -> Bits | None:
        return self.x.frame.base

    """The state of the translation, and what reads and writes registers in it."""

    def cell_type(self, cell: int) -> str:
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        assert fact is not None
        t = FLOAT[w] if fact.raw else f"i{w}"
        return t if fact.lanes is not None else f"<{N} x {t}>"

    def get(self, cell: int) -> Bits:
        found = self.current.get(cell)
        if found is not None:
            return found
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        if fact is None:  # nothing has been written yet, on any way seen so far
            return self.x.const(0, w)
        found = Bits(self.x, w, fact.known) if fact.known is not None else self.loaded(cell, f"%r{cell}")
        if not self.ir.cold:
            self.current[cell] = found
        return found

    def loaded(self, cell: int, where: str) -> Bits:
        """A register's value from where it is kept."""
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        assert fact is not None
        name = self.ir.emit(f"load {self.cell_type(cell)}, ptr {where}, align 4")
        if fact.raw:
            return self.x.raw(name, w, fact.lanes is not None)
        return self.x.come_from(self.x.bits(name, w, fact.lanes, fact.tz, fact.high), fact.origin)

    def store_cell(self, cell: int, value: Bits) -> None:
        """Writes to a register, in the lanes that execute; the others keep what they need."""
        if not self.c.options.lane_facts:
            value = self.x.bits(self.x.vector(value), value.width)
        blocks, scope = self.c.graph.blocks, self.scope
        if self.blends and any(cell in blocks[c].live_in for c in self.facts.waiting[scope.here.index]):
            value = self.x.select(scope.mask, value, self.get(cell))
        elif scope.guard is not None and cell in scope.live_after:
            value = self.x.select(scope.guard, value, self.get(cell))
        self.current[cell] = value
        self.written.add(cell)

    def spill(self) -> None:
        """At the block's end, registers go where other blocks find them."""
        keep = self.scope.here.live_out | self.scope.kept
        for cell in sorted(self.written):
            if cell not in keep:
                continue
            self.keep_in(cell, self.current[cell])

    def keep_in(self, cell: int, value: Bits) -> None:
        fact = self.facts.registers[cell]
        assert fact is not None
        if fact.known is not None:
            assert value.v == fact.known, (cell, value, fact)
            return
        name = self.conformed(value, fact)
        self.ir.line(f"store {self.cell_type(cell)} {name}, ptr %r{cell}, align 4")

    def conformed(self, a: Bits, fact: Fact) -> str:
        """The value in a register's form."""
        if fact.lanes is None:
            return self.x.float(a, False) if fact.raw else self.x.vector(a)
        if fact.raw:
            return self.x.float(a, True)
        if fact.lanes is ZEROS:
            return self.x.scalar(a)
        parts = self.x.parts(a.v, a.width)
        assert parts is not None
        assert parts[1] == fact.lanes
        return self.x.texts(parts[0], a.width)

    def variable(self, name: str) -> Bits:
        """The address of a global variable, which each process loads anew."""
        if name not in self.x.tables.globals:
            self.x.tables.globals.append(name)
        key = ("variable", name)
        if key not in self.x.entry.values:
            ir, table = self.ir, self.x.entry.state(abi.GLOBALS, "ptr")
            where = ir.first(f"getelementptr i64, ptr {table}, i64 {self.x.tables.globals.index(name)}")
            self.x.entry.values[key] = ir.first(f"load i64, ptr {where}, align 8, !tbaa !5")
        return self.x.come_from(self.x.bits(self.x.entry.values[key], 64, ZEROS, 8), key)
