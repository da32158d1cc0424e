"""The code of one block: operations under their guards, loops that ask whether to go on, lanes that are waited for."""

from __future__ import annotations

from openptx.engines.common import fault_text
from openptx.engines.common.cancellation import check_cancelled
from openptx.engines.native.analysis.abstract_machine import Access
from openptx.engines.native.analysis.cfg import Block, control
from openptx.engines.native.analysis.check_groups import Group
from openptx.engines.native.analysis.lattice import ZEROS, N
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.deoptimizer import Deoptimizer
from openptx.engines.native.emit.barriers import BarrierLowering
from openptx.engines.native.emit.branches import Branches
from openptx.engines.native.emit.calls import CallLowering
from openptx.engines.native.emit.interp_call import InterpCall
from openptx.numerics import Bits
from openptx.program import Address, Function, Op, Reg

FUEL, FUEL_LEAST, FUEL_SPENT = 1 << 16, 16, 1 << 18
"""Turns of loops between two polls: at most, at least, and instructions that may be executed meanwhile."""

OFTEN = 5
"""One of so many operations of a loop must be an access that is checked with others, or two copies do not pay."""


def turns_between_polls(function: Function) -> int:
    """How many turns of loops there may be between two polls."""
    return max(FUEL_LEAST, min(FUEL, FUEL_SPENT // max(len(function.code), 1)))


class BlockEmitter:
    def __init__(
        self, branches: Branches, barriers: BarrierLowering, calls: CallLowering, interp: InterpCall,
        deopt: Deoptimizer, counted: frozenset[int],
    ) -> None:  # fmt: skip
        """`counted`: blocks where loops begin whose turns are counted, for they may be waiting for other threads."""
        self.x, self.ir, self.scope, self.faults = branches.x, branches.ir, branches.scope, branches.faults
        self.registers, self.binder, self.c, self.facts = (
            branches.registers,
            branches.binder,
            branches.c,
            branches.facts,
        )
        self.branches, self.barriers, self.calls, self.interp = branches, barriers, calls, interp
        self.exits, self.deopt, self.counted = branches.exits, deopt, counted
        self.entry, self.checks = self.x.entry, self.x.memory.checks

    def emit(self, b: Block) -> None:
        ir, graph = self.ir, self.c.graph
        self.scope.here = b
        self.registers.begin_block()
        waiting = self.facts.waiting[b.index]
        self.x.frame.begin_block()
        self.scope.kept = (
            frozenset[int]().union(*(graph.blocks[c].live_in for c in waiting)) if waiting else frozenset()
        )
        ir.start(f"block{b.index}")
        if self.c.function.code[b.start : b.start + 1]:
            ir.line(f"; {b.start}")
        if not self.facts.partial[b.index]:
            self.scope.here_mask = self.x.const(1, 1)
        else:
            source = f"%m{b.index}" if waiting else "%live"
            self.scope.here_mask = self.x.bits(ir.emit(f"load <{N} x i1>, ptr {source}, align 4"), 1)
        if b.index in self.facts.masked:
            ir.line(f"store <{N} x i1> zeroinitializer, ptr %m{b.index}, align 4")
        self.scope.mask, self.scope.mask_may_be_empty, self.scope.guard = self.scope.here_mask, False, None
        if b.index in self.c.headers:
            self.poll(b)
        if waiting and b.syncs_warp:
            self.park(b, waiting)
        groups = self.grouped(b)
        self.checks.begin_block(groups)
        if self.emits_fast_copy(b, groups):
            self.scope.retry = again = ir.fresh()
            self.operations(b)
            ir.start(again)
            self.registers.begin_block()
        self.operations(b)

    def emits_fast_copy(self, b: Block, groups: dict[int, Group]) -> bool:
        """Whether to make the block twice: it is the whole of a loop, and has accesses that are checked together.

        The first time no access of theirs has another way beside it. Where a check fails, before anything was written
        to memory, all begins anew in the second, which is what other blocks are.
        """
        ops = self.c.function.code[b.start : b.stop]
        if not groups or not self.c.options.checks or b.index not in b.successors or len(groups) * OFTEN < len(ops):
            return False
        plain = all(control(op) is None and op.form.instruction.converges is None for op in ops[:-1])
        return plain and control(ops[-1]) == "branch"

    def operations(self, b: Block) -> None:
        """All that stands in the block, and where it goes on."""
        self.exits.guarded.clear()
        self.checks.begin_copy()
        lives = self.c.graph.live_after(b, self.scope.kept)
        self.scope.live_before = b.live_in
        stop = b.stop - 1 if b.last is not None else b.stop
        for pc in range(b.start, stop):
            self.scope.live_after = lives[pc - b.start]
            self.perform(pc, self.c.function.code[pc])
            self.scope.live_before = self.scope.live_after
        self.scope.live_after = lives[-1]
        self.scope.site = b.stop - 1
        self.scope.retry = ""
        self.finish(b)

    def grouped(self, b: Block) -> dict[int, Group]:
        """The block's accesses that may be checked together, by position."""
        version: dict[int, int] = {}
        accesses: dict[tuple[object, ...], list[tuple[int, int, Access]]] = {}
        for pc in range(b.start, b.stop):
            op = self.c.function.code[pc]
            places = [o for o in op.operands if isinstance(o, Address)]
            facts = self.facts.accesses.get(pc)
            if len(places) == 1 and isinstance(places[0].base, Reg) and op.guard is None and facts is not None:
                cell = places[0].base.index
                key = (cell, version.get(cell, 0), op.m.space)
                accesses.setdefault(key, []).append((pc, places[0].offset, facts))
            for cell in self.c.cells.writes(op):
                version[cell] = version.get(cell, 0) + 1
        found: dict[int, Group] = {}
        for some in accesses.values():
            group = Group.of(some)
            if group is not None:
                found |= dict.fromkeys(group.members, group)
        return found

    def poll(self, b: Block) -> None:
        """Where loops begin, somebody is asked once in a while whether to go on."""
        ir = self.ir
        fuel = ir.emit("load i32, ptr %fuel, align 4")
        less = ir.emit(f"sub i32 {fuel}, 1")
        ir.line(f"store i32 {less}, ptr %fuel, align 4")
        self.scope.site = b.start
        with ir.cold_block(ir.emit(f"icmp eq i32 {less}, 0")):
            ir.line(f"store i32 {turns_between_polls(self.c.function)}, ptr %fuel, align 4")
            self.faults.leave_if(ir.emit("call i1 @openptx.poll(ptr %w)"))
        if b.index in self.counted:
            self.deopt.count_backedge(b)

    def park(self, b: Block, waiting: frozenset[int]) -> None:
        """Lanes that the first operation names, and that are still elsewhere, are run first."""
        ir = self.ir
        op = self.c.function.code[b.start]
        others = [ir.emit(f"load <{N} x i1>, ptr %m{c}, align 4") for c in sorted(waiting)]
        away = others[0]
        for other in others[1:]:
            away = ir.emit(f"or <{N} x i1> {away}, {other}")
        if b.is_cta_barrier:
            word = ir.emit(f"bitcast <{N} x i1> {away} to i{N}")
            stay, on = ir.fresh(), ir.fresh()
            ir.branch(ir.emit(f"icmp ne i{N} {word}, 0"), stay, on)
            self.wait_for_lanes(b, waiting, stay, on)
            return
        word = self.x.bits(ir.emit(f"bitcast <{N} x i1> {away} to i{N}"), 32, ZEROS)
        missing = (self.members(op) & word) != 0
        if not self.x.uniform(missing):
            missing = missing & self.scope.here_mask
        stay, on = ir.fresh(), ir.fresh()
        ir.branch(self.x.any_of(missing), stay, on)
        self.wait_for_lanes(b, waiting, stay, on)

    def wait_for_lanes(self, b: Block, waiting: frozenset[int], stay: str, on: str) -> None:
        ir = self.ir
        ir.start(stay)
        ir.line(f"store <{N} x i1> {self.x.vector(self.scope.here_mask)}, ptr %m{b.index}, align 4")
        several = any(self.c.graph.blocks[c].syncs_warp for c in waiting)
        if several and self.c.is_function:
            raise UnsupportedByJit("lanes of a warp that may wait for each other at different places of a function")
        self.deopt.yield_to_lanes(b, waiting, self.branches.dispatch)
        ir.start(on)
        if several:
            ir.line("store i32 0, ptr %tries, align 4")

    def members(self, op: Op) -> Bits:
        """The lanes that an operation wants to be there, as a mask."""
        name = op.form.instruction.converges
        if name is None:
            return self.x.const(-1, 32)
        i = next(i for i, t in enumerate(t for t in op.form.operands if t.role != "write") if t.name == name)
        return self.binder.sources(op)[i]

    def perform(self, pc: int, op: Op) -> None:
        """One operation that does not decide where to go on."""
        check_cancelled()
        self.scope.site = pc
        if op.guard is None:
            self.act(op)
            return
        p = self.binder.read_register(op.guard)
        if isinstance(p.v, int):
            if p.v:
                self.act(op)
            return
        self.scope.guard = p
        if self.x.uniform(p):
            # All or none: the guard is a branch only where memory is touched; results are selected.
            self.scope.mask = self.x.bits(
                self.x.vector(p & self.scope.here_mask)
                if self.facts.partial[self.scope.here.index]
                else self.x.vector(p),
                1,
            )
        else:
            self.scope.mask = p & self.scope.here_mask
        self.scope.mask_may_be_empty = True
        self.act(op)
        self.scope.guard, self.scope.mask, self.scope.mask_may_be_empty = None, self.scope.here_mask, False

    def act(self, op: Op) -> None:
        instruction = op.form.instruction
        kind = instruction.control
        if kind == "breakpoint":
            return
        if kind == "call":
            self.calls.call_function(op)
            return
        if instruction.converges is not None:
            self.converge(op)
            if kind == "warp-barrier":
                return
        if kind is not None:
            raise UnsupportedByJit(f"`{instruction.name}`")
        self.execute(op)

    def execute(self, op: Op) -> None:
        """What the instruction does, here or in the interpreter."""
        if self.scope.site in self.facts.interpreted:
            self.interp.execute(op)
            return
        self.scope.result_is_read = bool(self.c.cells.writes(op) & self.scope.live_after)
        self.binder.execute(op)

    def converge(self, op: Op) -> None:
        """Lanes that the operation names are here together, for `park` has waited for them."""
        members = self.members(op)
        self.faults.require((members >> self.x.lane() & 1) != 0, "invalid-mask", fault_text.wrong_mask(op), members)

    def finish(self, b: Block) -> None:
        op, ir = b.last, self.ir
        kind = control(op) if op is not None else None
        waiting = self.facts.waiting[b.index]
        if op is None:
            self.registers.spill()
            self.branches.jump(b.successors[0], waiting)
            return
        guard = self.binder.read_register(op.guard) if op.guard is not None else self.x.const(1, 1)
        if kind in ("branch", "return", "exit", "trap"):
            if kind == "trap":
                self.branches.trap(op, guard)
                if isinstance(guard.v, int) and guard.v:
                    return
                self.registers.spill()
                self.branches.jump(b.successors[-1], waiting)
                return
            onward = b.successors[-1]
            self.registers.spill()
            if isinstance(guard.v, int):
                self.branches.jump(b.successors[0] if guard.v else onward, waiting)
            elif self.x.uniform(guard):
                yes, no = ir.fresh(), ir.fresh()
                ir.branch(self.x.scalar(guard), yes, no)
                ir.start(yes)
                self.branches.jump(b.successors[0], waiting)
                ir.start(no)
                self.branches.jump(onward, waiting)
            elif b.index in self.facts.uniform_branches:
                self.branches.branch_uniform(b, onward, guard, waiting)
            else:
                self.branches.branch_divergent(b.successors[0], onward, guard, waiting)
            return
        if kind == "branch-table":
            self.branches.table(b, op, guard, waiting)
            return
        if kind == "barrier":
            self.barriers.barrier(b, op, guard, waiting)
            return
        raise UnsupportedByJit(f"`{op.form.instruction.name}`")
