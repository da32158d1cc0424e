"""Emits calls of the interpreter for single instructions (runtime/interp_call.py)."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import vector_type
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.engines.native.requests import INSTRUCTION
from openptx.numerics import Bits
from openptx.program import Op


class InterpCall:
    """Calls the interpreter for single instructions that this engine does not lower."""

    def __init__(self, registers: RegisterFile) -> None:
        self.registers, self.x, self.scope, self.c = registers, registers.x, registers.scope, registers.c

    def tensor_code(self, op: Op, words: Sequence[Bits]) -> None:
        """An instruction of tensor memory whose descriptors are among `words`: by code compiled for it, or else by the
        interpreter, which keeps such code (support.ll)."""
        given = [self.scope.materialized(word) for word in words]

        def ask() -> tuple[Bits, ...]:
            ir = self.scope.ir
            for i, word in enumerate(given):
                where = self.scope.entry.field(abi.OPERANDS + abi.COLUMN * i)
                ir.store(vector_type(64), self.x.vector(self.x.resize(word, 64)), where, 64)
            site, mask = self.scope.site + self.c.site_base, self.scope.mask_word()
            made = ir.emit(f"call i1 @openptx.tile(ptr %w, i32 {site}, i32 {mask})")
            with ir.cold_block(ir.emit(f"xor i1 {made}, true")):
                self.execute(op)
            return ()

        self.scope.retry = ""
        self.x.memory.paths.if_any(ask)

    def execute(self, op: Op) -> None:
        reads, writes = self.c.cells.passed(op)
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
