"""Loads: wide moves if offsets are known, otherwise gathers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from openptx.engines.native.analysis.accesses import TABLE, Form, is_private, locate
from openptx.engines.native.analysis.capabilities import is_parameter
from openptx.engines.native.analysis.lane_patterns import Pattern
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N, Value, vector_type
from openptx.engines.native.emit.guarded_paths import GOOD, GuardedPaths
from openptx.engines.native.emit.ir_builder import DATA
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.checked_lanes import CheckedLanes
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter, LoadPlan
from openptx.engines.native.emit.memory.joined_loads import JoinedLoads
from openptx.engines.native.emit.memory.local_slots import LocalSlots
from openptx.engines.native.emit.memory.rows import Row, load_rows
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.numerics import Bits

AHEAD = 2
"""How many rows of lanes ahead a loop fetches. Warps run their loops one after the other, and the next ones read the
rows after this one, which the processor does not foresee: `sum_shuffle` takes 0.6 of the time on a Zen 3 (with 1 or 4
rows 0.75), and kernels with data in the caches take as long as before."""

WORD = 4
"""The size in bytes up to which the elements of a lane are loaded as one word, which shifts divide: shuffles of bytes
and halves take more instructions."""

LINE = 64
"""Bytes of the processor's cache lines."""


class LoadLowering:
    def __init__(
        self, checks: BoundsCheck, slow: SlowPath, lanes: GatherScatter, paths: GuardedPaths,
        patterns: Mapping[int, Pattern],
    ) -> None:  # fmt: skip
        """`patterns`: see `Facts`."""
        self.x, self.ir, self.scope, self.entry = checks.x, checks.ir, checks.scope, checks.entry
        self.c, self.checks, self.slow, self.lanes, self.paths = checks.c, checks, slow, lanes, paths
        self.patterns = patterns
        self.joined = JoinedLoads(checks, paths, self.rows)

    @cached_property
    def shared(self) -> CheckedLanes:
        return CheckedLanes(self.checks, self.slow, self.lanes, self.patterns)

    @cached_property
    def own(self) -> LocalSlots:
        return LocalSlots(self.checks, self.slow, self.lanes)

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        if space == "param" and isinstance(address.v, int):
            return self.parameter(address.v, w, count)
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        if region in TABLE and self.checks.form_of(place) is None:  # gathers have masks of their own
            return self.load_from(space, region, address, place, w, count)
        return self.paths.if_any(lambda: self.load_from(space, region, address, place, w, count))

    def parameter(self, offset: int, w: int, count: int) -> tuple[Bits, ...]:
        """Kernel parameters at known offsets are loaded once, in the entry block."""
        if not is_parameter(self.c.function, offset, w * count // 8):
            return self.slow.load("param", self.x.const(offset, 64), w, count)
        found: list[Bits] = []
        for at in range(offset, offset + w * count // 8, w // 8):
            value = self.x.bits(self.entry.parameter(at, w), w, ZEROS)
            found.append(self.x.come_from(value, ("param", at, w)) if w == 64 else value)
        return tuple(found)

    def load_from(self, space: str, region: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        if region == "slow":
            return self.slow.load(space, address, w, count)
        form = self.checks.form_of(place)
        if form is not None and region != "local":
            return self.load_form(space, region, form, address, w, count)
        if self.own.serves(region, place):
            return self.own.load(space, place, w, count)

        row = self.shared.row(region, count, w // 8)
        if row is None:
            return self.load_each(space, region, address, place, w, count)

        def each() -> tuple[Bits, ...]:
            again = self.shared.recomputed(place)
            return self.load_each(space, region, again if address is place else address, again, w, count)

        if not row.step:
            return self.joined.load_alike(region, place, w, row.length, each)
        good, firsts = self.rows(region, place, row)
        return self.joined.load(region, place, w, good, lambda: (self.load_parts(region, firsts(), w),), each)

    def load_form(self, space: str, region: str, form: Form, address: Bits, w: int, count: int) -> tuple[Bits, ...]:
        """The elements at known offsets from one address."""
        size = w * count // 8
        good, pointer, span = self.checks.check_span(region, form, size, False)
        reported = span if isinstance(address.v, Value) else address

        def wide() -> tuple[Bits, ...]:
            plan = LoadPlan.of(form.lanes, w // 8, count)
            if plan is None:
                return self.load_lanes(pointer(), form.lanes, w, count)
            place = pointer()
            if region == "global" and plan.runs == [(0, N * count)] and self.is_continued_by_next_warp:
                self.fetch(place, AHEAD * N * size, N * size)
            found = self.wide_load(plan, place, w, count)
            if is_private(space, self.c.has_local):
                return tuple(self.x.bits(self.x.vector(d), w) for d in found)
            return found

        def exact() -> tuple[Bits, ...]:
            if form.lanes is ZEROS and not isinstance(reported, Bits) and not is_private(space, self.c.has_local):
                return self.slow.load_one(space, reported, w, count)
            return self.slow.load(space, reported, w, count)

        return self.paths.diamond(good, wide, exact)

    def load_each(self, space: str, region: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        """The elements at each lane's own address."""
        if self.shared.serves(region):
            return self.shared.load(space, region, address, place, w, count)
        bad, pointers = self.checks.check_lanes(region, place, w * count // 8, False)
        return self.paths.diamond(
            self.ir.emit(f"xor i1 {bad}, true") if self.c.options.checks else GOOD,
            lambda: self.lanes.gather(pointers(), w, count),
            lambda: self.slow.load(space, address, w, count),
        )

    def rows(self, region: str, place: Bits, row: Row) -> tuple[str, Callable[[], list[str]]]:
        return self.shared.rows(region, place, row, False)

    def load_parts(self, region: str, pointers: list[str], w: int) -> Bits:
        """The elements of rows of neighbours."""
        if region == "global" and self.is_continued_by_next_warp:
            for at in pointers:
                self.fetch(at, AHEAD * N * w // 8, N // len(pointers) * w // 8)
        return self.x.bits(load_rows(self.ir, w, pointers), w)

    @property
    def is_continued_by_next_warp(self) -> bool:
        """Whether the next warp is likely to read on, in its own loop, where this one has read a row of memory."""
        options = self.c.options
        return self.scope.block.index in self.c.looped and options.block[0] > N and not options.baseline

    def fetch(self, pointer: str, start: int, size: int) -> None:
        """Fetches bytes into the caches, wherever they are."""
        for offset in range(start, start + size, LINE):
            self.ir.line(f"call void @llvm.prefetch.p0(ptr {self.ir.field(pointer, offset)}, i32 0, i32 3, i32 1)")

    def load_lanes(self, pointer: str, lanes: Lanes, w: int, count: int) -> tuple[Bits, ...]:
        """Lanes at known offsets, one by one if all execute: a gather takes longer, twice as long on some
        processors."""
        if not self.scope.full or count > 1:
            return self.lanes.gather(self.checks.lane_pointers(pointer, lanes), w, count)
        ir = self.ir
        found = {lane: ir.load(f"i{w}", ir.field(pointer, lane), w // 8, DATA) for lane in dict.fromkeys(lanes)}
        return (self.x.bits(ir.collect(w, [found[lane] for lane in lanes]), w),)

    def load_at(self, pointer: str, lanes: Lanes, w: int, count: int) -> tuple[Bits, ...]:
        """The elements at known offsets from a pointer that has been checked."""
        plan = LoadPlan.of(lanes, w // 8, count)
        return self.load_lanes(pointer, lanes, w, count) if plan is None else self.wide_load(plan, pointer, w, count)

    def wide_load(self, plan: LoadPlan, pointer: str, w: int, count: int) -> tuple[Bits, ...]:
        """The elements by a few moves and shuffles."""
        step = w // 8
        if 1 < count <= WORD // step and not plan.uniform and not any(i % count for i in plan.index):
            words = LoadPlan.of(tuple(i * step for i in plan.index), step * count, 1)
            if words is not None:
                return self.parts(self.wide_load(words, pointer, w * count, 1)[0], w, count)

        def piece(t: str, first: int) -> str:
            at = self.ir.field(pointer, first * step) if first else pointer
            return self.ir.load(t, at, step, DATA)

        if plan.uniform:
            return tuple(self.x.bits(piece(f"i{w}", i), w, ZEROS) for i in range(count))
        pieces = [(piece(f"<{n} x i{w}>", start), n) for start, n in plan.runs]
        return tuple(self.x.bits(self.assemble(plan, pieces, w, i), w) for i in range(count))

    def parts(self, word: Bits, w: int, count: int) -> tuple[Bits, ...]:
        """The elements that a word of each lane consists of."""
        ir, t, name = self.ir, vector_type(word.width), self.x.vector(word)
        shifted = [ir.emit(f"lshr {t} {name}, splat (i{word.width} {i * w})") if i else name for i in range(count)]
        return tuple(self.x.bits(ir.emit(f"trunc {t} {one} to {vector_type(w)}"), w) for one in shifted)

    def assemble(self, plan: LoadPlan, pieces: list[tuple[str, int]], w: int, element: int) -> str:
        """The lanes' elements from pieces, two pieces per shuffle."""
        wanted = [i + element for i in plan.index]
        partial: list[tuple[str, set[int]]] = []
        for k in range(0, len(pieces), 2):
            pair, runs = pieces[k : k + 2], plan.runs[k : k + 2]
            n = max(size for _, size in pair)
            if len(pair) == 1 and n == N and wanted == [runs[0][0] + i for i in range(N)]:
                return pair[0][0]
            names = [*(self.padded(name, size, n, w) for name, size in pair), "poison"]
            order = [
                next(
                    (side * n + i - start for side, (start, size) in enumerate(runs) if start <= i < start + size), None
                )
                for i in wanted
            ]
            have = {lane for lane, i in enumerate(order) if i is not None}
            partial.append((self.ir.shuffle(f"<{n} x i{w}>", names[0], names[1], order), have))
        while len(partial) > 1:
            (x, have), (y, more) = partial.pop(), partial.pop()
            order = [lane if lane in have else N + lane for lane in range(N)]
            partial.append((self.ir.shuffle(vector_type(w), x, y, order), have | more))
        return partial[0][0]

    def padded(self, name: str, size: int, n: int, w: int) -> str:
        if size == n:
            return name
        return self.ir.shuffle(f"<{size} x i{w}>", name, "poison", [i if i < size else None for i in range(n)])
