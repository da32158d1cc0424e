"""Emits upcalls: calls into Python in the middle of a warp (runtime/upcalls.py)."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, vector_type
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.scope import LocalFrame
from openptx.engines.native.requests import TIME, UPCALLS
from openptx.numerics import Bits


class Upcalls:
    def __init__(self, faults: FaultExits, frame: LocalFrame) -> None:
        self.faults, self.frame, self.x, self.ir, self.scope = faults, frame, faults.x, faults.ir, faults.scope

    def now(self) -> Bits:
        """The time in nanoseconds, from a monotonic clock."""
        self.ask(TIME, ())
        return self.x.bits(self.ir.load("i64", self.scope.entry.field(abi.DATA), 8), 64, ZEROS)

    def ask(self, what: str, values: Sequence[Bits], at: int = abi.DATA, detail: int | None = None) -> None:
        """Calls Python for the executing lanes; a fault if one of them does something illegal."""
        self.scope.retry = ""
        for i, value in enumerate(values):
            where = self.scope.entry.field(at + abi.COLUMN * i)
            self.ir.store(vector_type(64), self.x.vector(self.x.resize(value, 64)), where, 64)
        first = self.scope.entry.first_lane()
        self.faults.leave_if(
            self.ir.emit(
                f"call i1 @openptx.ask(ptr %w, i32 {UPCALLS.index(what)}, i32 {self.scope.mask_word()}, i32 {first},"
                f" i32 {len(values) if detail is None else detail}, i64 {self.frame.limit()})"
            )
        )

    def results(self) -> Bits:
        """The results, in the calling lanes."""
        return self.x.bits(self.ir.load(vector_type(64), self.scope.entry.field(abi.DATA), 64), 64)
