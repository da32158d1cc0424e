"""How compiled code exits with a fault."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class FaultExits:
    def __init__(self, scope: Scope) -> None:
        self.x, self.ir, self.scope, self.entry = scope.x, scope.ir, scope, scope.entry

    def leave_if(self, failed: str) -> None:
        """Ends the warp if a fault was recorded."""
        with self.ir.exit_block(failed):
            self.leave()

    def poll(self, lanes: str = "") -> None:
        """Ends the warp if the launch is to stop: the `lanes` of a word, or those that execute the block."""
        ir = self.ir
        with ir.exit_block(ir.emit("call i1 @openptx.poll(ptr %w)")):
            lanes = lanes or ir.mask_bits(self.x.vector(self.scope.block_mask))
            ir.store("i32", lanes, self.entry.field(abi.LANES), 4)
            self.leave()

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        if isinstance(p.v, int) and p.v:
            return
        ir = self.ir
        if self.x.uniform(p) and not self.scope.mask_may_be_empty:
            word = self.scope.mask_word()
            some = "true" if isinstance(p.v, int) else ir.emit(f"xor i1 {self.x.scalar(p)}, true")
        else:
            word = ir.mask_bits(self.scope.within_mask(ir.emit(f"xor <{N} x i1> {self.x.vector(p)}, splat (i1 true)")))
            some = ir.is_some(word)
        with ir.exit_block(some):
            what = "0" if value is None else self.reported(self.x.resize(value, 64), word)
            lanes = word if not self.scope.step_lane else ir.emit(f"shl i32 1, {self.scope.step_lane}")
            site, number = self.scope.site + self.scope.c.site_base, self.message(code, message)
            ir.line(f"call void @openptx.wrong(ptr %w, i32 {lanes}, i32 {site}, i32 {number}, i64 {what})")
            ir.jump(ir.own("failed"))

    def reported(self, value: Bits, lanes: str) -> str:
        """A value in the lowest of some lanes."""
        if self.x.uniform(value):
            return self.x.scalar(value)
        return self.scope.element(value, self.ir.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {lanes}, i1 true)"))

    def leave_with(self, kind: int, lanes: str) -> None:
        self.report(kind, lanes)
        self.leave()

    def leave(self) -> None:
        """Ends the warp with the fault that was recorded at this position."""
        ir = self.ir
        ir.store("i32", self.scope.site + self.scope.c.site_base, self.entry.field(abi.SITE), 4)
        if self.scope.step_lane:  # the lane that made the step, not the step's index
            lane = ir.emit(f"shl i32 1, {self.scope.step_lane}")
            ir.store("i32", lane, self.entry.field(abi.LANES), 4)
        ir.jump(ir.own("failed"))

    def report(self, kind: int, lanes: str, detail: int = 0) -> None:
        for offset, value in ((abi.KIND, kind), (abi.LANES, lanes), (abi.SPACE, detail)):
            self.ir.store("i32", value, self.entry.field(offset), 4)

    def message(self, code: str, message: str) -> int:
        messages = self.scope.tables.messages
        if (code, message) not in messages:
            messages.append((code, message))
        return messages.index((code, message))
