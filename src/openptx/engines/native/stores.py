"""Stores: rows side by side, one place, a few pieces, scattered elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native.row_plans import RUNS
from openptx.engines.native.scattered import Scattered
from openptx.engines.native.slow_way import SlowWay
from openptx.engines.native.values import ZEROS, Lanes, N, Value, vector_type
from openptx.engines.native.ways import GOOD
from openptx.numerics import Bits


class Stores(Scattered, SlowWay):
    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        if self.uncertain:
            values = [self.held(v) for v in values]
            self.if_any(lambda: self._store(space, address, values))
        else:
            self._store(space, address, values)
        self.careful = ""

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
            good, pointer, span = self.check_span(way, form, size, True)
            told = span if isinstance(address.v, Value) else address

            def fast() -> None:
                if form.lanes == tuple(size * i for i in range(N)):
                    self.store_row(pointer(), values, w)
                elif form.lanes is ZEROS:
                    self.store_one(pointer(), values, w)
                else:
                    self.store_apart(pointer(), form.lanes, values, w)
        else:
            told = address
            bad, pointers = self.check_lanes(way, place, size, True)
            good = out.emit(f"xor i1 {bad}, true")

            def fast() -> None:
                if count > 1 or way == "local":  # a place in local memory is another one for each lane
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
        self.slow_store(space, told, values)
        out.jump(done)
        out.start(a)
        fast()
        out.jump(done)
        out.aside -= 1
        out.start(done)
        return ()

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

    def store_apart(self, pointer: str, lanes: Lanes, values: Sequence[Bits], w: int) -> None:
        """Lanes at known places: a few pieces, or one by one."""
        begins = [i for i in range(N) if i == 0 or lanes[i] != lanes[i - 1] + w // 8]
        if not self.full or len(values) > 1 or len(begins) > RUNS:
            self.scatter(self.apart_from(pointer, lanes), values, w)
            return
        for i, end in zip(begins, [*begins[1:], N], strict=True):
            at = self.out.emit(f"getelementptr i8, ptr {pointer}, i64 {lanes[i]}")
            self.store_piece(at, values[0], i, end - i)

    def store_piece(self, pointer: str, value: Bits, first: int, n: int) -> None:
        """Some lanes side by side."""
        out, w, t = self.out, value.width, vector_type(value.width)
        order = ", ".join(f"i32 {first + k}" for k in range(n))
        part = out.emit(f"shufflevector {t} {self.vector(value)}, {t} poison, <{n} x i32> <{order}>")
        out.line(f"store <{n} x i{w}> {part}, ptr {pointer}, align {w // 8}, !tbaa !6")
