"""Loops of one lane (`repeat`): lanes are serialised, and 32 steps of a lane take the place of the warp's lanes."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.analysis.lattice import ZEROS, N
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class LaneLoop:
    def __init__(self, scope: Scope, faults: FaultExits) -> None:
        self.x, self.ir, self.scope, self.faults = scope.x, scope.ir, scope, faults

    def repeat(self, times: Bits, step: Callable[..., None], *values: Bits) -> None:
        """The executing lanes in their order; while a lane has its steps, its values are everybody's."""
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
        """Steps of a lane take the place of lanes meanwhile."""
        scope = self.scope
        outer = scope.mask, scope.mask_may_be_empty, scope.step_lane
        scope.mask, scope.mask_may_be_empty, scope.step_lane = mask, False, scope.step_lane or lane
        try:
            act()
        finally:
            scope.mask, scope.mask_may_be_empty, scope.step_lane = outer

    def of_lane(self, a: Bits, lane: str) -> Bits:
        """A lane's value, in all lanes."""
        return a if self.x.uniform(a) else self.x.bits(self.scope.element(a, lane), a.width, ZEROS)
