"""Questions to Python in the middle of the code (upcalls.py answers them)."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, vector_type
from openptx.engines.native.emit.entry_values import EntryValues
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.local_frame import LocalFrame
from openptx.engines.native.emit.scope import Scope
from openptx.engines.native.runtime.upcalls import TIME, UPCALLS
from openptx.numerics import Bits


class Upcalls:
    def __init__(self, scope: Scope, entry: EntryValues, faults: FaultExits, frame: LocalFrame) -> None:
        self.x, self.ir, self.scope = scope.x, scope.ir, scope
        self.entry, self.faults, self.frame = entry, faults, frame

    def now(self) -> Bits:
        """Nanoseconds, which only increase."""
        self.ask(TIME, ())
        return self.x.bits(self.ir.emit(f"load i64, ptr {self.entry.field(abi.DATA)}, align 8"), 64, ZEROS)

    def ask(self, what: str, values: Sequence[Bits], at: int = abi.DATA, detail: int | None = None) -> None:
        """Has something done for the executing lanes; a fault where one of them did wrong."""
        self.scope.retry = ""
        for i, value in enumerate(values):
            where = self.entry.field(at + abi.COLUMN * i)
            self.ir.line(f"store {vector_type(64)} {self.x.vector(self.x.resize(value, 64))}, ptr {where}, align 64")
        self.faults.leave_if(
            self.ir.emit(
                f"call i1 @openptx.ask(ptr %w, i32 {UPCALLS.index(what)}, i32 {self.scope.mask_word()}, i32 %first32,"
                f" i32 {len(values) if detail is None else detail}, i64 {self.frame.limit()})"
            )
        )

    def answered(self) -> Bits:
        """What came back, in the lanes that asked."""
        return self.x.bits(self.ir.emit(f"load {vector_type(64)}, ptr {self.entry.field(abi.DATA)}, align 64"), 64)
