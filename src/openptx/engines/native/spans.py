"""Whether lanes may touch what they want to, and where it is: a span of lanes at a time, or lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.fallback import Borrowed
from openptx.engines.native.groups import Form, Group
from openptx.engines.native.origins import Aligned, Origins, origin_of
from openptx.engines.native.slow_way import SlowWay, Span
from openptx.engines.native.values import ZEROS, Lanes, N, Value, as_lanes, normal, trailing_zeros, vector_type
from openptx.engines.native.ways import GOOD
from openptx.isa.address_windows import LOCAL, SHARED, SHIFT, SLOTS, window
from openptx.numerics import Bits

TABLE = frozenset(("generic", "global", "const", "param"))
"""Spaces whose accesses are checked by the table of slots."""

Check = tuple[str, Callable[[], str]]
"""An i1, and what makes the pointers."""


class Checked(NamedTuple):
    """An i1 (or GOOD, or "" where an earlier access has it), what makes the pointer, and the addresses."""

    good: str
    pointer: Callable[[], str]
    span: Span


class Wanted(NamedTuple):
    """What to look at, seen from an access's lowest place: from where on, how many bytes, how aligned, to write?"""

    low: int
    span: int
    align: int
    write: bool


class Spans(SlowWay, Origins):
    # Accesses of one block that differ from each other by known numbers are checked together, by the first of them.
    groups: dict[int, Group]
    group_good: dict[Group, str]
    rows_here: dict[object, str]
    sizes: dict[int, tuple[str, int, bool]]

    def where(self, space: str, address: Bits) -> tuple[str, Bits]:
        """How to check accesses of a space ("generic", "global", "const" and "param" by the table of slots, "shared",
        "local", or "slow"), and the address for that."""
        if self.stepping and space in ("generic", "local", "frame"):
            raise Borrowed("steps in memory that each lane may have its own of")
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
        return space, address + window(space, self.address_size) if space in SLOTS else address

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

    def check_span(self, way: str, form: Form, size: int, write: bool) -> Checked:
        """Whether all that lies between the lowest and the highest lane's places is good, where it begins, and the
        addresses."""
        group = self.group_here(way, size, write)
        good = self.group_good.get(group) if group is not None else None
        wanted: Wanted | None = None  # nothing, if an earlier access of the group has seen to it
        if good is None:
            wanted = Wanted(0, max(form.lanes) + size, min(size & -size, 64), write)
            if group is not None:  # what later accesses of the group want is checked here as well
                wanted = Wanted(group.low(self.site), group.span(max(form.lanes)), group.align, group.write)
        if way == "shared":
            found = self.in_shared(form, size, wanted)
        elif (origin := self.window_of(way) or form.origin or self.known_slot(form.base)) is not None:
            align = min(size & -size, 64) if group is None else group.align
            surely = not write and way != "global" and self.constant(form, size)
            found = self.in_slot(self.aligned_row(origin, align, way), form, wanted, surely)
        else:
            found = self.in_table((self.here_key(), form.base, way) if group is None else group, way, form, wanted)
        if not self.checked or found.good == GOOD:
            return found._replace(good=GOOD)
        found = found._replace(good=self.surely(found.good) if found.good else good or GOOD)
        if group is not None and not self.out.aside:
            self.group_good[group] = found.good
        return found

    def surely(self, good: str) -> str:
        """GOOD, where the block begins anew otherwise."""
        if not self.careful:
            return good
        on = self.out.fresh()
        self.out.branch(good, on, self.careful, ", !prof !1")
        self.out.start(on)
        return GOOD

    def in_shared(self, form: Form, size: int, wanted: Wanted | None) -> Checked:
        origin, base = self.state(layout.SHARED, "ptr"), form.base

        def pointer() -> str:
            return self.out.emit(f"getelementptr i8, ptr {origin}, i64 {base}")

        good = GOOD if form.surely_within(self.static_shared, size) else ""
        if wanted is not None and not good:
            good = self.fits(base, self.state(layout.SHARED_SIZE, "i64"), form, wanted)
        return Checked(good, pointer, Span(base, form.lanes, offset=base))

    def in_slot(self, row: Aligned, form: Form, wanted: Wanted | None, surely: bool) -> Checked:
        """Where the address comes from a pointer, whose row of the table is known."""
        out, offset = self.out, ""

        def pointer() -> str:
            at = offset or self.behind(row, form.base)
            return out.emit(f"getelementptr i8, ptr {row.host}, i64 {at}")

        good = GOOD if surely else ""
        if wanted is not None and not surely:
            offset = self.behind(row, form.base)
            good = self.fits(offset, row.writable if wanted.write else row.size, form, wanted)
        return Checked(good, pointer, Span(form.base, form.lanes, row.start, offset))

    def behind(self, row: Aligned, address: str) -> str:
        """How far behind a row's first place an address is. LLVM sees what was added to the pointer."""
        return self.out.emit(f"add i64 {row.lead}, {self.out.emit(f'sub i64 {address}, {row.origin}')}")

    def in_table(self, key: object, way: str, form: Form, wanted: Wanted | None) -> Checked:
        """Where the row is looked up for the address; accesses with one `key` share it."""
        out, base = self.out, form.base
        row = self.rows_here.get(key)
        if row is None:
            row = self.row(base, way)
            if not out.aside:
                self.rows_here[key] = row

        def pointer() -> str:
            where = out.emit(f"add i64 {base}, {self.column(row, 3)}")
            return out.emit(f"inttoptr i64 {where} to ptr")

        good = ""
        if wanted is not None:
            start, limit = self.column(row, 0), self.column(row, 2 if wanted.write else 1)
            offset = out.emit(f"sub i64 {base}, {start}")
            room = self.room(limit, wanted.span, False)
            good = self.aligned_too(self.inside(offset, wanted.low, room), base, wanted.align, form)
        return Checked(good, pointer, Span(base, form.lanes, offset=base))

    def known_slot(self, base: str) -> object:
        """The origin of an address that is known now: the slot that it lies in. None for others."""
        if base.startswith("%"):
            return None
        return self.slot_origin(int(base) >> SHIFT[self.address_size])

    def window_of(self, way: str) -> object:
        """The origin of all addresses in a space that is one window; None for other spaces."""
        return self.slot_origin(SLOTS[way]) if way in SLOTS else None

    def slot_origin(self, slot: int) -> object:
        self.entries[key := ("slot", slot)] = str(slot << SHIFT[self.address_size])
        return key

    def constant(self, form: Form, size: int) -> bool:
        """Whether a known address leads to constants that the module has."""
        begin = window("const", self.address_size)
        known = not form.base.startswith("%") and form.high >= begin
        return known and form._replace(high=form.high - begin).surely_within(self.constants, size)

    def room(self, limit: str, span: int, early: bool = True) -> str:
        """At how many places `span` bytes may begin; `early`: computed where the function begins, as the limit is."""
        key = ("room", limit, span)
        if early and key in self.entries:
            return self.entries[key]
        emit = self.out.first if early else self.out.emit
        found = emit(f"call i64 @llvm.smax.i64(i64 {emit(f'sub i64 {limit}, {span - 1}')}, i64 0)")
        if early:
            self.entries[key] = found
        return found

    def fits(self, offset: str, limit: str, form: Form, wanted: Wanted) -> str:
        """Whether what is wanted, seen from `offset` on, lies before `limit` and is aligned; both by one comparison:
        turned to the right, what is not aligned is greater than all limits."""
        low, span, align, _ = wanted
        room = self.room(limit, span)
        if align <= 1 << form.tz or low % align or any(v % align for v in form.lanes):
            return self.aligned_too(self.inside(offset, low, room), offset, align, form)
        out, bits = self.out, align.bit_length() - 1
        key = ("room", limit, span, align)
        if key not in self.entries:
            more = out.first(f"add i64 {room}, {align - 1}")
            self.entries[key] = out.first(f"lshr i64 {more}, {bits}")
        begin = out.emit(f"add i64 {offset}, {low}") if low else offset
        turned = out.emit(f"call i64 @llvm.fshr.i64(i64 {begin}, i64 {begin}, i64 {bits})")
        return out.emit(f"icmp ult i64 {turned}, {self.entries[key]}")

    def inside(self, offset: str, low: int, room: str) -> str:
        """Whether `offset + low` is one of the places from 0 on."""
        begin = self.out.emit(f"add i64 {offset}, {low}") if low else offset
        return self.out.emit(f"icmp ult i64 {begin}, {room}")

    def aligned_too(self, good: str, base: str, align: int, form: Form) -> str:
        out = self.out
        if align > 1 and any(v % align for v in form.lanes):
            return "false"
        if align > 1 << form.tz:
            low = out.emit(f"and i64 {base}, {align - 1}")
            aligned = out.emit(f"icmp eq i64 {low}, 0")
            return out.emit(f"and i1 {good}, {aligned}")
        return good

    def here_key(self) -> object:
        return None

    def group_here(self, way: str, size: int, write: bool) -> Group | None:
        """The group of the access being made, if all dry runs agree on it."""
        if self.stepping:
            return None
        self.sizes[self.site] = way, size, write
        group = self.groups.get(self.site)
        return group if group is not None and group.way == way and not self.uncertain else None

    def check_lanes(self, way: str, place: Bits, size: int, write: bool) -> Check:
        """Whether the place of some executing lane is not plainly good, and the places."""
        out, t = self.out, vector_type(64)
        a, delta = self.vector(place), ""
        if way in TABLE:
            origin = self.window_of(way) or origin_of(place)
            early = origin is not None
            if early:
                column = self.origin_row(origin, way).__getitem__
            else:
                column = partial(self.column, self.row(self.first_active(place), way))
            start, limit, delta = column(0), column(2 if write else 1), column(3)
            offsets = out.emit(f"sub {t} {a}, {self.splat(start, 'i64')}")
        else:
            limit = self.state(layout.SHARED_SIZE, "i64") if way == "shared" else self.local_limit()
            offsets, early = a, way == "shared"
        far = out.emit(f"icmp uge {t} {offsets}, {self.splat(self.room(limit, size, early), 'i64')}")
        if size > 1:
            low = out.emit(f"and {t} {a}, splat (i64 {size - 1})")
            odd = out.emit(f"icmp ne {t} {low}, zeroinitializer")
            far = out.emit(f"or <{N} x i1> {far}, {odd}")
        if not self.full:
            far = out.emit(f"and <{N} x i1> {far}, {self.active_mask()}")
        word = out.emit(f"bitcast <{N} x i1> {far} to i{N}")
        bad = out.emit(f"icmp ne i{N} {word}, 0")

        def pointers() -> str:
            if way in TABLE:
                hosts = out.emit(f"add {t} {a}, {self.splat(delta, 'i64')}")
                return out.emit(f"inttoptr {t} {hosts} to <{N} x ptr>")
            origin = self.state(layout.SHARED if way == "shared" else layout.LOCAL, "ptr")
            index = offsets if way == "shared" else out.emit(f"add {t} {offsets}, {self.lane_offsets()}")
            return out.emit(f"getelementptr i8, ptr {origin}, {t} {index}")

        return bad if self.checked else "false", pointers

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

    def apart_from(self, pointer: str, lanes: Lanes) -> str:
        """Each lane's pointer, at a known distance from one."""
        return self.out.emit(f"getelementptr i8, ptr {pointer}, {vector_type(64)} {self.literal_vector(lanes, 64)}")
