"""The code of one block: operations under their guards, polls at loop headers, waits for other lanes."""

from __future__ import annotations

from collections.abc import Mapping

from openptx.control_flow import control
from openptx.engines.common import fault_text
from openptx.engines.common.operands import source_position
from openptx.engines.native.analysis.accesses import OF_CTA, Group, groups_of
from openptx.engines.native.analysis.activations import only_interpreted
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.counted_loops import CountedLoop
from openptx.engines.native.analysis.lattice import ZEROS, N
from openptx.engines.native.analysis.liveness import live_results
from openptx.engines.native.analysis.neighbours import runs_of
from openptx.engines.native.analysis.operation_order import emission_order
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.frame_layout import kept_for, may_be_divided
from openptx.engines.native.deopt.side_exits import Deoptimizer
from openptx.engines.native.emit.arith.outlined import INLINE
from openptx.engines.native.emit.barriers import BarrierLowering
from openptx.engines.native.emit.branches import Branches
from openptx.engines.native.emit.interp_call import InterpCall
from openptx.isa.memory_consistency import strong
from openptx.locks import check_cancelled
from openptx.numerics import Bits
from openptx.program import Function, Op

FUEL, FUEL_LEAST, FUEL_SPENT = 1 << 16, 16, 1 << 18
"""Loop iterations between two polls: maximum, minimum, and the number of instructions that may be executed in
between."""

STRAIGHT = 1 << 11
"""Instructions of a block between two polls."""

OFTEN = 5
"""At least one in this many operations of a loop must be an access in a check group, or two copies do not pay."""


