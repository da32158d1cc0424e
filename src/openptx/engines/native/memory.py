"""Loads and stores: one check and a few wide moves where lanes are a base and offsets, gathers elsewhere.

Every access is checked against the table of slots. Whatever is not plainly good goes the slow way, lane by lane
(`runtime.ll`), which is exact: it accepts what is right after all, and says which lane did what wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.emitter import vector_type
from openptx.engines.native.floats import Floats
from openptx.engines.native.values import ZEROS, Lanes, N, Value, as_lanes, normal, trailing_zeros
from openptx.isa.images import Images
from openptx.isa.windows import LOCAL, SHARED, SHIFT, window
from openptx.numerics import Bits

RUNS = 4
"""Pieces that a load of offsets may consist of, to be put together from wide moves."""

WINDOW = 8
"""Times the size of what is wanted that a window around it may be read."""


GOOD = "true"
"""The verdict of a check that need not be made."""

Act = Callable[[], tuple[Bits, ...]]
Check = tuple[str, Callable[[], str]]
"""An i1, and what makes the pointers."""


class Form(NamedTuple):
    """What is known of an address: its scalar for lane offset 0, the lanes' offsets in bytes, the scalar's low zero
    bits, the most it may be (-1: no matter what), and the pointer it comes from."""

    base: str
    lanes: Lanes
    tz: int
    high: int
    origin: object

    def surely_within(self, limit: int, size: int) -> bool:
        """Whether `size` bytes at every lane's place are aligned and below `limit`, whatever the base is."""
        align = size & -size
        aligned = align <= 1 << min(self.tz, 6) and all(v % align == 0 for v in self.lanes)
        return aligned and 0 <= self.high <= limit - size - max(self.lanes)


class Row(NamedTuple):
    """The names of a row's columns in the text."""

    start: str
    size: str
    writable: str
    delta: str


def origin_of(a: Bits) -> object:
    return a.v.origin if isinstance(a.v, Value) else None


class Fallback(Exception):
    """Something this engine leaves to the reference engine, for the whole kernel."""


