"""Bounds and alignment checks: of the span of all lanes, or lane by lane; and the pointers that they yield."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.accesses import TABLE, Form, Group
from openptx.engines.native.analysis.lattice import (
    ZEROS,
    Lanes,
    N,
    Value,
    as_lanes,
    normal,
    trailing_zeros,
    vector_type,
)
from openptx.engines.native.analysis.transfer import origin_of
from openptx.engines.native.emit.guarded_paths import GOOD
from openptx.engines.native.emit.memory.all_lanes import all_valid
from openptx.engines.native.emit.memory.slot_table import AlignedRow, SlotTable
from openptx.engines.native.emit.memory.slow_path import Span
from openptx.engines.native.emit.scope import LocalFrame, Scope
from openptx.isa.address_windows import SHIFT, SLOTS, window
from openptx.numerics import Bits

Check = tuple[str, Callable[[], str]]
"""An i1, and a function that emits the pointers."""


class CheckedAccess(NamedTuple):
    """An i1 (or GOOD, or "" if an earlier access has checked), a function that emits the pointer, and the addresses."""

    good: str
    pointer: Callable[[], str]
    span: Span


class CheckedRange(NamedTuple):
    """What to check, relative to an access's lowest address: first byte, number of bytes, alignment, whether to
    write."""

    low: int
    span: int
    align: int
    write: bool


class BoundsCheck:
    def __init__(self, scope: Scope, frame: LocalFrame) -> None:
        self.x, self.ir, self.scope, self.c, self.entry = scope.x, scope.ir, scope, scope.c, scope.entry
        self.slots, self.frame = SlotTable(scope), frame
        self.begin_block({})

    def begin_block(self, groups: dict[int, Group]) -> None:
        """`groups`: accesses that differ from each other by known distances, checked together by the first of them."""
        self.groups = groups
        self.begin_copy()

    def begin_copy(self) -> None:
        """Starts the second copy of a block that is emitted twice: nothing has been checked in it yet."""
        self.group_good: dict[Group, str] = {}
        self.rows_here: dict[object, str] = {}
        self.lanes_here: dict[object, tuple[str, list[str]]] = {}

    def form_of(self, address: Bits) -> Form | None:
        """The facts about an address; None if lanes vary."""
        v = address.v
        if isinstance(v, int):
            return Form(str(v), ZEROS, trailing_zeros(v), v, None)
        if not isinstance(v, Value):
            parts = normal(as_lanes(v), 64)
            if parts is None:
                return None
            return Form(str(parts[0]), parts[1], trailing_zeros(parts[0]), parts[0], None)
        parts = v if v.lanes is not None else v.near
        if parts is None or parts.lanes is None:
            return None
        base = self.x.scalar(Bits(self.x, 64, Value(parts.name, ZEROS)))
        return Form(base, parts.lanes, parts.tz, parts.high, v.origin, parts is not v)

    def check_span(self, region: str, form: Form, size: int, write: bool) -> CheckedAccess:
        """Whether the whole range between the lowest and the highest lane is valid, where it begins, and the
        addresses."""
        group = self.current_group(region)
        good = self.group_good.get(group) if group is not None else None
        wanted: CheckedRange | None = None  # nothing, if an earlier access of the group has checked it
        if good is None:
            wanted = CheckedRange(0, max(form.lanes) + size, min(size & -size, 64), write)
            if group is not None:  # the ranges of later accesses of the group are checked here as well
                wanted = CheckedRange(group.low(self.scope.site), group.span(max(form.lanes)), group.align, group.write)
        if region == "shared":
            found = self.in_shared(form, size, wanted)
        elif (origin := self.window_of(region) or form.origin or self.known_slot(form.base)) is not None:
            align = min(size & -size, 64) if group is None else group.align
            surely = not write and region != "global" and self.constant(form, size)
            found = self.in_slot(self.slots.aligned_row(origin, align, region), form, wanted, surely)
        else:
            found = self.in_table((None, form.base, region) if group is None else group, region, form, wanted)
        if not self.c.options.checks or found.good == GOOD:
            return found._replace(good=GOOD)
        found = found._replace(good=self.surely(found.good) if found.good else good or GOOD)
        if group is not None and not self.ir.cold:
            self.group_good[group] = found.good
        return found

    def surely(self, good: str) -> str:
        """GOOD if the block restarts on failure."""
        if not self.scope.retry:
            return good
        on = self.ir.fresh()
        self.ir.likely(good, on, self.scope.retry)
        self.ir.start(on)
        return GOOD

    def in_shared(self, form: Form, size: int, wanted: CheckedRange | None) -> CheckedAccess:
        origin, base = self.entry.state(abi.SHARED, "ptr"), form.base

        good = GOOD if form.surely_within(self.c.shared_layout.static, size) else ""
        if wanted is not None and not good:
            good = self.fits(base, self.entry.state(abi.SHARED_SIZE, "i64"), form, wanted)
        pointer = partial(self.ir.emit, f"getelementptr i8, ptr {origin}, i64 {base}")
        return CheckedAccess(good, pointer, Span(base, form.lanes, offset=base, wraps=form.wraps))

    def in_slot(self, row: AlignedRow, form: Form, wanted: CheckedRange | None, surely: bool) -> CheckedAccess:
        """Checks an access whose address derives from a pointer: the row of the slot table is known."""
        offset = ""

        def pointer() -> str:
            at = offset or self.offset_in(row, form.base)
            return self.ir.emit(f"getelementptr i8, ptr {row.host}, i64 {at}")

        good = GOOD if surely else ""
        if wanted is not None and not surely:
            offset = self.offset_in(row, form.base)
            good = self.fits(offset, row.writable if wanted.write else row.size, form, wanted)
        return CheckedAccess(good, pointer, Span(form.base, form.lanes, row.start, offset))

    def offset_in(self, row: AlignedRow, address: str) -> str:
        """An address's distance from a row's start. Written so that LLVM sees what was added to the pointer."""
        return self.ir.emit(f"add i64 {row.lead}, {self.ir.emit(f'sub i64 {address}, {row.origin}')}")

    def in_table(self, key: object, region: str, form: Form, wanted: CheckedRange | None) -> CheckedAccess:
        """Checks an access whose row is looked up by its address; accesses with the same `key` share it."""
        ir, base = self.ir, form.base
        row = self.rows_here.get(key)
        if row is None:
            row = self.slots.row(base, region)
            if not ir.cold:
                self.rows_here[key] = row

        def pointer() -> str:
            where = ir.emit(f"add i64 {base}, {self.slots.column(row, 3)}")
            return ir.emit(f"inttoptr i64 {where} to ptr")

        good = ""
        if wanted is not None:
            start, limit = self.slots.column(row, 0), self.slots.column(row, 2 if wanted.write else 1)
            offset = ir.emit(f"sub i64 {base}, {start}")
            room = self.room(limit, wanted.span, False)
            good = self.and_aligned(self.inside(offset, wanted.low, room), base, wanted.align, form)
        return CheckedAccess(good, pointer, Span(base, form.lanes, offset=base))

    def known_slot(self, base: str) -> object:
        """The origin of a known address: the slot that contains it. None for other addresses."""
        if base.startswith("%"):
            return None
        return self.slot_origin(int(base) >> SHIFT[self.c.address_size])

    def window_of(self, region: str) -> object:
        """The origin of all addresses in a space that is a single window; None for other spaces."""
        return self.slot_origin(SLOTS[region]) if region in SLOTS else None

    def slot_origin(self, slot: int) -> object:
        self.entry.values[key := ("slot", slot)] = str(slot << SHIFT[self.c.address_size])
        return key

    def constant(self, form: Form, size: int) -> bool:
        """Whether a known address leads to existing constants of the module."""
        begin = window("const", self.c.address_size)
        known = not form.base.startswith("%") and form.high >= begin
        return known and form._replace(high=form.high - begin).surely_within(self.c.image.const.size, size)

    def room(self, limit: str, span: int, early: bool = True) -> str:
        """The number of offsets at which `span` bytes may begin. `early`: computed in the entry block, like the
        limit."""
        key = ("room", limit, span)
        if early and key in self.entry.values:
            return self.entry.values[key]
        emit = self.ir.first if early else self.ir.emit
        found = emit(f"call i64 @llvm.smax.i64(i64 {emit(f'sub i64 {limit}, {span - 1}')}, i64 0)")
        if early:
            self.entry.values[key] = found
        return found

    def fits(self, offset: str, limit: str, form: Form, wanted: CheckedRange) -> str:
        """Whether the wanted bytes, relative to `offset`, lie before `limit` and are aligned; both by one comparison:
        rotating right moves misaligned low bits to the top, which exceeds every limit."""
        low, span, align, _ = wanted
        room = self.room(limit, span)
        if align <= 1 << form.tz or low % align or any(v % align for v in form.lanes):
            return self.and_aligned(self.inside(offset, low, room), offset, align, form)
        ir, bits = self.ir, align.bit_length() - 1
        key = ("room", limit, span, align)
        if key not in self.entry.values:
            more = ir.first(f"add i64 {room}, {align - 1}")
            self.entry.values[key] = ir.first(f"lshr i64 {more}, {bits}")
        begin = ir.emit(f"add i64 {offset}, {low}") if low else offset
        turned = ir.emit(f"call i64 @llvm.fshr.i64(i64 {begin}, i64 {begin}, i64 {bits})")
        return ir.emit(f"icmp ult i64 {turned}, {self.entry.values[key]}")

    def inside(self, offset: str, low: int, room: str) -> str:
        """Whether `offset + low` is one of the valid offsets from 0 on."""
        begin = self.ir.emit(f"add i64 {offset}, {low}") if low else offset
        return self.ir.emit(f"icmp ult i64 {begin}, {room}")

    def and_aligned(self, good: str, base: str, align: int, form: Form) -> str:
        ir = self.ir
        if align > 1 and any(v % align for v in form.lanes):
            return "false"
        if align > 1 << form.tz:
            low = ir.emit(f"and i64 {base}, {align - 1}")
            aligned = ir.emit(f"icmp eq i64 {low}, 0")
            return ir.emit(f"and i1 {good}, {aligned}")
        return good

    def current_group(self, region: str) -> Group | None:
        """The group of the current access."""
        group = self.groups.get(self.scope.site) if not self.scope.step_lane else None
        return group if group is not None and group.region == region and not self.scope.mask_may_be_empty else None

    def check_lanes(self, region: str, place: Bits, size: int, write: bool) -> Check:
        """Whether the check fails for some executing lane, and the addresses."""
        ir, t = self.ir, vector_type(64)
        a, delta = self.x.vector(place), ""
        if region in TABLE:
            start, limit, delta, early = self.row_of_lanes(region, place, write)
            offsets = ir.emit(f"sub {t} {a}, {self.x.splat(start, 'i64')}")
        else:
            limit = self.entry.state(abi.SHARED_SIZE, "i64") if region == "shared" else self.frame.limit()
            offsets, early = a, region == "shared"
        room = self.room(limit, size, early)
        bad = self.any_bad(offsets, a, room, size) if self.c.options.checks else "false"

        def pointers() -> str:
            if region in TABLE:
                hosts = ir.emit(f"add {t} {a}, {self.x.splat(delta, 'i64')}")
                return ir.emit(f"inttoptr {t} {hosts} to <{N} x ptr>")
            origin = self.origin(region)
            index = offsets if region == "shared" else ir.emit(f"add {t} {offsets}, {self.entry.lane_offsets()}")
            return ir.emit(f"getelementptr i8, ptr {origin}, {t} {index}")

        return bad, pointers

    def any_bad(self, offsets: str, places: str, room: str, size: int) -> str:
        """Whether some executing lane's place is beyond the room or misaligned."""
        ir, t = self.ir, vector_type(64)

        def exactly() -> str:
            far = ir.emit(f"icmp uge {t} {offsets}, {self.x.splat(room, 'i64')}")
            if size > 1:
                low = ir.emit(f"and {t} {places}, splat (i64 {size - 1})")
                far = ir.emit(f"or <{N} x i1> {far}, {ir.emit(f'icmp ne {t} {low}, zeroinitializer')}")
            return ir.is_some(ir.mask_bits(self.scope.within_mask(far)))

        if self.x.cpu.avx512:
            return exactly()
        bad = ir.emit(f"xor i1 {all_valid(ir, 64, offsets, places, room, size)}, true")
        if self.scope.full:
            return bad
        with ir.cold_block(bad) as labels:
            found = exactly()
        return ir.phi("i1", labels, "false", found)

    def origin(self, region: str) -> str:
        """The start of shared memory, or of the local memory of the CTA's threads."""
        return self.entry.state(abi.SHARED if region == "shared" else abi.LOCAL, "ptr")

    def row_of_lanes(self, region: str, place: Bits, write: bool) -> tuple[str, str, str, bool]:
        """Start, size and distance of the slot that contains the lanes' addresses, and whether the entry block has
        them."""
        origin = self.window_of(region) or origin_of(place)
        if origin is not None:
            column = self.slots.origin_row(origin, region).__getitem__
        else:
            column = partial(self.slots.column, self.slots.row(self.scope.first_active(place), region))
        return column(0), column(2 if write else 1), column(3), origin is not None

    def limits(self, region: str, place: Bits, size: int, write: bool) -> tuple[str, str, str]:
        """For addresses that differ by lane: the lowest valid one, the number of valid ones from there, and what to add
        for the host address."""
        if region in TABLE:
            start, limit, delta, early = self.row_of_lanes(region, place, write)
            return start, self.room(limit, size, early), delta
        room = self.room(self.entry.state(abi.SHARED_SIZE, "i64"), size)
        return "0", room, self.entry.state(abi.SHARED, "i64")

    def narrow(self, place: Bits) -> str:
        """The vector of 32 bits of which an address is the zero extension; "" if it is not known to be one."""
        found = self.x.unextended(place)
        return self.x.vector(found) if found is not None else ""

    def near_limits(self, size: int) -> tuple[str, str]:
        """Where shared memory begins, and the number of valid offsets, with 32 bits."""
        room = self.room(self.entry.state(abi.SHARED_SIZE, "i64"), size)
        key = ("near", room)
        if key not in self.entry.values:
            self.entry.values[key] = self.ir.first(f"trunc i64 {room} to i32")
        return self.entry.state(abi.SHARED, "ptr"), self.entry.values[key]

    def lane_pointers(self, pointer: str, lanes: Lanes) -> str:
        """Each lane's pointer, at known distances from one."""
        return self.ir.emit(f"getelementptr i8, ptr {pointer}, {vector_type(64)} {self.x.constant_vector(lanes, 64)}")
