"""The functions that watched kernels call, by the form of addresses.

`row`: adjacent lanes, perhaps several times; `one`: one address; `ones`: several consecutive ones; `lanes`: any
addresses, from the watch block, by halves of a warp. All of them take the watch block, the mask of lanes, the facts of
the access (layout.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.kinds import Kind, judge
from openptx.engines.native.instrument.watch.layout import WIDE
from openptx.engines.native.instrument.watch.sweep import Sweep
from openptx.engines.native.instrument.watch.words import Flag, Word
from openptx.engines.native.instrument.watch.writer import VECTOR, Area, Writer
from openptx.isa.address_windows import LOCAL, SHARED

GIVEN = {
    "row": "ptr %s, i64 %address, i64 %mask, i64 %facts, i64 %first, i64 %rows",
    "one": "ptr %s, i64 %address, i64 %mask, i64 %facts",
    "ones": "ptr %s, i64 %address, i64 %mask, i64 %facts, i64 %count",
    "lanes": "ptr %s, i64 %mask, i64 %facts",
}
"""Parameters by form. `first` is the lane at a row's start, which corresponds to the mask's lowest bit; `rows` and
`count` are the numbers of repetitions."""


def name_of(form: str, space: str, kind: Kind) -> str:
    return f"watch.{form}.{space}.{kind.name}"


def function(form: str, space: str, kind: Kind, shift: int) -> str:
    """The text of one of these functions; `shift`: the bits of an offset in a slot of the address space."""
    w = Writer(space, shift)
    if space == "generic":
        generic_lanes(w, kind) if form == "lanes" else generic(w, form, kind)
    else:
        {"row": row, "one": one, "ones": ones, "lanes": lanes}[form](w, kind)
    body = "\n".join(["entry:", *w.ir.lines])
    return f"define void @{name_of(form, space, kind)}({GIVEN[form]}) noinline nounwind #0 {{\n{body}\n}}\n"


@dataclass(frozen=True, slots=True)
class Row:
    """Lanes side by side: granule i is of lane `i >> spread`, again from the first one on after `lanes` of them."""

    w: Writer
    mine: Word
    mask: Word
    spread: Word
    lanes: Word
    total: Word
    pair: Word
    alone: Flag

    @property
    def fills(self) -> Flag:
        every = self.w.shifted(self.w.word(1), self.lanes) - 1
        return self.mask.equals(every) & ~self.w.shifted(self.lanes, self.spread).below(WIDE)

    def lane(self, i: Word) -> Word:
        return (i >> self.spread) & (self.lanes - 1)

    def line(self, i: Word) -> Word:
        many = self.pair.differs(0)
        level = many.choose(self.w.word(layout.OF_WARP), self.w.least(self.spread, 4) << layout.SPREAD)
        return (self.mine + self.lane(i)) | level

    def granules(self, i: Word) -> tuple[Word, Flag]:
        w = self.w
        number = i.splat(WIDE) + w.vector(range(WIDE))
        lanes = (number >> self.spread.splat(WIDE)) & (self.lanes - 1).splat(WIDE)
        active = ((self.mask.splat(WIDE) >> lanes) & 1).differs(0) & number.below(self.total.splat(WIDE))
        level = self.pair.differs(0).choose(w.word(layout.OF_WARP), 0)
        return (self.mine | level).splat(WIDE) + lanes, active


def row(w: Writer, kind: Kind) -> None:
    """The body of the form `row`: sweeps the granules of adjacent lanes."""
    ir, address, mask = w.ir, w.word("%address"), w.word("%mask")
    w.leave_if(mask.equals(0).name)
    low = w.word(ir.emit("call i64 @llvm.cttz.i64(i64 %mask, i1 true)"))
    high = w.word(ir.emit("call i64 @llvm.ctlz.i64(i64 %mask, i1 true)")) ^ 63
    area = w.area(address + w.shifted(low, w.bytes()))  # that of an executing lane
    spread = w.granules_log2(area)
    skipped = w.shifted(low, spread)
    in_row = w.shifted(w.word(1), (w.facts() >> layout.ROW_LANES) & 7)
    total = w.shifted(w.times(in_row, w.word("%rows")), spread)
    first = w.granule(address, area)
    w.require_inside(area, first + skipped, first + total - w.shifted(in_row - 1 - high, spread))
    pair = w.facts() & layout.PAIR
    mine = w.head() + w.word("%first")
    Sweep(w, kind, area, first, total).write(Row(w, mine, mask, spread, in_row, total, pair, pair.equals(0)))


@dataclass(frozen=True, slots=True)
class Ones:
    """Requests that are all made by the same lanes."""

    w: Writer
    mine: Word
    total: Word
    alone: Flag

    @property
    def fills(self) -> Flag:
        return self.total.differs(0)

    def line(self, i: Word) -> Word:
        return self.mine | (4 << layout.SPREAD)  # granules of one thread, if it is one

    def granules(self, i: Word) -> tuple[Word, Flag]:
        number = i.splat(WIDE) + self.w.vector(range(WIDE))
        return self.mine.splat(WIDE), number.below(self.total.splat(WIDE))


def ones(w: Writer, kind: Kind) -> None:
    address, mask = w.word("%address"), w.word("%mask")
    w.leave_if(mask.equals(0).name)
    area = w.area(address)
    alone, mine = set_of(w, mask)
    total, first = w.shifted(w.word("%count"), w.granules_log2(area)), w.granule(address, area)
    w.require_inside(area, first, first + total)
    Sweep(w, kind, area, first, total).write(Ones(w, mine, total, alone))


def set_of(w: Writer, mask: Word) -> tuple[Flag, Word]:
    """Whether there is only one lane, and the cell of an access by all of them."""
    lane = w.word(w.ir.emit(f"call i64 @llvm.cttz.i64(i64 {mask.name}, i1 true)"))
    alone = (mask & (mask - 1)).equals(0)
    return alone, (w.head() + lane) | alone.choose(w.word(0), layout.OF_WARP)


def one(w: Writer, kind: Kind) -> None:
    """The body of the form `one`: judges the granules at one address, for all lanes of the mask."""
    address, mask = w.word("%address"), w.word("%mask")
    w.leave_if(mask.equals(0).name)
    area = w.area(address)
    count, first = w.shifted(w.word(1), w.granules_log2(area)), w.granule(address, area)
    w.require_inside(area, first, first + count)
    alone, mine = set_of(w, mask)
    now = w.moment(0)

    def part(i: Word) -> None:
        w.expand(area, first + i)
        place = area.cells + ((first + i) << 3)
        written, read = w.load(place), w.load(place + area.half)
        verdict = judge(kind, written, read, mine, now, alone)
        w.leave_if(verdict.wrong.name, w.suspect)
        w.store(verdict.cell, place if kind.writes else place + area.half)

    w.loop(count, part)
    w.ir.line("ret void")


def lanes(w: Writer, kind: Kind) -> None:
    """Halves of the warp that are rows or one address are passed on; for others each lane's cells are gathered."""
    for first in range(0, 32, WIDE):
        mask = (w.word("%mask") >> first) & ((1 << WIDE) - 1)
        with w.ir.block_if(mask.differs(0).name):
            half(w, kind, first, mask)
    w.ir.line("ret void")


