"""Where lanes go on behind a block: together, apart, to the lowest block that has some, or nowhere."""

from __future__ import annotations

from collections.abc import Set

from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import END, Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.side_exits import SideExits
from openptx.engines.native.emit.calls import CallLowering
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits
from openptx.program import Op, Targets


class Branches:
    def __init__(
        self, registers: RegisterFile, binder: OperandBinder, c: FunctionContext, facts: Facts, exits: SideExits,
        calls: CallLowering,
    ) -> None:  # fmt: skip
        self.x, self.ir, self.scope, self.faults = registers.x, registers.ir, registers.scope, registers.x.faults
        self.registers, self.binder, self.c, self.facts, self.exits = registers, binder, c, facts, exits
        self.calls = calls
        self.dispatches: dict[tuple[int, ...], str] = {}
        """Chains that find the lowest block with lanes, by candidates: their labels."""

    def jump(self, goal: int, waiting: frozenset[int]) -> None:
        """All lanes that are here go to `goal`."""
        ir = self.ir
        if goal == END:
            self.end_lanes(self.scope.here_mask)
            if waiting:
                self.dispatch(waiting, ending=True)
            else:
                ir.jump("ended")
            return
        if goal in self.facts.masked:
            self.add_mask(goal, self.x.vector(self.scope.here_mask), goal in waiting)
        if not waiting or goal < min(waiting):
            ir.jump(f"block{goal}")
        else:
            self.dispatch(waiting | {goal})

    def branch_uniform(self, b: Block, onward: int, guard: Bits, waiting: frozenset[int]) -> None:
        """All lanes go the same way, or leave for the slow version."""
        ir = self.ir
        taken, here = guard & self.scope.here_mask, self.scope.mask_word()
        word = ir.emit(f"bitcast <{N} x i1> {self.x.vector(taken)} to i{N}")
        every = ir.emit(f"icmp eq i{N} {word}, {here}")
        some, yes, no, mixed = ir.emit(f"icmp ne i{N} {word}, 0"), ir.fresh(), ir.fresh(), ir.fresh()
        other = ir.fresh()
        ir.branch(every, yes, other)
        ir.start(other)
        ir.unlikely(some, mixed, no)
        ir.start(mixed)
        ir.cold += 1
        self.exits.leave_for_slow()
        ir.cold -= 1
        ir.start(yes)
        self.jump(b.successors[0], waiting)
        ir.start(no)
        self.jump(onward, waiting)

    def branch_divergent(self, yes: int, no: int, guard: Bits, waiting: frozenset[int]) -> None:
        """Lanes part."""
        here = self.scope.here_mask
        taken, rest = guard & here, self.x.invert(guard) & here
        for goal, mask in ((yes, taken), (no, rest)):
            if goal == END:
                self.end_lanes(mask)
            elif goal in self.facts.masked:
                self.add_mask(goal, self.x.vector(mask), goal in waiting or yes == no)
        goals = {g for g in (yes, no) if g != END}
        candidates = waiting | goals
        if yes == no and yes != END:
            self.go_masked(candidates)
        elif END in (yes, no) and not waiting:
            # Those that stay are all that is left; their block's mask is that of the living.
            (goal,) = goals or {END}
            if goal == END:
                self.ir.jump("ended")
                return
            word = self.ir.emit(f"bitcast <{N} x i1> {self.x.vector(rest if no == goal else taken)} to i{N}")
            some = self.ir.emit(f"icmp ne i{N} {word}, 0")
            self.ir.branch(some, f"block{goal}", "ended")
        else:
            self.dispatch(candidates, ending=END in (yes, no))

    def go_masked(self, candidates: frozenset[int] | set[int]) -> None:
        self.dispatch(frozenset(candidates))

    def add_mask(self, goal: int, mask: str, joined: bool) -> None:
        ir = self.ir
        if joined:
            old = ir.emit(f"load <{N} x i1>, ptr %m{goal}, align 4")
            mask = ir.emit(f"or <{N} x i1> {old}, {mask}")
        ir.line(f"store <{N} x i1> {mask}, ptr %m{goal}, align 4")

    def end_lanes(self, mask: Bits) -> None:
        """Lanes end. What a function gives them is handed over now, for others may go on."""
        ir = self.ir
        for i, cell in enumerate(self.c.result_cells):
            w = self.c.cells.widths[cell]
            value, where = self.x.vector(self.registers.get(cell)), self.calls.buffer("%results", i)
            if w == 1:
                old = ir.emit(f"load <{N} x i1>, ptr {where}, align 64")
                value = ir.emit(f"select <{N} x i1> {self.x.vector(mask)}, <{N} x i1> {value}, <{N} x i1> {old}")
                ir.line(f"store <{N} x i1> {value}, ptr {where}, align 64")
                continue
            t = vector_type(w)
            ir.line(
                f"call void @llvm.masked.store.v{N}i{w}.p0({t} {value}, ptr align 64 {where},"
                f" <{N} x i1> {self.x.vector(mask)})"
            )
        if not self.facts.waiting[self.scope.here.index] and mask is self.scope.here_mask:
            ir.line(f"store <{N} x i1> zeroinitializer, ptr %live, align 4")
            return
        live = ir.emit(f"load <{N} x i1>, ptr %live, align 4")
        left = ir.emit(f"xor <{N} x i1> {self.x.vector(mask)}, splat (i1 true)")
        left = ir.emit(f"and <{N} x i1> {live}, {left}")
        ir.line(f"store <{N} x i1> {left}, ptr %live, align 4")

    def dispatch(self, candidates: Set[int], ending: bool = False) -> None:
        """Goes to the lowest block that has lanes."""
        self.ir.jump(self.dispatcher(tuple(sorted(candidates)), ending))

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

    def emit_dispatches(self) -> None:
        ir = self.ir
        for key, label in self.dispatches.items():
            ending = key[-1] == END
            order = key[:-1] if ending else key
            ir.start(label)
            mask = ir.emit(f"load <{N} x i1>, ptr %m{order[0]}, align 4")
            word = ir.emit(f"bitcast <{N} x i1> {mask} to i{N}")
            some = ir.emit(f"icmp ne i{N} {word}, 0")
            ir.branch(some, f"block{order[0]}", self.dispatcher(order[1:], ending))

    def trap(self, op: Op, guard: Bits) -> None:
        ir = self.ir
        word = self.scope.mask_word()
        if not (isinstance(guard.v, int) and guard.v):
            mask = guard & self.scope.here_mask
            word = ir.emit(f"bitcast <{N} x i1> {self.x.vector(mask)} to i{N}")
            yes, no = ir.fresh(), ir.fresh()
            ir.branch(ir.emit(f"icmp ne i{N} {word}, 0"), yes, no)
            ir.start(yes)
        else:
            no = ""
        self.faults.report(abi.TRAP, word)
        self.faults.leave()
        if no:
            ir.start(no)

    def table(self, b: Block, op: Op, guard: Bits, waiting: frozenset[int]) -> None:
        """brx.idx: each lane by its index."""
        ir = self.ir
        index, targets = (
            self.binder.source(op.operands[0], op.types[0]),
            next(o for o in op.operands if isinstance(o, Targets)),
        )
        if not (isinstance(guard.v, int) and guard.v):
            raise UnsupportedByJit("a guarded branch by index")
        goals = [self.c.graph.target(pc) for pc in targets.pcs]
        self.faults.require(index < len(goals), "branch-index", f"an index beyond the {len(goals)} labels of the list")
        self.registers.spill()
        if self.x.uniform(index):
            labels = [ir.fresh() for _ in goals]
            cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels))
            ir.line(f"switch i32 {self.x.scalar(index)}, label %{labels[0]} [ {cases} ]")
            for goal, label in zip(goals, labels, strict=True):
                ir.start(label)
                self.jump(goal, waiting)
            return
        done: set[int] = set()
        for goal in dict.fromkeys(goals):
            chosen = self.x.const(0, 1)
            for i, g in enumerate(goals):
                if g == goal:
                    chosen = chosen | (index == i)
            mask = chosen & self.scope.here_mask
            if goal == END:
                self.end_lanes(mask)
            elif goal in self.facts.masked:
                self.add_mask(goal, self.x.vector(mask), goal in waiting or goal in done)
            done.add(goal)
        self.dispatch(waiting | {g for g in goals if g != END}, ending=END in goals)
