"""Leaving for the version of a kernel that knows nothing of lanes, and how that one takes over."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.deopt.frame_layout import WarpFrame
from openptx.engines.native.deopt.frame_state import SavedRegister, SideExit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits


class SideExits:
    def __init__(self, registers: RegisterFile, c: FunctionContext, facts: Facts, warp_frame: WarpFrame) -> None:
        self.x, self.ir, self.scope, self.entry = registers.x, registers.ir, registers.scope, registers.x.entry
        self.registers, self.c, self.facts, self.warp_frame = registers, c, facts, warp_frame
        self.exits: dict[int, SideExit] = {}
        """Those that the code has, by position."""
        self.guarded: set[tuple[object, ...]] = set()
        """What has been asked before in this block."""

    def leave_if_wraps(self, base: str, top: int, w: int, signed: bool) -> None:
        """A base plus offsets is extended as if it did not wrap; where it does, the warp leaves."""
        key = (base, top, w, signed)
        if key in self.guarded:
            return
        ir = self.ir
        if not ir.cold:
            self.guarded.add(key)
        kind = "sadd" if signed else "uadd"
        pair = ir.emit(f"call {{ i{w}, i1 }} @llvm.{kind}.with.overflow.i{w}(i{w} {base}, i{w} {top})")
        wraps = ir.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1")
        away, on = ir.fresh(), ir.fresh()
        ir.unlikely(wraps, away, on)
        ir.start(away)
        ir.cold += 1
        self.leave_for_slow()
        ir.cold -= 1
        ir.start(on)

    def leave_for_slow(self) -> None:
        """Saves registers as vectors, and who waits where."""
        b = self.scope.here
        waiting = tuple(sorted(self.facts.waiting[b.index]))
        cells = tuple(sorted(self.scope.live_before | self.scope.kept))
        self.exits[self.scope.site] = SideExit(cells, tuple(self.c.graph.blocks[c].start for c in waiting))
        self.save(-2 - self.scope.site, waiting, cells)
        self.return_with(abi.LEFT)

    def save(self, position: int, waiting: tuple[int, ...], cells: tuple[int, ...]) -> tuple[SavedRegister, ...]:
        ir, kept = self.ir, list[SavedRegister]()
        values = [self.x.vector(self.held_value(cell)) for cell in cells]  # all are read before any is written

        def field(offset: int) -> str:
            return ir.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        ir.line(f"store i32 {position}, ptr {field(abi.RESUME)}, align 4")
        live = ir.emit(f"load <{N} x i1>, ptr %live, align 4")
        ir.line(f"store <{N} x i1> {live}, ptr {field(abi.LIVE)}, align 4")
        offset = abi.SAVED
        masks = [
            self.x.vector(self.scope.here_mask),
            *(ir.emit(f"load <{N} x i1>, ptr %m{c}, align 4") for c in waiting),
        ]
        for mask in masks:
            ir.line(f"store <{N} x i1> {mask}, ptr {field(offset)}, align 4")
            offset += 4
        offset = -(-offset // 64) * 64
        for cell, value in zip(cells, values, strict=True):
            w = self.c.cells.widths[cell]
            ir.line(f"store {vector_type(w)} {value}, ptr {field(offset)}, align 4")
            kept.append(SavedRegister(cell, w, offset))
            offset += 64 if w == 1 else w * N // 8
            offset = -(-offset // 64) * 64
        self.warp_frame.size = max(self.warp_frame.size, offset)
        return tuple(kept)

    def held_value(self, cell: int) -> Bits:
        """A register; from the frame if that is where it has stayed since the last barrier."""
        changed = cell in self.warp_frame.spills.changed[self.scope.here.index] or cell in self.registers.written
        if changed or cell in self.registers.current or cell not in self.warp_frame.slots:
            return self.registers.get(cell)
        where = self.ir.emit(f"getelementptr i8, ptr %frame, i64 {self.warp_frame.slots[cell]}")
        return self.registers.loaded(cell, where)

    def return_with(self, status: int) -> None:
        """Leaves the function, saying for which warp."""
        if self.c.runs_next_warp:
            self.ir.line(f"store i32 %index, ptr {self.entry.field(abi.WARP)}, align 4")
        self.ir.line(f"ret i32 {status}")

    def enter(self, pc: int, saved: SideExit) -> None:
        """Takes over where the other version left."""
        ir = self.ir
        ir.start(f"enter{pc}")

        def field(offset: int) -> str:
            return ir.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        def mask(offset: int) -> str:
            return ir.emit(f"load <{N} x i1>, ptr {field(offset)}, align 4")

        ir.line(f"store <{N} x i1> {mask(abi.LIVE)}, ptr %live, align 4")
        offset = abi.SAVED
        for at in (pc, *saved.waiting):
            block = self.c.graph.at[at]
            if block in self.facts.masked:
                ir.line(f"store <{N} x i1> {mask(offset)}, ptr %m{block}, align 4")
            offset += 4
        offset = -(-offset // 64) * 64
        for cell in saved.cells:
            w, fact = self.c.cells.widths[cell], self.facts.registers[cell]
            if fact is not None and fact.known is None:
                value = self.x.bits(ir.emit(f"load {vector_type(w)}, ptr {field(offset)}, align 4"), w)
                self.registers.keep_in(cell, value)
            offset += 64 if w == 1 else w * N // 8
            offset = -(-offset // 64) * 64
        ir.jump(f"block{self.c.graph.at[pc]}")
