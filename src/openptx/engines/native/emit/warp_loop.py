"""The loop over a CTA's warps, within one call: how warps end, and which warp or CTA runs next."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.segments import counts
from openptx.engines.native.deopt.side_exits import SideExits
from openptx.engines.native.emit.barriers import BarrierLowering
from openptx.engines.native.emit.ir_builder import Section


class WarpLoop:
    def __init__(self, exits: SideExits, barriers: BarrierLowering, rounds: bool) -> None:
        """`rounds`: warps wait for each other."""
        self.ir, self.c, self.entry, self.exits = exits.ir, exits.c, exits.entry, exits
        self.barriers, self.rounds = barriers, rounds
        self.frame_size = exits.layout.stride

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
        """The head of a loop that is also continued after two warps (`WarpPairs`)."""
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
            self.leave_barriers()
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

    def leave_barriers(self) -> None:
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
        function, t = ("settle", "i32") if counts(self.c.function) else ("ended", "i64")
        for number in sorted(self.barriers.numbers or ()):
            ir.line(f"call void @openptx.{function}(ptr %w, {t} {number})")
        if self.barriers.chaining is not None:
            self.barriers.chaining.after_end()
        else:
            ir.jump("onward")

    def next_warp_that_may_run(self) -> None:
        """The next warp runs, if it can run in this call; else `openptx.run` determines the next."""
        ir = self.ir
        index = ir.emit(f"zext i32 {self.entry.index()} to i64")
        found = ir.emit(f"call i64 @openptx.next_warp(ptr %w, i64 {index})")
        ir.line(f"%next = trunc i64 {found} to i32")
        ir.branch(ir.emit(f"icmp slt i64 {found}, 0"), "rest", "ready")
        ir.start("rest")
        self.exits.return_with(abi.HANDLED)

    def next_in_row(self) -> None:
        """The next CTA runs, if it is the neighbour in x; else `openptx.run` determines the next."""
        ir = self.ir
        ir.branch(ir.emit("call i1 @openptx.next_in_row(ptr %w)"), "beside", "done")
        ir.start("done")
        ir.line(f"ret i32 {abi.DONE}")
        ir.start("beside")
        ir.jump("cta")
