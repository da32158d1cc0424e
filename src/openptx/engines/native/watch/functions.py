"""The text of the functions that watched kernels call: for each state space, kind of access, and form of addresses.

`row`: lanes side by side, perhaps several times; `one`: one address; `ones`: several that follow each other; `lanes`:
any addresses, from the watch block, in halves of a warp. All of them take the block, the mask of lanes, and the facts
of the access (layout.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from typing import NamedTuple

from openptx.engines.native.emit.ir_builder import IRBuilder
from openptx.engines.native.rtlib.support import METADATA
from openptx.engines.native.watch import layout
from openptx.engines.native.watch.kinds import KINDS, Kind, judge
from openptx.engines.native.watch.rule import Moment, settled, untouched
from openptx.engines.native.watch.words import Flag, Word
from openptx.isa.address_windows import CTA_SHIFT, LOCAL, SHARED, SHIFT

WIDE = 16
"""Granules at once: half a warp's words."""

SPACES = ("generic", "global", "shared")
FORMS = ("row", "one", "ones", "lanes")
EVENTS = ("suspect", "enter", "arrives", "meets", "together")


def names() -> list[str]:
    """The functions that kernels may call."""
    found = [f"watch.{form}.{space}.{kind.name}" for form in FORMS for space in SPACES for kind in KINDS]
    return [*(f"watch.{event}" for event in EVENTS), *found]


GIVEN = {
    "row": "ptr %s, i64 %address, i64 %mask, i64 %facts, i64 %first, i64 %rows",
    "one": "ptr %s, i64 %address, i64 %mask, i64 %facts",
    "ones": "ptr %s, i64 %address, i64 %mask, i64 %facts, i64 %count",
    "lanes": "ptr %s, i64 %mask, i64 %facts",
}


def declarations() -> list[str]:
    """What the text of a watched kernel begins with."""
    found = [re.sub(r" %\w+", "", f"declare void @{name}({GIVEN.get(name.split('.')[1], '')})") for name in names()]
    headers = re.findall(r"^define (void @watch.\w+\(.*\))", events(), re.M)
    return [*found[len(EVENTS) :], *(f"declare {re.sub(r' %[a-z]+', '', header)}" for header in headers)]


def text(address_size: int) -> str:
    """All of them, for LLVM."""
    parts = [events()]
    for kind in KINDS:
        for space in SPACES:
            parts += [Function(form, space, kind, SHIFT[address_size]).text() for form in FORMS]
    parts += ['attributes #0 = { "prefer-vector-width"="512" "min-legal-vector-width"="512" }', METADATA]
    return "\n".join(parts)


def events() -> str:
    found = files("openptx.engines.native.watch").joinpath("events.ll").read_text("utf-8")
    for name, value in vars(layout).items():
        if isinstance(value, int):
            found = found.replace(f"{{{name}}}", str(value))
    return found


class Area(NamedTuple):
    """Memory with cells (layout.py)."""

    cells: Word
    half: Word
    granule: Word
    size: Word


