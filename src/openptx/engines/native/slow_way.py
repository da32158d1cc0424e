"""Accesses lane by lane, by a call: exact, so it accepts what is right after all, and says which lane did wrong."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import layout
from openptx.engines.native.emitter import vector_type
from openptx.engines.native.state import State
from openptx.engines.native.values import N
from openptx.numerics import Bits


class SlowWay(State):
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

    def slow_copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> tuple[Bits, ...]:
        """Bytes from one space to another, as many as each lane wants."""
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

    def slow_call(self, name: str, space: str, step: int, count: int) -> None:
        number = layout.SPACES.index("shared" if space == "shared::cta" else space)
        word, limit = self.mask_word(), self.local_limit()
        failed = self.out.emit(
            f"call i1 @openptx.{name}(ptr %w, i32 {word}, i32 {number}, i32 {step}, i32 {count},"
            f" i32 %first32, i64 {limit})"
        )
        self.leave_if(failed)
