"""What one lane does many times over: 32 steps at once take the place of the warp's lanes."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.state import State
from openptx.engines.native.values import ZEROS, N, vector_type
from openptx.numerics import Bits


class Steps(State):
    def repeat(self, times: Bits, step: Callable[..., None], *values: Bits) -> None:
        """The executing lanes in their order; while a lane has its steps, its values are everybody's."""
        out = self.out
        given = [self.held(v) for v in (times, *values)]
        some = self.vector(times != 0)
        if not self.full:
            some = out.emit(f"and <{N} x i1> {some}, {self.active_mask()}")
        word = out.emit(f"bitcast <{N} x i1> {some} to i{N}")
        lanes, one, steps, done = (out.fresh() for _ in range(4))
        before, rest, less, first, more = out.label, *(out.name() for _ in range(4))
        out.jump(lanes)
        out.aside += 1
        out.start(lanes)
        into_lanes = len(out.lines)
        out.branch(out.emit(f"icmp eq i{N} {rest}, 0"), done, one)
        out.start(one)
        out.line(f"{less} = and i{N} {rest}, {out.emit(f'sub i{N} {rest}, 1')}")
        lane = out.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {rest}, i1 true)")
        count, *own = [self.of_lane(v, lane) for v in given]
        out.jump(steps)
        out.start(steps)
        into_steps = len(out.lines)
        number = self.bits(self.vector(self.bits(first, 32, ZEROS) + self.lane()), 32)
        outer = self.mask, self.uncertain, self.stepping
        self.mask, self.uncertain, self.stepping = self.compare("ult", number, count), False, self.stepping or lane
        try:
            step(number, *own)
        finally:
            self.mask, self.uncertain, self.stepping = outer
        out.line(f"{more} = add i32 {first}, {N}")
        last = out.label
        out.branch(out.emit(f"icmp ult i32 {more}, {self.scalar(count)}"), steps, lanes)
        out.lines.insert(into_steps, f"{first} = phi i32 [ 0, %{one} ], [ {more}, %{last} ]")
        out.lines.insert(into_lanes, f"{rest} = phi i{N} [ {word}, %{before} ], [ {less}, %{last} ]")
        out.aside -= 1
        out.start(done)

    def of_lane(self, a: Bits, lane: str) -> Bits:
        """A lane's value, in all lanes."""
        if self.uniform(a):
            return a
        name = self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i{N} {lane}")
        return self.bits(name, a.width, ZEROS)