def half(w: Writer, kind: Kind, first: int, mask: Word) -> None:
    """Half a warp from lane `first` on: passed on as a row or as one address if it is that, else processed by
    allocation."""
    ir, every = w.ir, (1 << WIDE) - 1
    addresses = Word(ir, WIDE, ir.load(VECTOR, ir.field("%s", layout.LANES + 8 * first), 8))
    begin = w.word(ir.emit(f"extractelement {VECTOR} {addresses.name}, i32 0"))
    steps = addresses - begin.splat(WIDE)
    wanted = w.vector(range(WIDE)) << w.bytes().splat(WIDE)
    sixteen = w.facts() | 4 << layout.ROW_LANES
    row, one, on = (ir.fresh() for _ in range(3))
    place = f"i64 {begin.name}"
    calls = (
        (steps.differs(wanted), row, "row", f"i64 {mask.name}, i64 {sixteen.name}, i64 {first}, i64 1"),
        (steps.differs(0), one, "one", f"i64 {(mask << first).name}, i64 %facts"),
    )
    for wrong, label, form, given in calls:
        no = ir.fresh()
        ir.branch(((~wrong).bits().equals(every) & mask.equals(every)).name, label, no)
        ir.start(label)
        ir.line(f"call void @{name_of(form, w.space, kind)}(ptr %s, {place}, {given})")
        ir.jump(on)
        ir.start(no)
    groups(w, kind, first, addresses, mask, on)
    ir.start(on)


