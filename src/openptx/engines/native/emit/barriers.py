"""Barriers: a warp saves changed registers in its frame, yields to the next warp, and resumes after the barrier."""

from __future__ import annotations

from openptx.control_flow import END
from openptx.engines.common.operands import source_names
from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.idle_warps import Skip
from openptx.engines.native.analysis.lattice import ZEROS
from openptx.engines.native.analysis.segments import counts
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.emit.branches import Branches
from openptx.engines.native.emit.region_loops import RegionLoops
from openptx.engines.native.emit.warp_chaining import WarpChaining
from openptx.numerics import Bits
from openptx.program import Op

ARRIVES = "arrives"
"""The label of the code by which a warp arrives at a barrier for itself, because the region's warps are not together
any more."""
NONE_WAITING: frozenset[int] = frozenset()
"""Where lanes wait while the block after a barrier runs: nowhere, since the whole warp has arrived."""


class BarrierLowering:
    def __init__(self, branches: Branches, chaining: WarpChaining | None) -> None:
        """`chaining`: how a suspending warp jumps to where the next one resumes; None: each is dispatched."""
        self.x, self.ir, self.scope, self.faults = branches.x, branches.ir, branches.scope, branches.faults
        self.c, self.facts = branches.c, branches.facts
        self.registers, self.binder = branches.registers, branches.binder
        self.branches, self.exits, self.layout = branches, branches.exits, branches.exits.layout
        self.chaining = chaining
        self.regions = chaining if isinstance(chaining, RegionLoops) else None
        self.field = self.scope.entry.frame_field
        self.skips: dict[int, Skip] = {}
        """Blocks whose branch leads warps without work to a barrier."""
        self.numbers: set[int] | None = set()
        """Barriers that are used; None: unknown."""
        self.resumed_at: list[int] = []
        """Positions where warps resume after barriers: the label is `resume` and the position."""

    def barrier(self, b: Block, op: Op, guard: Bits) -> None:
        if not (isinstance(guard.v, int) and guard.v):
            raise UnsupportedByJit("a guarded barrier")
        named = dict(zip(source_names(op), self.binder.sources(op), strict=True))
        number, count = self.of_warp(named["a"]), named.get("b")
        if count is not None:
            count = self.of_warp(count)
        self.check_operands(number, count)
        yes = self.x.scalar(self.x.ballot(named["c"])) if op.m.mode == "red" else "0"
        wanted = self.x.scalar(count) if count is not None else "0"
        if self.regions is not None:
            self.registers.spill()
            self.suspend_in_region(self.regions, b, self.x.scalar(number))
            self.resume(b, op, b.successors[0])
            return
        live = self.scope.mask_word()
        if counts(self.c.function):
            given = f"i32 {self.x.scalar(number)}, i32 {wanted}, i32 {live}, i32 {yes}"
            ticket = self.ir.emit(f"call i32 @openptx.arrive(ptr %w, {given})")
        else:
            ticket = self.come(self.x.scalar(number), live)
        self.x.watch.arrives(op, number, ticket, live)
        self.registers.spill()
        if op.m.mode == "arrive":
            self.branches.jump(b.successors[0], NONE_WAITING)
            return
        self.suspend(b, self.x.scalar(number), ticket)
        self.resume(b, op, b.successors[0])

    def suspend_in_region(self, regions: RegionLoops, b: Block, number: str) -> None:
        """The next warp runs the region, or the first warp the next region; if warps are not together, this one arrives
        at the barrier for itself."""
        ir = self.ir
        word = ir.mask_bits(ir.load_live())
        self.save(b, word)
        fewer = self.fewer_lanes(word) if self.facts.partial[b.index] else None
        regions.end_region(b, fewer)
        for value, offset in ((b.stop, abi.RESUME), (number, abi.WAITS)):
            ir.store("i32", value, self.field(offset), 4)
        ir.jump(ARRIVES)

    def skip_idle_warps(self, skip: Skip) -> None:
        """Continues after the barrier if neither this warp nor any after it has work before it, and those before it
        have come there. What changes on the way is the same for all of them. Otherwise what is emitted next runs."""
        ir, regions = self.ir, self.regions
        bound = self.binder.source(skip.bound, skip.type)
        if regions is None or not self.x.uniform(bound):
            return
        frame = self.scope.entry.of_warp("%frame", "ptr")  # loaded before the paths part, since both need it
        beyond = ir.emit(f"icmp {skip.predicate} i32 {self.scope.entry.first_lane()}, {self.x.scalar(bound)}")
        idle, rest, on = ir.fresh(), ir.fresh(), ir.fresh()
        ir.branch(beyond, idle, on)
        ir.start(idle)
        ir.branch(regions.all_warps_reached(skip.barrier.stop), rest, on)
        ir.start(rest)
        values = [(self.registers.cell_type(cell), f"%r{cell}", offset) for cell, offset in skip.saved]
        loaded = [(t, ir.load_slot(t, place), offset) for t, place, offset in values]
        regions.end_all(skip.barrier, frame, loaded)
        ir.start(on)

    def of_warp(self, operand: Bits) -> Bits:
        """An operand, which all lanes agree on. The generic version, which knows nothing of lanes, asks them: a kernel
        that has begun needs it."""
        if self.x.uniform(operand):
            return operand
        if not self.c.version:
            raise UnsupportedByJit("a barrier whose operands differ between lanes")
        first = self.x.bits(self.scope.first_active(operand), operand.width, ZEROS)
        self.faults.require(operand == first, "invalid-barrier", "the lanes of a warp agree on a barrier's operands")
        return first

    def check_operands(self, number: Bits, count: Bits | None) -> None:
        if isinstance(number.v, int) and number.v < 16:
            if self.numbers is not None:
                self.numbers.add(number.v)
        else:
            self.numbers = None
            self.faults.require(number < 16, "invalid-barrier", "a barrier's number is 0 to 15")
        if count is not None:
            right = ((count & 31) == 0) & (count != 0)
            self.faults.require(right, "invalid-barrier", "a barrier's thread count is a multiple of 32, and not 0")

    def suspend(self, b: Block, number: str, ticket: str) -> None:
        """Saves what is live after the barrier, and returns."""
        ir = self.ir
        for value, offset in ((b.stop, abi.RESUME), (number, abi.WAITS), (ticket, abi.GENERATION)):
            ir.store("i32", value, self.field(offset), 4)
        if self.c.version:  # a CTA begins with 0
            ir.store("i32", self.c.version, self.field(abi.VERSION), 4)
        word = ir.mask_bits(ir.load_live())
        self.save(b, word)
        if not self.c.runs_next_warp:
            ir.line(f"ret i32 {abi.SUSPENDED}")
            return
        if self.facts.partial[b.index]:  # if lanes have exited since, others may be waiting for lanes that never arrive
            with ir.exit_block(self.fewer_lanes(word)):
                self.exits.return_with(abi.SUSPENDED)
        if self.chaining is not None:
            self.chaining.after(b)
        ir.jump("onward")

    def save(self, b: Block, word: str) -> None:
        """Saves the mask of live lanes, and the registers that are live and have changed; `word`: the mask."""
        ir = self.ir
        if not self.is_whole(b):
            ir.store("i32", word, self.field(abi.LIVE), 4)
        written = self.c.graph.writes(b.index, b.stop - 1)
        for cell, offset in self.layout.saved(b):
            if cell in written or self.layout.spills.has_changed(cell, b.index):
                t = self.registers.cell_type(cell)
                ir.store_saved(t, ir.load_slot(t, f"%r{cell}"), self.field(offset), 8)

    def fewer_lanes(self, word: str) -> str:
        """An i1: whether lanes of the warp have ended since they were last counted (`LIVE_BEFORE`); `word`: the mask of
        live lanes."""
        now = self.ir.emit(f"call i32 @llvm.ctpop.i32(i32 {word})")
        return self.ir.emit(f"icmp ne i32 {now}, {self.ir.load('i32', self.field(abi.LIVE_BEFORE), 4)}")

    def arrive_alone(self, regions: RegionLoops) -> None:
        """The code at `ARRIVES`: the frame says at which barrier the warp arrives, and where it resumes."""
        ir = self.ir
        self.registers.begin_block()
        ir.start(ARRIVES)
        regions.leave()
        word = ir.mask_bits(ir.load_live())
        number = ir.load("i32", self.field(abi.WAITS), 4)
        ir.store("i32", self.come(number, word), self.field(abi.GENERATION), 4)
        if any(self.facts.partial[b] for b in self.c.suspending):
            with ir.exit_block(self.fewer_lanes(word)):
                self.exits.return_with(abi.SUSPENDED)
        ir.jump("onward")

    def come(self, number: str, lanes: str) -> str:
        """Emits the arrival of a warp at a barrier with neither a count nor a vote; returns the barrier's
        generation."""
        wide = [self.ir.emit(f"zext i32 {value} to i64") for value in (number, lanes)]
        return self.ir.emit(f"call i32 @openptx.come(ptr %w, i64 {wide[0]}, i64 {wide[1]})")

    def is_whole(self, b: Block) -> bool:
        """Whether all lanes of a warp are at the barrier that ends a block: none has exited, and the warp is full."""
        return self.c.all_warps_full and b.index not in self.facts.ended

    def resume(self, b: Block, op: Op, goal: int) -> None:
        """Runs when the barrier is complete and the warp resumes."""
        ir = self.ir
        ir.start(f"resume{b.stop}")
        self.resumed_at.append(b.stop)
        self.registers.begin_block()
        if self.chaining is not None:
            self.chaining.begin_segment(b.stop)
        live = "splat (i1 true)"
        if not self.is_whole(b):
            word = ir.load("i32", self.field(abi.LIVE), 4)
            live = ir.mask_of(word)
        ir.store_live(live)
        wanted = self.layout.spills.wanted[goal] if goal != END else 0
        for cell, offset in self.layout.saved(b):
            if wanted >> cell & 1:
                t = self.registers.cell_type(cell)
                ir.store(t, ir.load_saved(t, self.field(offset), 8), f"%r{cell}", 4)
        self.x.watch.resumes()
        if op.m.mode == "red":
            self.reduction(op)
        if goal == END:
            ir.store_live("zeroinitializer")
            ir.jump("ended")
        else:
            if goal in self.facts.masked:
                ir.store_mask(live, f"%m{goal}")
            ir.jump(f"block{goal}")

    def reduction(self, op: Op) -> None:
        """Writes the result of `.red` to its destination."""
        ir = self.ir
        number, ticket = (ir.load("i32", self.field(offset), 4) for offset in (abi.WAITS, abi.GENERATION))
        kind = {"popc": 0, "and": 1, "or": 2}[str(op.m.op)]
        value = ir.emit(f"call i32 @openptx.verdict(ptr %w, i32 {number}, i32 {ticket}, i32 {kind})")
        result = self.x.bits(value, 32, ZEROS)
        if kind:
            result = self.x.resize(result, 1)
        self.registers.blends = False  # all lanes of the warp have arrived
        for place in self.binder.destinations(op):
            if place is not None:
                self.binder.write(place, result)
        self.registers.blends = True
        self.registers.spill()
