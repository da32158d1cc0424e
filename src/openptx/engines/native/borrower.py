"""Leaves single instructions to the reference engine, where this one has no way of its own (borrowing.py does them)."""

from __future__ import annotations

from typing import Any

from openptx.engines.native import layout
from openptx.engines.native.asking import INSTRUCTION
from openptx.engines.native.barriers import Barriers
from openptx.engines.native.borrowing import travelling
from openptx.engines.native.fallback import Borrowed, Fallback
from openptx.engines.native.values import vector_type
from openptx.errors import Unsupported
from openptx.numerics import Bits
from openptx.program import Op


class Borrower(Barriers):
    borrowed: set[int]  # positions
    touches: dict[int, str]

    def execute(self, op: Op) -> None:
        """What the instruction does, here or over there. Which of the two shows in the first dry run."""
        if self.site not in self.borrowed:
            aside, uncertain = self.out.aside, self.uncertain
            try:
                self.results(op, self.meaning_of(op))
                return
            except (Borrowed, NotImplementedError, Unsupported):
                if not self.dry:
                    raise
            self.out.aside, self.uncertain = aside, uncertain
            self.borrowed.add(self.site)
        self.touches[self.site] = "atomic"  # it may do whatever
        self.borrow(op)

    def results(self, op: Op, found: Any) -> None:
        places = self.destinations(op)
        if len(places) < 2:
            found = (found,)
        for place, value in zip(places, found or (), strict=False):
            if place is not None:
                self.write(place, value)

    def borrow(self, op: Op) -> None:
        reads, writes = travelling(self.cells, op)
        if max(len(reads), len(writes)) > layout.ROOM:
            raise Fallback(f"`{op.form.instruction.name}` with {max(len(reads), len(writes))} registers")
        values = [self.held(self.get(cell)) for cell in reads]

        def ask() -> tuple[Bits, ...]:
            self.ask(INSTRUCTION, values, layout.OPERANDS, self.site + self.site_base)
            return ()

        if self.uncertain:
            self.if_any(ask)
        else:
            ask()
        for i, cell in enumerate(writes):
            where = self.field(layout.OPERANDS + layout.COLUMN * i)
            found = self.bits(self.out.emit(f"load {vector_type(64)}, ptr {where}, align 64"), 64)
            self.store_cell(cell, self.resize(found, self.cells.widths[cell]))
