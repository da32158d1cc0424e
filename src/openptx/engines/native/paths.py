"""Where lanes go on behind a block: together, apart, to the lowest block that has some, or nowhere."""

from __future__ import annotations

from openptx.engines.native import layout
from openptx.engines.native.departures import Departures
from openptx.engines.native.fallback import Fallback
from openptx.engines.native.flow import END, Block
from openptx.engines.native.values import N, vector_type
from openptx.numerics import Bits
from openptx.program import Op, Targets


class Paths(Departures):
    dispatches: dict[tuple[int, ...], str]

    def go(self, goal: int, waiting: frozenset[int]) -> None:
        """All lanes that are here go to `goal`."""
        out = self.out
        if goal == END:
            self.lose(self.here_mask)
            if waiting:
                self.dispatch(waiting, ending=True)
            else:
                out.jump("ended")
            return
        if goal in self.masked:
            self.add_mask(goal, self.vector(self.here_mask), goal in waiting)
        if not waiting or goal < min(waiting):
            out.jump(f"block{goal}")
        else:
            self.dispatch(waiting | {goal})

    def stay_together(self, b: Block, onward: int, guard: Bits, waiting: frozenset[int]) -> None:
        """All lanes go the same way, or leave for the slow version."""
        out = self.out
        taken, here = guard & self.here_mask, self.mask_word()
        word = out.emit(f"bitcast <{N} x i1> {self.vector(taken)} to i{N}")
        every = out.emit(f"icmp eq i{N} {word}, {here}")
        some, yes, no, mixed = out.emit(f"icmp ne i{N} {word}, 0"), out.fresh(), out.fresh(), out.fresh()
        other = out.fresh()
        out.branch(every, yes, other)
        out.start(other)
        out.unlikely(some, mixed, no)
        out.start(mixed)
        out.aside += 1
        if not self.dry:
            self.leave_for_slow()
        out.aside -= 1
        out.start(yes)
        self.go(b.successors[0], waiting)
        out.start(no)
        self.go(onward, waiting)

    def part_ways(self, yes: int, no: int, guard: Bits, waiting: frozenset[int]) -> None:
        """Lanes part."""
        here = self.here_mask
        taken, rest = guard & here, self.invert(guard) & here
        for goal, mask in ((yes, taken), (no, rest)):
            if goal == END:
                self.lose(mask)
            elif goal in self.masked:
                self.add_mask(goal, self.vector(mask), goal in waiting or yes == no)
        goals = {g for g in (yes, no) if g != END}
        candidates = waiting | goals
        if yes == no and yes != END:
            self.go_masked(candidates)
        elif END in (yes, no) and not waiting:
            # Those that stay are all that is left; their block's mask is that of the living.
            (goal,) = goals or {END}
            if goal == END:
                self.out.jump("ended")
                return
            word = self.out.emit(f"bitcast <{N} x i1> {self.vector(rest if no == goal else taken)} to i{N}")
            some = self.out.emit(f"icmp ne i{N} {word}, 0")
            self.out.branch(some, f"block{goal}", "ended")
        else:
            self.dispatch(candidates, ending=END in (yes, no))

    def go_masked(self, candidates: frozenset[int] | set[int]) -> None:
        self.dispatch(frozenset(candidates))

    def add_mask(self, goal: int, mask: str, joined: bool) -> None:
        out = self.out
        if joined:
            old = out.emit(f"load <{N} x i1>, ptr %m{goal}, align 4")
            mask = out.emit(f"or <{N} x i1> {old}, {mask}")
        out.line(f"store <{N} x i1> {mask}, ptr %m{goal}, align 4")

    def lose(self, mask: Bits) -> None:
        """Lanes end. What a function gives them is handed over now, for others may go on."""
        out = self.out
        for i, cell in enumerate(self.result_cells()):
            w = self.cells.widths[cell]
            value, where = self.vector(self.get(cell)), self.buffer("%results", i)
            if w == 1:
                old = out.emit(f"load <{N} x i1>, ptr {where}, align 64")
                value = out.emit(f"select <{N} x i1> {self.vector(mask)}, <{N} x i1> {value}, <{N} x i1> {old}")
                out.line(f"store <{N} x i1> {value}, ptr {where}, align 64")
                continue
            t = vector_type(w)
            out.line(
                f"call void @llvm.masked.store.v{N}i{w}.p0({t} {value}, ptr align 64 {where},"
                f" <{N} x i1> {self.vector(mask)})"
            )
        if not self.pending[self.here.index] and mask is self.here_mask:
            out.line(f"store <{N} x i1> zeroinitializer, ptr %live, align 4")
            return
        live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
        left = out.emit(f"xor <{N} x i1> {self.vector(mask)}, splat (i1 true)")
        left = out.emit(f"and <{N} x i1> {live}, {left}")
        out.line(f"store <{N} x i1> {left}, ptr %live, align 4")

    def dispatch(self, candidates: frozenset[int] | set[int], ending: bool = False) -> None:
        """Goes to the lowest block that has lanes."""
        self.out.jump(self.dispatcher(tuple(sorted(candidates)), ending))

    def dispatcher(self, order: tuple[int, ...], ending: bool) -> str:
        if not order:
            return "ended"
        if len(order) == 1 and not ending:
            return f"block{order[0]}"
        key = (*order, END) if ending else order
        found = self.dispatches.get(key)
        if found is None:
            found = self.dispatches[key] = f"way{len(self.dispatches)}"
            self.dispatcher(order[1:], ending)
        return found

    def make_dispatches(self) -> None:
        out = self.out
        for key, label in self.dispatches.items():
            ending = key[-1] == END
            order = key[:-1] if ending else key
            out.start(label)
            mask = out.emit(f"load <{N} x i1>, ptr %m{order[0]}, align 4")
            word = out.emit(f"bitcast <{N} x i1> {mask} to i{N}")
            some = out.emit(f"icmp ne i{N} {word}, 0")
            out.branch(some, f"block{order[0]}", self.dispatcher(order[1:], ending))

    def trap(self, op: Op, guard: Bits) -> None:
        out = self.out
        word = self.mask_word()
        if not (isinstance(guard.v, int) and guard.v):
            mask = guard & self.here_mask
            word = out.emit(f"bitcast <{N} x i1> {self.vector(mask)} to i{N}")
            yes, no = out.fresh(), out.fresh()
            out.branch(out.emit(f"icmp ne i{N} {word}, 0"), yes, no)
            out.start(yes)
        else:
            no = ""
        self.report(layout.TRAP, word)
        self.leave()
        if no:
            out.start(no)

    def table(self, b: Block, op: Op, guard: Bits, waiting: frozenset[int]) -> None:
        """brx.idx: each lane by its index."""
        out = self.out
        index, targets = (
            self.source(op.operands[0], op.types[0]),
            next(o for o in op.operands if isinstance(o, Targets)),
        )
        if not (isinstance(guard.v, int) and guard.v):
            raise Fallback("a guarded branch by index")
        goals = [self.graph.target(pc) for pc in targets.pcs]
        self.require(index < len(goals), "branch-index", f"an index beyond the {len(goals)} labels of the list")
        self.spill()
        if self.uniform(index):
            labels = [out.fresh() for _ in goals]
            cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels))
            out.line(f"switch i32 {self.scalar(index)}, label %{labels[0]} [ {cases} ]")
            for goal, label in zip(goals, labels, strict=True):
                out.start(label)
                self.go(goal, waiting)
            return
        if self.dry and not self.unknown:
            self.divergent.add(b.index)
        done: set[int] = set()
        for goal in dict.fromkeys(goals):
            chosen = self.const(0, 1)
            for i, g in enumerate(goals):
                if g == goal:
                    chosen = chosen | (index == i)
            mask = chosen & self.here_mask
            if goal == END:
                self.lose(mask)
            elif goal in self.masked:
                self.add_mask(goal, self.vector(mask), goal in waiting or goal in done)
            done.add(goal)
        self.dispatch(waiting | {g for g in goals if g != END}, ending=END in goals)
