"""Stores: contiguous rows, a single address, a few pieces, otherwise scattered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from openptx.engines.native.analysis.accesses import locate
from openptx.engines.native.analysis.lane_patterns import Pattern
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N, Value, vector_type
from openptx.engines.native.emit.guarded_paths import GOOD, GuardedPaths
from openptx.engines.native.emit.ir_builder import DATA
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.checked_lanes import CheckedLanes
from openptx.engines.native.emit.memory.gather_scatter import LANES, REGISTER, RUNS, WIDEST, GatherScatter
from openptx.engines.native.emit.memory.local_slots import LocalSlots
from openptx.engines.native.emit.memory.rows import store_part_of_rows, store_rows
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.numerics import Bits

PIECES = 8
"""The number of registers up to which storing them under masks is faster than a scatter."""


class StoreLowering:
    def __init__(
        self, checks: BoundsCheck, slow: SlowPath, lanes: GatherScatter, paths: GuardedPaths,
        patterns: Mapping[int, Pattern],
    ) -> None:  # fmt: skip
        """`patterns`: see `Facts`."""
        self.patterns = patterns
        self.x, self.ir, self.scope, self.c = checks.x, checks.ir, checks.scope, checks.c
        self.checks, self.slow, self.lanes, self.paths = checks, slow, lanes, paths

    @cached_property
    def shared(self) -> CheckedLanes:
        return CheckedLanes(self.checks, self.slow, self.lanes, self.patterns)

    @cached_property
    def own(self) -> LocalSlots:
        return LocalSlots(self.checks, self.slow, self.lanes)

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        if self.scope.mask_may_be_empty:
            values = [self.scope.materialized(v) for v in values]
        self.paths.if_any(lambda: self.store_to(space, address, values))
        self.scope.retry = ""

    def store_to(self, space: str, address: Bits, values: Sequence[Bits]) -> tuple[Bits, ...]:
        ir, w, count = self.ir, values[0].width, len(values)
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        values = [self.scope.materialized(v) for v in values]
        if region == "slow":
            self.slow.store(space, address, values)
            return ()
        size = w * count // 8
        form = self.checks.form_of(place)
        if form is not None and region != "local":
            good, pointer, span = self.checks.check_span(region, form, size, True)
            reported = span if isinstance(address.v, Value) else address

            self.either(
                good,
                lambda: self.store_at(pointer(), form.lanes, values, w, region == "shared"),
                lambda: self.slow.store(space, reported, values),
            )
            return ()
        if self.own.serves(region, place):
            self.own.store(space, place, values)
            return ()

        def each(address: Bits, place: Bits) -> None:
            if self.shared.serves(region):
                self.shared.store(space, region, address, place, values)
                return
            bad, pointers = self.checks.check_lanes(region, place, size, True)
            good = ir.emit(f"xor i1 {bad}, true") if self.c.options.checks else GOOD
            self.either(
                good, lambda: self.lanes.scatter(pointers(), values, w), lambda: self.slow.store(space, address, values)
            )

        row = self.shared.row(region, count, w // 8, write=True)
        if row is None:
            each(address, place)
            return ()
        good, firsts = self.shared.rows(region, place, row, True)

        def apart() -> None:
            again = self.shared.recomputed(place)
            each(again if address is place else address, again)

        self.either(good, lambda: self.store_in_rows(firsts(), values[0]), apart)
        return ()

    def store_in_rows(self, pointers: list[str], value: Bits) -> None:
        """Stores what executing lanes have of rows of neighbours; some do not only by AVX-512."""
        ir, w, name = self.ir, value.width, self.x.vector(value)
        if self.scope.full or not self.c.cpu.avx512:
            store_rows(ir, w, name, pointers)
            return
        word = self.scope.mask_word()
        self.either(
            ir.emit(f"icmp eq i{N} {word}, -1"),
            lambda: store_rows(ir, w, name, pointers),
            lambda: store_part_of_rows(ir, w, name, pointers, word),
        )

    def store_at(self, pointer: str, lanes: Lanes, values: Sequence[Bits], w: int, own: bool = False) -> None:
        """At known offsets from a pointer that has been checked. `own`: no other worker can see the memory."""
        row = tuple(w * len(values) // 8 * i for i in range(N))
        if lanes == row:
            self.store_row(pointer, values, w, own)
        elif tuple(sorted(lanes)) == row:
            self.store_permuted_row(pointer, lanes, values, w)
        elif lanes is ZEROS:
            self.store_one(pointer, values, w)
        else:
            self.store_lanes(pointer, lanes, values, w)

    def either(self, good: str, fast: Callable[[], None], slow: Callable[[], None]) -> None:
        """`fast` if a check holds, as it mostly does, else `slow`."""
        if good == GOOD:
            fast()
            return
        ir = self.ir
        a, b, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.likely(good, a, b)
        with ir.in_cold_code():
            ir.start(b)
            slow()
            ir.jump(done)
            ir.start(a)
            fast()
            ir.jump(done)
        ir.start(done)

    def store_row(self, pointer: str, values: Sequence[Bits], w: int, own: bool) -> None:
        """Stores the values of all lanes contiguously."""
        ir, count = self.ir, len(values)
        name, n = self.interleaved([self.x.vector(v) for v in values], w)
        t = f"<{n} x i{w}>"
        if self.scope.full:
            ir.store(t, name, pointer, w // 8, DATA)
            return
        # A masked store costs as much as several plain ones, and the mask is hardly ever needed.
        plain, masked, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.likely(ir.emit(f"icmp eq i{N} {self.scope.mask_word()}, -1"), plain, masked)
        ir.start(plain)
        ir.store(t, name, pointer, w // 8, DATA)
        ir.jump(done)
        ir.start(masked)
        self.store_part_of_row(pointer, name, w, count, own)
        ir.jump(done)
        ir.start(done)

    def store_permuted_row(self, pointer: str, lanes: Lanes, values: Sequence[Bits], w: int) -> None:
        """Stores the values of all lanes contiguously in another order, as where addresses descend. If not all lanes
        execute, they are stored one by one."""
        ir = self.ir

        def whole() -> None:
            order = sorted(range(N), key=lanes.__getitem__)
            names = [ir.shuffle(vector_type(w), self.x.vector(v), "poison", order) for v in values]
            name, n = self.interleaved(names, w)
            ir.store(f"<{n} x i{w}>", name, pointer, w // 8, DATA)

        every = GOOD if self.scope.full else ir.emit(f"icmp eq i{N} {self.scope.mask_word()}, -1")
        self.either(every, whole, lambda: self.store_lanes(pointer, lanes, values, w))

    def store_part_of_row(self, pointer: str, row: str, w: int, count: int, own: bool) -> None:
        """Stores what executing lanes have of a row of `count` elements each; those of a lane as one word, if they are
        no longer than that. By AVX2, whose masked stores are slow on AMD's processors, memory that no other worker can
        see is loaded, and stored with the new elements."""
        words = max(w * count // WIDEST, 1)
        size, n = w * count // words, N * words
        t = f"<{n} x i{size}>"
        if size != w:
            row = self.ir.emit(f"bitcast <{N * count} x i{w}> {row} to {t}")
        blends = own and not self.c.cpu.avx512
        if not blends and not self.lanes.moves_rows(size):
            self.ir.line(self.lanes.store_row(size, row, pointer, self.scope.mask_word()))
            return
        mask = self.scope.active_mask()
        if words > 1:
            mask = self.ir.shuffle(LANES, mask, "poison", [i // words for i in range(n)])
        if blends:
            old = self.ir.load(t, pointer, w // 8, DATA)
            row = self.ir.emit(f"select <{n} x i1> {mask}, {t} {row}, {t} {old}")
            self.ir.store(t, row, pointer, w // 8, DATA)
            return
        self.ir.masked_store(t, f"v{n}i{size}", row, pointer, w // 8, mask, DATA)

    def interleaved(self, names: list[str], w: int) -> tuple[str, int]:
        """Elements of lane 0, then of lane 1, and so on."""
        n = N
        while len(names) > 1:
            half = len(names) // 2
            # Element i of a pair (i, i + half) takes every other position, doubling the vector.
            order = [i // 2 + n * (i % 2) for i in range(2 * n)]
            names = [self.ir.shuffle(f"<{n} x i{w}>", names[i], names[i + half], order) for i in range(half)]
            n *= 2
        return names[0], n

    def store_one(self, pointer: str, values: Sequence[Bits], w: int) -> None:
        """All lanes to the same address: the highest lane's value is kept."""
        for i, v in enumerate(values):
            at = pointer if not i else self.ir.field(pointer, i * w // 8)
            self.ir.store(f"i{w}", self.scope.last_active(v), at, w // 8, DATA)

    def store_lanes(self, pointer: str, lanes: Lanes, values: Sequence[Bits], w: int) -> None:
        """Lanes at known offsets: a few pieces, or one by one."""
        begins = [i for i in range(N) if i == 0 or lanes[i] != lanes[i - 1] + w // 8]
        if len(begins) > RUNS and len(values) == 1 and self.is_apart(lanes, w // 8):
            every = GOOD if self.scope.full else self.ir.emit(f"icmp eq i{N} {self.scope.mask_word()}, -1")
            self.either(
                every,
                lambda: self.store_apart(pointer, lanes, values[0]),
                lambda: self.lanes.scatter(self.checks.lane_pointers(pointer, lanes), values, w),
            )
            return
        if not self.scope.full or len(values) > 1 or len(begins) > RUNS:
            self.lanes.scatter(self.checks.lane_pointers(pointer, lanes), values, w)
            return
        for i, end in zip(begins, [*begins[1:], N], strict=True):
            self.store_piece(self.ir.field(pointer, lanes[i]), values[0], i, end - i)

    def is_apart(self, lanes: Lanes, step: int) -> bool:
        """Whether the lanes' elements are in different places of a few registers, which are stored under masks."""
        few = max(lanes) < PIECES * REGISTER and not any(v % step for v in lanes)
        return few and len(set(lanes)) == N and self.c.cpu.avx512

    def store_apart(self, pointer: str, lanes: Lanes, value: Bits) -> None:
        """Stores the elements of all lanes at known offsets with gaps in between, as those of structures."""
        ir, w, n = self.ir, value.width, REGISTER * 8 // value.width
        lane_at = {offset * 8 // w: lane for lane, offset in enumerate(lanes)}
        for start in range(0, max(lane_at) + 1, n):
            order = [lane_at.get(start + i) for i in range(n)]
            part = ir.shuffle(vector_type(w), self.x.vector(value), "poison", order)
            mask = f"<{', '.join(f'i1 {int(lane is not None)}' for lane in order)}>"
            at = ir.field(pointer, start * w // 8)
            ir.masked_store(f"<{n} x i{w}>", f"v{n}i{w}", part, at, w // 8, mask, DATA)

    def store_piece(self, pointer: str, value: Bits, first: int, n: int) -> None:
        """Stores the values of some lanes contiguously."""
        w = value.width
        part = self.ir.shuffle(vector_type(w), self.x.vector(value), "poison", range(first, first + n))
        self.ir.store(f"<{n} x i{w}>", part, pointer, w // 8, DATA)
