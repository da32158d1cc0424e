"""Whether lanes may touch what they want to, and where it is: a span of lanes at a time, or lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.emitter import vector_type
from openptx.engines.native.fallback import Borrowed
from openptx.engines.native.origins import Origins, origin_of
from openptx.engines.native.values import ZEROS, Lanes, N, Value, as_lanes, normal, trailing_zeros
from openptx.engines.native.ways import GOOD
from openptx.isa.windows import LOCAL, SHARED, SHIFT, window
from openptx.numerics import Bits

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


class Spans(Origins):
    # Accesses of one block that differ from each other by known numbers are checked together, by the first of them.
    groups: dict[int, Group]
    group_good: dict[Group, str]
    rows_here: dict[object, str]
    sizes: dict[int, tuple[str, int, bool]]

    def where(self, space: str, address: Bits) -> tuple[str, Bits]:
        """The way of a space ("table", "shared" or "local"), and the address for it."""
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
        base = window(space, self.address_size) if space != "generic" else 0
        return "table", address + base if base else address

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

    def check_span(self, way: str, form: Form, size: int, write: bool) -> Check:
        """Whether all that lies between the lowest and the highest lane's places is good, and where it begins."""
        out = self.out
        base, lanes, tz = form[:3]
        span = max(lanes) + size
        align = min(size & -size, 64)
        group = self.group_here(way, size, write)
        good = self.group_good.get(group) if group is not None else None
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
                good = self.aligned_too(self.inside(offset, low, self.room(limit, span)), base, align, lanes, tz)
        else:
            early = form.origin is not None
            if early:
                column = self.origin_row(form.origin).__getitem__
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
                room = self.room(limit, span, early)
                good = self.aligned_too(self.inside(offset, low, room), base, align, lanes, tz)

            def pointer() -> str:
                delta = column(3)
                host = out.emit(f"add i64 {base}, {delta}")
                return out.emit(f"inttoptr i64 {host} to ptr")

        if not self.checked:
            return GOOD, pointer
        if group is not None and not out.aside:
            self.group_good[group] = good
        return good, pointer

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

    def inside(self, offset: str, low: int, room: str) -> str:
        """Whether `offset + low` is one of the places from 0 on."""
        begin = self.out.emit(f"add i64 {offset}, {low}") if low else offset
        return self.out.emit(f"icmp ult i64 {begin}, {room}")

    def aligned_too(self, good: str, base: str, align: int, lanes: Lanes, tz: int) -> str:
        out = self.out
        if align > 1 and any(v % align for v in lanes):
            return "false"
        if align > 1 << tz:
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
        if way == "table":
            origin = origin_of(place)
            early = origin is not None
            if early:
                column = self.origin_row(origin).__getitem__
            else:
                column = partial(self.column, self.row(self.first_active(place)))
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
            if way == "table":
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
