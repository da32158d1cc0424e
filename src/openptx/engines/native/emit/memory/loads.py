"""Loads: wide moves where offsets are known, halves that are rows, gathers elsewhere."""

from __future__ import annotations

from openptx.engines.native.analysis.capabilities import is_parameter
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N, Value, vector_type
from openptx.engines.native.analysis.load_plan import LoadPlan
from openptx.engines.native.analysis.regions import TABLE, is_private, locate
from openptx.engines.native.emit.entry_values import EntryValues
from openptx.engines.native.emit.guarded_paths import GuardedPaths
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class LoadLowering:
    def __init__(
        self,
        scope: Scope,
        c: FunctionContext,
        entry: EntryValues,
        checks: BoundsCheck,
        slow: SlowPath,
        lanes: GatherScatter,
        paths: GuardedPaths,
    ) -> None:
        self.x, self.ir, self.scope = scope.x, scope.ir, scope
        self.c, self.entry, self.checks, self.slow, self.lanes, self.paths = c, entry, checks, slow, lanes, paths

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        if space == "param" and isinstance(address.v, int):
            return self.parameter(address.v, w, count)
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        if self.scope.mask_may_be_empty and not (region in TABLE and self.checks.form_of(place) is None):
            return self.paths.if_any(lambda: self._load(space, region, address, place, w, count))
        return self._load(space, region, address, place, w, count)

    def parameter(self, offset: int, w: int, count: int) -> tuple[Bits, ...]:
        """Kernel parameters at known places are loaded once, where the function begins."""
        if not is_parameter(self.c.function, offset, w * count // 8):
            address = self.x.const(offset, 64)
            return self._load("param", "slow", address, address, w, count)
        found: list[Bits] = []
        for at in range(offset, offset + w * count // 8, w // 8):
            key = ("param", at, w)
            if key not in self.entry.values:
                pointer = self.entry.parameters()
                where = self.ir.first(f"getelementptr i8, ptr {pointer}, i64 {at}")
                self.entry.values[key] = self.ir.first(f"load i{w}, ptr {where}, align {w // 8}, !tbaa !5")
            value = self.x.bits(self.entry.values[key], w, ZEROS)
            found.append(self.x.come_from(value, key) if w == 64 else value)
        return tuple(found)

    def _load(self, space: str, region: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        if region == "slow":
            return self.slow.load(space, address, w, count)
        ir = self.ir
        form = self.checks.form_of(place)
        size = w * count // 8
        if form is not None and region != "local":
            plan = LoadPlan.of(form.lanes, w // 8, count)
            good, pointer, span = self.checks.check_span(region, form, size, False)
            told = span if isinstance(address.v, Value) else address

            def wide() -> tuple[Bits, ...]:
                if plan is None:
                    return self.load_lanes(pointer(), form.lanes, w, count)
                found = self.wide_load(plan, pointer(), w, count)
                return (
                    tuple(self.x.bits(self.x.vector(d), w) for d in found)
                    if is_private(space, self.c.has_local)
                    else found
                )

            return self.paths.diamond(good, wide, lambda: self.slow.load(space, told, w, count))
        bad, pointers = self.checks.check_lanes(region, place, size, False)

        def rows() -> tuple[Bits, ...]:
            halves = [
                ir.emit(f"load <{N // 2} x i{w}>, ptr {at}, align {w // 8}, !tbaa !6")
                for at in self.checks.ends(pointers())
            ]
            t, order = f"<{N // 2} x i{w}>", ", ".join(f"i32 {i}" for i in range(N))
            return (self.x.bits(ir.emit(f"shufflevector {t} {halves[0]}, {t} {halves[1]}, <{N} x i32> <{order}>"), w),)

        def fast() -> tuple[Bits, ...]:
            if count > 1 or region == "local":  # a place in local memory is another one for each lane
                return self.lanes.gather(pointers(), w, count)
            return self.paths.diamond(
                self.checks.in_rows(place, w // 8), rows, lambda: self.lanes.gather(pointers(), w, 1)
            )

        good = ir.emit(f"xor i1 {bad}, true")
        return self.paths.diamond(good, fast, lambda: self.slow.load(space, address, w, count))

    def load_lanes(self, pointer: str, lanes: Lanes, w: int, count: int) -> tuple[Bits, ...]:
        """Lanes at known places, one by one if all execute: a gather takes longer, twice as long on some processors."""
        if not self.scope.full or count > 1:
            return self.lanes.gather(self.checks.lane_pointers(pointer, lanes), w, count)
        ir, t = self.ir, vector_type(w)
        found: dict[int, str] = {}
        for lane in dict.fromkeys(lanes):
            at = ir.emit(f"getelementptr i8, ptr {pointer}, i64 {lane}")
            found[lane] = ir.emit(f"load i{w}, ptr {at}, align {w // 8}, !tbaa !6")
        name = "poison"
        for i, lane in enumerate(lanes):
            name = ir.emit(f"insertelement {t} {name}, i{w} {found[lane]}, i32 {i}")
        return (self.x.bits(name, w),)

    def wide_load(self, plan: LoadPlan, pointer: str, w: int, count: int) -> tuple[Bits, ...]:
        """The elements by a few moves and shuffles."""
        ir, step = self.ir, w // 8
        if plan.uniform:
            found: list[Bits] = []
            for i in range(count):
                at = pointer if not i else ir.emit(f"getelementptr i8, ptr {pointer}, i64 {i * step}")
                found.append(self.x.bits(ir.emit(f"load i{w}, ptr {at}, align {step}, !tbaa !6"), w, ZEROS))
            return tuple(found)
        pieces: list[tuple[str, int]] = []
        for start, n in plan.runs:
            at = pointer if not start else ir.emit(f"getelementptr i8, ptr {pointer}, i64 {start * step}")
            pieces.append((ir.emit(f"load <{n} x i{w}>, ptr {at}, align {step}, !tbaa !6"), n))
        return tuple(self.x.bits(self.assemble(plan, pieces, w, i), w) for i in range(count))

    def assemble(self, plan: LoadPlan, pieces: list[tuple[str, int]], w: int, element: int) -> str:
        """The lanes' elements out of pieces, two pieces a shuffle."""
        ir = self.ir
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
                (ir.emit(f"shufflevector {t} {names[0]}, {t} {other}, <{N} x i32> <{', '.join(order)}>"), have)
            )
        while len(partial) > 1:
            (x, have), (y, more) = partial.pop(), partial.pop()
            t = vector_type(w)
            order = [f"i32 {lane if lane in have else N + lane}" for lane in range(N)]
            name = ir.emit(f"shufflevector {t} {x}, {t} {y}, <{N} x i32> <{', '.join(order)}>")
            partial.append((name, have | more))
        return partial[0][0]

    def padded(self, name: str, size: int, n: int, w: int) -> str:
        if size == n:
            return name
        order = ", ".join(f"i32 {i}" if i < size else "i32 poison" for i in range(n))
        t = f"<{size} x i{w}>"
        return self.ir.emit(f"shufflevector {t} {name}, {t} poison, <{n} x i32> <{order}>")
