"""Leaving for the version of a kernel that knows nothing of lanes, and how that one takes over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.frames import Traffic
from openptx.engines.native.registers import Registers
from openptx.engines.native.standing import Kept
from openptx.engines.native.values import N, vector_type
from openptx.numerics import Bits


class Exit(NamedTuple):
    """Where a warp leaves for the version that knows nothing of lanes; what it takes along, in the frame's order."""

    cells: tuple[int, ...]
    waiting: tuple[int, ...]  # positions of the blocks where lanes wait


class Departures(Registers):
    exits: dict[int, Exit]
    traffic: Traffic
    slots: dict[int, int]  # where a waiting warp's frame keeps registers
    enters: Mapping[int, Exit]  # where this version takes over from the other
    takes_turns: bool  # whether the code itself goes on with the next warp
    guarded: set[tuple[object, ...]]

    frame_size = layout.SAVED

    def guard(self, base: str, top: int, w: int, signed: bool) -> bool:
        if not self.options.shapes or self.out is not self.main or self.is_function:
            return False
        if self.dry:
            return True
        key = (base, top, w, signed)
        if key in self.guarded:
            return True
        out = self.out
        if not out.aside:
            self.guarded.add(key)
        kind = "sadd" if signed else "uadd"
        pair = out.emit(f"call {{ i{w}, i1 }} @llvm.{kind}.with.overflow.i{w}(i{w} {base}, i{w} {top})")
        wraps = out.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1")
        away, on = out.fresh(), out.fresh()
        out.unlikely(wraps, away, on)
        out.start(away)
        out.aside += 1
        self.leave_for_slow()
        out.aside -= 1
        out.start(on)
        return True

    def leave_for_slow(self) -> None:
        """Saves registers as vectors, and who waits where."""
        b = self.here
        waiting = tuple(sorted(self.pending[b.index]))
        cells = tuple(sorted(self.live_before | self.kept))
        self.exits[self.site] = Exit(cells, tuple(self.graph.blocks[c].start for c in waiting))
        self.save(-2 - self.site, waiting, cells)
        self.return_with(layout.LEFT)

    def save(self, position: int, waiting: tuple[int, ...], cells: tuple[int, ...]) -> tuple[Kept, ...]:
        out, kept = self.out, list[Kept]()
        values = [self.vector(self.held_value(cell)) for cell in cells]  # all are read before any is written

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        out.line(f"store i32 {position}, ptr {field(layout.RESUME)}, align 4")
        live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
        out.line(f"store <{N} x i1> {live}, ptr {field(layout.LIVE)}, align 4")
        offset = layout.SAVED
        masks = [self.vector(self.here_mask), *(out.emit(f"load <{N} x i1>, ptr %m{c}, align 4") for c in waiting)]
        for mask in masks:
            out.line(f"store <{N} x i1> {mask}, ptr {field(offset)}, align 4")
            offset += 4
        offset = -(-offset // 64) * 64
        for cell, value in zip(cells, values, strict=True):
            w = self.cells.widths[cell]
            out.line(f"store {vector_type(w)} {value}, ptr {field(offset)}, align 4")
            kept.append(Kept(cell, w, offset))
            offset += 64 if w == 1 else w * N // 8
            offset = -(-offset // 64) * 64
        self.frame_size = max(self.frame_size, offset)
        return tuple(kept)

    def held_value(self, cell: int) -> Bits:
        """A register; from the frame if that is where it has stayed since the last barrier."""
        changed = cell in self.traffic.changed[self.here.index] or cell in self.written
        if changed or cell in self.current or cell not in self.slots:
            return self.get(cell)
        where = self.out.emit(f"getelementptr i8, ptr %frame, i64 {self.slots[cell]}")
        return self.loaded(cell, where)

    def return_with(self, status: int) -> None:
        """Leaves the function, saying for which warp."""
        if self.takes_turns:
            self.out.line(f"store i32 %index, ptr {self.field(layout.WARP)}, align 4")
        self.out.line(f"ret i32 {status}")

    def enter(self, pc: int, saved: Exit) -> None:
        """Takes over where the other version left."""
        out = self.out
        out.start(f"enter{pc}")

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        def mask(offset: int) -> str:
            return out.emit(f"load <{N} x i1>, ptr {field(offset)}, align 4")

        out.line(f"store <{N} x i1> {mask(layout.LIVE)}, ptr %live, align 4")
        offset = layout.SAVED
        for at in (pc, *saved.waiting):
            block = self.graph.at[at]
            if block in self.masked:
                out.line(f"store <{N} x i1> {mask(offset)}, ptr %m{block}, align 4")
            offset += 4
        offset = -(-offset // 64) * 64
        for cell in saved.cells:
            w, shape = self.cells.widths[cell], self.shapes[cell]
            if shape is not None and shape.known is None:
                value = self.bits(out.emit(f"load {vector_type(w)}, ptr {field(offset)}, align 4"), w)
                self.keep_in(cell, value)
            offset += 64 if w == 1 else w * N // 8
            offset = -(-offset // 64) * 64
        out.jump(f"block{self.graph.at[pc]}")
