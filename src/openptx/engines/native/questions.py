"""Questions to Python in the middle of the code (asking.py answers them)."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import layout
from openptx.engines.native.asking import QUESTIONS, TIME
from openptx.engines.native.state import State
from openptx.engines.native.values import ZEROS, vector_type
from openptx.numerics import Bits


class Questions(State):
    def now(self) -> Bits:
        """Nanoseconds, which only increase."""
        self.ask(TIME, ())
        return self.bits(self.out.emit(f"load i64, ptr {self.field(layout.DATA)}, align 8"), 64, ZEROS)

    def ask(self, what: str, values: Sequence[Bits], at: int = layout.DATA, detail: int | None = None) -> None:
        """Has something done for the executing lanes; a fault where one of them did wrong."""
        self.careful = ""
        for i, value in enumerate(values):
            where = self.field(at + layout.COLUMN * i)
            self.out.line(f"store {vector_type(64)} {self.vector(self.resize(value, 64))}, ptr {where}, align 64")
        self.leave_if(
            self.out.emit(
                f"call i1 @openptx.ask(ptr %w, i32 {QUESTIONS.index(what)}, i32 {self.mask_word()}, i32 %first32,"
                f" i32 {len(values) if detail is None else detail}, i64 {self.local_limit()})"
            )
        )

    def answered(self) -> Bits:
        """What came back, in the lanes that asked."""
        return self.bits(self.out.emit(f"load {vector_type(64)}, ptr {self.field(layout.DATA)}, align 64"), 64)
