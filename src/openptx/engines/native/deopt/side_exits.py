"""Side exits: a warp leaves for the generic version of its kernel, which knows nothing of lanes and takes over."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.deopt.frame_layout import WarpFrame, aligned
from openptx.engines.native.deopt.frame_state import SavedRegister, SideExit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits


class SideExits:
    def __init__(self, registers: RegisterFile, warp_frame: WarpFrame) -> None:
        self.x, self.ir, self.scope, self.entry = registers.x, registers.ir, registers.scope, registers.scope.entry
        self.registers, self.c, self.facts, self.warp_frame = registers, registers.c, registers.facts, warp_frame
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
        with ir.exit_block(ir.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1")):
            self.leave()

    def leave(self) -> None:
        """Saves registers as vectors, and which lanes wait where."""
        waiting = tuple(sorted(self.facts.waiting[self.scope.here.index]))
        cells = tuple(sorted(self.scope.live_before | self.scope.kept))
        self.exits[self.scope.site] = SideExit(cells, tuple(self.c.graph.blocks[c].start for c in waiting))
        self.save(-2 - self.scope.site, waiting, cells)
        self.return_with(abi.SIDE_EXIT)

    def places(self, masks: int, cells: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
        """Where registers are saved after so many masks: cell, width, offset."""
        offset = aligned(abi.SAVED + 4 * masks)
        for cell in cells:
            w = self.c.cells.widths[cell]
            yield cell, w, offset
            offset = aligned(offset + max(64, w * N // 8))
        self.warp_frame.size = max(self.warp_frame.size, offset)

    def save(self, position: int, waiting: tuple[int, ...], cells: tuple[int, ...]) -> tuple[SavedRegister, ...]:
        ir, field = self.ir, self.entry.frame_field
        values = [self.x.vector(self.held_value(cell)) for cell in cells]  # all are read before any is written
        ir.store("i32", position, field(abi.RESUME), 4)
        ir.store_mask(ir.load_mask("%live"), field(abi.LIVE))
        masks = [self.x.vector(self.scope.here_mask), *(ir.load_mask(f"%m{c}") for c in waiting)]
        for i, mask in enumerate(masks):
            ir.store_mask(mask, field(abi.SAVED + 4 * i))
        kept = [SavedRegister(*place) for place in self.places(len(masks), cells)]
        for saved, value in zip(kept, values, strict=True):
            ir.store(vector_type(saved.width), value, field(saved.offset), 4)
        return tuple(kept)

    def held_value(self, cell: int) -> Bits:
        """A register; from the frame if that is where it has stayed since the last barrier."""
        changed = cell in self.warp_frame.spills.changed[self.scope.here.index] or cell in self.registers.written
        if changed or cell in self.registers.current or cell not in self.warp_frame.slots:
            return self.registers.get(cell)
        return self.registers.loaded(cell, self.entry.frame_field(self.warp_frame.slots[cell]))

    def return_with(self, status: int) -> None:
        """Leaves the function, saying for which warp."""
        if self.c.runs_next_warp:
            self.ir.store("i32", "%index", self.entry.field(abi.WARP), 4)
        self.ir.line(f"ret i32 {status}")

    def enter(self, pc: int, saved: SideExit) -> None:
        """Takes over where the other version left."""
        ir, field = self.ir, self.entry.frame_field
        ir.start(f"enter{pc}")
        ir.store_mask(ir.load_mask(field(abi.LIVE)), "%live")
        for i, at in enumerate((pc, *saved.waiting)):
            block = self.c.graph.at[at]
            if block in self.facts.masked:
                ir.store_mask(ir.load_mask(field(abi.SAVED + 4 * i)), f"%m{block}")
        for cell, w, offset in self.places(1 + len(saved.waiting), saved.cells):
            if self.registers.kept_in_memory(cell) is not None:
                value = self.x.bits(ir.load(vector_type(w), field(offset), 4), w)
                self.registers.keep_in(cell, value)
        ir.jump(f"block{self.c.graph.at[pc]}")