def iterations_between_polls(function: Function) -> int:
    """The number of loop iterations between two polls."""
    return max(FUEL_LEAST, min(FUEL, FUEL_SPENT // max(len(function.code), 1)))


class BlockEmitter:
    def __init__(
        self, branches: Branches, barriers: BarrierLowering, interp: InterpCall, deopt: Deoptimizer,
        counted: Mapping[int, CountedLoop],
    ) -> None:  # fmt: skip
        """`counted`: by their headers, loops whose iterations are counted, because they may be waiting."""
        self.x, self.ir, self.scope, self.faults = branches.x, branches.ir, branches.scope, branches.faults
        self.c, self.facts = branches.c, branches.facts
        self.registers, self.binder = branches.registers, branches.binder
        self.branches, self.barriers, self.interp = branches, barriers, interp
        self.exits, self.deopt, self.counted = branches.exits, deopt, counted
        self.checks = self.x.memory.checks

    def emit(self, b: Block) -> None:
        ir, scope, waiting = self.ir, self.scope, self.facts.waiting[b.index]
        scope.block = b
        scope.kept = kept_for(self.c, self.facts, b)
        self.registers.begin_block()
        self.x.frame.begin_block()
        rarely = bool(self.c.looped) and b.index not in self.c.looped and not self.c.is_function
        self.x.is_short = rarely or self.c.options.baseline
        self.x.uses_inline = 0 if not self.c.cpu.avx512 else 1 if self.x.is_short else INLINE
        ir.start(ir.own(f"block{b.index}"))
        ir.line(f"; {b.start}")
        groups = groups_of(self.c.function, self.c.cells, b, self.facts.accesses)
        fast = self.emits_fast_copy(b, groups)
        self.exits.has_copy = fast
        for_full = fast and self.facts.partial[b.index] and b.index not in waiting and self.may_be_full
        if for_full:
            self.copy_for_full_warps(b, groups)
        scope.block_mask = self.mask_of(b)
        if b.index in self.facts.masked:
            ir.store_mask("zeroinitializer", f"%m{b.index}")
        self.begin(b, groups)
        if fast and not for_full:
            self.first_copy(b, ir.fresh())
        self.operations(b)

    @property
    def may_be_full(self) -> bool:
        """Whether warps may have all lanes. Two at once (`WarpPairs`) have code for the lanes that they have."""
        return self.c.threads >= N and not self.ir.own_suffix

    def mask_of(self, b: Block) -> Bits:
        """The lanes that run a block."""
        match self.facts.lanes_of(b.index):
            case "all":
                return self.x.const(1, 1)
            case "live":
                return self.x.bits(self.ir.load_live(), 1)
            case "own":
                return self.x.bits(self.ir.load_mask(f"%m{b.index}"), 1)

    def begin(self, b: Block, groups: dict[int, Group]) -> None:
        """What precedes the operations of a block."""
        waiting = self.facts.waiting[b.index]
        self.scope.set_guard(None, self.scope.block_mask)
        if b.index in self.c.headers:
            self.poll(b)
        if waiting and b.syncs_warp:
            self.wait_for_lanes(b, waiting)
        if may_be_divided(self.c, self.facts, b):
            self.leave_if_divided(b)
        if b.only_interpreted:
            self.leave_to_interp(b)
        self.x.watch.begins(b)
        self.checks.begin_block(groups)

    def first_copy(self, b: Block, again: str) -> None:
        """The operations without slow paths, and the label where they restart if a check fails."""
        self.scope.retry = again
        self.operations(b)
        self.ir.start(again)
        self.registers.begin_block()

    def copy_for_full_warps(self, b: Block, groups: dict[int, Group]) -> None:
        """The first copy of a loop that only some lanes may run: it has no masks, and is run while all of them do.
        Meanwhile the block's mask stays in its place."""
        ir, scope, again = self.ir, self.scope, self.ir.fresh()
        scope.head_of_full = ir.fresh()
        word = ir.mask_bits(self.x.vector(self.mask_of(b)))
        ir.likely(ir.emit(f"icmp eq i{N} {word}, -1"), scope.head_of_full, again)
        ir.start(scope.head_of_full)
        scope.block_mask = self.x.const(1, 1)
        self.begin(b, groups)
        self.first_copy(b, again)
        scope.head_of_full = ""

    def emits_fast_copy(self, b: Block, groups: dict[int, Group]) -> bool:
        """Loop versioning: whether to emit a block twice that is a whole loop and has check groups.

        The first copy has no slow paths. If a check fails before anything was written to memory, execution restarts in
        the second copy, which is like other blocks. Where not all lanes of a warp may run the loop, the first copy is
        for those that do.
        """
        ops = self.c.function.code[b.start : b.stop]
        if (
            not groups
            or not self.c.options.checks
            or self.x.watch.once
            or b.index not in b.successors
            or len(groups) * OFTEN < len(ops)
        ):
            return False
        plain = all(control(op) is None and op.form.instruction.converges is None for op in ops[:-1])
        return plain and control(ops[-1]) == "branch"

    def operations(self, b: Block) -> None:
        """All operations of the block, and its successors."""
        scope = self.scope
        self.exits.guarded.clear()
        self.checks.begin_copy()
        runs = runs_of(self.c, self.facts, b) if b.index in self.c.looped and not self.c.options.baseline else []
        self.x.memory.joined.begin_copy({pc: run for run in runs for pc in run})
        lives = live_results(self.c.graph, b, scope.kept)
        stop = b.stop - 1 if b.last is not None else b.stop
        for i, pc in enumerate(emission_order(self.c, self.facts, b, stop)):
            scope.live_results = lives[pc - b.start]
            self.perform(pc, self.c.function.code[pc])
            if i % STRAIGHT == STRAIGHT - 1:
                self.faults.poll()
        scope.live_results, scope.site, scope.retry = lives[-1], b.stop - 1, ""
        self.finish(b)

    def poll(self, b: Block) -> None:
        """Emits the poll at loop headers that asks now and then whether the launch is to stop."""
        ir = self.ir
        less = ir.emit(f"sub i32 {ir.load('i32', '%fuel', 4)}, 1")
        ir.store("i32", less, "%fuel", 4)
        self.scope.site = b.start
        with ir.cold_block(ir.emit(f"icmp eq i32 {less}, 0")):
            ir.store("i32", iterations_between_polls(self.c.function), "%fuel", 4)
            self.faults.poll()
        if b.index in self.counted:
            self.deopt.count_backedge(b, self.counted[b.index])

    # Waits for other lanes of the warp

    def wait_for_lanes(self, b: Block, waiting: frozenset[int]) -> None:
        """Lanes that the first operation names and that are still elsewhere run first."""
        ir = self.ir
        several = any(self.c.graph.blocks[c].syncs_warp for c in waiting)
        if several and self.c.is_function:
            raise UnsupportedByJit("lanes of a warp that may wait for each other at different places of a function")
        if ir.masks_stay:  # lanes wait wherever lanes are that have not ended and do not run
            running = ir.emit(f"xor i{N} {self.scope.mask_word()}, -1")
            word = ir.emit(f"and i{N} {ir.mask_bits(ir.load_live())}, {running}")
        else:
            word = ir.load_union([f"%m{c}" for c in sorted(waiting)])
        if b.is_cta_barrier:
            missing = ir.is_some(word)
        else:
            wanted = (self.members(self.c.function.code[b.start]) & self.x.bits(word, 32, ZEROS)) != 0
            missing = self.x.any_of(wanted if self.x.uniform(wanted) else wanted & self.scope.block_mask)
        stay, on = ir.fresh(), ir.fresh()
        ir.branch(missing, stay, on)
        ir.start(stay)
        ir.store_mask(self.x.vector(self.scope.block_mask), f"%m{b.index}")
        self.deopt.yield_to_lanes(b, waiting, self.branches.dispatch)
        ir.start(on)
        if several:
            ir.store("i32", 0, "%tries", 4)

    def leave_if_divided(self, b: Block) -> None:
        """The interpreter continues if lanes skip the first operation, by its guard, at which others wait for them."""
        op = self.c.function.code[b.start]
        if op.guard is None:
            return
        if self.c.is_function:
            raise UnsupportedByJit("lanes of a function that may skip an instruction at which others wait for them")
        guard, running = self.binder.read_register(op.guard), self.scope.block_mask
        skipping = self.ir.mask_bits(self.x.vector(~guard & running))
        waits = (self.members(op) & self.x.bits(skipping, 32, ZEROS)) != 0
        with self.ir.exit_block(self.x.any_of(waits & guard & running)):
            self.deopt.deoptimize(b)

    def leave_to_interp(self, b: Block) -> None:
        """The interpreter continues if a lane executes the operation that begins the block."""
        op = self.c.function.code[b.start]
        guard = self.binder.read_register(op.guard) if op.guard is not None else self.x.const(1, 1)
        with self.ir.exit_block(self.x.any_of(guard & self.scope.block_mask)):
            self.deopt.deoptimize(b)

    def members(self, op: Op) -> Bits:
        """The lanes that an operation requires to arrive, as a mask."""
        name = op.form.instruction.converges
        if name is None:
            return self.x.const(-1, 32)
        return self.binder.sources(op)[source_position(op, name)]

    def check_members(self, op: Op) -> None:
        """All lanes that the operation names have arrived, because `wait_for_lanes` has waited for them."""
        members = self.members(op)
        self.faults.require((members >> self.x.lane() & 1) != 0, "invalid-mask", fault_text.wrong_mask(op), members)

    # Operations

    def perform(self, pc: int, op: Op) -> None:
        """One operation that does not end its block."""
        check_cancelled()
        scope = self.scope
        scope.site = pc
        guard = self.binder.read_register(op.guard) if op.guard is not None else self.x.const(1, 1)
        if isinstance(guard.v, int):
            if guard.v:
                self.emit_observed(op)
            return
        mask = guard & scope.block_mask
        if self.x.uniform(guard):
            # All or none: the guard is a branch only if memory is accessed; results are selected.
            mask = self.x.bits(self.x.vector(mask if self.facts.partial[scope.block.index] else guard), 1)
        scope.set_guard(guard, mask)
        if self.c.cells.writes(op) or self.c.options.watched:
            self.emit_observed(op)
        else:  # one test for all that it does
            self.x.memory.paths.if_any(lambda: self.without_results(op))
        scope.set_guard(None, scope.block_mask)

    def without_results(self, op: Op) -> tuple[Bits, ...]:
        self.emit_observed(op)
        return ()

    def emit_observed(self, op: Op) -> None:
        self.x.watch.before(op, self.binder)
        self.act_in_order(op)
        self.x.watch.after(op)

    def act_in_order(self, op: Op) -> None:
        """No access after a strong load comes before it, and none before a strong store after it, as other workers see
        them. An x86 processor keeps these orders by itself, but LLVM does not."""
        access = op.form.instruction.access
        ordered = self.c.options.locked and bool(access) and strong(op.m) and op.m.space not in OF_CTA
        if ordered and access != "load":
            self.ir.line("fence release")
        self.act(op)
        if ordered and access != "store":
            self.ir.line("fence acquire")

    def act(self, op: Op) -> None:
        kind = op.form.instruction.control
        if only_interpreted(self.c.function, self.scope.site):  # `leave_to_interp` has left
            return
        if kind == "call":
            self.branches.calls.call_function(op)
            return
        if op.form.instruction.converges is not None:
            self.check_members(op)
            self.x.watch.converges(op, self.members)
        if kind not in (None, "breakpoint", "warp-barrier"):
            raise UnsupportedByJit(f"`{op.form.instruction.name}`")
        if kind is not None:
            return
        if self.scope.site in self.facts.interpreted:
            self.x.watch.interpreted(op)
            self.interp.execute(op)
            return
        self.scope.result_is_read = bool(self.scope.live_results)
        self.binder.execute(op)

    def finish(self, b: Block) -> None:
        """Emits the end of a block. Raises UnsupportedByJit for a control instruction without machine code."""
        op, waiting = b.last, self.facts.waiting[b.index]
        kind = control(op) if op is not None else None
        if op is None or kind == "cluster-barrier":
            self.registers.spill()
            self.branches.jump(b.successors[0], waiting)
            return
        guard = self.binder.read_register(op.guard) if op.guard is not None else self.x.const(1, 1)
        if kind == "branch-table":
            self.branches.table(op, guard, waiting)
        elif kind == "barrier":
            self.barriers.barrier(b, op, guard)
        elif kind == "trap":
            self.x.watch.branches(op, guard)
            if self.branches.trap(guard):
                self.registers.spill()
                self.branches.jump(b.successors[-1], waiting)
        elif kind in ("branch", "return", "exit"):
            self.registers.spill()
            self.x.watch.branches(op, guard)
            self.branch(b, guard, waiting)
        else:
            raise UnsupportedByJit(f"`{op.form.instruction.name}`")

    def branch(self, b: Block, guard: Bits, waiting: frozenset[int]) -> None:
        yes, no = b.successors[0], b.successors[-1]
        if b.index in self.barriers.skips:
            self.barriers.skip_idle_warps(self.barriers.skips[b.index])
        match self.facts.branches[b.index]:
            case "taken":
                self.branches.jump(yes, waiting)
            case "skipped":
                self.branches.jump(no, waiting)
            case "uniform":
                self.branches.branch_uniform(guard, yes, no, waiting)
            case "assumed":
                self.branches.branch_assumed(guard, yes, no, waiting)
            case "divergent":
                self.branches.branch_divergent(guard, yes, no, waiting)
