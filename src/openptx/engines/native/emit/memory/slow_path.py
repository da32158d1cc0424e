"""The slow path: accesses lane by lane, by a call. It is exact: it accepts what is right after all, and says which lane
did wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import Lanes, N, vector_type
from openptx.engines.native.emit.arith.outlined import Outlined
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.ir_builder import STATE
from openptx.engines.native.emit.scope import LocalFrame, Scope
from openptx.isa.address_windows import window
from openptx.numerics import Bits


class Span(NamedTuple):
    """Addresses `base + lanes[i]`, given as `start + offset` where that is what is at hand: the base is not, then."""

    base: str
    lanes: Lanes
    start: str = "0"
    offset: str = ""


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

    def store(self, space: str, address: Bits | Span, values: Sequence[Bits]) -> None:
        w = values[0].width
        for i, v in enumerate(values):
            self.hand_over(v, abi.DATA + i * N * w // 8, 4)
        self.access("store", space, address, w // 8, len(values))

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> tuple[Bits, ...]:
        """Bytes from one space to another, as many as each lane wants."""
        self.scope.retry = ""
        places = (target, abi.SCRATCH), (origin, abi.DATA), (self.x.resize(size, 64), abi.MORE)
        for value, offset in places:
            self.hand_over(value, offset)
        there, here = (abi.SPACES.index(space.replace("::cta", "")) for space in (to, source))
        first = self.entry.first_lane()
        self.faults.leave_if(
            self.ir.emit(
                f"call i1 @openptx.bring(ptr %w, i32 {self.scope.mask_word()}, i32 {there}, i32 {here}, i32 {first},"
                f" i64 {self.frame.limit()})"
            )
        )
        return ()

    def hand_over(self, value: Bits, offset: int, align: int = 64) -> None:
        self.ir.store(vector_type(value.width), self.x.vector(value), self.entry.field(offset), align, STATE)

    def hand_addresses(self, address: Bits) -> None:
        self.hand_over(address, abi.SCRATCH)

    def access(self, name: str, space: str, address: Bits | Span, step: int, count: int) -> None:
        if isinstance(address, Bits):
            self.hand_addresses(address)
            self.call(name, space, step, count)
        else:
            function = self.span_function(name, space, address.lanes, step, count)
            start, ir = address.start, self.ir
            offset = address.offset or ir.emit(f"sub i64 {address.base}, {start}")
            lanes, limit = self.scope.wide_mask(), self.frame.limit()
            given = f"ptr %w, i64 {lanes}, i64 {start}, i64 {offset}, i64 {self.entry.first_thread()}, i64 {limit}"
            self.faults.leave_if(ir.emit(f"call i1 @{function}({given})"))

    def call(self, name: str, space: str, step: int, count: int) -> None:
        lanes, limit = self.scope.wide_mask(), self.frame.limit()
        first = self.entry.first_thread()
        self.faults.leave_if(self.ir.emit(self.call_of(name, space, step, count, lanes, first, limit)))

    def call_of(self, name: str, space: str, step: int, count: int, lanes: str, first: str, limit: str) -> str:
        """A call of what accesses memory lane by lane (support.ll), at the addresses that were handed over."""
        what = abi.SPACES.index("shared" if space == "shared::cta" else space) | step << 8 | count << 16
        return f"call i1 @openptx.{name}(ptr %w, i64 {lanes}, i64 {what}, i64 {first}, i64 {limit})"

    def span_function(self, name: str, space: str, lanes: Lanes, step: int, count: int) -> str:
        """A function of the kernel's own that hands the addresses of a span over: accesses that are alike share it, so
        the code beside each of them is short and needs no registers."""
        key, functions = ("span", name, space, lanes, step, count), self.scope.tables.functions
        if key not in functions:
            function, t = f"span.{name}.{len(functions)}", vector_type(64)
            before = window(space, self.scope.c.address_size) if space in ("const", "param") else 0
            parameters = "ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals"
            text = f"""define internal i1 @{function}({parameters}) noinline nounwind #0 #1 {{
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, {before}
%one = insertelement {t} poison, i64 %own, i32 0
%all = shufflevector {t} %one, {t} poison, <{N} x i32> zeroinitializer
%at = add {t} %all, {self.x.literal_vector(lanes, 64)}
%where = getelementptr i8, ptr %w, i64 {abi.SCRATCH}
store {t} %at, ptr %where, align 64{STATE}
%bad = {self.call_of(name, space, step, count, "%lanes", "%first", "%locals")}
ret i1 %bad
}}
"""
            functions[key] = Outlined(function, 1, text)
        return functions[key].name
