"""One LLVM function: the parts that emit its blocks, its prologue, and how one call runs all warps of a CTA."""

from __future__ import annotations

from collections.abc import Mapping

from openptx.control_flow import control
from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.counted_loops import CountedLoop
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.idle_warps import skips
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.analysis.operand_binder import AffineBinder
from openptx.engines.native.analysis.segments import BEGIN, Segments, chains_warps, counts
from openptx.engines.native.analysis.warp_pairing import pairing
from openptx.engines.native.deopt.frame_layout import FrameLayout
from openptx.engines.native.deopt.side_exits import Deoptimizer, SideExits
from openptx.engines.native.emit.barriers import BarrierLowering
from openptx.engines.native.emit.block import BlockEmitter, iterations_between_polls
from openptx.engines.native.emit.branches import Branches
from openptx.engines.native.emit.calls import SLOT
from openptx.engines.native.emit.interp_call import InterpCall
from openptx.engines.native.emit.ir_builder import Section
from openptx.engines.native.emit.llvm_machine import LlvmMachine
from openptx.engines.native.emit.region_loops import RegionLoops
from openptx.engines.native.emit.registers import RegisterFile
from openptx.engines.native.emit.scope import ModuleTables
from openptx.engines.native.emit.warp_chaining import WarpChaining
from openptx.engines.native.emit.warp_loop import WarpLoop
from openptx.engines.native.emit.warp_pairs import LONGEST, PairBranches, WarpPairs
from openptx.engines.native.instrument.selection import instrument

_FEW = 3
"""The maximum number of positions that are compared without a binary search."""
CALLS_BETWEEN_POLLS = 64
SMALL = 64
"""The maximum number of instructions of functions without loops and calls whose calls are not counted; counting takes
0.6 ns."""


