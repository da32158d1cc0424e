"""Building blocks of the functions that watched kernels call."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from openptx.engines.native.emit.ir_builder import IRBuilder
from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.layout import WIDE
from openptx.engines.native.instrument.watch.rule import Moment
from openptx.engines.native.instrument.watch.words import Flag, Word
from openptx.isa.address_windows import CTA_SHIFT

VECTOR, POINTERS = f"<{WIDE} x i64>", f"<{WIDE} x ptr>"


class Area(NamedTuple):
    """Memory with cells (layout.py). Values that only slow paths need are loaded there."""

    w: Writer
    place: Word
    lines: Word
    shift: Word

    @property
    def cells(self) -> Word:
        return self.w.load(self.place + layout.CELLS)

    @property
    def half(self) -> Word:
        return self.w.load(self.place + layout.HALF)

    def line(self, granule: Word) -> Word:
        """The address of the cells of a granule's line."""
        return self.lines + ((granule >> 4) << 4)

    def begin(self, granule: Word) -> Word:
        """The address of the cell of writes of the first granule of the line."""
        return self.cells + ((granule >> 4) << 7)


class Writer:
    """Writes the text of one function, for accesses to one state space."""

    def __init__(self, space: str, shift: int) -> None:
        self.space, self.shift, self.ir = space, shift, IRBuilder()

    def word(self, name: str | int) -> Word:
        return Word(self.ir, 0, str(name))

    def vector(self, values: range) -> Word:
        return Word(self.ir, WIDE, "<" + ", ".join(f"i64 {i}" for i in values) + ">")

    def field(self, offset: int) -> Word:
        return self.load(self.word(self.ir.emit(f"ptrtoint ptr {self.ir.field('%s', offset)} to i64")))

    def pointer(self, address: Word) -> str:
        return self.ir.emit(f"inttoptr i64 {address.name} to ptr")

    def load(self, address: Word) -> Word:
        return self.word(self.ir.load("i64", self.pointer(address), 8))

    def store(self, value: Word, address: Word) -> None:
        self.ir.store(value.t, value.name, self.pointer(address), 8)

    def shifted(self, a: Word, by: Word) -> Word:
        return self.word(self.ir.emit(f"shl i64 {a.name}, {by.name}"))

    def times(self, a: Word, b: Word) -> Word:
        return self.word(self.ir.emit(f"mul i64 {a.name}, {b.name}"))

    def least(self, a: Word, b: int) -> Word:
        return self.word(self.ir.emit(f"call i64 @llvm.umin.i64(i64 {a.name}, i64 {b})"))

    # Control

    def leave_if(self, p: str, before: Callable[[], None] = lambda: None) -> None:
        with self.ir.exit_block(p):
            before()
            self.ir.line("ret void")

    def suspect(self) -> None:
        facts = self.facts()
        if self.space == "shared":
            facts = facts | layout.IN_CTA
        self.ir.line(f"call void @suspect(ptr %s, i64 {layout.RACE}, i64 {facts.name})")

    def loop(self, stop: Word, act: Callable[[Word], None]) -> None:
        """`act` for the numbers from 0 to before `stop`."""
        ir = self.ir
        before, head, after, i = ir.label, ir.fresh(), ir.fresh(), ir.name()
        ir.jump(head)
        ir.start(head)
        at = len(ir.lines)
        act(self.word(i))
        more = self.word(i) + 1
        ir.branch(more.below(stop).name, head, after)
        ir.lines.insert(at, f"{i} = phi i64 [ 0, %{before} ], [ {more.name}, %{ir.label} ]")
        ir.start(after)

    # Vectors under a mask

    def masked_load(self, address: Word, active: Flag) -> Word:
        place = self.pointer(address)
        given = f"ptr align 8 {place}, {active.t} {active.name}, {VECTOR} zeroinitializer"
        return Word(self.ir, WIDE, self.ir.emit(f"call {VECTOR} @llvm.masked.load.v{WIDE}i64.p0({given})"))

    def masked_store(self, value: Word, address: Word, active: Flag) -> None:
        given = f"{VECTOR} {value.name}, ptr align 8 {self.pointer(address)}, {active.t} {active.name}"
        self.ir.line(f"call void @llvm.masked.store.v{WIDE}i64.p0({given})")

    def places(self, addresses: Word) -> str:
        return f"{POINTERS} align 8 {self.ir.emit(f'inttoptr {VECTOR} {addresses.name} to {POINTERS}')}"

    def gathered(self, addresses: Word, active: Flag) -> Word:
        given = f"{self.places(addresses)}, {active.t} {active.name}, {VECTOR} zeroinitializer"
        text = f"call {VECTOR} @llvm.masked.gather.v{WIDE}i64.v{WIDE}p0({given})"
        return Word(self.ir, WIDE, self.ir.emit(text))

    def scattered(self, value: Word, addresses: Word, active: Flag) -> None:
        given = f"{VECTOR} {value.name}, {self.places(addresses)}, {active.t} {active.name}"
        self.ir.line(f"call void @llvm.masked.scatter.v{WIDE}i64.v{WIDE}p0({given})")

    # The access

    def facts(self) -> Word:
        return self.word("%facts")

    def bytes(self) -> Word:
        """log2 of the bytes of a lane."""
        return (self.facts() >> layout.BYTES) & 7

    def granules_log2(self, area: Area) -> Word:
        """log2 of the granules of a lane."""
        return self.bytes() - area.shift

    def granule(self, address: Word, area: Area) -> Word:
        """The granule at an address: its index in shared memory, which has two windows, or in the address space."""
        own = address & ((1 << CTA_SHIFT) - 1) if self.space == "shared" else address
        return own >> (area.shift.splat(address.n) if address.n else area.shift)

    def moment(self, n: int) -> Moment:
        """Times in the encoding of cells, broadcast to vectors of `n`."""
        fields = (layout.TICK, layout.NEAR, layout.BEGIN)
        tick, near, begin = (self.field(offset) << layout.TIME for offset in fields)
        if n:
            tick, near, begin = (time.splat(n) for time in (tick, near, begin))
        return Moment(tick, near, begin if self.space == "global" else None)

    def head(self) -> Word:
        """The cell of the new access by the warp's first lane."""
        return (self.field(layout.NOW) << layout.TIME | (self.facts() & layout.FLAGS)) + self.field(layout.FIRST)

    def area(self, address: Word) -> Area:
        """The cells of the memory at an address. Returns from the function if it has none."""
        if self.space == "shared":
            place = self.word(self.ir.emit(f"ptrtoint ptr {self.ir.field('%s', layout.SHARED)} to i64"))
        else:
            place = self.field(layout.TABLE) + ((address >> self.shift) << (layout.AREA - 1).bit_length())
        found = Area(self, place, self.load(place + layout.LINES), self.load(place + layout.SHIFT))
        if self.space == "global":

            def note() -> None:
                touched = (found.lines + 1) >> 1  # TOO_LARGE becomes TOUCHED
                self.store(touched + touched, place + layout.LINES)

            self.leave_if(found.lines.below(layout.TOUCHED + 1).name, note)
            slot = address >> self.shift
            small = f"call void @suspect(ptr %s, i64 {layout.SMALL}, i64 {slot.name})"
            self.leave_if(self.bytes().below(found.shift).name, lambda: self.ir.line(small))
        return found

    def require_inside(self, area: Area, first: Word, end: Word) -> None:
        """Accesses are reported with the first of a group, so a later one may be about to fault."""
        begin, stop = (self.load(area.place + offset) for offset in (layout.GRANULE, layout.END))
        wrong = first.below(begin) | stop.below(end)
        self.leave_if(wrong.name, self.suspect)

    def expand(self, area: Area, granule: Word) -> None:
        """Makes a granule's line fine, unless it is already."""
        line = area.line(granule)
        with self.ir.cold_block((self.load(line) & layout.FINE).equals(0).name):
            given = line, area.begin(granule), area.half
            self.ir.line(f"call void @expand({', '.join(f'i64 {word.name}' for word in given)})")


def expand() -> str:
    """The function that copies a line's cells to all its granules."""
    w = Writer("", 0)
    line, half = w.word("%line"), w.word("%half")
    for place, to in ((line, w.word("%cells")), (line + 8, w.word("%cells") + half)):
        cell = w.load(place)
        spread, plain = (cell >> layout.SPREAD) & 7, cell & ~layout.SPREADS
        lanes = plain.splat(WIDE) + (w.vector(range(WIDE)) >> spread.splat(WIDE))
        row = (cell.differs(0) & (cell & layout.LEVEL).equals(0)).bits().splat(WIDE).differs(0)
        w.store(row.choose(lanes, plain.splat(WIDE)), to)
    w.store(w.word(layout.FINE), line)
    w.store(w.word(0), line + 8)
    body = "\n".join(["entry:", *w.ir.lines, "ret void"])
    return f"define internal void @expand(i64 %line, i64 %cells, i64 %half) noinline nounwind #0 {{\n{body}\n}}\n"
