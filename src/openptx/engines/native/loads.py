"""Loads: wide moves where offsets are known, halves that are rows, gathers elsewhere."""

from __future__ import annotations

from openptx.engines.native.row_plans import Plan
from openptx.engines.native.scattered import Scattered
from openptx.engines.native.slow_way import SlowWay
from openptx.engines.native.spans import TABLE
from openptx.engines.native.values import ZEROS, Lanes, N, Value, vector_type
from openptx.numerics import Bits


class Loads(Scattered, SlowWay):
    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        if space == "param" and isinstance(address.v, int):
            return self.parameter(address.v, w, count)
        way, place = self.where(space, address)
        if self.uncertain and not (way in TABLE and self.offsets(place) is None):
            return self.if_any(lambda: self._load(space, way, address, place, w, count))
        return self._load(space, way, address, place, w, count)

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

    def _load(self, space: str, way: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        if way == "slow":
            return self.slow_load(space, address, w, count)
        out = self.out
        form = self.offsets(place)
        size = w * count // 8
        if form is not None and way != "local":
            plan = Plan.of(form.lanes, w // 8, count)
            good, pointer, span = self.check_span(way, form, size, False)
            told = span if isinstance(address.v, Value) else address

            def wide() -> tuple[Bits, ...]:
                if plan is None:
                    return self.load_apart(pointer(), form.lanes, w, count)
                found = self.wide_load(plan, pointer(), w, count)
                return tuple(self.bits(self.vector(d), w) for d in found) if self.private(space) else found

            return self.two_ways(good, wide, lambda: self.slow_load(space, told, w, count))
        bad, pointers = self.check_lanes(way, place, size, False)

        def rows() -> tuple[Bits, ...]:
            halves = [
                out.emit(f"load <{N // 2} x i{w}>, ptr {at}, align {w // 8}, !tbaa !6") for at in self.ends(pointers())
            ]
            t, order = f"<{N // 2} x i{w}>", ", ".join(f"i32 {i}" for i in range(N))
            return (self.bits(out.emit(f"shufflevector {t} {halves[0]}, {t} {halves[1]}, <{N} x i32> <{order}>"), w),)

        def fast() -> tuple[Bits, ...]:
            if count > 1 or way == "local":  # a place in local memory is another one for each lane
                return self.gather(pointers(), w, count)
            return self.two_ways(self.in_rows(place, w // 8), rows, lambda: self.gather(pointers(), w, 1))

        good = out.emit(f"xor i1 {bad}, true")
        return self.two_ways(good, fast, lambda: self.slow_load(space, address, w, count))

    def load_apart(self, pointer: str, lanes: Lanes, w: int, count: int) -> tuple[Bits, ...]:
        """Lanes at known places, one by one if all execute: a gather takes longer, twice as long on some processors."""
        if not self.full or count > 1 or self.dry:
            return self.gather(self.apart_from(pointer, lanes), w, count)
        out, t = self.out, vector_type(w)
        found: dict[int, str] = {}
        for lane in dict.fromkeys(lanes):
            at = out.emit(f"getelementptr i8, ptr {pointer}, i64 {lane}")
            found[lane] = out.emit(f"load i{w}, ptr {at}, align {w // 8}, !tbaa !6")
        name = "poison"
        for i, lane in enumerate(lanes):
            name = out.emit(f"insertelement {t} {name}, i{w} {found[lane]}, i32 {i}")
        return (self.bits(name, w),)

    def wide_load(self, plan: Plan, pointer: str, w: int, count: int) -> tuple[Bits, ...]:
        """The elements by a few moves and shuffles."""
        out, step = self.out, w // 8
        if plan.uniform:
            found: list[Bits] = []
            for i in range(count):
                at = pointer if not i else out.emit(f"getelementptr i8, ptr {pointer}, i64 {i * step}")
                found.append(self.bits(out.emit(f"load i{w}, ptr {at}, align {step}, !tbaa !6"), w, ZEROS))
            return tuple(found)
        if self.dry:
            return tuple(self.bits("%dry", w) for _ in range(count))
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
