"""Emits upcalls: what code asks Python to do in the middle of a warp (runtime/upcalls.py)."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, vector_type
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.local_frame import LocalFrame
from openptx.engines.native.runtime.upcalls import TIME, UPCALLS
from openptx.numerics import Bits


class Upcalls:
    def __init__(self, faults: FaultExits, frame: LocalFrame) -> None:
        self.faults, self.frame, self.x, self.ir, self.scope = faults, frame, faults.x, faults.ir, faults.scope

    def now(self) -> Bits:
        """Nanoseconds, which only increase."""
        self.ask(TIME, ())
        return self.x.bits(self.ir.load("i64", self.scope.entry.field(abi.DATA), 8), 64, ZEROS)

    def ask(self, what: str, values: Sequence[Bits], at: int = abi.DATA, detail: int | None = None) -> None:
        """Has something done for the executing lanes; a fault where one of them did wrong."""
        self.scope.retry = ""
        for i, value in enumerate(values):
            where = self.scope.entry.field(at + abi.COLUMN * i)
            self.ir.store(vector_type(64), self.x.vector(self.x.resize(value, 64)), where, 64)
        self.faults.leave_if(
            self.ir.emit(
                f"call i1 @openptx.ask(ptr %w, i32 {UPCALLS.index(what)}, i32 {self.scope.mask_word()}, i32 %first32,"
                f" i32 {len(values) if detail is None else detail}, i64 {self.frame.limit()})"
            )
        )

    def answered(self) -> Bits:
        """What came back, in the lanes that asked."""
        return self.x.bits(self.ir.load(vector_type(64), self.scope.entry.field(abi.DATA), 64), 64)