def groups(w: Writer, kind: Kind, first: int, addresses: Word, mask: Word, on: str) -> None:
    """Processes the lanes of one allocation after another; then jumps to `on`."""
    ir = w.ir
    before, head, left = ir.label, ir.fresh(), ir.name()
    ir.jump(head)
    ir.start(head)
    at = len(ir.lines)
    rest = w.word(left)
    lane = ir.emit(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
    leader = w.word(ir.emit(f"extractelement {VECTOR} {addresses.name}, i64 {lane}"))
    active = ((rest.splat(WIDE) >> w.vector(range(WIDE))) & 1).differs(0)
    if w.space == "global":
        active &= (addresses >> w.shift).equals((leader >> w.shift).splat(WIDE))
    less = rest & (active.bits() ^ -1)
    area = w.area(leader)
    granules, halves = w.granule(addresses, area), area.half.splat(WIDE)
    mine = (w.head() + w.word(first)).splat(WIDE) + w.vector(range(WIDE))
    now = w.moment(WIDE)

    def part(i: Word) -> None:
        numbers = granules + i.splat(WIDE)
        make_fine(w, area, numbers, active)
        writes = area.cells.splat(WIDE) + (numbers << 3)
        reads = writes + halves
        verdict = judge(kind, w.gathered(writes, active), w.gathered(reads, active), mine, now, None)
        w.leave_if((verdict.wrong & active).any(), w.suspect)
        entered = writes if kind.writes else reads
        w.scattered(verdict.cell, entered, active)
        entry = w.gathered(entered, active)
        lost = entry.differs(verdict.cell) & active  # another lane has the same address
        with ir.cold_block(lost.any()):
            if kind.writes and not kind.strong:
                w.suspect()
            else:
                w.scattered(judge(kind, entry, entry, mine, now, None).cell, entered, lost)

    w.loop(w.shifted(w.word(1), w.granules_log2(area)), part)
    ir.branch(less.equals(0).name, on, head)
    ir.lines.insert(at, f"{left} = phi i64 [ {mask.name}, %{before} ], [ {less.name}, %{ir.label} ]")


def make_fine(w: Writer, area: Area, numbers: Word, active: Flag) -> None:
    """Makes the lines of all granules fine."""
    ir = w.ir
    lines = area.lines.splat(WIDE) + ((numbers >> 4) << 4)
    coarse = (w.gathered(lines, active) & layout.FINE).equals(0) & active
    with ir.cold_block(coarse.any()):
        before, head, done, left = ir.label, ir.fresh(), ir.fresh(), ir.name()
        word = coarse.bits()
        ir.jump(head)
        ir.start(head)
        at = len(ir.lines)
        rest = w.word(left)
        lane = ir.emit(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
        w.expand(area, w.word(ir.emit(f"extractelement {VECTOR} {numbers.name}, i64 {lane}")))
        less = rest & (rest - 1)
        ir.branch(less.equals(0).name, done, head)
        ir.lines.insert(at, f"{left} = phi i64 [ {word.name}, %{before} ], [ {less.name}, %{ir.label} ]")
        ir.start(done)


def generic(w: Writer, form: str, kind: Kind) -> None:
    """Dispatches to shared memory, to local memory, which is private to the thread, or to global memory."""
    ir = w.ir
    slot = w.word("%address") >> w.shift
    w.leave_if((slot.equals(LOCAL) | w.word("%mask").equals(0)).name)
    yes, no = ir.fresh(), ir.fresh()
    ir.branch(slot.equals(SHARED).name, yes, no)
    for label, space in ((yes, "shared"), (no, "global")):
        ir.start(label)
        ir.line(f"tail call void @{name_of(form, space, kind)}({GIVEN[form]})")
        ir.line("ret void")


def generic_lanes(w: Writer, kind: Kind) -> None:
    ir, shared, local = w.ir, w.word(0), w.word(0)
    for first in range(0, 32, WIDE):
        slots = Word(ir, WIDE, ir.load(VECTOR, ir.field("%s", layout.LANES + 8 * first), 8)) >> w.shift
        shared |= slots.equals(SHARED).bits() << first
        local |= slots.equals(LOCAL).bits() << first
    mask = w.word("%mask")
    for space, some in (("shared", mask & shared), ("global", mask & ((shared | local) ^ -1))):
        ir.line(f"call void @{name_of('lanes', space, kind)}(ptr %s, i64 {some.name}, i64 %facts)")
    ir.line("ret void")
