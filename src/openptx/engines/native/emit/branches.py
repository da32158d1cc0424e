"""Branches and reconvergence: where lanes continue after a block, and the dispatch to waiting lanes."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cached_property

from openptx.control_flow import END
from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.side_exits import SideExits
from openptx.engines.native.emit.calls import CallLowering
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits
from openptx.program import Op, Targets

FEW = 4
"""Candidates that have a chain of their own where masks are an array."""

SCANS = "free", "any"
"""The labels of chains where masks are an array, see `Branches.scan`."""


class Branches:
    def __init__(self, registers: RegisterFile, binder: OperandBinder, exits: SideExits) -> None:
        self.x, self.ir, self.scope, self.faults = registers.x, registers.ir, registers.scope, registers.x.faults
        self.registers, self.binder, self.c, self.facts = registers, binder, registers.c, registers.facts
        self.exits = exits
        self.dispatches: dict[tuple[int, ...], str] = {}
        """Chains that find the lowest block with lanes, by candidates: their labels."""
        self.masks = exits.layout.masks
        self.scans: tuple[set[int], set[int]] = set(), set()
        """The first candidates of `scan`: where none waits for other lanes, and where some do."""

    @cached_property
    def calls(self) -> CallLowering:
        return CallLowering(self.registers, self.binder)

    def jump(self, goal: int, waiting: frozenset[int]) -> None:
        """All lanes of the block continue at `goal`."""
        own = self.scope.block.index
        if self.scope.head_of_full:
            if goal == own:
                self.ir.jump(self.scope.head_of_full)
                return
            if own in self.facts.masked:  # the mask has stayed in its place while the copy ran
                self.ir.store_mask("zeroinitializer", f"%m{own}")
        if goal == END:
            self.end_lanes(self.scope.block_mask)
            if waiting:
                self.dispatch(waiting, ending=True)
            else:
                self.ir.jump("ended")
            return
        self.add_mask(goal, self.scope.block_mask, goal in waiting)
        if not waiting or goal < min(waiting):
            self.ir.jump(f"block{goal}")
        else:
            self.dispatch(waiting | {goal})

    def branch_uniform(self, guard: Bits, yes: int, no: int, waiting: frozenset[int]) -> None:
        """All lanes take the same successor, by a scalar condition."""
        self.jump_among((yes, no), waiting, lambda labels: self.ir.branch(self.x.scalar(guard), labels[0], labels[1]))

    def jump_among(self, goals: tuple[int, ...], waiting: frozenset[int], choose: Callable[[list[str]], None]) -> None:
        labels = [self.ir.fresh() for _ in goals]
        choose(labels)
        for goal, label in zip(goals, labels, strict=True):
            self.ir.start(label)
            self.jump(goal, waiting)

    def branch_assumed(self, guard: Bits, yes: int, no: int, waiting: frozenset[int]) -> None:
        """All lanes take the same successor, or take a side exit to the generic version."""
        ir = self.ir
        taken, active = guard & self.scope.block_mask, self.scope.mask_word()
        word = ir.mask_bits(self.x.vector(taken))
        every, some = ir.emit(f"icmp eq i32 {word}, {active}"), ir.is_some(word)
        mixed = ir.fresh()

        def choose(labels: list[str]) -> None:
            other = ir.fresh()
            ir.branch(every, labels[0], other)
            ir.start(other)
            ir.unlikely(some, mixed, labels[1])
            ir.start(mixed)
            with ir.in_cold_code():
                self.exits.leave()

        self.jump_among((yes, no), waiting, choose)

    def branch_divergent(self, guard: Bits, yes: int, no: int, waiting: frozenset[int]) -> None:
        active = self.scope.block_mask
        if self.scope.head_of_full:
            self.stay_full(guard, -1 if yes == self.scope.block.index else 0)
        taken, rest = guard & active, self.x.invert(guard) & active
        for goal, mask in ((yes, taken), (no, rest)):
            self.send(goal, mask, goal in waiting or yes == no)
        goals = {g for g in (yes, no) if g != END}
        if END in (yes, no) and yes != no and not waiting:
            # The staying lanes are all that remain; their block's mask is that of the lanes that have not exited.
            (goal,) = goals
            some = self.ir.is_some(self.ir.mask_bits(self.x.vector(rest if no == goal else taken)))
            self.ir.branch(some, f"block{goal}", "ended")
        else:
            self.dispatch(waiting | goals, ending=END in (yes, no))

    def stay_full(self, guard: Bits, staying: int) -> None:
        """In the copy of a loop for full warps: continues there if all lanes do. `staying`: the guard's lanes then."""
        ir, parted = self.ir, self.ir.fresh()
        word = ir.mask_bits(self.x.vector(guard))
        ir.likely(ir.emit(f"icmp eq i{N} {word}, {staying}"), self.scope.head_of_full, parted)
        ir.start(parted)

    def send(self, goal: int, mask: Bits, joined: bool) -> None:
        """Some lanes continue at a block, or end."""
        if goal == END:
            self.end_lanes(mask)
        else:
            self.add_mask(goal, mask, joined)

    def add_mask(self, goal: int, mask: Bits, joined: bool) -> None:
        """Records which lanes are at a block; `joined`: others may be there already."""
        if goal not in self.facts.masked:
            return
        name, ir = self.x.vector(mask), self.ir
        if joined and ir.masks_stay:
            word = ir.emit(f"or i32 {ir.load_word(f'%m{goal}')}, {ir.mask_bits(name)}")
            ir.store("i32", word, f"%m{goal}", 4)
            return
        if joined:
            name = ir.emit(f"or <32 x i1> {ir.load_mask(f'%m{goal}')}, {name}")
        ir.store_mask(name, f"%m{goal}")

    def end_lanes(self, mask: Bits) -> None:
        """Lanes end. A function's results for them are stored now, because other lanes may continue."""
        ir = self.ir
        for i, cell in enumerate(self.c.result_cells):
            w = self.c.cells.widths[cell]
            value, where = self.x.vector(self.registers.get(cell)), self.calls.buffer("%results", i)
            if w == 1:
                old = ir.load("<32 x i1>", where, 64)
                value = ir.emit(f"select <32 x i1> {self.x.vector(mask)}, <32 x i1> {value}, <32 x i1> {old}")
                ir.store("<32 x i1>", value, where, 64)
            else:
                ir.masked_store(vector_type(w), f"v32i{w}", value, where, 64, self.x.vector(mask))
        if not self.facts.waiting[self.scope.block.index] and mask is self.scope.block_mask:
            ir.store_live("zeroinitializer")
            return
        ir.end_live(self.x.vector(mask))

    # Dispatch

    def dispatch(self, candidates: Set[int], ending: bool = False) -> None:
        """Jumps to the lowest block that has lanes."""
        if self.masks and len(candidates) > FEW:
            self.ir.jump(self.scan(candidates))
            return
        self.ir.jump(self.dispatcher(tuple(sorted(candidates)), ending))

    def dispatcher(self, order: tuple[int, ...], ending: bool) -> str:
        """The label of the code that jumps to the first of these blocks that has lanes; emitted at the end."""
        for first in range(len(order) - (not ending)):
            key = (*order[first:], END) if ending else order[first:]
            if key in self.dispatches:
                break
            self.dispatches[key] = f"way{len(self.dispatches)}"
        return self.label(order, ending)

    def label(self, order: tuple[int, ...], ending: bool) -> str:
        if not order:
            return "ended"
        if len(order) == 1 and not ending:
            return f"block{order[0]}"
        return self.dispatches[(*order, END) if ending else order]

    def scan(self, candidates: Set[int]) -> str:
        """The label of the code that jumps to the first block with lanes, from the lowest candidate on. It is part of
        one of two chains for all blocks: without candidates that begin by waiting for other lanes, these are left out,
        because lanes that wait there may have let others run first."""
        waits = any(self.c.graph.blocks[i].syncs_warp for i in candidates)
        self.scans[waits].add(min(candidates))
        return f"{SCANS[waits]}{min(candidates)}"

    def emit_scans(self) -> None:
        ir, blocks = self.ir, self.c.graph.blocks
        for name, first, waits in zip(SCANS, self.scans, (False, True), strict=True):
            order = sorted(i for i in self.masks if first and i >= min(first) and (waits or not blocks[i].syncs_warp))
            for place, i in enumerate(order, 1):
                ir.start(f"{name}{i}")
                after = f"{name}{order[place]}" if place < len(order) else "ended"
                ir.branch(ir.is_some(ir.load_word(f"%m{i}")), f"block{i}", after)

    def emit_ring(self) -> None:
        """The code at `ring` and a block: jumps to the next block, after it, that waits for other lanes and has lanes,
        around the end."""
        ir = self.ir
        order = sorted(i for i in self.masks if self.c.graph.blocks[i].syncs_warp)
        for i, after in zip(order, order[1:] + order[:1], strict=True):
            ir.start(f"ring{i}")
            ir.branch(ir.is_some(ir.load_word(f"%m{after}")), f"block{after}", f"ring{after}")

    def emit_dispatches(self) -> None:
        ir = self.ir
        self.emit_scans()
        if self.exits.layout.deoptimizes:
            self.emit_ring()
        for key, label in self.dispatches.items():
            ending = key[-1] == END
            order = key[:-1] if ending else key
            ir.start(label)
            some = ir.is_some(ir.load_word(f"%m{order[0]}"))
            ir.branch(some, f"block{order[0]}", self.label(order[1:], ending))

    # Other ends of blocks

    def trap(self, guard: Bits) -> bool:
        """Emits a trap; returns whether lanes may continue after it."""
        ir = self.ir
        if isinstance(guard.v, int) and guard.v:
            self.faults.leave_with(abi.TRAP, self.scope.mask_word())
            return False
        mask = ir.mask_bits(self.x.vector(guard & self.scope.block_mask))
        yes, no = ir.fresh(), ir.fresh()
        ir.branch(ir.is_some(mask), yes, no)
        ir.start(yes)
        self.faults.leave_with(abi.TRAP, mask)
        ir.start(no)
        return True

    def table(self, op: Op, guard: Bits, waiting: frozenset[int]) -> None:
        """Emits a `brx.idx`, which sends each lane on by its index. Raises UnsupportedByJit if it has a guard."""
        index = self.binder.source(op.operands[0], op.types[0])
        targets = next(o for o in op.operands if isinstance(o, Targets))
        if not (isinstance(guard.v, int) and guard.v):
            raise UnsupportedByJit("a guarded branch by index")
        goals = [self.c.graph.target(pc) for pc in targets.pcs]
        self.faults.require(index < len(goals), "branch-index", f"an index beyond the {len(goals)} labels of the list")
        self.registers.spill()
        self.x.watch.chooses(op, index)
        if self.x.uniform(index):

            def choose(labels: list[str]) -> None:
                cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels))
                self.ir.line(f"switch i32 {self.x.scalar(index)}, label %{labels[0]} [ {cases} ]")

            self.jump_among(tuple(goals), waiting, choose)
            return
        indices: dict[int, list[int]] = {}
        for i, goal in enumerate(goals):
            indices.setdefault(goal, []).append(i)
        for goal, own in indices.items():
            chosen = self.x.const(0, 1)
            for i in own:
                chosen = chosen | (index == i)
            self.send(goal, chosen & self.scope.block_mask, goal in waiting)
        self.dispatch(waiting | {g for g in goals if g != END}, ending=END in goals)
