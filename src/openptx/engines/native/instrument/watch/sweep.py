"""Sweeps the granules of a row, sixteen at once: by the cells of their line if the row covers it, else by their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.kinds import Kind, follows, judge
from openptx.engines.native.instrument.watch.layout import WIDE
from openptx.engines.native.instrument.watch.rule import Moment, is_unchanged_read, untouched
from openptx.engines.native.instrument.watch.words import Flag, Word
from openptx.engines.native.instrument.watch.writer import Area, Writer


class Accessor(Protocol):
    """The lanes that access the sixteen granules from number `i` of the row on."""

    @property
    def alone(self) -> Flag:
        """Whether each granule is accessed by one lane alone."""
        ...

    @property
    def fills(self) -> Flag:
        """Whether all of them are accessed, by lanes in an order that the cells of a line can represent."""
        ...

    def line(self, i: Word) -> Word:
        """The access as a cell of the line, if `fills`."""
        ...

    def granules(self, i: Word) -> tuple[Word, Flag]:
        """The cells of the granules, and which of them are accessed."""
        ...


@dataclass(frozen=True, slots=True)
class Sweep:
    w: Writer
    kind: Kind
    area: Area
    first: Word
    total: Word

    def write(self, accessor: Accessor) -> None:
        """The whole row, and the function's end."""
        now = self.w.moment(0)
        fills = (self.first & (WIDE - 1)).equals(0) & accessor.fills
        self.w.loop((self.total + (WIDE - 1)) >> 4, lambda i: self.part(i << 4, accessor, now, fills))
        self.w.ir.line("ret void")

    def part(self, i: Word, accessor: Accessor, now: Moment, fills: Flag) -> None:
        ir, area, granule = self.w.ir, self.area, self.first + i
        whole = (i + (WIDE - 1)).below(self.total) & fills
        coarse, parted, fine, done = (ir.fresh() for _ in range(4))
        ir.likely(whole.name, coarse, parted)
        ir.start(coarse)
        self.line(granule, accessor.line(i), now, accessor.alone, fine, done)
        ir.start(parted)
        some = ir.fresh()
        lanes = accessor.granules(i)[1].bits()
        ir.branch(lanes.differs(0).name, some, done)
        ir.start(some)
        low = self.w.word(ir.emit(f"call i64 @llvm.cttz.i64(i64 {lanes.name}, i1 true)"))
        high = self.w.word(ir.emit(f"call i64 @llvm.ctlz.i64(i64 {lanes.name}, i1 true)")) ^ 63
        self.w.expand(area, granule + low)  # others may lie outside the allocation
        self.w.expand(area, granule + high)
        ir.jump(fine)
        ir.start(fine)
        self.granules(granule, *accessor.granules(i), accessor.alone, done)
        ir.start(done)

    def line(self, granule: Word, mine: Word, now: Moment, alone: Flag, fine: str, done: str) -> None:
        """A whole line: jumps to `done` if its cells say that all is in order, else to `fine`."""
        w, ir, kind = self.w, self.w.ir, self.kind
        place = self.area.line(granule)
        written, read = w.load(place), w.load(place + 8)
        entered = place if kind.writes else place + 8
        coarse, quiet, fresh, known, other, good, bad = (ir.fresh() for _ in range(7))
        ir.likely((written & layout.FINE).equals(0).name, coarse, fine)
        ir.start(coarse)
        clean = follows(kind, written, mine, now, alone)
        ir.branch(clean.name, quiet, other)
        ir.start(quiet)
        ir.branch(untouched(read, mine, now).name, fresh, known)
        ir.start(known)
        if kind.writes:
            ir.jump(other)
        else:
            ir.branch(is_unchanged_read(read, mine, now).name, done, other)
        ir.start(fresh)
        w.store(mine, entered)
        ir.jump(done)
        ir.start(other)
        verdict = judge(kind, written, read, mine, now, alone)
        ir.branch(verdict.wrong.name, bad, good)
        ir.start(good)
        w.store(verdict.cell, entered)
        ir.jump(done)
        ir.start(bad)
        w.expand(self.area, granule)
        ir.jump(fine)

    def granules(self, granule: Word, mine: Word, active: Flag, alone: Flag, done: str) -> None:
        """Each granule by its own cells. Two cases are common and short: no access since the last barrier of all
        threads, and many reads already."""
        w, ir, kind, now = self.w, self.w.ir, self.kind, self.w.moment(WIDE)
        places = self.area.cells + (granule << 3)
        written, read = w.masked_load(places, active), w.masked_load(places + self.area.half, active)
        to = places if kind.writes else places + self.area.half
        singles = alone.bits().splat(WIDE).differs(0)
        clean, fresh = follows(kind, written, mine, now, singles), untouched(read, mine, now)
        fast, slow = ir.fresh(), ir.fresh()
        ir.likely(everywhere(clean & fresh, active), fast, slow)
        ir.start(fast)
        w.masked_store(mine, to, active)
        ir.jump(done)
        ir.start(slow)
        if not kind.writes:
            full = ir.fresh()
            ir.branch(everywhere(clean & is_unchanged_read(read, mine, now), active), done, full)
            ir.start(full)
        verdict = judge(kind, written, read, mine, now, singles)
        w.leave_if((verdict.wrong & active).any(), w.suspect)
        w.masked_store(verdict.cell, to, active)
        ir.jump(done)


def everywhere(p: Flag, active: Flag) -> str:
    """An i1: whether `p` holds wherever `active` does."""
    return (~p & active).bits().equals(0).name
