"""The slow path: accesses lane by lane, by a call. It is exact: it accepts valid accesses that failed the fast check,
and reports the faulting lane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N, vector_type
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.ir_builder import STATE
from openptx.engines.native.emit.scope import LocalFrame, Scope
from openptx.isa.address_windows import window
from openptx.numerics import Bits

LOCAL_SPACES = frozenset(("generic", "local", "frame"))
"""The spaces whose addresses may be in local memory."""


class Span(NamedTuple):
    """Addresses `base + lanes[i]`, given as `start + offset` if the base itself is not at hand; `wraps`: modulo
    2^32."""

    base: str
    lanes: Lanes
    start: str = "0"
    offset: str = ""
    wraps: bool = False


class SlowPath:
    def __init__(self, scope: Scope, faults: FaultExits, frame: LocalFrame) -> None:
        self.x, self.ir, self.scope, self.entry = scope.x, scope.ir, scope, scope.entry
        self.faults, self.frame = faults, frame

    def load(self, space: str, address: Bits | Span, w: int, count: int) -> tuple[Bits, ...]:
        self.access("load", space, address, w // 8, count)
        t, found = vector_type(w), list[Bits]()
        for i in range(count):
            where = self.entry.field(abi.DATA + i * N * w // 8)
            found.append(self.x.bits(self.ir.emit(f"load volatile {t}, ptr {where}, align 4{STATE}"), w))
        return tuple(found)

    def load_one(self, space: str, address: Span, w: int, count: int) -> tuple[Bits, ...]:
        """The elements at an address that all lanes have, as scalars."""
        base = address.base if not address.offset else self.ir.emit(f"add i64 {address.start}, {address.offset}")
        if before := self.before(space):
            base = self.ir.emit(f"sub i64 {base}, {before}")
        self.call_known("load_one", space, self.what(space, w // 8, count), f"i64 {base}")
        places = [self.entry.field(abi.DATA + i * N * w // 8) for i in range(count)]
        return tuple(
            self.x.bits(self.ir.emit(f"load volatile i{w}, ptr {at}, align 4{STATE}"), w, ZEROS) for at in places
        )

    def store(self, space: str, address: Bits | Span, values: Sequence[Bits]) -> None:
        w = values[0].width
        for i, v in enumerate(values):
            self.store_scratch(v, abi.DATA + i * N * w // 8, 4)
        self.access("store", space, address, w // 8, len(values))

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> tuple[Bits, ...]:
        """Copies bytes, a number of them per lane, from one space to another."""
        self.scope.retry = ""
        places = (target, abi.SCRATCH), (origin, abi.DATA), (self.x.resize(size, 64), abi.MORE)
        for value, offset in places:
            self.store_scratch(value, offset)
        to_space, from_space = (abi.SPACES.index(space.replace("::cta", "")) for space in (to, source))
        first = self.entry.first_lane()
        self.faults.leave_if(
            self.ir.emit(
                f"call i1 @openptx.bring(ptr %w, i32 {self.scope.mask_word()}, i32 {to_space}, i32 {from_space},"
                f" i32 {first}, i64 {self.frame.limit()})"
            )
        )
        return ()

    def store_scratch(self, value: Bits, offset: int, align: int = 64) -> None:
        self.ir.store(vector_type(value.width), self.x.vector(value), self.entry.field(offset), align, STATE)

    def store_addresses(self, address: Bits) -> None:
        self.store_scratch(address, abi.SCRATCH)

    def access(self, name: str, space: str, address: Bits | Span, step: int, count: int) -> None:
        if isinstance(address, Bits):
            self.store_addresses(address)
            self.call(name, space, step, count)
        else:
            base = address.base if not address.offset else self.ir.emit(f"add i64 {address.start}, {address.offset}")
            what = self.what(space, step, count) | (abi.WRAPS if address.wraps else 0)
            self.call_known(f"{name}_span", space, what, f"i64 {base}, ptr @{self.table(space, address.lanes)}")

    def call_known(self, name: str, space: str, what: int, address: str) -> None:
        """Calls a function for addresses with known offsets. Only where they may be in local memory it gets the warp's
        first thread and that memory's end: each argument is an instruction more for LLVM."""
        limit = self.frame.limit() if space in LOCAL_SPACES else "0"
        given = f"ptr %w, i64 {self.scope.wide_mask()}, i64 {what}, {address}"
        if limit != "0":
            name, given = f"{name}_local", f"{given}, i64 {self.entry.first_thread()}, i64 {limit}"
        self.leave_if(self.ir.emit(f"call i1 @openptx.{name}({given})"))

    def call(self, name: str, space: str, step: int, count: int) -> None:
        what, lanes, first, limit = self.what(space, step, count), *self.lanes()
        self.leave_if(self.ir.emit(self.call_of(name, what, lanes, first, limit)))

    def lanes(self) -> tuple[str, str, str]:
        """Which lanes access memory: their mask, the warp's first thread, and the end of the local memory that they may
        access."""
        return self.scope.wide_mask(), self.entry.first_thread(), self.frame.limit()

    def leave_if(self, failed: str) -> None:
        """Ends the warp if a fault was recorded, and records the position, unless a step of a lane caused it."""
        if self.scope.step_lane:
            self.faults.leave_if(failed)
        else:
            on = self.ir.fresh()
            self.ir.unlikely(failed, self.ir.own("failed"), on)
            self.ir.start(on)

    def call_of(self, name: str, what: int | str, lanes: str, first: str, limit: str) -> str:
        """A call of the function that accesses memory lane by lane (support.ll), at the addresses passed."""
        return f"call i1 @openptx.{name}(ptr %w, i64 {lanes}, i64 {what}, i64 {first}, i64 {limit})"

    def what(self, space: str, step: int, count: int, site: int | None = None) -> int:
        """The description of such an access, as one number; `site`: the position for faults, if not the current one."""
        site = self.scope.site + self.scope.c.site_base if site is None else site
        return abi.SPACES.index("shared" if space == "shared::cta" else space) | step << 8 | count << 16 | site << 32

    def before(self, space: str) -> int:
        """What addresses in a space's window have before their offset in it."""
        return window(space, self.scope.c.address_size) if space in ("const", "param") else 0

    def table(self, space: str, lanes: Lanes) -> str:
        """The offsets of a span's lanes, as constant data of the kernel."""
        before = self.before(space)
        key, functions = ("span", before, lanes), self.scope.tables.functions
        if key not in functions:
            name = f"span.{len(functions)}"
            offsets = self.x.literal_vector(tuple([offset - before for offset in lanes]), 64)
            functions[key] = OutlinedFunction(
                name, 64, f"@{name} = internal constant {vector_type(64)} {offsets}, align 64"
            )
        return functions[key].name
