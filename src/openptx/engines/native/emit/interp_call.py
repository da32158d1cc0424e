"""Emits calls to the interpreter for single instructions that this engine does not lower (runtime/interp_call.py)."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import vector_type
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.engines.native.runtime.interp_call import transferred_cells
from openptx.engines.native.runtime.upcalls import INSTRUCTION
from openptx.numerics import Bits
from openptx.program import Op


class InterpCall:
    def __init__(self, registers: RegisterFile) -> None:
        self.registers, self.x, self.scope, self.c = registers, registers.x, registers.scope, registers.c

    def execute(self, op: Op) -> None:
        reads, writes = transferred_cells(self.c.cells, op)
        if max(len(reads), len(writes)) > abi.ROOM:
            raise UnsupportedByJit(f"`{op.form.instruction.name}` with {max(len(reads), len(writes))} registers")
        values = [self.scope.materialized(self.registers.get(cell)) for cell in reads]

        def ask() -> tuple[Bits, ...]:
            self.x.upcalls.ask(INSTRUCTION, values, abi.OPERANDS, self.scope.site + self.c.site_base)
            return ()

        self.x.memory.paths.if_any(ask)
        for i, cell in enumerate(writes):
            where = self.scope.entry.field(abi.OPERANDS + abi.COLUMN * i)
            found = self.x.bits(self.scope.ir.load(vector_type(64), where, 64), 64)
            self.registers.store_cell(cell, self.x.resize(found, self.c.cells.widths[cell]))
