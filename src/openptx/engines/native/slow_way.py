"""Accesses lane by lane, by a call: exact, so it accepts what is right after all, and says which lane did wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.outline import Outlined
from openptx.engines.native.state import State
from openptx.engines.native.values import Lanes, N, vector_type
from openptx.isa.address_windows import window
from openptx.numerics import Bits


class Span(NamedTuple):
    """Addresses `base + lanes[i]`, told as `start + offset` where that is what is at hand: the base is not, then."""

    base: str
    lanes: Lanes
    start: str = "0"
    offset: str = ""


class SlowWay(State):
    functions: dict[object, Outlined]

    def hand_addresses(self, address: Bits) -> None:
        where = self.field(layout.SCRATCH)
        self.out.line(f"store {vector_type(64)} {self.vector(address)}, ptr {where}, align 64, !tbaa !5")

    def slow_load(self, space: str, address: Bits | Span, w: int, count: int) -> tuple[Bits, ...]:
        out = self.out
        self.slow_access("load", space, address, w // 8, count)
        found: list[Bits] = []
        for i in range(count):
            where = self.field(layout.DATA + i * N * w // 8)
            found.append(self.bits(out.emit(f"load volatile {vector_type(w)}, ptr {where}, align 4, !tbaa !5"), w))
        return tuple(found)

    def slow_store(self, space: str, address: Bits | Span, values: Sequence[Bits]) -> None:
        w = values[0].width
        for i, v in enumerate(values):
            where = self.field(layout.DATA + i * N * w // 8)
            self.out.line(f"store {vector_type(w)} {self.vector(v)}, ptr {where}, align 4, !tbaa !5")
        self.slow_access("store", space, address, w // 8, len(values))

    def slow_copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> tuple[Bits, ...]:
        """Bytes from one space to another, as many as each lane wants."""
        self.careful = ""
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

    def slow_access(self, name: str, space: str, address: Bits | Span, step: int, count: int) -> None:
        if isinstance(address, Bits):
            self.hand_addresses(address)
            self.slow_call(name, space, step, count)
        elif not self.dry:
            function = self.span_function(name, space, address.lanes, step, count)
            start, out = address.start, self.out
            offset = address.offset or out.emit(f"sub i64 {address.base}, {start}")
            lanes, locals = self.wide_mask(), self.local_limit()
            given = f"ptr %w, i64 {lanes}, i64 {start}, i64 {offset}, i64 %first, i64 {locals}"
            self.leave_if(out.emit(f"call i1 @{function}({given})"))

    def slow_call(self, name: str, space: str, step: int, count: int) -> None:
        self.leave_if(self.out.emit(self.call_of(name, space, step, count, self.wide_mask(), self.local_limit())))

    def wide_mask(self) -> str:
        """The executing lanes as an i64."""
        return self.out.emit(f"zext i{N} {self.mask_word()} to i64")

    def call_of(self, name: str, space: str, step: int, count: int, lanes: str, locals: str) -> str:
        """A call of what accesses memory lane by lane (support.ll), at the addresses that were handed over."""
        what = layout.SPACES.index("shared" if space == "shared::cta" else space) | step << 8 | count << 16
        return f"call i1 @openptx.{name}(ptr %w, i64 {lanes}, i64 {what}, i64 %first, i64 {locals})"

    def span_function(self, name: str, space: str, lanes: Lanes, step: int, count: int) -> str:
        """A function of the kernel's own that hands the addresses of a span over: accesses that are alike share it, so
        the code beside each of them is short and needs no registers."""
        key = "span", name, space, lanes, step, count
        if key not in self.functions:
            function, t = f"span.{name}.{len(self.functions)}", vector_type(64)
            before = window(space, self.address_size) if space in ("const", "param") else 0
            parameters = "ptr %w, i64 %lanes, i64 %start, i64 %offset, i64 %first, i64 %locals"
            text = f"""define internal i1 @{function}({parameters}) noinline nounwind #0 #1 {{
entry:
%sum = add i64 %start, %offset
%own = sub i64 %sum, {before}
%one = insertelement {t} poison, i64 %own, i32 0
%all = shufflevector {t} %one, {t} poison, <{N} x i32> zeroinitializer
%at = add {t} %all, {self.literal_vector(lanes, 64)}
%where = getelementptr i8, ptr %w, i64 {layout.SCRATCH}
store {t} %at, ptr %where, align 64, !tbaa !5
%bad = {self.call_of(name, space, step, count, "%lanes", "%locals")}
ret i1 %bad
}}
"""
            self.functions[key] = Outlined(function, 1, text)
        return self.functions[key].name
