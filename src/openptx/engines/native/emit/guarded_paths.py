"""Control flow within an instruction: a fast path if a check holds and a slow path otherwise, masks that may be empty,
and loops over single lanes."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.analysis.lattice import ZEROS, N
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits

GOOD = "true"
"""The verdict of a check that can be omitted."""

Act = Callable[[], tuple[Bits, ...]]


class GuardedPaths:
    def __init__(self, scope: Scope) -> None:
        self.x, self.ir, self.scope = scope.x, scope.ir, scope

    def diamond(self, good: str, fast: Act, slow: Act) -> tuple[Bits, ...]:
        """The results of `fast` if `good` holds, else those of `slow`, which returns vectors or scalars."""
        if good == GOOD:
            return fast()
        ir = self.ir
        a, b, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.likely(good, a, b)
        with ir.in_cold_code():
            first = len(ir.lines)
            ir.start(a)
            results = fast()
            names = [self.x.name_of(d, self.x.uniform(d)) for d in results]
            labels = [ir.label]
            ir.jump(done)
            second = len(ir.lines)
            ir.start(b)
            others = [
                self.scope.first_active(s) if self.x.uniform(d) else self.x.vector(s)
                for d, s in zip(results, slow(), strict=True)
            ]
            labels.append(ir.label)
            ir.jump(done)
        # The slow path comes first: LLVM negates a condition whose block is the next.
        ir.lines[first:] = ir.lines[second:] + ir.lines[first:second]
        ir.start(done)
        types = [self.x.type_of(d) for d in results]
        return tuple(self.x.typed(t, ir.phi(t.int, labels, x, y)) for t, x, y in zip(types, names, others, strict=True))

    def if_any(self, act: Act) -> tuple[Bits, ...]:
        """`act` if any lane executes; else zeros."""
        if not self.scope.mask_may_be_empty:
            return act()
        ir, scope, guard, mask = self.ir, self.scope, self.scope.guard, self.scope.mask
        all_or_none = guard is not None and self.x.uniform(guard)
        some = self.x.scalar(guard) if guard is not None and all_or_none else ir.is_some(scope.mask_word())
        with ir.block_if(some) as labels:
            scope.mask_may_be_empty = False
            if all_or_none:
                scope.mask = scope.block_mask
            results = act()
            names = [self.x.name_of(d, self.x.uniform(d)) for d in results]
            scope.mask, scope.mask_may_be_empty = mask, True
        found: list[Bits] = []
        for d, name in zip(results, names, strict=True):
            t = self.x.type_of(d)
            zero = "zeroinitializer" if not t.uniform else self.x.number(0, d.width)
            found.append(self.x.typed(t, ir.phi(t.int, labels[::-1], name, zero)))
        return tuple(found)


class LaneLoop:
    """Loops of one lane (`repeat`): lanes are serialised, and 32 steps of a lane take the place of the warp's lanes."""

    def __init__(self, scope: Scope, faults: FaultExits) -> None:
        self.x, self.ir, self.scope, self.faults = scope.x, scope.ir, scope, faults

    def repeat(self, times: Bits, step: Callable[..., None], *values: Bits) -> None:
        """The executing lanes in order; while a lane executes its steps, its values are broadcast to all lanes."""
        ir = self.ir
        given = [self.scope.materialized(v) for v in (times, *values)]
        word = ir.mask_bits(self.scope.within_mask(self.x.vector(times != 0)))
        lanes, one, steps, done = (ir.fresh() for _ in range(4))
        before, rest, less, first, more = ir.label, *(ir.name() for _ in range(4))
        ir.jump(lanes)
        with ir.in_cold_code():
            ir.start(lanes)
            into_lanes = len(ir.lines)
            ir.branch(ir.emit(f"icmp eq i{N} {rest}, 0"), done, one)
            ir.start(one)
            ir.line(f"{less} = and i{N} {rest}, {ir.emit(f'sub i{N} {rest}, 1')}")
            lane = ir.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {rest}, i1 true)")
            count, *own = [self.of_lane(v, lane) for v in given]
            ir.jump(steps)
            ir.start(steps)
            into_steps = len(ir.lines)
            number = self.x.bits(self.x.vector(self.x.bits(first, 32, ZEROS) + self.x.lane()), 32)
            self.take_steps(lane, self.x.compare("ult", number, count), lambda: step(number, *own))
            ir.line(f"{more} = add i32 {first}, {N}")
            last = ir.label
            ir.branch(ir.emit(f"icmp ult i32 {more}, {self.x.scalar(count)}"), steps, lanes)
            ir.lines.insert(into_steps, f"{first} = phi i32 [ 0, %{one} ], [ {more}, %{last} ]")
            ir.lines.insert(into_lanes, f"{rest} = phi i{N} [ {word}, %{before} ], [ {less}, %{last} ]")
        ir.start(done)
        self.faults.poll()

    def take_steps(self, lane: str, mask: Bits, act: Callable[[], None]) -> None:
        """In this scope, steps of a lane take the place of lanes."""
        scope = self.scope
        outer = scope.mask, scope.mask_may_be_empty, scope.step_lane
        scope.mask, scope.mask_may_be_empty, scope.step_lane = mask, False, scope.step_lane or lane
        try:
            act()
        finally:
            scope.mask, scope.mask_may_be_empty, scope.step_lane = outer

    def of_lane(self, a: Bits, lane: str) -> Bits:
        """A lane's value, broadcast to all lanes."""
        return a if self.x.uniform(a) else self.x.bits(self.scope.element(a, lane), a.width, ZEROS)
