"""Neighbouring elements at a separate address per lane (analysis/neighbours.py), by one wide load for each lane.

The first load of a run brings all of them; the others take what it brought, unless some address was not valid or the
lanes' elements are rows. Where half a warp reads the same place, as in a product of matrices by blocks of 16 by 16, an
element is two broadcasts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.analysis.neighbours import RUN, Run
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.emit.guarded_paths import GuardedPaths
from openptx.engines.native.emit.ir_builder import DATA, IRBuilder
from openptx.engines.native.emit.memory.all_lanes import all_valid, splat
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import PLACES
from openptx.engines.native.emit.memory.rows import Row, load_alike
from openptx.numerics import Bits
from openptx.program import Address

Load = Callable[[], tuple[Bits, ...]]
Rows = Callable[[str, Bits, Row], tuple[str, Callable[[], list[str]]]]
ADDRESSES = vector_type(64)


class Brought(NamedTuple):
    good: Bits
    """Whether the elements were loaded."""
    elements: tuple[Bits, ...]


class JoinedLoads:
    def __init__(self, checks: BoundsCheck, paths: GuardedPaths, rows: Rows) -> None:
        """`rows`: tests whether lanes access rows of valid memory, and gives their pointers."""
        self.rows = rows
        self.x, self.ir, self.scope, self.checks, self.paths = checks.x, checks.ir, checks.scope, checks, paths
        self.brought: dict[Run, Brought] = {}
        self.runs: Mapping[int, Run] = {}

    def begin_copy(self, runs: Mapping[int, Run]) -> None:
        """Starts a copy of a block, of which nothing has been loaded yet; `runs`: by the positions of their loads."""
        self.runs, self.brought = runs, {}

    def load(self, region: str, place: Bits, w: int, in_rows: str, rows: Load, each: Load) -> tuple[Bits, ...]:
        """The element at each lane's place: by `rows` if the i1 `in_rows` holds, by `each` if nothing else does."""
        run = self.runs.get(self.scope.site)
        if run is None or self.scope.step_lane:
            return self.paths.diamond(in_rows, rows, each)
        index = run.index(self.scope.site)
        brought = self.brought.get(run)
        if brought is not None:
            good = self.x.scalar(brought.good)
            return self.paths.diamond(
                good, lambda: (brought.elements[index],), lambda: self.paths.diamond(in_rows, rows, each)
            )
        own, good, *elements = self.paths.diamond(
            in_rows, lambda: self.alone(rows, run), lambda: self.apart(region, place, w, run, each)
        )
        return self.keep(run, own, good, elements)

    def load_alike(self, region: str, place: Bits, w: int, length: int, each: Load) -> tuple[Bits, ...]:
        """The element at each lane's place, which so many lanes in a row are likely to share."""
        run = self.runs.get(self.scope.site)
        if run is None or self.scope.step_lane:
            row = Row(length, 0, w // 8, w // 8)
            good, pointers = self.rows(region, place, row)
            return self.paths.diamond(good, lambda: (self.x.bits(load_alike(self.ir, w, row, pointers()), w),), each)
        index = run.index(self.scope.site)
        brought = self.brought.get(run)
        if brought is not None:
            return self.paths.diamond(self.x.scalar(brought.good), lambda: (brought.elements[index],), each)
        row = Row(length, 0, RUN, w // 8)
        good, pointers = self.rows(region, place + (self.distance(run) & (1 << 64) - 1), row)

        def whole() -> tuple[Bits, ...]:
            at = pointers()
            elements = [self.x.bits(load_alike(self.ir, w, row, at, w // 8 * i), w) for i in range(len(run))]
            return elements[index], self.x.bits("true", 1, ZEROS), *elements

        own, brings, *elements = self.paths.diamond(good, whole, lambda: self.apart(region, place, w, run, each))
        return self.keep(run, own, brings, elements)

    def alone(self, load: Load, run: Run) -> tuple[Bits, ...]:
        """The current element, and that the others have not been loaded."""
        return (*load(), self.x.bits("false", 1, ZEROS), *[self.x.bits("poison", RUN * 8 // len(run))] * len(run))

    def apart(self, region: str, place: Bits, w: int, run: Run, each: Load) -> tuple[Bits, ...]:
        """The current element, whether the run was loaded, and its elements."""
        failed, elements = self.wide(region, place, self.distance(run), w)
        together = self.ir.emit(f"xor i1 {failed}, true")
        own, yes = elements[run.index(self.scope.site)], self.x.bits("true", 1, ZEROS)
        return self.paths.diamond(together, lambda: (own, yes, *elements), lambda: self.alone(each, run))

    def keep(self, run: Run, own: Bits, good: Bits, elements: list[Bits]) -> tuple[Bits, ...]:
        """Records what the first load of a run has brought, and gives its own element."""
        if not self.ir.cold:
            self.brought[run] = Brought(good, tuple(elements))
        return (own,)

    def distance(self, run: Run) -> int:
        """Of the run's first element from that of the current load, in bytes."""
        code = self.checks.c.function.code
        first, own = (
            next(o.offset for o in code[pc].operands if isinstance(o, Address)) for pc in (run[0], self.scope.site)
        )
        return first - own

    def wide(self, region: str, place: Bits, distance: int, w: int) -> tuple[str, tuple[Bits, ...]]:
        """An i1, whether some lane's run, this far from a place, is not valid; and else the elements."""
        start, room, host = self.checks.limits(region, place, RUN, False)
        first = place + (distance & (1 << 64) - 1)
        given = f"i64 {start}, i64 {room}, i64 {host}, {ADDRESSES} {self.x.vector(first)}"
        count = RUN * 8 // w
        result = f"{{ {f'{vector_type(w)}, ' * count}i1 }}"
        found = self.ir.emit(f"call {result} @{self.function(w, count, result)}({given})")
        failed = self.ir.emit(f"extractvalue {result} {found}, {count}")
        return failed, tuple(self.x.bits(self.ir.emit(f"extractvalue {result} {found}, {i}"), w) for i in range(count))

    def function(self, w: int, count: int, result: str) -> str:
        """The function for elements of `w` bits, generated when it is first needed."""
        name = f"joined.i{w}"
        if name in self.scope.tables.functions:
            return name
        b, t = IRBuilder(), vector_type(w)
        offsets = b.emit(f"sub {ADDRESSES} %places, {splat(b, '%start', 64)}")
        b.likely(all_valid(b, 64, offsets, "%places", "%room", w // 8), "fast", "failed")
        b.start("fast")
        whole = "poison"
        at = b.emit(f"add {ADDRESSES} %places, {splat(b, '%host', 64)}")
        at = b.emit(f"inttoptr {ADDRESSES} {at} to {PLACES}")
        for i, element in enumerate(transposed(b, at, w)):
            whole = b.emit(f"insertvalue {result} {whole}, {t} {element}, {i}")
        b.line(f"ret {result} {b.emit(f'insertvalue {result} {whole}, i1 false, {count}')}")
        b.start("failed")
        b.line(f"ret {result} {b.emit(f'insertvalue {result} poison, i1 true, {count}')}")
        head = f"define internal {result} @{name}(i64 %start, i64 %room, i64 %host, {ADDRESSES} %places)"
        text = "\n".join([f"{head} noinline nounwind #0 {{", "entry:", *b.lines, "}", ""])
        self.scope.tables.functions[name] = OutlinedFunction(name, w, text)
        return name


def transposed(b: IRBuilder, at: str, w: int) -> list[str]:
    """The elements of all lanes, one vector for each, of `RUN` bytes at each place."""
    count, lines = RUN * 8 // w, list[str]()
    for i in range(N):
        place = b.emit(f"extractelement {PLACES} {at}, i32 {i}")
        lines.append(b.load(f"<{count} x i{w}>", place, w // 8, DATA))
    # Vectors of every fourth line, or every second, whose parts of 128 bits are lines.
    rows = [b.concatenate(f"i{w}", count, lines[i::count]) for i in range(count)]
    low, high = unpacked(b, w, rows[0], rows[1], 1)
    if count == 2:
        return [low, high]
    far_low, far_high = unpacked(b, w, rows[2], rows[3], 1)
    return [*unpacked(b, w, low, far_low, 2), *unpacked(b, w, high, far_high, 2)]


def unpacked(b: IRBuilder, w: int, x: str, y: str, together: int) -> list[str]:
    """By turns `together` elements of `x` and of `y`: those of the lower halves of all parts of 128 bits, and those of
    the upper halves."""
    half = 64 // w
    found: list[str] = []
    for first in (0, half):
        places = [part + first + k for part in range(0, N, 2 * half) for k in range(0, half, together)]
        order = [place + side + i for place in places for side in (0, N) for i in range(together)]
        found.append(b.shuffle(vector_type(w), x, y, order))
    return found
