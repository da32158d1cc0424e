"""Side exits: a warp leaves for the generic version of its kernel, which knows nothing of lanes and takes over."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import vector_type
from openptx.engines.native.deopt.frame_layout import FrameLayout
from openptx.engines.native.deopt.frame_state import SideExit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits


class SideExits:
    def __init__(self, registers: RegisterFile, layout: FrameLayout) -> None:
        self.x, self.ir, self.scope, self.entry = registers.x, registers.ir, registers.scope, registers.scope.entry
        self.registers, self.c, self.facts, self.layout = registers, registers.c, registers.facts, layout
        self.exits: dict[int, SideExit] = {}
        """Those of the layout that the code has, by position."""
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
        site = self.scope.site
        self.exits[site] = exit = self.layout.exits[site]
        self.save(-2 - site, exit.waiting, exit.cells)
        self.return_with(abi.SIDE_EXIT)

    def save(self, position: int, waiting: tuple[int, ...], cells: tuple[int, ...]) -> None:
        """The lanes here, and those that wait at other positions, with registers as vectors."""
        ir, field = self.ir, self.entry.frame_field
        values = [self.x.vector(self.held_value(cell)) for cell in cells]  # all are read before any is written
        ir.store("i32", position, field(abi.RESUME), 4)
        ir.store_mask(ir.load_mask("%live"), field(abi.LIVE))
        masks = [self.x.vector(self.scope.here_mask), *(ir.load_mask(f"%m{self.c.graph.at[pc]}") for pc in waiting)]
        for i, mask in enumerate(masks):
            ir.store_mask(mask, field(abi.SAVED + 4 * i))
        for saved, value in zip(self.layout.places(waiting, cells), values, strict=True):
            ir.store(vector_type(saved.width), value, field(saved.offset), 4)

    def held_value(self, cell: int) -> Bits:
        """A register; from the frame if that is where it has stayed since the last barrier."""
        changed = cell in self.layout.spills.changed[self.scope.here.index] or cell in self.registers.written
        if changed or cell in self.registers.current or cell not in self.layout.slots:
            return self.registers.get(cell)
        return self.registers.loaded(cell, self.entry.frame_field(self.layout.slots[cell]))

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
        for register in self.layout.places(saved.waiting, saved.cells):
            if self.registers.kept_in_memory(register.cell) is not None:
                w = register.width
                value = self.x.bits(ir.load(vector_type(w), field(register.offset), 4), w)
                self.registers.keep_in(register.cell, value)
        ir.jump(f"block{self.c.graph.at[pc]}")
