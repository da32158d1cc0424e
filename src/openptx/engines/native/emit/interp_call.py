"""Leaves single instructions to the reference engine, where this one has no way of its own (borrowing.py does them)."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import vector_type
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.engines.native.runtime.interp_call import transferred_cells
from openptx.engines.native.runtime.upcalls import INSTRUCTION
from openptx.numerics import Bits
from openptx.program import Op


class InterpCall:
    def __init__(self, registers: RegisterFile, c: FunctionContext) -> None:
        self.x, self.ir, self.scope, self.c = registers.x, registers.ir, registers.scope, c
        self.registers, self.upcalls, self.entry, self.paths = (
            registers,
            self.x.upcalls,
            self.x.entry,
            self.x.memory.paths,
        )

    def execute(self, op: Op) -> None:
        reads, writes = transferred_cells(self.c.cells, op)
        if max(len(reads), len(writes)) > abi.ROOM:
            raise UnsupportedByJit(f"`{op.form.instruction.name}` with {max(len(reads), len(writes))} registers")
        values = [self.scope.held(self.registers.get(cell)) for cell in reads]

        def ask() -> tuple[Bits, ...]:
            self.upcalls.ask(INSTRUCTION, values, abi.OPERANDS, self.scope.site + self.c.site_base)
            return ()

        if self.scope.mask_may_be_empty:
            self.paths.if_any(ask)
        else:
            ask()
        for i, cell in enumerate(writes):
            where = self.entry.field(abi.OPERANDS + abi.COLUMN * i)
            found = self.x.bits(self.ir.emit(f"load {vector_type(64)}, ptr {where}, align 64"), 64)
            self.registers.store_cell(cell, self.x.resize(found, self.c.cells.widths[cell]))