class Memory(Floats):
    address_size: int
    site: int = 0
    site_base: int = 0  # above the positions: the function's number
    fail: str = ""  # the label of the code that leaves with a fault
    mask: Bits  # the lanes that execute
    uncertain = False  # they may be none
    local_size: int = 0
    static_shared: int = 0  # bytes of shared memory that every CTA has

    # State of the worker

    def state(self, offset: int, t: str) -> str:
        """What the worker's state holds when the function begins."""
        key = (offset, t)
        found = self.entries.get(key)
        if found is None:
            where = self.out.first(f"getelementptr i8, ptr %w, i64 {offset}")
            found = self.entries[key] = self.out.first(f"load {t}, ptr {where}, align 4, !tbaa !5")
        return found

    entries: dict[object, str]

    def field(self, offset: int) -> str:
        return self.out.emit(f"getelementptr i8, ptr %w, i64 {offset}")

    def active_mask(self) -> str:
        return self.vector(self.mask)

    def mask_word(self) -> str:
        """The executing lanes as an i32."""
        if isinstance(self.mask.v, int):
            return str(-1 if self.mask.v else 0)
        return self.out.emit(f"bitcast <{N} x i1> {self.active_mask()} to i{N}")

    @property
    def full(self) -> bool:
        return self.mask.v == 1

    # Where addresses come from. Sums of a pointer and numbers lead where the pointer leads, if the program is right: a
    # guess, made when the function begins. The check of an access is exact all the same: where it fails, the slow way
    # looks at the address itself.

    def come_from(self, a: Bits, origin: object) -> Bits:
        """The same, remembered as computed from a pointer."""
        if isinstance(a.v, Value) and a.v.origin is None:
            a.v.origin = origin
        return a

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        d = super().binary(op, a, b)
        if a.width == 64 and op in ("add", "sub") and d.v is not a.v and d.v is not b.v:
            x, y = origin_of(a), origin_of(b)
            if x is None or y is None:
                self.come_from(d, x or y)
        return d

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        d = super().select(p, a, b)
        if a.width == 64 and d.v is not a.v and d.v is not b.v and origin_of(a) == origin_of(b):
            self.come_from(d, origin_of(a))
        return d

    def origin_row(self, origin: object) -> Row:
        """The columns of the row that a pointer leads to, looked up where the function begins."""
        key = ("row", origin)
        if key not in self.entries:
            self.entries[key] = ""
            self.rows[origin] = self.columns(self.out.first, self.entries[origin])
        return self.rows[origin]

    rows: dict[object, Row]

    def columns(self, emit: Callable[[str], str], address: str) -> Row:
        """All columns of the row for a scalar address."""
        slot = emit(f"lshr i64 {address}, {SHIFT[self.address_size]}")
        good = emit(f"icmp ult i64 {slot}, {self.state(layout.SLOTS, 'i64')}")
        slot = emit(f"select i1 {good}, i64 {slot}, i64 0")
        row = emit(f"getelementptr [{layout.ROW} x i8], ptr {self.state(layout.TABLE, 'ptr')}, i64 {slot}")
        places = [emit(f"getelementptr i8, ptr {row}, i64 {8 * i}") for i in range(4)]
        return Row(*[emit(f"load i64, ptr {at}, align 8, !tbaa !5") for at in places])

    # Where an address leads

    def row(self, address: str) -> str:
        """The table's row for a scalar address."""
        out = self.out
        slot = out.emit(f"lshr i64 {address}, {SHIFT[self.address_size]}")
        good = out.emit(f"icmp ult i64 {slot}, {self.state(layout.SLOTS, 'i64')}")
        slot = out.emit(f"select i1 {good}, i64 {slot}, i64 0")
        return out.emit(f"getelementptr [{layout.ROW} x i8], ptr {self.state(layout.TABLE, 'ptr')}, i64 {slot}")

    def column(self, row: str, i: int, t: str = "i64") -> str:
        where = self.out.emit(f"getelementptr i8, ptr {row}, i64 {8 * i}")
        return self.out.emit(f"load {t}, ptr {where}, align 8, !tbaa !5")

    def where(self, space: str, address: Bits) -> tuple[str, Bits]:
        """The way of a space ("table", "shared" or "local"), and the address for it."""
        if space == "shared" or space == "shared::cta":
            return "shared", address
        if space in ("local", "frame"):
            return "local", address
        if space == "shared::cluster":
            return "slow", address
        if space == "generic" and isinstance(address.v, int):
            shift = SHIFT[self.address_size]
            way = {SHARED: "shared", LOCAL: "local"}.get(address.v >> shift)
            if way is not None:
                return way, self.const(address.v & (1 << shift) - 1, 64)
        base = window(space, self.address_size) if space != "generic" else 0
        return "table", address + base if base else address

    def lane_offsets(self) -> str:
        """Where each lane's local memory lies in its CTA's."""
        found = self.entries.get("lane offsets")
        if found is None:
            out, t = self.out, vector_type(64)
            stride = self.state(layout.STRIDE, "i64")
            first = out.first(f"mul i64 %first, {stride}")
            lanes: list[str] = []
            for scalar in (stride, first):
                one = out.first(f"insertelement {t} poison, i64 {scalar}, i32 0")
                lanes.append(out.first(f"shufflevector {t} {one}, {t} poison, <{N} x i32> zeroinitializer"))
            steps = out.first(f"mul {t} {lanes[0]}, {self.literal_vector(tuple(range(N)), 64)}")
            found = self.entries["lane offsets"] = out.first(f"add {t} {steps}, {lanes[1]}")
        return found

    # Loads

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        if space == "param" and isinstance(address.v, int):
            return self.parameter(address.v, w, count)
        way, place = self.where(space, address)
        if self.uncertain and not (way == "table" and self.offsets(place) is None):
            return self.if_any(lambda: self._load(space, way, address, place, w, count))
        return self._load(space, way, address, place, w, count)

    def if_any(self, act: Act) -> tuple[Bits, ...]:
        """`act` if any lane executes; else zeros."""
        out = self.out
        word = self.mask_word()
        yes, done = out.fresh(), out.fresh()
        before = out.label
        some = out.emit(f"icmp ne i{N} {word}, 0")
        out.branch(some, yes, done)
        out.start(yes)
        out.aside += 1
        certain, self.uncertain = self.uncertain, False
        results = act()
        names = [(self.scalar(d) if self.uniform(d) else self.vector(d), self.full_type(d), d) for d in results]
        self.uncertain = certain
        out.aside -= 1
        end = out.label
        out.jump(done)
        out.start(done)
        return tuple(
            self.bits(
                out.emit(f"phi {t} [{name}, %{end}], [{'0' if t.startswith('i') else 'zeroinitializer'}, %{before}]")
                if t != "i1"
                else out.emit(f"phi i1 [{name}, %{end}], [false, %{before}]"),
                d.width,
                ZEROS if self.uniform(d) else None,
            )
            for name, t, d in names
        )

    def parameter(self, offset: int, w: int, count: int) -> tuple[Bits, ...]:
        """Kernel parameters at known places are loaded once, where the function begins."""
        if offset + w * count // 8 > self.parameter_size or offset % (w * count // 8):
            address = self.const(offset, 64)
            return self._load("param", "slow", address, address, w, count)
        found: list[Bits] = []
        for at in range(offset, offset + w * count // 8, w // 8):
            key = ("param", at, w)
            if key not in self.entries:
                pointer = self.parameters()
                where = self.out.first(f"getelementptr i8, ptr {pointer}, i64 {at}")
                self.entries[key] = self.out.first(f"load i{w}, ptr {where}, align {w // 8}, !tbaa !5")
            value = self.bits(self.entries[key], w, ZEROS)
            found.append(self.come_from(value, key) if w == 64 else value)
        return tuple(found)

    parameter_size: int = 0

    def parameters(self) -> str:
        """The parameter buffer's place in this process."""
        if "parameters" not in self.entries:
            out = self.out
            row = out.first(f"getelementptr i8, ptr {self.state(layout.TABLE, 'ptr')}, i64 {4 * layout.ROW}")
            base = out.first(f"load i64, ptr {row}, align 8, !tbaa !5")
            last = out.first(f"getelementptr i8, ptr {row}, i64 24")
            delta = out.first(f"load i64, ptr {last}, align 8, !tbaa !5")
            host = out.first(f"add i64 {base}, {delta}")
            self.entries["parameters"] = out.first(f"inttoptr i64 {host} to ptr")
        return self.entries["parameters"]

    def offsets(self, address: Bits) -> Form | None:
        """What is known of an address; None where lanes vary."""
        v = address.v
        if isinstance(v, int):
            return Form(str(v), ZEROS, trailing_zeros(v), v, None)
        if not isinstance(v, Value):
            parts = normal(as_lanes(v), 64)
            if parts is None:
                return None
            return Form(str(parts[0]), parts[1], trailing_zeros(parts[0]), parts[0], None)
        if v.lanes is None:
            return None
        return Form(self.scalar(Bits(self, 64, Value(v.name, ZEROS))), v.lanes, v.tz, v.high, v.origin)

    def private(self, space: str) -> bool:
        """Whether one address may mean different places for different lanes."""
        return space in ("local", "frame") or (space == "generic" and self.has_local)

    has_local = False
    checked = True

    def _load(self, space: str, way: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        if way == "slow":
            return self.slow_load(space, address, w, count)
        out = self.out
        form = self.offsets(place)
        size = w * count // 8
        if form is not None and way != "local":
            plan = Plan.of(form.lanes, w // 8, count)
            good, pointer = self.check_span(way, form, size, False)

            def wide() -> tuple[Bits, ...]:
                if plan is None:
                    return self.gather(self.apart_from(pointer(), form.lanes), w, count)
                found = self.wide_load(plan, pointer(), w, count)
                return tuple(self.bits(self.vector(d), w) for d in found) if self.private(space) else found

            return self.two_ways(good, wide, lambda: self.slow_load(space, address, w, count))
        bad, pointers = self.check_lanes(way, place, size, False)

        def rows() -> tuple[Bits, ...]:
            halves = [
                out.emit(f"load <{N // 2} x i{w}>, ptr {at}, align {w // 8}, !tbaa !6") for at in self.ends(pointers())
            ]
            t, order = f"<{N // 2} x i{w}>", ", ".join(f"i32 {i}" for i in range(N))
            return (self.bits(out.emit(f"shufflevector {t} {halves[0]}, {t} {halves[1]}, <{N} x i32> <{order}>"), w),)

        def fast() -> tuple[Bits, ...]:
            if count > 1:
                return self.gather(pointers(), w, count)
            return self.two_ways(self.in_rows(place, w // 8), rows, lambda: self.gather(pointers(), w, 1))

        good = out.emit(f"xor i1 {bad}, true")
        return self.two_ways(good, fast, lambda: self.slow_load(space, address, w, count))

    def apart_from(self, pointer: str, lanes: Lanes) -> str:
        """Each lane's pointer, at a known distance from one."""
        return self.out.emit(f"getelementptr i8, ptr {pointer}, {vector_type(64)} {self.literal_vector(lanes, 64)}")

    def gather(self, places: str, w: int, count: int) -> tuple[Bits, ...]:
        out, t, mask = self.out, vector_type(w), self.active_mask()
        found: list[Bits] = []
        for i in range(count):
            at = places
            if i:
                at = out.emit(f"getelementptr i8, <{N} x ptr> {places}, i64 {i * w // 8}")
            name = out.emit(
                f"call {t} @llvm.masked.gather.v{N}i{w}.v{N}p0(<{N} x ptr> align {w // 8} {at},"
                f" <{N} x i1> {mask}, {t} zeroinitializer), !tbaa !6"
            )
            found.append(self.bits(name, w))
        return tuple(found)

    # Half a warp is a row of many a tile: two moves are an order of magnitude faster than a gather.

    def in_rows(self, place: Bits, step: int) -> str:
        """Whether all lanes execute, and each half of them is side by side."""
        out, t = self.out, vector_type(64)
        a = self.vector(place)
        starts = ", ".join(f"i32 {i // 16 * 16}" for i in range(N))
        begins = out.emit(f"shufflevector {t} {a}, {t} poison, <{N} x i32> <{starts}>")
        wanted = out.emit(f"add {t} {begins}, {self.literal_vector(tuple(i % 16 * step for i in range(N)), 64)}")
        same = out.emit(f"icmp eq {t} {a}, {wanted}")
        word = out.emit(f"bitcast <{N} x i1> {same} to i{N}")
        if not self.full:
            word = out.emit(f"and i{N} {word}, {self.mask_word()}")
        return out.emit(f"icmp eq i{N} {word}, -1")

    def ends(self, places: str) -> list[str]:
        """The pointers of the first lane and of the middle one."""
        return [self.out.emit(f"extractelement <{N} x ptr> {places}, i32 {i}") for i in (0, N // 2)]

    def two_ways(self, good: str, fast: Act, slow: Act) -> tuple[Bits, ...]:
        """The results of `fast` where `good` holds, else those of `slow`, which gives vectors."""
        if good == GOOD:
            return fast()
        out = self.out
        a, b, done = out.fresh(), out.fresh(), out.fresh()
        out.branch(good, a, b, ", !prof !1")
        out.aside += 1
        out.start(a)
        results = fast()
        names = [self.scalar(d) if self.uniform(d) else self.vector(d) for d in results]
        fast_end = out.label
        out.jump(done)
        out.start(b)
        others = [
            self.first_active(s) if self.uniform(d) else self.vector(s) for d, s in zip(results, slow(), strict=True)
        ]
        slow_end = out.label
        out.jump(done)
        out.aside -= 1
        out.start(done)
        found: list[Bits] = []
        for d, x, y in zip(results, names, others, strict=True):
            name = out.emit(f"phi {self.full_type(d)} [{x}, %{fast_end}], [{y}, %{slow_end}]")
            found.append(self.bits(name, d.width, ZEROS if self.uniform(d) else None))
        return tuple(found)

    def first_active(self, a: Bits) -> str:
        """The scalar of the lowest executing lane."""
        if self.full:
            return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 0")
        lane = self.out.emit(f"call i32 @llvm.cttz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.out.emit(f"and i32 {lane}, 31")
        return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 {lane}")

    def last_active(self, a: Bits) -> str:
        if self.uniform(a):
            return self.scalar(a)
        if self.full:
            return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 {N - 1}")
        zeros = self.out.emit(f"call i32 @llvm.ctlz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.out.emit(f"sub i32 31, {zeros}")
        lane = self.out.emit(f"and i32 {lane}, 31")
        return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 {lane}")

    def check_span(self, way: str, form: Form, size: int, write: bool) -> Check:
        """Whether all that lies between the lowest and the highest lane's places is good, and where it begins."""
        out = self.out
        base, lanes, tz = form[:3]
        span = max(lanes) + size
        align = min(size & -size, 64)
        group = self.group_here(way, size, write)
        if group is not None and (known := self.group_good.get(group)) is not None:
            good: str | None = known
        else:
            good = None
        low = 0
        if group is not None and good is None:  # what later accesses of the group want is checked here as well
            low, span, align, write = group.low(self.site), group.span(max(lanes)), group.align, group.write
        if way == "shared":
            limit, offset = self.state(layout.SHARED_SIZE, "i64"), base
            origin = self.state(layout.SHARED, "ptr")

            def pointer() -> str:
                return out.emit(f"getelementptr i8, ptr {origin}, i64 {base}")

            if form.surely_within(self.static_shared, size):
                return GOOD, pointer
            if good is None:
                begin = out.emit(f"add i64 {offset}, {low}") if low else offset
                room = out.emit(f"sub i64 {limit}, {span}")
                fits = out.emit(f"icmp sle i64 {begin}, {room}")
                above = out.emit(f"icmp sge i64 {begin}, 0")
                good = out.emit(f"and i1 {fits}, {above}")
                good = self.aligned_too(good, base, align, lanes, tz, group)
        else:
            if form.origin is not None:
                known = self.origin_row(form.origin)
                column = known.__getitem__
            else:
                key = (self.here_key(), base) if group is None else group
                row = self.rows_here.get(key)
                if row is None:
                    row = self.row(base)
                    if not out.aside:
                        self.rows_here[key] = row
                column = partial(self.column, row)
            if good is None:
                start = column(0)
                limit = column(2 if write else 1)
                offset = out.emit(f"sub i64 {base}, {start}")
                begin = out.emit(f"add i64 {offset}, {low}") if low else offset
                room = out.emit(f"sub i64 {limit}, {span}")
                fits = out.emit(f"icmp sle i64 {begin}, {room}")
                above = out.emit(f"icmp sge i64 {begin}, 0")
                good = out.emit(f"and i1 {fits}, {above}")
                good = self.aligned_too(good, base, align, lanes, tz, group)

            def pointer() -> str:
                delta = column(3)
                host = out.emit(f"add i64 {base}, {delta}")
                return out.emit(f"inttoptr i64 {host} to ptr")

        if not self.checked:
            return GOOD, pointer
        if group is not None and not out.aside:
            self.group_good[group] = good
        return good, pointer

    def aligned_too(self, good: str, base: str, align: int, lanes: Lanes, tz: int, group: Group | None) -> str:
        out = self.out
        if align > 1 and any(v % align for v in lanes):
            return "false"
        if align > 1 << tz:
            low = out.emit(f"and i64 {base}, {align - 1}")
            aligned = out.emit(f"icmp eq i64 {low}, 0")
            return out.emit(f"and i1 {good}, {aligned}")
        return good

    # Accesses of one block that differ from each other by known numbers are checked together, by the first of them.

    groups: dict[int, Group]
    group_good: dict[Group, str]
    rows_here: dict[object, str]
    sizes: dict[int, tuple[str, int, bool]]

    def here_key(self) -> object:
        return None

    def group_here(self, way: str, size: int, write: bool) -> Group | None:
        """The group of the access being made, if all dry runs agree on it."""
        self.sizes[self.site] = way, size, write
        group = self.groups.get(self.site)
        return group if group is not None and group.way == way and not self.uncertain else None

    def check_lanes(self, way: str, place: Bits, size: int, write: bool) -> Check:
        """Whether the place of some executing lane is not plainly good, and the places."""
        out, t = self.out, vector_type(64)
        a, delta = self.vector(place), ""
        if way == "table":
            origin = origin_of(place)
            if origin is not None:
                column = self.origin_row(origin).__getitem__
            else:
                column = partial(self.column, self.row(self.first_active(place)))
            start, limit, delta = column(0), column(2 if write else 1), column(3)
            offsets = out.emit(f"sub {t} {a}, {self.splat(start, 'i64')}")
        else:
            limit = self.state(layout.SHARED_SIZE, "i64") if way == "shared" else self.local_limit()
            offsets = a
        room = out.emit(f"sub i64 {limit}, {size}")
        none = out.emit(f"icmp slt i64 {room}, 0")
        far = out.emit(f"icmp ugt {t} {offsets}, {self.splat(room, 'i64')}")
        if size > 1:
            low = out.emit(f"and {t} {a}, splat (i64 {size - 1})")
            odd = out.emit(f"icmp ne {t} {low}, zeroinitializer")
            far = out.emit(f"or <{N} x i1> {far}, {odd}")
        if not self.full:
            far = out.emit(f"and <{N} x i1> {far}, {self.active_mask()}")
        word = out.emit(f"bitcast <{N} x i1> {far} to i{N}")
        some = out.emit(f"icmp ne i{N} {word}, 0")
        bad = out.emit(f"or i1 {some}, {none}")

        def pointers() -> str:
            if way == "table":
                hosts = out.emit(f"add {t} {a}, {self.splat(delta, 'i64')}")
                return out.emit(f"inttoptr {t} {hosts} to <{N} x ptr>")
            origin = self.state(layout.SHARED if way == "shared" else layout.LOCAL, "ptr")
            index = offsets if way == "shared" else out.emit(f"add {t} {offsets}, {self.lane_offsets()}")
            return out.emit(f"getelementptr i8, ptr {origin}, {t} {index}")

        return bad if self.checked else "false", pointers

    def local_limit(self) -> str:
        return str(self.local_size)

    def wide_load(self, plan: Plan, pointer: str, w: int, count: int) -> tuple[Bits, ...]:
        """The elements by a few moves and shuffles."""
        out, step = self.out, w // 8
        if plan.uniform:
            found: list[Bits] = []
            for i in range(count):
                at = pointer if not i else out.emit(f"getelementptr i8, ptr {pointer}, i64 {i * step}")
                found.append(self.bits(out.emit(f"load i{w}, ptr {at}, align {step}, !tbaa !6"), w, ZEROS))
            return tuple(found)
        pieces: list[tuple[str, int]] = []
        for start, n in plan.runs:
            at = pointer if not start else out.emit(f"getelementptr i8, ptr {pointer}, i64 {start * step}")
            pieces.append((out.emit(f"load <{n} x i{w}>, ptr {at}, align {step}, !tbaa !6"), n))
        return tuple(self.bits(self.assemble(plan, pieces, w, i), w) for i in range(count))

    def assemble(self, plan: Plan, pieces: list[tuple[str, int]], w: int, element: int) -> str:
        """The lanes' elements out of pieces, two pieces a shuffle."""
        out = self.out
        wanted = [i + element for i in plan.index]
        starts = [start for start, _ in plan.runs]
        partial: list[tuple[str, set[int]]] = []
        for k in range(0, len(pieces), 2):
            pair = pieces[k : k + 2]
            n = max(size for _, size in pair)
            names = [self.padded(name, size, n, w) for name, size in pair]
            order: list[str] = []
            have: set[int] = set()
            for lane, i in enumerate(wanted):
                for side, (_, size) in enumerate(pair):
                    start = starts[k + side]
                    if start <= i < start + size:
                        order.append(f"i32 {side * n + i - start}")
                        have.add(lane)
                        break
                else:
                    order.append("i32 poison")
            if len(names) == 1 and n == N and wanted == [starts[k] + i for i in range(N)]:
                return names[0]
            other = names[1] if len(names) > 1 else "poison"
            t = f"<{n} x i{w}>"
            partial.append(
                (out.emit(f"shufflevector {t} {names[0]}, {t} {other}, <{N} x i32> <{', '.join(order)}>"), have)
            )
        while len(partial) > 1:
            (x, have), (y, more) = partial.pop(), partial.pop()
            t = vector_type(w)
            order = [f"i32 {lane if lane in have else N + lane}" for lane in range(N)]
            name = out.emit(f"shufflevector {t} {x}, {t} {y}, <{N} x i32> <{', '.join(order)}>")
            partial.append((name, have | more))
        return partial[0][0]

    def padded(self, name: str, size: int, n: int, w: int) -> str:
        if size == n:
            return name
        order = ", ".join(f"i32 {i}" if i < size else "i32 poison" for i in range(n))
        t = f"<{size} x i{w}>"
        return self.out.emit(f"shufflevector {t} {name}, {t} poison, <{n} x i32> <{order}>")

    # Stores

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        if self.uncertain:
            values = [self.held(v) for v in values]
            self.if_any(lambda: self._store(space, address, values))
        else:
            self._store(space, address, values)

    def held(self, a: Bits) -> Bits:
        """The value with its bits made here, so that code aside may use them."""
        if isinstance(a.v, Value):
            (self.scalar if self.uniform(a) else self.vector)(a)
        return a

    def _store(self, space: str, address: Bits, values: Sequence[Bits]) -> tuple[Bits, ...]:
        out, w, count = self.out, values[0].width, len(values)
        way, place = self.where(space, address)
        values = [self.held(v) for v in values]
        if way == "slow":
            self.slow_store(space, address, values)
            return ()
        size = w * count // 8
        form = self.offsets(place)
        if form is not None and way != "local":
            good, pointer = self.check_span(way, form, size, True)

            def fast() -> None:
                if form.lanes == tuple(size * i for i in range(N)):
                    self.store_row(pointer(), values, w)
                elif form.lanes is ZEROS:
                    self.store_one(pointer(), values, w)
                else:
                    self.store_apart(pointer(), form.lanes, values, w)
        else:
            bad, pointers = self.check_lanes(way, place, size, True)
            good = out.emit(f"xor i1 {bad}, true")

            def fast() -> None:
                if count > 1:
                    self.scatter(pointers(), values, w)
                    return
                rows, other, on = out.fresh(), out.fresh(), out.fresh()
                out.branch(self.in_rows(place, w // 8), rows, other)
                out.start(rows)
                for i, at in zip((0, N // 2), self.ends(pointers()), strict=True):
                    self.store_piece(at, values[0], i, N // 2)
                out.jump(on)
                out.start(other)
                self.scatter(pointers(), values, w)
                out.jump(on)
                out.start(on)

        if good == GOOD:
            fast()
            return ()
        a, b, done = out.fresh(), out.fresh(), out.fresh()
        out.branch(good, a, b, ", !prof !1")
        out.aside += 1
        out.start(b)
        self.slow_store(space, address, values)
        out.jump(done)
        out.start(a)
        fast()
        out.jump(done)
        out.aside -= 1
        out.start(done)
        return ()

    def scatter(self, places: str, values: Sequence[Bits], w: int) -> None:
        out, t, mask = self.out, vector_type(w), self.active_mask()
        for i, v in enumerate(values):
            at = places
            if i:
                at = out.emit(f"getelementptr i8, <{N} x ptr> {places}, i64 {i * w // 8}")
            out.line(
                f"call void @llvm.masked.scatter.v{N}i{w}.v{N}p0({t} {self.vector(v)},"
                f" <{N} x ptr> align {w // 8} {at}, <{N} x i1> {mask}), !tbaa !6"
            )

    def store_piece(self, pointer: str, value: Bits, first: int, n: int) -> None:
        """Some lanes side by side."""
        out, w, t = self.out, value.width, vector_type(value.width)
        order = ", ".join(f"i32 {first + k}" for k in range(n))
        part = out.emit(f"shufflevector {t} {self.vector(value)}, {t} poison, <{n} x i32> <{order}>")
        out.line(f"store <{n} x i{w}> {part}, ptr {pointer}, align {w // 8}, !tbaa !6")

    def store_apart(self, pointer: str, lanes: Lanes, values: Sequence[Bits], w: int) -> None:
        """Lanes at known places: a few pieces, or one by one."""
        begins = [i for i in range(N) if i == 0 or lanes[i] != lanes[i - 1] + w // 8]
        if not self.full or len(values) > 1 or len(begins) > RUNS:
            self.scatter(self.apart_from(pointer, lanes), values, w)
            return
        for i, end in zip(begins, [*begins[1:], N], strict=True):
            at = self.out.emit(f"getelementptr i8, ptr {pointer}, i64 {lanes[i]}")
            self.store_piece(at, values[0], i, end - i)

    def store_row(self, pointer: str, values: Sequence[Bits], w: int) -> None:
        """All lanes side by side."""
        out, count = self.out, len(values)
        name, n = self.interleaved([self.vector(v) for v in values], w)
        t = f"<{n} x i{w}>"
        if self.full:
            out.line(f"store {t} {name}, ptr {pointer}, align {w // 8}, !tbaa !6")
            return
        # A store under a mask costs several plain ones, and the mask is hardly ever in use.
        mask, plain, masked, done = self.active_mask(), out.fresh(), out.fresh(), out.fresh()
        whole = out.emit(f"icmp eq i{N} {self.mask_word()}, -1")
        out.branch(whole, plain, masked, ", !prof !1")
        out.start(plain)
        out.line(f"store {t} {name}, ptr {pointer}, align {w // 8}, !tbaa !6")
        out.jump(done)
        out.start(masked)
        if count > 1:
            order = ", ".join(f"i32 {i // count}" for i in range(n))
            mask = out.emit(f"shufflevector <{N} x i1> {mask}, <{N} x i1> poison, <{n} x i32> <{order}>")
        out.line(
            f"call void @llvm.masked.store.v{n}i{w}.p0({t} {name}, ptr align {w // 8} {pointer},"
            f" <{n} x i1> {mask}), !tbaa !6"
        )
        out.jump(done)
        out.start(done)

    def interleaved(self, names: list[str], w: int) -> tuple[str, int]:
        """Elements of lane 0, then of lane 1, and so on."""
        n, out = N, self.out
        while len(names) > 1:
            half = len(names) // 2
            # Element i of a pair (i, i + half) takes every other place, doubling the vector.
            order = ", ".join(f"i32 {i // 2 + n * (i % 2)}" for i in range(2 * n))
            t = f"<{n} x i{w}>"
            names = [
                out.emit(f"shufflevector {t} {names[i]}, {t} {names[i + half]}, <{2 * n} x i32> <{order}>")
                for i in range(half)
            ]
            n *= 2
        return names[0], n

    def store_one(self, pointer: str, values: Sequence[Bits], w: int) -> None:
        """All lanes to one place: the highest lane's value stays."""
        for i, v in enumerate(values):
            at = pointer if not i else self.out.emit(f"getelementptr i8, ptr {pointer}, i64 {i * w // 8}")
            self.out.line(f"store i{w} {self.last_active(v)}, ptr {at}, align {w // 8}, !tbaa !6")

    # The slow way

    def hand_addresses(self, address: Bits) -> None:
        where = self.field(layout.SCRATCH)
        self.out.line(f"store {vector_type(64)} {self.vector(address)}, ptr {where}, align 64, !tbaa !5")

    def slow_load(self, space: str, address: Bits, w: int, count: int) -> tuple[Bits, ...]:
        out = self.out
        self.hand_addresses(address)
        self.slow_call("load", space, w // 8, count)
        found: list[Bits] = []
        for i in range(count):
            where = self.field(layout.DATA + i * N * w // 8)
            found.append(self.bits(out.emit(f"load {vector_type(w)}, ptr {where}, align 4, !tbaa !5"), w))
        return tuple(found)

    def slow_store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        w = values[0].width
        self.hand_addresses(address)
        for i, v in enumerate(values):
            where = self.field(layout.DATA + i * N * w // 8)
            self.out.line(f"store {vector_type(w)} {self.vector(v)}, ptr {where}, align 4, !tbaa !5")
        self.slow_call("store", space, w // 8, len(values))

    def slow_call(self, name: str, space: str, step: int, count: int) -> None:
        number = layout.SPACES.index("shared" if space == "shared::cta" else space)
        word, limit = self.mask_word(), self.local_limit()
        failed = self.out.emit(
            f"call i1 @openptx.{name}(ptr %w, i32 {word}, i32 {number}, i32 {step}, i32 {count},"
            f" i32 %first32, i64 {limit})"
        )
        self.leave_if(failed)

    def leave_if(self, failed: str) -> None:
        """Ends the warp where a fault was recorded."""
        out = self.out
        where, on = out.fresh(), out.fresh()
        out.unlikely(failed, where, on)
        out.start(where)
        out.line(f"store i32 {self.site + self.site_base}, ptr {self.field(layout.SITE)}, align 4")
        out.jump("failed")
        out.start(on)

    def require(self, p: Bits, code: str, message: str) -> None:
        if isinstance(p.v, int) and p.v:
            return
        out = self.out
        wrong = out.emit(f"xor <{N} x i1> {self.vector(p)}, splat (i1 true)")
        if not self.full:
            wrong = out.emit(f"and <{N} x i1> {wrong}, {self.active_mask()}")
        word = out.emit(f"bitcast <{N} x i1> {wrong} to i{N}")
        with out.seldom(out.emit(f"icmp ne i{N} {word}, 0")):
            self.report(layout.REQUIRED, word, self.message(code, message))
            out.line(f"store i32 {self.site + self.site_base}, ptr {self.field(layout.SITE)}, align 4")
            out.jump("failed")
            out.start(out.fresh())

    def report(self, kind: int, lanes: str, detail: int = 0) -> None:
        for offset, value in ((layout.KIND, kind), (layout.LANES, lanes), (layout.SPACE, detail)):
            self.out.line(f"store i32 {value}, ptr {self.field(offset)}, align 4")

    messages: list[tuple[str, str]]

    def message(self, code: str, message: str) -> int:
        if (code, message) not in self.messages:
            self.messages.append((code, message))
        return self.messages.index((code, message))

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        if self.uncertain:
            given = [self.held(v) for v in (target, origin, size)]
            self.if_any(lambda: self._copy(to, given[0], source, given[1], given[2]))
        else:
            self._copy(to, target, source, origin, size)

    def _copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> tuple[Bits, ...]:
        places = (layout.SCRATCH, target), (layout.DATA, origin), (layout.MORE, self.resize(size, 64))
        for offset, value in places:
            where = self.field(offset)
            self.out.line(f"store {vector_type(64)} {self.vector(value)}, ptr {where}, align 64, !tbaa !5")
        there, here = (layout.SPACES.index(space.replace("::cta", "")) for space in (to, source))
        self.leave_if(
            self.out.emit(
                f"call i1 @openptx.bring(ptr %w, i32 {self.mask_word()}, i32 {there}, i32 {here}, i32 %first32,"
                f" i64 {self.local_limit()})"
            )
        )
        return ()

    def allocate(self, size: Bits, align: int) -> Bits:
        raise Fallback("alloca")

    def stack(self) -> Bits:
        raise Fallback("stacksave")

    def unwind(self, mark: Bits) -> None:
        raise Fallback("stackrestore")

    @property
    def images(self) -> Images:
        raise Fallback("textures and surfaces")


class Group:
    """Accesses with one base register in one block: positions with their offsets and sizes."""

    __slots__ = ("align", "first", "members", "way", "write")

    def __init__(self, way: str, members: dict[int, tuple[int, int]], write: bool) -> None:
        self.way, self.members, self.write = way, members, write
        self.align = max(min(size & -size, 64) for _, size in members.values())

    def low(self, site: int) -> int:
        """Where the lowest access begins, seen from the one at `site`."""
        return min(offset for offset, _ in self.members.values()) - self.members[site][0]

    def span(self, top: int) -> int:
        begin = min(offset for offset, _ in self.members.values())
        return max(offset + size for offset, size in self.members.values()) - begin + top

    @staticmethod
    def of(accesses: list[tuple[int, int, tuple[str, int, bool]]]) -> Group | None:
        """Of (position, offset, (way, size, write)); None where there is nothing to gain."""
        ways = {facts[0] for _, _, facts in accesses}
        if len(accesses) < 2 or len(ways) > 1 or ways & {"local", "slow"}:
            return None
        first = accesses[0][1]
        if any((offset - first) % min(facts[1] & -facts[1], 64) for _, offset, facts in accesses):
            return None
        members = {pc: (offset, facts[1]) for pc, offset, facts in accesses}
        return Group(ways.pop(), members, any(facts[2] for _, _, facts in accesses))


class Plan:
    """How offsets are loaded: pieces (first element, elements), and each lane's element."""

    __slots__ = ("index", "runs", "uniform")

    def __init__(self, runs: list[tuple[int, int]], index: list[int], uniform: bool) -> None:
        self.runs, self.index, self.uniform = runs, index, uniform

    @staticmethod
    def of(lanes: Lanes, step: int, count: int) -> Plan | None:
        """None where a gather is better."""
        if lanes is ZEROS:
            return Plan([], [0] * N, True)
        if any(v % step for v in lanes):
            return None
        index = [v // step for v in lanes]
        wanted = sorted({i + k for i in index for k in range(count)})
        runs: list[tuple[int, int]] = []
        for i in wanted:
            if runs and runs[-1][0] + runs[-1][1] == i:
                runs[-1] = runs[-1][0], runs[-1][1] + 1
            else:
                runs.append((i, 1))
        if len(runs) > RUNS:
            total = wanted[-1] + 1
            if total > WINDOW * N or total > WINDOW * len(wanted):
                return None
            runs = [(0, total)]
        return Plan(runs, index, False)
