"""Code beside accesses that tracks which bytes have been written: it marks stored bytes and checks loaded ones.

Shared and local memory have a byte of marks for each byte, laid out like the memory itself, so the code for loads and
stores handles them as well. For generic and global addresses a function looks the marks up.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from openptx.engines.native import abi
from openptx.engines.native.analysis.accesses import Form, locate
from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.analysis.transfer import origin_of
from openptx.engines.native.emit.guarded_paths import GOOD
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck, Check, CheckedAccess, CheckedRange
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.memory.loads import LoadLowering
from openptx.engines.native.emit.memory.slow_path import SlowPath, Span
from openptx.engines.native.emit.memory.stores import StoreLowering
from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.pieces import Piece, pieces
from openptx.isa.address_windows import CTA_SHIFT, FIRST, SHIFT
from openptx.numerics import Bits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.engines.native.emit.llvm_machine import LlvmMachine

LOOKED_UP = {"generic": frozenset[str](), "global": frozenset((layout.ARRAYS,))}
"""State spaces whose marks a function looks up, with what else the code must be watched for."""


class DefinednessBytes(BoundsCheck):
    """The location of the marks of shared and local memory. The accesses of executing lanes have been made, and are
    valid: checked is only whether those of other lanes, which a span may contain, are."""

    def origin(self, region: str) -> str:
        key = ("definedness", region)
        if key not in self.entry.values:
            offset = layout.SHARED_MARKS if region == "shared" else layout.LOCAL_MARKS
            self.entry.values[key] = self.entry.load_field("ptr", self.entry.state(abi.WATCH, "ptr"), offset, 8)
        return self.entry.values[key]

    def check_span(self, region: str, form: Form, size: int, write: bool) -> CheckedAccess:
        return self.in_shared(form, size, CheckedRange(0, max(form.lanes) + size, 1, write))

    def in_shared(self, form: Form, size: int, wanted: CheckedRange | None) -> CheckedAccess:
        good, pointer = GOOD, partial(self.place, "i64", form.base)
        every = form.lanes is ZEROS or (self.scope.full and not form.wraps)
        if wanted is not None and not every and not form.surely_within(self.c.shared_layout.static, size):
            room = self.room(self.entry.state(abi.SHARED_SIZE, "i64"), wanted.span)
            good = self.inside(form.base, wanted.low, room)
        return CheckedAccess(good, pointer, Span(form.base, form.lanes, offset=form.base))

    def place(self, type: str, offset: str) -> str:
        """Pointers to the marks at offsets in shared memory."""
        return self.ir.emit(f"getelementptr i8, ptr {self.origin('shared')}, {type} {offset}")

    def check_lanes(self, region: str, place: Bits, size: int, write: bool) -> Check:
        ir, t, origin = self.ir, vector_type(64), self.origin(region)
        a = self.x.vector(place)

        def pointers() -> str:
            index = a if region == "shared" else ir.emit(f"add {t} {a}, {self.entry.lane_offsets()}")
            return ir.emit(f"getelementptr i8, ptr {origin}, {t} {index}")

        return "false", pointers

    def limits(self, region: str, place: Bits, size: int, write: bool) -> tuple[str, str, str]:
        return "0", str((1 << 63) - 1), self.ir.emit(f"ptrtoint ptr {self.origin(region)} to i64")

    def near_limits(self, size: int) -> tuple[str, str]:
        return self.origin("shared"), "-1"


class MarksLaneByLane(SlowPath):
    """Accesses to marks of shared memory whose span is not valid."""

    def __init__(self, checks: DefinednessBytes, slow: SlowPath, lanes: GatherScatter) -> None:
        super().__init__(slow.scope, slow.faults, slow.frame)
        self.checks, self.gatherer = checks, lanes

    def load(self, space: str, address: Bits | Span, w: int, count: int) -> tuple[Bits, ...]:
        return self.gatherer.gather(self.places(address), w, count)

    def store(self, space: str, address: Bits | Span, values: Sequence[Bits]) -> None:
        self.gatherer.scatter(self.places(address), values, values[0].width)

    def places(self, address: Bits | Span) -> str:
        ir, t = self.ir, vector_type(64)
        if isinstance(address, Bits):
            found = self.x.vector(address)
        else:
            lanes = self.x.constant_vector(address.lanes, 64)
            found = ir.emit(f"add {t} {self.x.splat(address.base, 'i64')}, {lanes}")
        own = ir.emit(f"and {t} {found}, splat (i64 {(1 << CTA_SHIFT) - 1})")
        return self.checks.place(t, own)


class Definedness:
    """Emits the code after an access. `call` emits a call of one of the functions of watched code, `suspect` one that
    records a suspicion."""

    def __init__(self, x: LlvmMachine, call: Callable[..., None], block: Callable[[], str]) -> None:
        self.x, self.ir, self.scope, self.c = x, x.ir, x.scope, x.c
        self.call, self.block = call, block
        self.slots: dict[object, tuple[str, str]] = {}
        checks, lanes = DefinednessBytes(x.scope, x.frame), GatherScatter(x.scope)
        slow = MarksLaneByLane(checks, x.memory.slow, lanes)
        self.load = LoadLowering(checks, slow, lanes, x.memory.paths, {}).load
        self.store = StoreLowering(checks, slow, lanes, x.memory.paths, {}).store

    def read(self, space: str, address: Bits, w: int, count: int, site_word: Callable[[int], str]) -> None:
        """All bytes that lanes have loaded must have been written. `site_word` makes the word for the site."""
        region, _ = locate(self.x, space, address, self.c.address_size, stepping=False)
        if region in ("shared", "local"):
            bad = self.x.const(0, 1)
            for word in self.load(space, address, w, count):
                bad = bad | (word != 0)
            with self.ir.cold_block(self.x.any_of(bad & self.scope.mask)):
                self.call("suspect", f"i64 {layout.UNWRITTEN}", site_word(layout.IN_CTA))
        elif self.looks_up(space):
            self.look_up("loaded", address, w * count // 8, site_word(0))

    def write(self, space: str, address: Bits, w: int, count: int) -> None:
        """The bytes that lanes have stored now count as written."""
        region, _ = locate(self.x, space, address, self.c.address_size, stepping=False)
        if region in ("shared", "local"):
            self.store(space, address, [self.x.const(0, w)] * count)
        elif self.looks_up(space):
            self.look_up("stored", address, w * count // 8)

    def undefine(self, base: Bits, size: int) -> None:
        """These bytes of the lanes' local memory, from `base` on, have not been written."""
        self.call("undefines", f"i64 {self.scope.wide_mask()}", f"i64 {self.x.scalar(base)}", f"i64 {size}")

    def copy(self, to: Bits, origin: Bits, size: int) -> None:
        """Copied bytes of local memory are as defined as their sources."""
        places = f"i64 {self.x.scalar(to)}", f"i64 {self.x.scalar(origin)}"
        self.call("copied", f"i64 {self.scope.wide_mask()}", *places, f"i64 {size}")

    def looks_up(self, space: str) -> bool:
        return space in LOOKED_UP and LOOKED_UP[space] <= frozenset(self.c.options.watched)

    def look_up(self, what: str, address: Bits, size: int, *site: str) -> None:
        """Lanes have loaded or stored `size` bytes each: in rows, or at one address, if that is known."""
        form = self.x.memory.checks.form_of(address)
        parts = pieces(form.lanes, size) if form is not None else None

        def act() -> None:
            if form is None or parts is None:
                self.lane_by_lane(what, address, size, *site)
            else:
                self.in_pieces(what, form, parts, size, *site)

        origin = form.origin if form is not None else origin_of(address)
        if origin is None:
            act()
        else:
            marked = self.lanes_may_have_marks(address, origin) if form is None else self.may_have_marks(form)
            with self.ir.block_if(marked):
                act()

    def lane_by_lane(self, what: str, address: Bits, size: int, *site: str) -> None:
        self.ir.store(vector_type(64), self.x.vector(address), self.ir.field(self.block(), layout.LANES), 8)
        self.call(what, f"i64 {self.scope.wide_mask()}", f"i64 {size}", *site)

    def in_pieces(self, what: str, form: Form, parts: list[Piece], size: int, *site: str) -> None:
        ir, mask = self.ir, self.scope.wide_mask()
        for piece in parts:
            at = ir.emit(f"add i64 {form.base}, {form.lanes[piece.first]}")
            lanes = ir.emit(f"lshr i64 {mask}, {piece.first}") if piece.first else mask
            if piece.first + piece.lanes < N:
                lanes = ir.emit(f"and i64 {lanes}, {(1 << piece.lanes) - 1}")
            step = size if piece.form == "row" else 0
            self.call(
                f"{what}.row", f"i64 {at}", f"i64 {lanes}", f"i64 {size}", f"i64 {piece.first}", f"i64 {step}", *site
            )

    def may_have_marks(self, form: Form) -> str:
        """False if the addresses are in the slot of the pointer that they derive from, and that slot has no marks."""
        ir, shift = self.ir, SHIFT[self.c.address_size]
        slot, found = self.slot_of(form.origin)
        for distance in sorted({min(form.lanes), max(form.lanes)}):
            place = ir.emit(f"lshr i64 {ir.emit(f'add i64 {form.base}, {distance}')}, {shift}")
            found = ir.emit(f"and i1 {found}, {ir.emit(f'icmp eq i64 {place}, {slot}')}")
        return ir.emit(f"xor i1 {found}, true")

    def lanes_may_have_marks(self, address: Bits, origin: object) -> str:
        """False if the addresses of all lanes are in the slot of their origin, and that slot has no marks."""
        ir, t = self.ir, vector_type(64)
        slot, unmarked = self.slot_of(origin)
        slots = ir.emit(f"lshr {t} {self.x.vector(address)}, splat (i64 {SHIFT[self.c.address_size]})")
        apart = self.scope.within_mask(ir.emit(f"icmp ne {t} {slots}, {self.x.splat(slot, 'i64')}"))
        marked = ir.emit(f"xor i1 {unmarked}, true")
        return ir.emit(f"or i1 {marked}, {ir.is_some(ir.mask_bits(apart))}")

    def slot_of(self, origin: object) -> tuple[str, str]:
        """A pointer's slot, and whether it belongs to an allocation without marks: computed once, in the entry
        block."""
        if origin not in self.slots:
            first, entry = self.ir.first, self.scope.entry
            slot = first(f"lshr i64 {entry.pointer(origin)}, {SHIFT[self.c.address_size]}")
            number, count = (first(f"sub i64 {n}, {FIRST}") for n in (slot, entry.state(abi.SLOTS, "i64")))
            known = first(f"icmp ult i64 {number}, {count}")
            table = entry.load_field("ptr", entry.state(abi.WATCH, "ptr"), layout.MARKS, 8)
            place = first(f"getelementptr i64, ptr {table}, i64 {first(f'select i1 {known}, i64 {slot}, i64 0')}")
            none = first(f"icmp eq i64 {first(f'load i64, ptr {place}, align 8')}, 0")
            self.slots[origin] = slot, first(f"and i1 {known}, {none}")
        return self.slots[origin]
