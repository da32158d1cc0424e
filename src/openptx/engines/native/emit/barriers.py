"""Barriers: a warp saves what changed in its frame and makes room for the next one, and comes back behind them."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.barrier_spills import writes
from openptx.engines.native.analysis.cfg import END, Block, control
from openptx.engines.native.analysis.lattice import ZEROS, N
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.deoptimizer import Deoptimizer
from openptx.engines.native.deopt.frame_layout import WarpFrame
from openptx.engines.native.emit.branches import Branches
from openptx.numerics import Bits
from openptx.program import Function, Op


class BarrierLowering:
    def __init__(self, branches: Branches, warp_frame: WarpFrame, deopt: Deoptimizer) -> None:
        self.x, self.ir, self.scope, self.faults = branches.x, branches.ir, branches.scope, branches.faults
        self.registers, self.binder, self.c, self.facts = (
            branches.registers,
            branches.binder,
            branches.c,
            branches.facts,
        )
        self.branches, self.warp_frame, self.deopt, self.exits = branches, warp_frame, deopt, branches.exits
        self.numbers: set[int] | None = set()
        """Barriers that are used; None: nobody knows."""

    def barrier(self, b: Block, op: Op, guard: Bits, waiting: frozenset[int]) -> None:
        ir = self.ir
        waiting = frozenset()  # `park` has waited for them
        if not (isinstance(guard.v, int) and guard.v):
            raise UnsupportedByJit("a guarded barrier")
        named = dict(zip([t.name for t in op.form.operands if t.role != "write"], self.binder.sources(op), strict=True))
        number, count = named["a"], named.get("b")
        for value in (number, count):
            if value is not None and not self.x.uniform(value):
                raise UnsupportedByJit("a barrier whose operands differ between lanes")
        if isinstance(number.v, int) and number.v < 16:
            if self.numbers is not None:
                self.numbers.add(number.v)
        else:
            self.numbers = None
            self.faults.require(number < 16, "invalid-barrier", "a barrier's number is 0 to 15")
        if count is not None:
            right = ((count & 31) == 0) & (count != 0)
            self.faults.require(right, "invalid-barrier", "a barrier's thread count is a multiple of 32, and not 0")
        mode = op.m.mode
        yes = "0" if mode != "red" else self.x.scalar(self.x.ballot(named["c"]))
        wanted = self.x.scalar(count) if count is not None else "0"
        live = self.scope.mask_word()
        ticket = ir.emit(
            f"call i32 @openptx.arrive(ptr %w, i32 {self.x.scalar(number)}, i32 {wanted}, i32 {live}, i32 {yes})"
        )
        if mode == "arrive":
            self.registers.spill()
            self.branches.jump(b.successors[0], waiting)
            return
        self.registers.spill()
        self.suspend(b, self.x.scalar(number), ticket)
        self.restore(b, op, b.successors[0])

    def suspend(self, b: Block, number: str, ticket: str) -> None:
        """Saves what lives behind the barrier, and leaves."""
        ir = self.ir

        def field(offset: int) -> str:
            return ir.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        ir.line(f"store i32 {b.stop}, ptr {field(abi.RESUME)}, align 4")
        ir.line(f"store i32 {int(bool(self.c.entered_from))}, ptr {field(abi.VERSION)}, align 4")
        ir.line(f"store i32 {number}, ptr {field(abi.WAITS)}, align 4")
        ir.line(f"store i32 {ticket}, ptr {field(abi.GENERATION)}, align 4")
        live = ir.emit(f"load <{N} x i1>, ptr %live, align 4")
        word = ir.emit(f"bitcast <{N} x i1> {live} to i{N}")
        ir.line(f"store i32 {word}, ptr {field(abi.LIVE)}, align 4")
        changed = self.warp_frame.spills.changed[b.index] | writes(self.c.graph, b.index, b.stop - 1)
        for cell, offset in self.warp_frame.saved(b):
            if cell in changed:
                t = self.registers.cell_type(cell)
                name = ir.emit(f"load {t}, ptr %r{cell}, align 4")
                ir.line(f"store {t} {name}, ptr {field(offset)}, align 8")
        self.deopt.keeps(b, self.warp_frame.saved(b), self.warp_frame.live_after_barrier(b))
        if not self.c.runs_next_warp:
            ir.line(f"ret i32 {abi.SUSPENDED}")
            return
        if self.facts.partial[b.index]:  # if lanes have ended since, others may be waiting for nobody
            fewer, on = ir.fresh(), ir.fresh()
            now = ir.emit(f"call i32 @llvm.ctpop.i32(i32 {word})")
            before = ir.emit(f"load i32, ptr {field(abi.HERE)}, align 4")
            ir.unlikely(ir.emit(f"icmp ne i32 {now}, {before}"), fewer, on)
            ir.start(fewer)
            self.exits.return_with(abi.SUSPENDED)
            ir.start(on)
        ir.jump("onward")

    def restore(self, b: Block, op: Op, goal: int) -> None:
        """What happens when the barrier lets the warp go on."""
        ir = self.ir
        ir.start(f"resume{b.stop}")

        def field(offset: int) -> str:
            return ir.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        word = ir.emit(f"load i32, ptr {field(abi.LIVE)}, align 4")
        live = ir.emit(f"bitcast i{N} {word} to <{N} x i1>")
        ir.line(f"store <{N} x i1> {live}, ptr %live, align 4")
        wanted = self.warp_frame.spills.wanted[goal] if goal != END else frozenset[int]()
        for cell, offset in self.warp_frame.saved(b):
            if cell in wanted:
                t = self.registers.cell_type(cell)
                name = ir.emit(f"load {t}, ptr {field(offset)}, align 8")
                ir.line(f"store {t} {name}, ptr %r{cell}, align 4")
        self.registers.begin_block()
        if op.m.mode == "red":
            number = ir.emit(f"load i32, ptr {field(abi.WAITS)}, align 4")
            ticket = ir.emit(f"load i32, ptr {field(abi.GENERATION)}, align 4")
            kind = {"popc": 0, "and": 1, "or": 2}[str(op.m.op)]
            value = ir.emit(f"call i32 @openptx.verdict(ptr %w, i32 {number}, i32 {ticket}, i32 {kind})")
            result = self.x.bits(value, 32, ZEROS)
            if kind:
                result = self.x.resize(result, 1)
            self.registers.blends = False  # all lanes of the warp are here
            for place in self.binder.destinations(op):
                if place is not None:
                    self.binder.write(place, result)
            self.registers.blends = True
            self.registers.spill()
        if goal == END:
            ir.line(f"store <{N} x i1> zeroinitializer, ptr %live, align 4")
            ir.jump("ended")
        else:
            if goal in self.facts.masked:
                ir.line(f"store <{N} x i1> {live}, ptr %m{goal}, align 4")
            ir.jump(f"block{goal}")


def counts(function: Function) -> bool:
    """Whether barriers count anything but threads that have not ended."""

    def given(op: Op) -> set[str]:
        return {t.name for t, o in zip(op.form.operands, op.operands, strict=True) if o is not None}

    return any(not given(op) <= {"a"} for op in function.code if control(op) == "barrier")
