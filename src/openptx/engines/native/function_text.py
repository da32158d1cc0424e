"""The text around the blocks: how the function begins and ends, and how one call runs all warps of a CTA."""

from __future__ import annotations

import re

from openptx.engines.native import layout
from openptx.engines.native.blocks import Blocks
from openptx.engines.native.calls import SLOT
from openptx.engines.native.flow import control
from openptx.engines.native.standing import TURNS
from openptx.engines.native.values import N, vector_type

_NAME = re.compile(r"%[\w.]+")
_OF_CTA = {layout.CTAID, layout.CTAID + 4, layout.CTAID + 8, layout.LINEAR}
_FEW = 3
"""So many places are told apart without a table."""


class FunctionText(Blocks):
    threads: int  # of a CTA
    warps: int
    label_name: str

    @property
    def rounds(self) -> bool:
        """Whether warps wait for each other."""
        return self.hands_over or any(control(op) == "barrier" for op in self.function.code)

    def text(self) -> str:
        out = self.out
        cells = [c for c, s in enumerate(self.shapes) if s is not None and s.known is None]
        slots = [f"%r{c} = alloca {self.cell_type(c)}, align 64" for c in cells]
        slots += [f"%m{c} = alloca <{N} x i1>, align 4" for c in self.masked]
        start = ["%live = alloca <32 x i1>, align 4", *slots]
        start += ["%fuel = alloca i32, align 4", f"store i32 {self.fuel()}, ptr %fuel, align 4"]
        if self.hands_over:
            start += ["%turns = alloca i32, align 4", "%tries = alloca i32, align 4"]
        if any(control(op) == "call" for op in self.function.code):
            start += [f"%in = alloca [{self.buffer_slots * SLOT + SLOT} x i8], align 64"]
            start += [f"%out = alloca [{self.buffer_slots * SLOT + SLOT} x i8], align 64"]
        used = self.resumes_used()
        first: list[str] = []
        outer, out.lines = out.lines, first
        for c in sorted(self.graph.blocks[0].live_in):
            if (shape := self.shapes[c]) is not None and shape.known is None:
                self.current = {}
                self.keep_in(c, self.const(0, self.cells.widths[c]))
        for c in self.masked:
            out.line(f"store <{N} x i1> zeroinitializer, ptr %m{c}, align 4")
        if self.hands_over:
            out.line(f"store i32 {self.options.turns or TURNS}, ptr %turns, align 4")
            out.line("store i32 0, ptr %tries, align 4")
        if self.is_function:
            self.begin_function()
        elif self.whole:
            out.line(f"store <{N} x i1> splat (i1 true), ptr %live, align 4")
        else:
            last = out.emit(f"icmp eq i32 %index, {self.threads // N}")
            word = out.emit(f"select i1 {last}, i32 {(1 << self.threads % N) - 1}, i32 -1")
            out.line(f"store <{N} x i1> {out.emit(f'bitcast i32 {word} to <{N} x i1>')}, ptr %live, align 4")
        if 0 in self.masked:
            live = out.emit(f"load <{N} x i1>, ptr %live, align 4")
            out.line(f"store <{N} x i1> {live}, ptr %m0, align 4")
        if used or self.enters:
            where = out.emit(f"getelementptr i8, ptr %frame, i64 {layout.RESUME}")
            state = out.emit(f"load i32, ptr {where}, align 4")
            self.search(
                state, sorted([(r, f"resume{r}") for r in used] + [(-2 - pc, f"enter{pc}") for pc in self.enters])
            )
        else:
            out.jump("block0")
        out.lines = []
        self.end()
        end, out.lines = out.lines, outer
        index = ["%first32 = shl i32 %index, 5", "%first = zext i32 %first32 to i64"]
        if self.takes_turns:
            once, of_warp = apart(out.head, {"%index", "%first32", "%first"})
            size = -(-self.frame_size // 64) * 64 if self.rounds else 0  # without barriers there is one at a time
            begins = "%start, %entry"
            if not self.rounds:  # nor is there anything between one CTA and the next
                own = {name for key, name in self.entries.items() if isinstance(key, tuple) and key[0] in _OF_CTA}
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
            start = [*start, *index, *out.head]
        lines = ["entry:", *start, *first, *out.lines, *end, "}"]
        if self.is_function:
            given = f"ptr noalias %w, ptr %arguments, ptr %results, i32 %index, <{N} x i1> %mask, i64 %base"
            return "\n".join([f"define internal i32 @{self.label_name}({given}) noinline nounwind #0 {{", *lines, ""])
        given = "ptr noalias %w, " + (
            "ptr noalias %frames, i32 %start" if self.takes_turns else "ptr noalias %frame, i32 %index"
        )
        return "\n".join([f"define i32 @{self.label_name}({given}) nounwind #0 {{", *lines, ""])

    def search(self, state: str, places: list[tuple[int, str]]) -> None:
        """Go to the label of a number, or else to the beginning. A table would be one jump that is rarely foreseen:
        where warps run from barrier to barrier, halving takes less than three quarters of the time."""
        out = self.out
        if len(places) <= _FEW:
            cases = " ".join(f"i32 {number}, label %{label}" for number, label in places)
            out.line(f"switch i32 {state}, label %block0 [ {cases} ]")
            return
        middle = len(places) // 2
        below, above = out.fresh(), out.fresh()
        less = out.emit(f"icmp slt i32 {state}, {places[middle][0]}")
        out.branch(less, below, above)
        out.start(below)
        self.search(state, places[:middle])
        out.start(above)
        self.search(state, places[middle:])

    def begin_function(self) -> None:
        """Arguments go to their registers; a stack that is full is a fault."""
        out = self.out
        out.line(f"store <{N} x i1> %mask, ptr %live, align 4")
        used = out.emit(f"add i64 %base, {self.local_size}")
        where = out.emit(f"getelementptr i8, ptr %w, i64 {layout.STRIDE}")
        full = out.emit(f"icmp ugt i64 {used}, {out.emit(f'load i64, ptr {where}, align 8')}")
        end = out.emit(f"load ptr, ptr {out.emit(f'getelementptr i8, ptr %w, i64 {layout.STACK}')}, align 8")
        deep = out.emit(f"icmp ult ptr %live, {end}")
        bad, on = out.fresh(), out.fresh()
        out.unlikely(out.emit(f"or i1 {full}, {deep}"), bad, on)
        out.start(bad)
        word = out.emit(f"bitcast <{N} x i1> %mask to i{N}")
        self.report(layout.OVERFLOW, word)
        out.line(f"store i32 {self.site_base}, ptr {self.field(layout.SITE)}, align 4")
        out.jump("failed")
        out.start(on)
        for i, cell in enumerate(self.argument_cells()):
            shape, w = self.shapes[cell], self.cells.widths[cell]
            if shape is not None and shape.known is None:
                name = out.emit(f"load {vector_type(w)}, ptr {self.buffer('%arguments', i)}, align 64")
                self.keep_in(cell, self.bits(name, w))

    def end(self) -> None:
        """Where warps end, fail, or make room for the next one."""
        out = self.out
        out.start("ended")
        if self.takes_turns and not self.rounds:
            out.jump("onward")
        elif self.takes_turns and self.numbers is not None:
            self.account()
        else:
            self.return_with(layout.DONE)
        out.start("failed")
        self.return_with(layout.FAILED)
        if self.takes_turns:
            self.take_turns()

    def account(self) -> None:
        """The warp's threads have ended: barriers do not wait for them any longer."""
        out = self.out

        def field(offset: int) -> str:
            return out.emit(f"getelementptr i8, ptr %frame, i64 {offset}")

        out.line(f"store i32 -1, ptr {field(layout.RESUME)}, align 4")
        here = out.emit(f"load i32, ptr {field(layout.HERE)}, align 4")
        out.line(f"store i32 0, ptr {field(layout.HERE)}, align 4")
        alive = out.emit(f"load i64, ptr {self.field(layout.ALIVE)}, align 8")
        left = out.emit(f"sub i64 {alive}, {out.emit(f'zext i32 {here} to i64')}")
        out.line(f"store i64 {left}, ptr {self.field(layout.ALIVE)}, align 8")
        for number in sorted(self.numbers or ()):
            out.line(f"call void @openptx.settle(ptr %w, i32 {number})")
        out.jump("onward")

    def take_turns(self) -> None:
        """The next warp's turn, if nothing keeps it from running here; else `openptx.run` looks further."""
        out = self.out
        size = -(-self.frame_size // 64) * 64
        out.start("onward")
        if not self.rounds:
            out.line("%next = add i32 %index, 1")
            out.branch(out.emit(f"icmp ult i32 %next, {self.warps}"), "ready", "rest")
            out.start("rest")
            self.next_in_row()
            out.start("ready")
            out.jump("warp")
            return
        more = out.emit("add i32 %index, 1")
        behind = out.emit(f"icmp eq i32 {more}, {self.warps}")
        out.line(f"%next = select i1 {behind}, i32 0, i32 {more}")
        place = out.emit(f"mul i64 {out.emit('zext i32 %next to i64')}, {size}")
        frame = out.emit(f"getelementptr i8, ptr %frames, i64 {place}")

        def field(offset: int) -> str:
            where = out.emit(f"getelementptr i8, ptr {frame}, i64 {offset}")
            return out.emit(f"load i32, ptr {where}, align 4")

        gone = out.emit(f"icmp eq i32 {field(layout.RESUME)}, -1")
        slow = out.emit(f"icmp ne i32 {field(layout.VERSION)}, 0")
        waits, ticket = field(layout.WAITS), field(layout.GENERATION)
        begins = out.emit(f"icmp slt i32 {waits}, 0")
        number = out.emit(f"select i1 {begins}, i32 0, i32 {waits}")
        if self.numbers is not None and len(self.numbers) == 1:
            number = str(next(iter(self.numbers)))
        at = out.emit(f"mul i32 {number}, {layout.BARRIER}")
        barrier = out.emit(f"getelementptr i8, ptr {self.field(layout.BARRIERS + 8)}, i32 {at}")
        generation = out.emit(f"load i32, ptr {barrier}, align 4")
        passed = out.emit(f"or i1 {begins}, {out.emit(f'icmp ne i32 {generation}, {ticket}')}")
        held = out.emit(f"or i1 {gone}, {slow}")
        free = out.emit(f"and i1 {passed}, {out.emit(f'xor i1 {held}, true')}")
        out.branch(free, "ready", "rest")
        out.start("rest")
        self.return_with(layout.HANDLED)
        out.start("ready")
        out.jump("warp")

    def next_in_row(self) -> None:
        """The next CTA's turn, if it is beside this one; else `openptx.run` looks further."""
        out = self.out
        left = self.added(layout.IN_ROW, "i32", -1)
        grid = out.emit(f"load ptr, ptr {self.field(layout.GRID)}, align 8")
        where = out.emit(f"getelementptr i8, ptr {grid}, i64 {layout.STOP}")
        stop = out.emit(f"load volatile i32, ptr {where}, align 4")  # another worker's fault
        more = out.emit(f"icmp ne i32 {left}, 0")
        out.branch(out.emit(f"and i1 {more}, {out.emit(f'icmp eq i32 {stop}, 0')}"), "beside", "done")
        out.start("done")
        out.line(f"ret i32 {layout.DONE}")
        out.start("beside")
        self.added(layout.CTAID, "i32", 1)
        self.added(layout.LINEAR, "i64", 1)
        self.added(layout.FROM, "i64", 1)
        out.jump("cta")

    def added(self, offset: int, t: str, step: int) -> str:
        """A number in the worker's state after `step` was added."""
        out, at = self.out, self.field(offset)
        found = out.emit(f"add {t} {out.emit(f'load {t}, ptr {at}, align 4')}, {step}")
        out.line(f"store {t} {found}, ptr {at}, align 4")
        return found

    def resumes_used(self) -> list[int]:
        wanted = {f"resume{b.stop}:": b.stop for b in self.graph.blocks}
        return [wanted[line] for line in self.out.lines if line in wanted]


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
