"""Registers while code is made: kept by what is known of them, blended only where lanes that wait need them."""

from __future__ import annotations

from openptx.engines.native.float_bits import FLOAT
from openptx.engines.native.flow import Block, control
from openptx.engines.native.options import Options
from openptx.engines.native.standing import Standing
from openptx.engines.native.values import ZEROS, N, Shape, join, shape_of
from openptx.engines.native.writer import Writer
from openptx.numerics import Bits
from openptx.program import Reg, Register


class Registers(Standing):
    """The state of the translation, and what reads and writes registers in it."""

    options: Options
    widen: bool  # bounds that still grow are given up
    main: Writer
    is_function: bool
    whole: bool  # the last warp of a CTA has all its lanes
    divergent: set[int]  # blocks whose branch parts lanes
    masked: list[int]  # blocks that have a mask
    partial: list[bool]  # blocks where lanes may have ended, or wait elsewhere
    lost: set[int]  # blocks where lanes may have ended
    addressing: set[int]  # registers that addresses are computed from
    together_at: dict[int, set[int]]  # blocks whose branch is assumed not to part lanes, and for what
    wishes: dict[int, set[int]]
    here: Block
    here_mask: Bits
    guard_bits: Bits | None
    current: dict[int, Bits]  # registers as they are at this point of the block
    written: set[int]
    unknown: bool
    clock: int  # dry runs of blocks so far
    changed_at: list[int]  # what is known of registers changed last before this one
    doubtful: set[int]  # cells whose value rests on registers that no dry run has seen written
    live_before: frozenset[int]

    def result_cells(self) -> list[int]:
        """Where a function's results are when it returns."""
        returns = self.function.returns if self.is_function else ()
        return [c for r in returns if isinstance(r, Register) for c in self.cells.of(Reg(r.index, r.type.width))]

    def argument_cells(self) -> list[int]:
        parameters = self.function.parameters if self.is_function else ()
        return [c for r in parameters if isinstance(r, Register) for c in self.cells.of(Reg(r.index, r.type.width))]

    def cell_type(self, cell: int) -> str:
        shape, w = self.shapes[cell], self.cells.widths[cell]
        assert shape is not None
        t = FLOAT[w] if shape.raw else f"i{w}"
        return t if shape.lanes is not None else f"<{N} x {t}>"

    def get(self, cell: int) -> Bits:
        found = self.current.get(cell)
        if found is not None:
            self.unknown |= cell in self.doubtful
            return found
        shape, w = self.shapes[cell], self.cells.widths[cell]
        if shape is None:  # nothing has been written yet, on any way seen so far
            self.unknown = True
            return self.const(0, w)
        found = Bits(self, w, shape.known) if shape.known is not None else self.loaded(cell, f"%r{cell}")
        if not self.out.aside:
            self.current[cell] = found
        return found

    def loaded(self, cell: int, where: str) -> Bits:
        """A register's value from where it is kept."""
        shape, w = self.shapes[cell], self.cells.widths[cell]
        assert shape is not None
        name = self.out.emit(f"load {self.cell_type(cell)}, ptr {where}, align 4")
        if shape.raw:
            return self.raw(name, w, shape.lanes is not None)
        return self.come_from(self.bits(name, w, shape.lanes, shape.tz, shape.high), shape.origin)

    def put(self, cell: int, new: Bits) -> None:
        """Writes to a register, in the lanes that execute; the others keep what they need."""
        if not self.options.shapes:
            new = self.bits(self.vector(new), new.width)
        needed = self.guard_bits is not None and cell in self.live_behind
        waited = any(cell in self.graph.blocks[c].live_in for c in self.pending[self.here.index])
        if needed or waited:
            old = self.get(cell)
            if waited:
                p = self.mask
                self.wish(cell, new, old)
            else:
                p = self.guard_bits
                assert p is not None
            new = self.select(p, new, old)
        self.current[cell] = new
        self.written.add(cell)

    def wish(self, cell: int, new: Bits, old: Bits) -> None:
        """A register that addresses are made of would lose its offsets, for lanes wait that need its old value: it pays
        to assume that lanes do not part there, and to leave for the slow version where they do."""
        if (
            not self.options.speculates
            or self.is_function
            or cell not in self.addressing
            or isinstance(self.mask.v, int)
        ):
            return
        parts = self.parts(new.v, new.width), self.parts(old.v, old.width)
        if parts[0] is None or parts[1] is None or parts[0][1] != parts[1][1]:
            return
        wanting = {c for c in self.pending[self.here.index] if cell in self.graph.blocks[c].live_in}
        for b in self.graph.blocks:
            branches = b.last is not None and control(b.last) == "branch"
            if branches and b.index in self.divergent and wanting & set(b.successors):
                self.wishes.setdefault(b.index, set()).add(cell)

    def spill(self) -> None:
        """At the block's end, registers go where other blocks find them."""
        keep = self.here.live_out | self.kept
        for cell in sorted(self.written):
            if cell not in keep:
                continue
            value, w = self.current[cell], self.cells.widths[cell]
            if self.dry:
                if cell not in self.doubtful:
                    found = shape_of(value.v, w)
                    old = self.shapes[cell]
                    joined = found if old is None else join(old, found, w, self.widen)
                    if joined != old:
                        self.shapes[cell], self.changed_at[cell] = joined, self.clock + 1
                continue
            self.keep_in(cell, value)

    def keep_in(self, cell: int, value: Bits) -> None:
        shape = self.shapes[cell]
        assert shape is not None
        if shape.known is not None:
            return
        name = self.conformed(value, shape)
        self.out.line(f"store {self.cell_type(cell)} {name}, ptr %r{cell}, align 4")

    def conformed(self, a: Bits, shape: Shape) -> str:
        """The value in a register's form."""
        if shape.lanes is None:
            return self.float(a, False) if shape.raw else self.vector(a)
        if shape.raw:
            return self.float(a, True)
        if shape.lanes is ZEROS:
            return self.scalar(a)
        parts = self.parts(a.v, a.width)
        assert parts is not None
        assert parts[1] == shape.lanes
        return self.texts(parts[0], a.width)
