"""The loop over a CTA's warps, within one call: how warps end, and which warp or CTA runs next."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.deopt.frame_layout import aligned
from openptx.engines.native.deopt.side_exits import SideExits
from openptx.engines.native.emit.barriers import BarrierLowering
from openptx.engines.native.emit.ir_builder import Section


class WarpLoop:
    def __init__(self, exits: SideExits, barriers: BarrierLowering, rounds: bool) -> None:
        """`rounds`: warps wait for each other."""
        self.ir, self.c, self.entry, self.exits = exits.ir, exits.c, exits.entry, exits
        self.barriers, self.rounds = barriers, rounds
        self.frame_size = aligned(exits.layout.size)

    def head(self, index: list[str]) -> list[str]:
        """The entry block's lines in place: once, for each CTA, for each warp; `index` is the warp's own."""
        lines = self.ir.entry_lines
        size = self.frame_size if self.rounds else 0  # without barriers only one frame exists at a time
        if self.rounds:
            once, begins = lines(Section.LAUNCH, Section.CTA), "%start, %entry"
        else:  # nor is any state kept between one CTA and the next
            once, begins = lines(Section.LAUNCH), "%begin, %cta"
            once += ["br label %cta", "cta:", "%begin = phi i32 [ %start, %entry ], [ 0, %beside ]"]
            once += lines(Section.CTA)
        return [
            *once, "br label %warp", "warp:", f"%index = phi i32 [ {begins} ], [ %next, %ready ]",
            "%index64 = zext i32 %index to i64", f"%place = mul i64 %index64, {size}",
            "%frame = getelementptr i8, ptr %frames, i64 %place", *index, *lines(Section.WARP),
        ]  # fmt: skip

    def with_pairs(self, head: list[str]) -> list[str]:
        """The head of a loop that also comes back behind two warps (`WarpPairs`)."""
        ready = "[ %next, %ready ]"
        return [line.replace(ready, f"{ready}, [ %next.pair, %ended.pair ]") for line in head]

    def end(self) -> None:
        """Emits the code where warps end, fault, or yield to the next one."""
        ir = self.ir
        self.entry.begin_block()
        ir.start("ended")
        if self.c.runs_next_warp and not self.rounds:
            ir.jump("onward")
        elif self.c.runs_next_warp and self.barriers.numbers is not None:
            self.account()
        else:
            self.exits.return_with(abi.DONE)
        self.entry.begin_block()
        ir.start("failed")
        self.exits.return_with(abi.FAILED)
        if self.c.runs_next_warp:
            self.entry.begin_block()
            if self.barriers.regions is not None:
                self.barriers.arrive_alone(self.barriers.regions)
                self.entry.begin_block()
            ir.start("onward")
            if self.rounds:
                self.next_warp_that_may_run()
            else:
                ir.line("%next = add i32 %index, 1")
                ir.branch(ir.emit(f"icmp ult i32 %next, {self.c.warps}"), "ready", "rest")
                ir.start("rest")
                self.next_in_row()
            ir.start("ready")
            ir.jump("warp")

    def account(self) -> None:
        """The warp's threads have exited: barriers no longer wait for them."""
        ir, field = self.ir, self.entry.frame_field
        ir.store("i32", -1, field(abi.RESUME), 4)
        before = ir.load("i32", field(abi.LIVE_BEFORE), 4)
        ir.store("i32", 0, field(abi.LIVE_BEFORE), 4)
        alive = ir.load("i64", self.entry.field(abi.ALIVE), 8)
        left = ir.emit(f"sub i64 {alive}, {ir.emit(f'zext i32 {before} to i64')}")
        ir.store("i64", left, self.entry.field(abi.ALIVE), 8)
        if self.barriers.regions is not None:
            self.barriers.regions.end_of_warp()
        for number in sorted(self.barriers.numbers or ()):
            ir.line(f"call void @openptx.settle(ptr %w, i32 {number})")
        if self.barriers.chaining is not None:
            self.barriers.chaining.after_end()
        else:
            ir.jump("onward")

    def next_warp_that_may_run(self) -> None:
        """The next warp runs, if it can run in this call; else `openptx.run` determines the next."""
        ir = self.ir
        more = ir.emit(f"add i32 {self.entry.index()}, 1")
        last = ir.emit(f"icmp eq i32 {more}, {self.c.warps}")
        ir.line(f"%next = select i1 {last}, i32 0, i32 {more}")
        place = ir.emit(f"mul i64 {ir.emit('zext i32 %next to i64')}, {self.frame_size}")
        frame = ir.emit(f"getelementptr i8, ptr %frames, i64 {place}")

        def field(offset: int) -> str:
            return ir.load("i32", ir.field(frame, offset), 4)

        gone = ir.emit(f"icmp eq i32 {field(abi.RESUME)}, -1")
        generic = ir.emit(f"icmp ne i32 {field(abi.VERSION)}, 0")
        waits, ticket = field(abi.WAITS), field(abi.GENERATION)
        begins = ir.emit(f"icmp slt i32 {waits}, 0")
        number = ir.emit(f"select i1 {begins}, i32 0, i32 {waits}")
        if self.barriers.numbers is not None and len(self.barriers.numbers) == 1:
            number = str(next(iter(self.barriers.numbers)))
        at = ir.emit(f"mul i32 {number}, {abi.BARRIER}")
        barrier = ir.emit(f"getelementptr i8, ptr {self.entry.field(abi.BARRIERS + 8)}, i32 {at}")
        generation = ir.load("i32", barrier, 4)
        passed = ir.emit(f"or i1 {begins}, {ir.emit(f'icmp ne i32 {generation}, {ticket}')}")
        held = ir.emit(f"or i1 {gone}, {generic}")
        free = ir.emit(f"and i1 {passed}, {ir.emit(f'xor i1 {held}, true')}")
        ir.branch(free, "ready", "rest")
        ir.start("rest")
        self.exits.return_with(abi.HANDLED)

    def next_in_row(self) -> None:
        """The next CTA runs, if it is the neighbour in x; else `openptx.run` determines the next."""
        ir = self.ir
        left = self.entry.added(abi.IN_ROW, "i32", -1)
        grid = ir.load("ptr", self.entry.field(abi.GRID), 8)
        stop = ir.emit(f"load volatile i32, ptr {ir.field(grid, abi.STOP)}, align 4")  # another worker's fault
        more = ir.emit(f"icmp ne i32 {left}, 0")
        ir.branch(ir.emit(f"and i1 {more}, {ir.emit(f'icmp eq i32 {stop}, 0')}"), "beside", "done")
        ir.start("done")
        ir.line(f"ret i32 {abi.DONE}")
        ir.start("beside")
        self.entry.added(abi.CTAID, "i32", 1)
        self.entry.added(abi.LINEAR, "i64", 1)
        self.entry.added(abi.FROM, "i64", 1)
        ir.jump("cta")
