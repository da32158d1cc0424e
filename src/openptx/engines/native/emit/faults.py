"""How compiled code leaves with a fault."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.emit.entry_values import EntryValues
from openptx.engines.native.emit.module_tables import ModuleTables
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class FaultExits:
    def __init__(self, c: FunctionContext, scope: Scope, entry: EntryValues, tables: ModuleTables) -> None:
        self.x, self.ir = scope.x, scope.ir
        self.c, self.scope, self.entry, self.tables = c, scope, entry, tables

    def leave_if(self, failed: str) -> None:
        """Ends the warp where a fault was recorded."""
        ir = self.ir
        where, on = ir.fresh(), ir.fresh()
        ir.unlikely(failed, where, on)
        ir.start(where)
        self.leave()
        ir.start(on)

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        if isinstance(p.v, int) and p.v:
            return
        ir = self.ir
        wrong = ir.emit(f"xor <{N} x i1> {self.x.vector(p)}, splat (i1 true)")
        if not self.scope.full:
            wrong = ir.emit(f"and <{N} x i1> {wrong}, {self.scope.active_mask()}")
        word = ir.emit(f"bitcast <{N} x i1> {wrong} to i{N}")
        with ir.cold_block(ir.emit(f"icmp ne i{N} {word}, 0")):
            self.report(abi.REQUIRED, word, self.message(code, message))
            if value is not None:
                lane = ir.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {word}, i1 true)")
                told = ir.emit(f"extractelement <{N} x i64> {self.x.vector(self.x.resize(value, 64))}, i{N} {lane}")
                ir.line(f"store i64 {told}, ptr {self.entry.field(abi.ADDRESS)}, align 8")
            self.leave()
            ir.start(ir.fresh())

    def leave(self) -> None:
        """Ends the warp with the fault that was recorded, here."""
        ir = self.ir
        ir.line(f"store i32 {self.scope.site + self.c.site_base}, ptr {self.entry.field(abi.SITE)}, align 4")
        if self.scope.step_lane:  # not a step's place, but the lane that made it
            lane = ir.emit(f"shl i32 1, {self.scope.step_lane}")
            ir.line(f"store i32 {lane}, ptr {self.entry.field(abi.LANES)}, align 4")
        ir.jump("failed")

    def report(self, kind: int, lanes: str, detail: int = 0) -> None:
        for offset, value in ((abi.KIND, kind), (abi.LANES, lanes), (abi.SPACE, detail)):
            self.ir.line(f"store i32 {value}, ptr {self.entry.field(offset)}, align 4")

    def message(self, code: str, message: str) -> int:
        if (code, message) not in self.tables.messages:
            self.tables.messages.append((code, message))
        return self.tables.messages.index((code, message))
