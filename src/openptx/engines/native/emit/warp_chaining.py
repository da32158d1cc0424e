"""Warp chaining: a warp that suspends jumps to where the next one resumes, without a dispatch.

Warps run one after another, and usually all of them reach the same barriers. So the next warp most often resumes at the
position where this one has resumed, and after the last warp the first one resumes after the barrier that all have
reached. The code that suspends knows these positions, tests whether the next warp's frame names them, and jumps. If it
does not, `WarpLoop` dispatches by the frame. Either way the same warp is next, so results do not depend on it.
"""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.segments import BEGIN, Segments
from openptx.engines.native.deopt.side_exits import Deoptimizer, SideExits
from openptx.engines.native.emit.entry_values import defined, renamed


class WarpChaining:
    def __init__(self, exits: SideExits, segments: Segments, frame_size: int) -> None:
        self.ir, self.c, self.entry, self.facts = exits.ir, exits.c, exits.entry, exits.facts
        self.deopt = Deoptimizer(exits)
        self.deoptimizes, self.masks = exits.layout.deoptimizes, exits.layout.masks
        self.segments, self.frame_size = segments, frame_size
        self.following: dict[int, str] = {}
        """Labels of code that continues with the next warp at a position."""
        self.again: dict[int, str] = {}
        """Labels of code that continues with the first warp at a position."""

    def after(self, b: Block) -> None:
        """Jumps to the warp that runs after this one, which has reached the barrier that ends a block."""
        ir = self.ir
        last = ir.fresh()
        self.next_warp(self.segments.origins_of(b), last)
        ir.start(last)
        if self.segments.barriers[b.stop] is not None:
            self.jump_if_at("%frames", b.stop, self.again.setdefault(b.stop, f"again{b.stop}"))
        else:
            ir.jump("onward")

    def after_end(self) -> None:
        """Jumps to the warp that runs after this one, which has ended."""
        self.next_warp(sorted(self.segments.ends, reverse=True), "onward")

    def next_warp(self, positions: list[int], last: str) -> None:
        """Jumps to where the next warp continues, if that is the first of some positions, or to `last` if there is no
        next one."""
        if not self.has_next(positions, last):
            return
        ir = self.ir
        position = positions[0]
        if position != BEGIN and self.segments.barriers[position] is None:
            ir.jump("onward")
            return
        frame = ir.field(self.entry.of_warp("%frame", "ptr"), self.frame_size)
        self.jump_if_at(frame, position, self.following.setdefault(position, f"following{position}"))

    def has_next(self, positions: list[int], last: str) -> bool:
        """Jumps to `last` if there is no next warp that could be at one of these positions. Whether there can be one:
        what is emitted next runs for it."""
        ir = self.ir
        if self.c.warps == 1 or not positions:
            ir.jump(last)
            return False
        more = ir.fresh()
        ir.branch(ir.emit(f"icmp eq i32 {self.entry.index()}, {self.c.warps - 1}"), last, more)
        ir.start(more)
        return True

    def jump_if_at(self, frame: str, position: int, goal: str) -> None:
        """Jumps to `goal` if a frame's warp is at a position and is not blocked there, else to `onward`."""
        ir = self.ir
        assert abi.VERSION == abi.RESUME + 4  # must be 0
        free = ir.emit(f"icmp eq i64 {ir.load('i64', ir.field(frame, abi.RESUME), 8)}, {position}")
        if position != BEGIN:
            place = abi.BARRIERS + abi.BARRIER * (self.segments.barriers[position] or 0) + 8
            generation = ir.load("i32", self.entry.field(place), 4)
            ticket = ir.load("i32", ir.field(frame, abi.GENERATION), 4)
            free = ir.emit(f"and i1 {free}, {ir.emit(f'icmp ne i32 {generation}, {ticket}')}")
        ir.likely(free, goal, "onward")

    # Where segments begin

    def begin_segment(self, position: int) -> None:
        """The state where a warp starts or resumes: no lanes wait, and no loop has run."""
        ir = self.ir
        read = self.segments.masks_after(position) if not self.masks else ()
        for b in self.facts.masked:
            if b in read:
                ir.store_mask("zeroinitializer", f"%m{b}")
        if self.deoptimizes:
            self.deopt.begin_counting()

    def emit_jumps(self, lines: list[str]) -> None:
        """The code that `following` and `again` name; `lines`: compute the per-warp values from `%index`."""
        ir = self.ir
        for position, label in self.following.items():
            self.entry.begin_block()
            ir.start(label)
            index = ir.emit(f"add i32 {self.entry.index()}, 1")
            self.go(position, index, ir.field(self.entry.of_warp("%frame", "ptr"), self.frame_size), lines)
        for position, label in self.again.items():
            ir.start(label)
            self.begin_region(position)
            self.go(position, "0", "%frames", lines)

    def begin_region(self, position: int) -> None:
        """Emits what is to be recorded where the first warp continues at a position: here nothing."""

    def go(self, position: int, index: str, frame: str, lines: list[str]) -> None:
        """Continues at a position with a warp, given its index and frame."""
        ir = self.ir
        names = {name: ir.name() for name in defined(lines)} | {"%index": index, "%frame": frame}
        ir.lines += renamed(lines, names)
        self.store_values(names)
        ir.jump(f"resume{position}" if position != BEGIN else "begin")

    def store_values(self, names: dict[str, str]) -> None:
        for name, t in self.entry.slots.items():
            self.ir.store(t, names.get(name, name), f"{name}.slot", 4)