class Function:
    """One of the functions while it is written."""

    def __init__(self, form: str, space: str, kind: Kind, shift: int) -> None:
        self.form, self.space, self.kind, self.shift = form, space, kind, shift
        self.ir = IRBuilder()

    def text(self) -> str:
        write = getattr(self, "generic" if self.space == "generic" else self.form)
        write()
        name = self.name(self.form, self.space)
        body = "\n".join(["entry:", *self.ir.head, *self.ir.lines])
        return f"define void @{name}({GIVEN[self.form]}) noinline nounwind #0 {{\n{body}\n}}\n"

    def name(self, form: str, space: str) -> str:
        return f"watch.{form}.{space}.{self.kind.name}"

    # Small parts

    def word(self, name: str | int) -> Word:
        return Word(self.ir, 0, str(name))

    def vector(self, values: range) -> Word:
        return Word(self.ir, WIDE, "<" + ", ".join(f"i64 {i}" for i in values) + ">")

    def field(self, offset: int) -> Word:
        return self.word(self.ir.load("i64", self.ir.field("%s", offset), 8))

    def pointer(self, address: Word) -> str:
        return self.ir.emit(f"inttoptr i64 {address.name} to ptr")

    def leave_if(self, p: str, before: Callable[[], None] = lambda: None) -> None:
        with self.ir.exit_block(p):
            before()
            self.ir.line("ret void")

    def suspect(self) -> None:
        self.ir.line(f"call void @suspect(ptr %s, i64 {layout.RACE}, i64 %facts)")

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

    def moment(self, n: int) -> Moment:
        """Times as cells have them, in all places of vectors of `n`."""
        fields = (layout.TICK, layout.NEAR, layout.BEGIN)
        tick, near, begin = (self.field(offset) << layout.TIME for offset in fields)
        if n:
            tick, near, begin = (time.splat(n) for time in (tick, near, begin))
        return Moment(tick, near, begin if self.space == "global" else None)

    def head(self) -> Word:
        """The new access as a cell, but for its thread."""
        return self.field(layout.NOW) << layout.TIME | (self.word("%facts") & layout.FLAGS)

    def area(self, address: Word) -> Area:
        """Where the cells of the address's memory are. Leaves where it has none."""
        ir = self.ir
        if self.space == "shared":
            place = ir.field("%s", layout.SHARED)
        else:
            place = self.pointer(self.field(layout.TABLE) + ((address >> self.shift) << (layout.AREA - 1).bit_length()))
        offsets = layout.CELLS, layout.HALF, layout.GRANULE, layout.COUNT
        found = Area(*(self.word(ir.load("i64", ir.field(place, offset), 8)) for offset in offsets))
        if self.space == "global":

            def note() -> None:
                touched = (found.cells + 1) >> 1  # TOO_LARGE becomes TOUCHED
                ir.store("i64", (touched + touched).name, place, 8)

            self.leave_if(found.cells.below(layout.TOUCHED + 1).name, note)
        return found

    def granule(self, address: Word) -> Word:
        """The granule at an address: its number in shared memory, or in the address space."""
        return self.own(address) >> self.shifts()[0]

    def require_inside(self, area: Area, first: Word, end: Word) -> None:
        """Accesses are told of with the first of a group: a later one may be about to fault."""
        wrong = first.below(area.granule) | (area.granule + area.size).below(end)
        self.leave_if(wrong.name, self.suspect)

    def shifts(self) -> tuple[Word, Word]:
        """log2 of the bytes of a granule, and of the granules of a lane."""
        facts = self.word("%facts")
        return (facts >> layout.SHIFT) & 3, (facts >> layout.GRANULES) & 7

    def own(self, address: Word) -> Word:
        """Shared memory has two names: an offset, and one with the CTA's rank in the cluster."""
        return address & ((1 << CTA_SHIFT) - 1) if self.space == "shared" else address

    # Forms of addresses

    def row(self) -> None:
        """Lanes side by side, `rows` times."""
        ir, address, mask = self.ir, self.word("%address"), self.word("%mask")
        self.leave_if(mask.equals(0).name)
        shift, log = self.shifts()
        low = self.word(ir.emit("call i64 @llvm.cttz.i64(i64 %mask, i1 true)"))
        high = self.word(ir.emit("call i64 @llvm.ctlz.i64(i64 %mask, i1 true)")) ^ 63
        skipped = self.shifted(low, log)
        area = self.area(address + self.shifted(skipped, shift))  # that of a lane which executes
        facts = self.word("%facts")
        level = (facts & layout.PAIR).differs(0).choose(self.word(layout.OF_WARP), 0)
        mine = ((self.head() | level) + self.field(layout.FIRST) + self.word("%first")).splat(WIDE)
        in_row = self.shifted(self.word(1), (facts >> layout.ROW_LANES) & 7)
        total = self.shifted(self.times(in_row, "%rows"), log)
        first = self.granule(address)
        self.require_inside(area, first + skipped, first + total - self.shifted(in_row - 1 - high, log))
        masks, shifts, within = mask.splat(WIDE), log.splat(WIDE), (in_row - 1).splat(WIDE)
        alone = (facts & layout.PAIR).splat(WIDE).equals(0)

        def who(i: Word) -> tuple[Word, Flag]:
            number = (i << 4).splat(WIDE) + self.vector(range(WIDE))
            lanes = (number >> shifts) & within
            return mine + lanes, ((masks >> lanes) & 1).differs(0) & number.below(total.splat(WIDE))

        self.sweep(area, first, total, who, alone)

    def ones(self) -> None:
        """All lanes at one place, and at `count` - 1 that follow it."""
        address, mask = self.word("%address"), self.word("%mask")
        self.leave_if(mask.equals(0).name)
        area = self.area(address)
        single, mine = self.set_of(mask)
        total = self.shifted(self.word("%count"), self.shifts()[1])
        first = self.granule(address)
        self.require_inside(area, first, first + total)
        cell, alone = mine.splat(WIDE), single.bits().splat(WIDE).differs(0)

        def who(i: Word) -> tuple[Word, Flag]:
            number = (i << 4).splat(WIDE) + self.vector(range(WIDE))
            return cell, number.below(total.splat(WIDE))

        self.sweep(area, first, total, who, alone)

    def shifted(self, a: Word, by: Word) -> Word:
        return self.word(self.ir.emit(f"shl i64 {a.name}, {by.name}"))

    def times(self, a: Word, b: str) -> Word:
        return self.word(self.ir.emit(f"mul i64 {a.name}, {b}"))

    def sweep(
        self, area: Area, first: Word, total: Word, who: Callable[[Word], tuple[Word, Flag]], alone: Flag | None
    ) -> None:
        """Granules in a row, some at once; `who` gives the new accesses of a part and which of its granules there are.

        Two cases are common and short: nobody has been there since what orders all, and many have read it already.
        """
        ir, now, kind = self.ir, self.moment(WIDE), self.kind
        parts, start = (total + (WIDE - 1)) >> 4, area.cells + (first << 3)

        def part(i: Word) -> None:
            mine, here = who(i)
            places = start + (i << 7)
            written, read = (self.loaded(self.pointer(at), here) for at in (places, places + area.half))
            to = self.pointer(places if kind.writes else places + area.half)
            fast, slow, done = ir.fresh(), ir.fresh(), ir.fresh()
            clean = untouched(written, now)
            fresh = untouched(read, now)
            if alone is not None and kind.writes and not kind.strong:
                clean &= alone
            ir.likely(self.all(clean & fresh, here), fast, slow)
            ir.start(fast)
            self.enter(mine, to, here)
            ir.jump(done)
            ir.start(slow)
            if not kind.writes:
                full = ir.fresh()
                ir.branch(self.all(clean & settled(read, mine, now), here), done, full)
                ir.start(full)
            verdict = judge(kind, written, read, mine, now, alone)
            self.leave_if((verdict.wrong & here).any(), self.suspect)
            self.enter(verdict.cell, to, here)
            ir.jump(done)
            ir.start(done)

        self.loop(parts, part)
        ir.line("ret void")

    def all(self, p: Flag, here: Flag) -> str:
        """An i1: whether `p` holds wherever `here` does."""
        return (~p & here).bits().equals(0).name

    def enter(self, cell: Word, place: str, here: Flag) -> None:
        given = f"{cell.t} {cell.name}, ptr align 8 {place}, {here.t} {here.name}"
        self.ir.line(f"call void @llvm.masked.store.v{WIDE}i64.p0({given})")

    def loaded(self, place: str, here: Flag) -> Word:
        t = f"<{WIDE} x i64>"
        text = (
            f"call {t} @llvm.masked.load.v{WIDE}i64.p0(ptr align 8 {place}, {here.t} {here.name}, {t} zeroinitializer)"
        )
        return Word(self.ir, WIDE, self.ir.emit(text))

    def set_of(self, mask: Word) -> tuple[Flag, Word]:
        """Whether the lanes are one, and the cell of an access by all of them."""
        lane = self.word(self.ir.emit(f"call i64 @llvm.cttz.i64(i64 {mask.name}, i1 true)"))
        alone = (mask & (mask - 1)).equals(0)
        level = alone.choose(self.word(0), layout.OF_WARP)
        return alone, (self.head() | level) + self.field(layout.FIRST) + lane

    def one(self) -> None:
        ir, address, mask = self.ir, self.word("%address"), self.word("%mask")
        self.leave_if(mask.equals(0).name)
        area, count = self.area(address), self.shifted(self.word(1), self.shifts()[1])
        first = self.granule(address)
        self.require_inside(area, first, first + count)
        start = area.cells + (first << 3)
        alone, mine = self.set_of(mask)
        now = self.moment(0)

        def part(i: Word) -> None:
            place = start + (i << 3)
            written, read = (self.word(ir.load("i64", self.pointer(at), 8)) for at in (place, place + area.half))
            verdict = judge(self.kind, written, read, mine, now, alone)
            self.leave_if(verdict.wrong.name, self.suspect)
            ir.store("i64", verdict.cell.name, self.pointer(place if self.kind.writes else place + area.half), 8)

        self.loop(count, part)
        ir.line("ret void")

    def lanes(self) -> None:
        """Halves of the warp that are rows or one place are handed on; of others each lane's cells are gathered."""
        ir = self.ir
        for first in range(0, 32, WIDE):
            mask = (self.word("%mask") >> first) & ((1 << WIDE) - 1)
            with ir.block_if(mask.differs(0).name):
                self.half(first, mask)
        ir.line("ret void")

    def half(self, first: int, mask: Word) -> None:
        ir, t = self.ir, f"<{WIDE} x i64>"
        addresses = Word(ir, WIDE, ir.load(t, ir.field("%s", layout.LANES + 8 * first), 8))
        begin = self.word(ir.emit(f"extractelement {t} {addresses.name}, i32 0"))
        steps = addresses - begin.splat(WIDE)
        shift, log = self.shifts()
        wanted = self.vector(range(WIDE)) << (shift + log).splat(WIDE)
        whole = mask.equals((1 << WIDE) - 1)
        row, one, other, on = (ir.fresh() for _ in range(4))
        handed = mask << first
        calls = (
            (steps.differs(wanted), row, "row", f"i64 {begin.name}, i64 {mask.name}, i64 %facts, i64 {first}, i64 1"),
            (steps.differs(0), one, "one", f"i64 {begin.name}, i64 {handed.name}, i64 %facts"),
        )
        for wrong, label, form, given in calls:
            no = ir.fresh()
            ir.branch(((~wrong).bits().equals((1 << WIDE) - 1) & whole).name, label, no)
            ir.start(label)
            ir.line(f"call void @{self.name(form, self.space)}(ptr %s, {given})")
            ir.jump(on)
            ir.start(no)
        ir.jump(other)
        ir.start(other)
        self.groups(first, addresses, mask, on)
        ir.start(on)

    def groups(self, first: int, addresses: Word, mask: Word, on: str) -> None:
        """Lanes of one allocation after the other."""
        ir, t = self.ir, f"<{WIDE} x i64>"
        before, head, left = ir.label, ir.fresh(), ir.name()
        ir.jump(head)
        ir.start(head)
        at = len(ir.lines)
        rest = self.word(left)
        lane = ir.emit(f"call i64 @llvm.cttz.i64(i64 {left}, i1 true)")
        leader = self.word(ir.emit(f"extractelement {t} {addresses.name}, i64 {lane}"))
        here = self.lanes_of(rest)
        if self.space == "global":
            slot = leader >> self.shift
            here &= (addresses >> self.shift).equals(slot.splat(WIDE))
        less = rest & (here.bits() ^ -1)
        area = self.area(leader)
        shift, log = self.shifts()
        places = area.cells.splat(WIDE) + ((self.own(addresses) >> shift.splat(WIDE)) << 3)
        mine = (self.head() | (self.field(layout.FIRST) + first)).splat(WIDE) + self.vector(range(WIDE))
        now, halves = self.moment(WIDE), area.half.splat(WIDE)

        def part(i: Word) -> None:
            writes = places + (i << 3).splat(WIDE)
            reads = writes + halves
            verdict = judge(self.kind, self.gathered(writes, here), self.gathered(reads, here), mine, now, None)
            self.leave_if((verdict.wrong & here).any(), self.suspect)
            entered = writes if self.kind.writes else reads
            self.scatter(verdict.cell, entered, here)
            there = self.gathered(entered, here)
            lost = there.differs(verdict.cell) & here  # another lane has the same place
            with ir.cold_block(lost.any()):
                if self.kind.writes and not self.kind.strong:
                    self.suspect()
                else:
                    again = judge(self.kind, there, there, mine, now, None)
                    self.scatter(again.cell, entered, lost)

        self.loop(self.word(ir.emit(f"shl i64 1, {log.name}")), part)
        ir.branch(less.equals(0).name, on, head)
        ir.lines.insert(at, f"{left} = phi i64 [ {mask.name}, %{before} ], [ {less.name}, %{ir.label} ]")

    def lanes_of(self, mask: Word) -> Flag:
        return ((mask.splat(WIDE) >> self.vector(range(WIDE))) & 1).differs(0)

    def gathered(self, places: Word, here: Flag) -> Word:
        ir, t, p = self.ir, f"<{WIDE} x i64>", f"<{WIDE} x ptr>"
        at = ir.emit(f"inttoptr {t} {places.name} to {p}")
        suffix = f"v{WIDE}i64.v{WIDE}p0"
        text = f"call {t} @llvm.masked.gather.{suffix}({p} align 8 {at}, {here.t} {here.name}, {t} zeroinitializer)"
        return Word(ir, WIDE, ir.emit(text))

    def scatter(self, value: Word, places: Word, here: Flag) -> None:
        ir, t, p = self.ir, f"<{WIDE} x i64>", f"<{WIDE} x ptr>"
        at = ir.emit(f"inttoptr {t} {places.name} to {p}")
        suffix = f"v{WIDE}i64.v{WIDE}p0"
        ir.line(f"call void @llvm.masked.scatter.{suffix}({t} {value.name}, {p} align 8 {at}, {here.t} {here.name})")

    # Generic addresses

    def generic(self) -> None:
        """Lead to shared memory, to local memory, which nobody else has, or to global memory."""
        if self.form == "lanes":
            self.generic_lanes()
            return
        ir, address = self.ir, self.word("%address")
        slot = address >> self.shift
        self.leave_if((slot.equals(LOCAL) | self.word("%mask").equals(0)).name)
        yes, no = ir.fresh(), ir.fresh()
        ir.branch(slot.equals(SHARED).name, yes, no)
        for label, space in ((yes, "shared"), (no, "global")):
            ir.start(label)
            given = GIVEN[self.form]
            ir.line(f"tail call void @{self.name(self.form, space)}({given})")
            ir.line("ret void")

    def generic_lanes(self) -> None:
        ir, t = self.ir, f"<{WIDE} x i64>"
        shared, local = self.word(0), self.word(0)
        for first in range(0, 32, WIDE):
            slots = Word(ir, WIDE, ir.load(t, ir.field("%s", layout.LANES + 8 * first), 8)) >> self.shift
            shared |= slots.equals(SHARED).bits() << first
            local |= slots.equals(LOCAL).bits() << first
        mask = self.word("%mask")
        for space, some in (("shared", mask & shared), ("global", mask & ((shared | local) ^ -1))):
            ir.line(f"call void @{self.name('lanes', space)}(ptr %s, i64 {some.name}, i64 %facts)")
        ir.line("ret void")
