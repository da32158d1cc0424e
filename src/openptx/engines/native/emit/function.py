"""The text around the blocks: how the function begins and ends, and how one call runs all warps of a CTA."""

from __future__ import annotations

import re

from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import control
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.engines.native.analysis.speculation import solve
from openptx.engines.native.analysis.spin_loops import waiting_loops
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.deoptimizer import TURNS, Deoptimizer
from openptx.engines.native.deopt.frame_layout import WarpFrame
from openptx.engines.native.deopt.side_exits import SideExits
from openptx.engines.native.emit.barriers import BarrierLowering
from openptx.engines.native.emit.block import BlockEmitter, turns_between_polls
from openptx.engines.native.emit.branches import Branches
from openptx.engines.native.emit.calls import SLOT, CallLowering
from openptx.engines.native.emit.interp_call import InterpCall
from openptx.engines.native.emit.llvm_machine import LlvmMachine
from openptx.engines.native.emit.module_tables import ModuleTables
from openptx.engines.native.emit.registers import RegisterFile

_NAME = re.compile(r"%[\w.]+")
_OF_CTA = {abi.CTAID, abi.CTAID + 4, abi.CTAID + 8, abi.LINEAR}
_FEW = 3
"""So many places are told apart without a table."""


class FunctionEmitter:
    """Emits one function; what a launch must know of it is in its parts afterwards."""

    def __init__(self, c: FunctionContext, tables: ModuleTables, calls_wait: bool) -> None:
        """`calls_wait`: called functions do what loops around their calls may be waiting for."""
        check_supported(c)
        self.c, self.facts = c, solve(c)
        self.x = LlvmMachine(c, self.facts, tables)
        self.ir, self.entry, self.faults = self.x.ir, self.x.entry, self.x.faults
        self.registers = RegisterFile(self.x, c, self.facts)
        binder = OperandBinder(self.x, self.registers, c)
        self.warp_frame = WarpFrame(c, self.facts)
        self.exits = SideExits(self.registers, c, self.facts, self.warp_frame)
        self.x.leave_if_wraps = self.exits.leave_if_wraps
        self.deopt = Deoptimizer(self.exits)
        self.calls = CallLowering(self.registers, binder)
        self.branches = Branches(self.registers, binder, c, self.facts, self.exits, self.calls)
        self.barriers = BarrierLowering(self.branches, self.warp_frame, self.deopt)
        counted = frozenset(counted_loops(c, self.facts, calls_wait))
        self.blocks = BlockEmitter(
            self.branches, self.barriers, self.calls, InterpCall(self.registers, c), self.deopt, counted
        )

    def emit(self) -> str:
        """The function's text."""
        for b in self.c.graph.blocks:
            if self.facts.reached[b.index]:
                self.blocks.emit(b)
        self.branches.emit_dispatches()
        for pc, saved in self.c.entered_from.items():
            self.exits.enter(pc, saved)
        self.deopt.is_used |= bool(self.exits.exits) and may_wait_twice(self.c)
        if self.deopt.is_used:
            if any(op.m.values.get("mode") == "arrive" for op in self.c.function.code):
                raise UnsupportedByJit("warps that only arrive at barriers, in a kernel that may wait in other ways")
            if self.exits.exits:
                self.warp_frame.size = max(self.warp_frame.size, self.warp_frame.most_saved())
        return self.text()

    @property
    def rounds(self) -> bool:
        """Whether warps wait for each other."""
        return self.deopt.is_used or any(control(op) == "barrier" for op in self.c.function.code)

    def text(self) -> str:
        ir = self.ir
        cells = [c for c, s in enumerate(self.facts.registers) if s is not None and s.known is None]
        slots = [f"%r{c} = alloca {self.registers.cell_type(c)}, align 64" for c in cells]
        slots += [f"%m{c} = alloca <{N} x i1>, align 4" for c in self.facts.masked]
        start = ["%live = alloca <32 x i1>, align 4", *slots]
        start += [
            "%fuel = alloca i32, align 4",
            f"store i32 {turns_between_polls(self.c.function)}, ptr %fuel, align 4",
        ]
        if self.deopt.is_used:
            start += ["%turns = alloca i32, align 4", "%tries = alloca i32, align 4"]
        if any(control(op) == "call" for op in self.c.function.code):
            start += [f"%in = alloca [{self.calls.buffer_slots * SLOT + SLOT} x i8], align 64"]
            start += [f"%out = alloca [{self.calls.buffer_slots * SLOT + SLOT} x i8], align 64"]
        used = self.resumes_used()
        first: list[str] = []
        outer, ir.lines = ir.lines, first
        for c in sorted(self.c.graph.blocks[0].live_in):
            if (fact := self.facts.registers[c]) is not None and fact.known is None:
                self.registers.begin_block()
                self.registers.keep_in(c, self.x.const(0, self.c.cells.widths[c]))
        for c in self.facts.masked:
            ir.line(f"store <{N} x i1> zeroinitializer, ptr %m{c}, align 4")
        if self.deopt.is_used:
            ir.line(f"store i32 {self.c.options.deoptimize_after or TURNS}, ptr %turns, align 4")
            ir.line("store i32 0, ptr %tries, align 4")
        if self.c.is_function:
            self.begin_function()
        elif self.c.all_warps_full:
            ir.line(f"store <{N} x i1> splat (i1 true), ptr %live, align 4")
        else:
            last = ir.emit(f"icmp eq i32 %index, {self.c.threads // N}")
            word = ir.emit(f"select i1 {last}, i32 {(1 << self.c.threads % N) - 1}, i32 -1")
            ir.line(f"store <{N} x i1> {ir.emit(f'bitcast i32 {word} to <{N} x i1>')}, ptr %live, align 4")
        if 0 in self.facts.masked:
            live = ir.emit(f"load <{N} x i1>, ptr %live, align 4")
            ir.line(f"store <{N} x i1> {live}, ptr %m0, align 4")
        if used or self.c.entered_from:
            where = ir.emit(f"getelementptr i8, ptr %frame, i64 {abi.RESUME}")
            state = ir.emit(f"load i32, ptr {where}, align 4")
            self.search(
                state,
                sorted([(r, f"resume{r}") for r in used] + [(-2 - pc, f"enter{pc}") for pc in self.c.entered_from]),
            )
        else:
            ir.jump("block0")
        ir.lines = []
        self.end()
        end, ir.lines = ir.lines, outer
        index = ["%first32 = shl i32 %index, 5", "%first = zext i32 %first32 to i64"]
        if self.c.runs_next_warp:
            once, of_warp = apart(ir.head, {"%index", "%first32", "%first"})
            size = -(-self.warp_frame.size // 64) * 64 if self.rounds else 0  # without barriers there is one at a time
            begins = "%start, %entry"
            if not self.rounds:  # nor is there anything between one CTA and the next
                own = {name for key, name in self.entry.values.items() if isinstance(key, tuple) and key[0] in _OF_CTA}
                once, of_cta = apart(once, own)
                once += ["br label %cta", "cta:", "%begin = phi i32 [ %start, %entry ], [ 0, %beside ]", *of_cta]
                begins = "%begin, %cta"
            warp = [
                "br label %warp", "warp:", f"%index = phi i32 [ {begins} ], [ %next, %ready ]",
                "%index64 = zext i32 %index to i64", f"%place = mul i64 %index64, {size}",
                "%frame = getelementptr i8, ptr %frames, i64 %place",
            ]  # fmt: skip
            start = [*start, *once, *warp, *index, *of_warp]
        else:
            start = [*start, *index, *ir.head]
        lines = ["entry:", *start, *first, *ir.lines, *end, "}"]
        if self.c.is_function:
            given = f"ptr noalias %w, ptr %arguments, ptr %results, i32 %index, <{N} x i1> %mask, i64 %base"
            return "\n".join([f"define internal i32 @{self.c.symbol}({given}) noinline nounwind #0 {{", *lines, ""])
        given = "ptr noalias %w, " + (
            "ptr noalias %frames, i32 %start" if self.c.runs_next_warp else "ptr noalias %frame, i32 %index"
        )
        return "\n".join([f"define i32 @{self.c.symbol}({given}) nounwind #0 {{", *lines, ""])

    def search(self, state: str, places: list[tuple[int, str]]) -> None:
        """Go to the label of a number, or else to the beginning. A table would be one jump that is rarely foreseen:
        where warps run from barrier to barrier, halving takes less than three quarters of the time."""
        ir = self.ir
        if len(places) <= _FEW:
            cases = " ".join(f"i32 {number}, label %{label}" for number, label in places)
            ir.line(f"switch i32 {state}, label %block0 [ {cases} ]")
            return
        middle = len(places) // 2
        below, above = ir.fresh(), ir.fresh()
        less = ir.emit(f"icmp slt i32 {state}, {places[middle][0]}")
        ir.branch(less, below, above)
        ir.start(below)
        self.search(state, places[:middle])
        ir.start(above)
        self.search(state, places[middle:])

    def begin_function(self) -> None:
        """Arguments go to their registers; a stack that is full is a fault."""
        ir = self.ir
        ir.line(f"store <{N} x i1> %mask, ptr %live, align 4")
        used = ir.emit(f"add i64 %base, {self.c.local_size}")
        where = ir.emit(f"getelementptr i8, ptr %w, i64 {abi.STRIDE}")
        full = ir.emit(f"icmp ugt i64 {used}, {ir.emit(f'load i64, ptr {where}, align 8')}")
        end = ir.emit(f"load ptr, ptr {ir.emit(f'getelementptr i8, ptr %w, i64 {abi.STACK}')}, align 8")
        deep = ir.emit(f"icmp ult ptr %live, {end}")
        bad, on = ir.fresh(), ir.fresh()
        ir.unlikely(ir.emit(f"or i1 {full}, {deep}"), bad, on)
        ir.start(bad)
        word = ir.emit(f"bitcast <{N} x i1> %mask to i{N}")
        self.faults.report(abi.OVERFLOW, word)
        ir.line(f"store i32 {self.c.site_base}, ptr {self.entry.field(abi.SITE)}, align 4")
        ir.jump("failed")
        ir.start(on)
        for i, cell in enumerate(self.c.argument_cells):
            fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
            if fact is not None and fact.known is None:
                name = ir.emit(f"load {vector_type(w)}, ptr {self.calls.buffer('%arguments', i)}, align 64")
                self.registers.keep_in(cell, self.x.bits(name, w))

    def end(self) -> None:
        """Where warps end, fail, or make room for the next one."""
        ir = self.ir
        ir.start("ended")
        if self.c.runs_next_warp and not self.rounds:
            ir.jump("onward")
        elif self.c.runs_next_warp and self.barriers.numbers is not None:
            self.account()
        else:
            self.exits.return_with(abi.DONE)
        ir.start("failed")
        self.exits.return_with(abi.FAILED)
        if self.c.runs_next_warp:
            self.take_turns()

    def account(self) -> None:
        """The warp's threads have ended: barriers do not wait for them any longer."""
        ir = self.ir

        def field(offset: int) -> str:
            return ir.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        ir.line(f"store i32 -1, ptr {field(abi.RESUME)}, align 4")
        here = ir.emit(f"load i32, ptr {field(abi.HERE)}, align 4")
        ir.line(f"store i32 0, ptr {field(abi.HERE)}, align 4")
        alive = ir.emit(f"load i64, ptr {self.entry.field(abi.ALIVE)}, align 8")
        left = ir.emit(f"sub i64 {alive}, {ir.emit(f'zext i32 {here} to i64')}")
        ir.line(f"store i64 {left}, ptr {self.entry.field(abi.ALIVE)}, align 8")
        for number in sorted(self.barriers.numbers or ()):
            ir.line(f"call void @openptx.settle(ptr %w, i32 {number})")
        ir.jump("onward")

    def take_turns(self) -> None:
        """The next warp's turn, if nothing keeps it from running here; else `openptx.run` looks further."""
        ir = self.ir
        size = -(-self.warp_frame.size // 64) * 64
        ir.start("onward")
        if not self.rounds:
            ir.line("%next = add i32 %index, 1")
            ir.branch(ir.emit(f"icmp ult i32 %next, {self.c.warps}"), "ready", "rest")
            ir.start("rest")
            self.next_in_row()
            ir.start("ready")
            ir.jump("warp")
            return
        more = ir.emit("add i32 %index, 1")
        behind = ir.emit(f"icmp eq i32 {more}, {self.c.warps}")
        ir.line(f"%next = select i1 {behind}, i32 0, i32 {more}")
        place = ir.emit(f"mul i64 {ir.emit('zext i32 %next to i64')}, {size}")
        frame = ir.emit(f"getelementptr i8, ptr %frames, i64 {place}")

        def field(offset: int) -> str:
            where = ir.emit(f"getelementptr i8, ptr {frame}, i64 {offset}")
            return ir.emit(f"load i32, ptr {where}, align 4")

        gone = ir.emit(f"icmp eq i32 {field(abi.RESUME)}, -1")
        slow = ir.emit(f"icmp ne i32 {field(abi.VERSION)}, 0")
        waits, ticket = field(abi.WAITS), field(abi.GENERATION)
        begins = ir.emit(f"icmp slt i32 {waits}, 0")
        number = ir.emit(f"select i1 {begins}, i32 0, i32 {waits}")
        if self.barriers.numbers is not None and len(self.barriers.numbers) == 1:
            number = str(next(iter(self.barriers.numbers)))
        at = ir.emit(f"mul i32 {number}, {abi.BARRIER}")
        barrier = ir.emit(f"getelementptr i8, ptr {self.entry.field(abi.BARRIERS + 8)}, i32 {at}")
        generation = ir.emit(f"load i32, ptr {barrier}, align 4")
        passed = ir.emit(f"or i1 {begins}, {ir.emit(f'icmp ne i32 {generation}, {ticket}')}")
        held = ir.emit(f"or i1 {gone}, {slow}")
        free = ir.emit(f"and i1 {passed}, {ir.emit(f'xor i1 {held}, true')}")
        ir.branch(free, "ready", "rest")
        ir.start("rest")
        self.exits.return_with(abi.HANDLED)
        ir.start("ready")
        ir.jump("warp")

    def next_in_row(self) -> None:
        """The next CTA's turn, if it is beside this one; else `openptx.run` looks further."""
        ir = self.ir
        left = self.added(abi.IN_ROW, "i32", -1)
        grid = ir.emit(f"load ptr, ptr {self.entry.field(abi.GRID)}, align 8")
        where = ir.emit(f"getelementptr i8, ptr {grid}, i64 {abi.STOP}")
        stop = ir.emit(f"load volatile i32, ptr {where}, align 4")  # another worker's fault
        more = ir.emit(f"icmp ne i32 {left}, 0")
        ir.branch(ir.emit(f"and i1 {more}, {ir.emit(f'icmp eq i32 {stop}, 0')}"), "beside", "done")
        ir.start("done")
        ir.line(f"ret i32 {abi.DONE}")
        ir.start("beside")
        self.added(abi.CTAID, "i32", 1)
        self.added(abi.LINEAR, "i64", 1)
        self.added(abi.FROM, "i64", 1)
        ir.jump("cta")

    def added(self, offset: int, t: str, step: int) -> str:
        """A number in the worker's state after `step` was added."""
        ir, at = self.ir, self.entry.field(offset)
        found = ir.emit(f"add {t} {ir.emit(f'load {t}, ptr {at}, align 4')}, {step}")
        ir.line(f"store {t} {found}, ptr {at}, align 4")
        return found

    def resumes_used(self) -> list[int]:
        wanted = {f"resume{b.stop}:": b.stop for b in self.c.graph.blocks}
        return [wanted[line] for line in self.ir.lines if line in wanted]


def apart(lines: list[str], own: set[str]) -> tuple[list[str], list[str]]:
    """Lines that have nothing to do with the names in `own`, and those that make or use them, or what comes of them."""
    own = set(own)
    once: list[str] = []
    each: list[str] = []
    for line in lines:
        names = _NAME.findall(line)
        if own.isdisjoint(names):
            once.append(line)
        else:
            own.add(names[0])
            each.append(line)
    return once, each


def may_wait_twice(c: FunctionContext) -> bool:
    """Whether in the generic version, where more lanes may part, they may wait at different places."""
    graph = c.graph
    pending = graph.pending([b.index for b in graph.blocks if len(b.successors) > 1])
    return any(b.syncs_warp and any(graph.blocks[c].syncs_warp for c in pending[b.index]) for b in graph.blocks)


def check_supported(c: FunctionContext) -> None:
    for op in c.function.code:
        kind = control(op)
        if kind == "cluster-barrier" or (c.is_function and kind in ("exit", "barrier")):
            raise UnsupportedByJit(
                f"`{op.form.instruction.name}`" + (" in a function" if kind != "cluster-barrier" else "")
            )


def counted_loops(c: FunctionContext, facts: Facts, calls_wait: bool) -> set[int]:
    """Where loops begin whose turns are counted: after many the interpreter goes on. In a function it can not."""
    graph, headers = c.graph, set[int]()
    loops = [
        (loop, f"a loop that may wait for other threads, at `{c.function.code[pc].text}`")
        for pc, loop in waiting_loops(graph, facts.touches)
    ]
    if calls_wait:
        why = "a loop with calls of functions that may wait for other threads"
        loops += [(loop, why) for loop in graph.cyclic() if has_call(c, loop)]
    for loop, reason in loops:
        if c.is_function:
            raise UnsupportedByJit(reason)
        headers |= c.headers & loop
    return set(c.headers) if c.options.deoptimize_after and not c.is_function else headers


def has_call(c: FunctionContext, loop: frozenset[int]) -> bool:
    blocks = [c.graph.blocks[i] for i in loop]
    return any(control(c.function.code[pc]) == "call" for b in blocks for pc in range(b.start, b.stop))