class FunctionEmitter:
    """Emits one function; afterwards its parts hold what a launch must know about it."""

    def __init__(
        self,
        c: FunctionContext,
        facts: Facts,
        counted: Mapping[int, CountedLoop],
        layout: FrameLayout,
        tables: ModuleTables,
    ) -> None:
        """`counted`: by their headers, loops whose iterations are counted."""
        self.c, self.facts, self.layout = c, facts, layout
        self.x = LlvmMachine(c, self.facts, tables)
        instrument(self.x)
        self.ir, self.entry = self.x.ir, self.x.entry
        self.registers = RegisterFile(self.x, self.facts)
        binder = AffineBinder(self.x, self.registers, c)
        self.ir.masks_stay = bool(layout.masks)
        self.exits = SideExits(self.registers, layout)
        self.x.leave_if_wraps = self.exits.leave_if_wraps
        self.branches = Branches(self.registers, binder, self.exits)
        self.chaining = self.chain()
        self.barriers = BarrierLowering(self.branches, self.chaining)
        if isinstance(self.chaining, RegionLoops):
            self.barriers.skips = skips(c, facts, self.chaining.segments, layout.saved, counted)
        self.interp, self.deopt = InterpCall(self.registers), Deoptimizer(self.exits)
        self.x.call_tensor_code = self.interp.tensor_code
        self.counted = counted
        self.blocks = self.emitting(self.branches)

    def emitting(self, branches: Branches) -> BlockEmitter:
        return BlockEmitter(branches, self.barriers, self.interp, self.deopt, self.counted)

    def chain(self) -> WarpChaining | None:
        """How a warp that suspends continues with the next one."""
        if not chains_warps(self.c):
            return None
        kind = WarpChaining if counts(self.c.function) else RegionLoops
        return kind(self.exits, Segments(self.c, self.facts), self.layout.stride)

    def emit(self) -> str:
        """Emits the function and returns its text."""
        for b in self.c.graph.blocks:
            if self.facts.reached[b.index]:
                self.blocks.emit(b)
        self.branches.emit_dispatches()
        for pc, saved in self.c.entered_from.items():
            self.exits.enter(pc, saved)
        return self.text()

    @property
    def rounds(self) -> bool:
        """Whether warps wait for each other."""
        return self.layout.deoptimizes or any(control(op) == "barrier" for op in self.c.function.code)

    def text(self) -> str:
        ir, c = self.ir, self.c
        blocks, ir.lines = ir.lines, []
        self.registers.begin_block()
        self.prologue()
        prologue, ir.lines = ir.lines, []
        pairs = self.pairs(blocks)
        code_of_pairs, ir.lines = ir.lines, []
        loop = WarpLoop(self.exits, self.barriers, self.rounds)
        loop.end()
        index = ["%first32 = shl i32 %index, 5", "%first = zext i32 %first32 to i64"]
        if self.chaining is not None:
            self.chaining.emit_jumps([*index, *ir.entry_lines(Section.WARP)])
        end, ir.lines = ir.lines, []
        head = loop.head(index) if c.runs_next_warp else [*index, *ir.entry_lines()]
        if self.chaining is not None:
            self.chaining.store_values({})
        head += ir.lines
        allocations = self.allocations
        if pairs is not None:
            head = [*loop.with_pairs(head), *pairs.decision([*index, *ir.entry_lines(Section.WARP)])]
            allocations += pairs.allocations(self.registers)
            end += code_of_pairs
        body = "\n".join(["entry:", *allocations, *head, *prologue, *blocks, *end, "}", ""])
        if c.is_function:
            given = f"ptr noalias %w, ptr %arguments, ptr %results, i32 %index, i{N} %lanes, i64 %base"
            return f"define internal i32 @{c.symbol}({given}) noinline nounwind #0 {{\n{body}"
        given = "ptr noalias %frames, i32 %start" if c.runs_next_warp else "ptr noalias %frame, i32 %index"
        return f"define i32 @{c.symbol}(ptr noalias %w, {given}) nounwind #0 {{\n{body}"

    def pairs(self, blocks: list[str]) -> WarpPairs | None:
        """Emits the code for two warps at once, if the function is to have any; `blocks`: that for one."""
        how = None if self.rounds or len(blocks) > LONGEST else pairing(self.c, self.facts)
        leaving = {b.index for b in self.c.graph.blocks if any(b.start <= pc < b.stop for pc in self.exits.exits)}
        if how is None or not how.covers(leaving):
            return None
        branches = PairBranches(self.registers, self.branches.binder, self.exits)
        found = WarpPairs(branches, self.emitting(branches), how)
        found.emit(self.begin_warp)
        return found

    def begin_warp(self) -> None:
        """Registers and lanes at the start of a warp."""
        self.registers.begin_block()
        self.begin_registers()
        self.begin_lanes()

    @property
    def vector_count(self) -> int:
        """The number of registers and masks that are vectors in memory."""
        is_vector = (self.registers.cell_type(c).startswith("<") for c in self.registers.cells_in_memory)
        return sum(is_vector) + 1 + (0 if self.layout.masks else len(self.facts.masked))

    @property
    def allocations(self) -> list[str]:
        """Stack slots of registers, masks and counters."""
        found = [f"%live = alloca {self.ir.live_type}, align 4"]
        found += [f"%r{c} = alloca {self.registers.cell_type(c)}, align 64" for c in self.registers.cells_in_memory]
        if masks := self.layout.masks:
            found += [f"%masks = alloca [{len(masks)} x i32], align 64"]
            found += [f"%m{b} = getelementptr i32, ptr %masks, i64 {i}" for i, b in enumerate(masks)]
            found += [f"call void @llvm.memset.p0.i64(ptr align 64 %masks, i8 0, i64 {4 * len(masks)}, i1 false)"]
        else:
            found += [f"%m{b} = alloca <{N} x i1>, align 4" for b in self.facts.masked]
        found += [f"{name}.slot = alloca {t}" for name, t in self.entry.slots.items()]
        if self.barriers.regions is not None:
            found += ["%region = alloca i32", "%came = alloca i32"]
        found += ["%fuel = alloca i32, align 4"]
        found += [f"store i32 {iterations_between_polls(self.c.function)}, ptr %fuel, align 4"]
        if self.layout.deoptimizes:
            found += ["%turns = alloca i32, align 4", "%tries = alloca i32, align 4"]
        if self.c.is_function:
            found.append("%here = alloca i8")
        if any(control(op) == "call" for op in self.c.function.code):
            size = self.branches.calls.buffer_slots * SLOT + SLOT
            found += [f"%{name} = alloca [{size} x i8], align 64" for name in ("in", "out")]
        return found

    def prologue(self) -> None:
        """The start of each warp, up to the jump to where it resumes."""
        ir, c = self.ir, self.c
        places = [(pc, f"resume{pc}") for pc in self.barriers.resumed_at]
        places += [(-2 - pc, f"enter{pc}") for pc in c.entered_from]
        if self.chaining is not None:
            self.search(ir.load("i32", self.entry.frame_field(abi.RESUME), 4), sorted(places))
            ir.start("begin")
            self.chaining.begin_segment(BEGIN)
            self.begin_registers()
            self.begin_lanes()
            ir.jump("block0")
            return
        self.begin_registers()
        for b in () if self.layout.masks else self.facts.masked:
            ir.store_mask("zeroinitializer", f"%m{b}")
        if self.layout.deoptimizes:
            self.deopt.begin_counting()
        self.begin_lanes()
        if not c.is_function:
            self.x.watch.enter()
        if places:
            self.search(ir.load("i32", self.entry.frame_field(abi.RESUME), 4), sorted(places))
        else:
            ir.jump("block0")

    def begin_registers(self) -> None:
        """Registers that may be read before they are written are 0."""
        for cell in sorted(self.c.graph.blocks[0].live_in):
            if self.registers.kept_in_memory(cell) is not None:
                self.registers.begin_block()
                self.registers.keep_in(cell, self.x.const(0, self.c.cells.widths[cell]))

    def begin_lanes(self) -> None:
        """The existing lanes, all at the first block."""
        ir, c = self.ir, self.c
        if c.is_function:
            self.begin_function()
        elif c.all_warps_full:
            ir.store_live("splat (i1 true)")
        else:
            last = ir.emit(f"icmp eq i32 {self.entry.index()}, {c.threads // N}")
            word = ir.emit(f"select i1 {last}, i32 {(1 << c.threads % N) - 1}, i32 -1")
            ir.store_live(ir.mask_of(word))
        if 0 in self.facts.masked:
            ir.store_mask(ir.load_live(), "%m0")

    @property
    def first_label(self) -> str:
        """Where warps start."""
        return "begin" if self.chaining is not None else "block0"

    def search(self, state: str, places: list[tuple[int, str]]) -> None:
        """Jumps to the label of a number, or else to the beginning. A jump table would be a single, badly predicted
        jump: if warps run from barrier to barrier, a binary search takes less than three quarters of the time."""
        ir = self.ir
        if len(places) <= _FEW:
            cases = " ".join(f"i32 {number}, label %{label}" for number, label in places)
            ir.line(f"switch i32 {state}, label %{self.first_label} [ {cases} ]")
            return
        middle = len(places) // 2
        below, above = ir.fresh(), ir.fresh()
        ir.branch(ir.emit(f"icmp slt i32 {state}, {places[middle][0]}"), below, above)
        for label, part in ((below, places[:middle]), (above, places[middle:])):
            ir.start(label)
            self.search(state, part)

    def begin_function(self) -> None:
        """Arguments are written to their registers; stack overflow is a fault."""
        ir, faults = self.ir, self.x.faults
        ir.store_live(ir.mask_of("%lanes"))
        used = ir.emit(f"add i64 %base, {self.c.local_size}")
        full = ir.emit(f"icmp ugt i64 {used}, {ir.load('i64', self.entry.field(abi.STRIDE), 8)}")
        deep = ir.emit(f"icmp ult ptr %here, {ir.load('ptr', self.entry.field(abi.STACK), 8)}")
        with ir.exit_block(ir.emit(f"or i1 {full}, {deep}")):
            self.x.scope.site = 0
            faults.leave_with(abi.OVERFLOW, "%lanes")
        code = self.c.function.code
        if len(code) > SMALL or self.c.headers or any(control(op) == "call" for op in code):
            self.count_call()
        for i, cell in enumerate(self.c.argument_cells):
            if self.registers.kept_in_memory(cell) is not None:
                w = self.c.cells.widths[cell]
                name = ir.load(vector_type(w), self.branches.calls.buffer("%arguments", i), 64)
                self.registers.keep_in(cell, self.x.bits(name, w))

    def count_call(self) -> None:
        """Chains of calls have no loops that would poll, and each call starts counting its loops' iterations anew."""
        ir = self.ir
        with ir.cold_block(ir.emit(f"icmp sle i32 {self.entry.added(abi.CALLS, 'i32', -1)}, 0")):
            ir.store("i32", CALLS_BETWEEN_POLLS, self.entry.field(abi.CALLS), 4)
            self.x.scope.site = 0
            self.x.faults.poll("%lanes")
