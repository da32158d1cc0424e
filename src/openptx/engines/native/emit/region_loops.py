"""Region loops: the code between two barriers is a loop over the warps of a CTA, whose state is two registers.

Usually all warps of a CTA come to the same barriers. As long as they do, two numbers say where each of them is:
`%region`, the position at which all begin or have resumed, and `%came`, the barrier that the warps which have run
have reached. The last warp that comes to it completes it, and the first one continues after it.

A warp that comes to another barrier, or has to leave, ends this for the rest of the CTA: `openptx.note_warps` writes
what the two numbers say to the frames and to the barrier, and from then on warps arrive at barriers one by one.
"""

from __future__ import annotations

from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.segments import BEGIN, Segments
from openptx.engines.native.deopt.side_exits import SideExits
from openptx.engines.native.emit.ir_builder import Section
from openptx.engines.native.emit.warp_chaining import WarpChaining

NO_WARP, ENDED, ALONE = 0, -1, -2
"""The values of `%came` that are no barrier's position: no warp has run yet; those that have run have ended; the frames
say where each warp is."""


class RegionLoops(WarpChaining):
    def __init__(self, exits: SideExits, segments: Segments, frame_size: int) -> None:
        super().__init__(exits, segments, frame_size)
        self.next_in: dict[tuple[int, ...], str] = {}
        """Labels of code that continues with the next warp, by the regions that it may be in."""
        exits.before_leaving = self.leave
        with self.ir.at_entry(Section.CTA):  # the CTA begins, or it has been left before
            first = self.ir.emit("icmp eq i32 %start, 0")
            begins = self.ir.emit(f"icmp eq i32 {self.ir.load('i32', '%frames', 4)}, {BEGIN}")
            together = self.ir.emit(f"and i1 {first}, {begins}")
            came = self.ir.emit(f"select i1 {together}, i32 {NO_WARP}, i32 {ALONE}")
            self.ir.store("i32", came, "%came", 4)
            self.ir.store("i32", BEGIN, "%region", 4)

    def end_region(self, b: Block, fewer: str | None) -> None:
        """Continues with the next warp if all that have run came to the barrier that ends a block. What is emitted
        afterwards runs if not. `fewer`: an i1, whether lanes have ended."""
        ir = self.ir
        alone = ir.fresh()
        if self.segments.barriers[b.stop] is None:
            return
        together = self.all_warps_reached(b.stop)
        if fewer is not None:
            together = ir.emit(f"and i1 {together}, {ir.emit(f'xor i1 {fewer}, true')}")
        step, last = ir.fresh(), ir.fresh()
        ir.likely(together, step, alone)
        ir.start(step)
        self.next_in_region(b.stop, self.segments.origins_of(b), last)
        ir.start(last)
        ir.jump(self.again.setdefault(b.stop, f"again{b.stop}"))
        ir.start(alone)

    def end_all(self, b: Block, frame: str, values: list[tuple[str, str, int]]) -> None:
        """This warp, whose frame is given, and all after it come to the barrier that ends a block: continues with the
        first one after it. `values`: types, values and places of what each frame keeps."""
        ir = self.ir
        again = self.again.setdefault(b.stop, f"again{b.stop}")
        if not values:
            ir.jump(again)
            return
        before, each, following = ir.label, ir.fresh(), ir.name()
        end = ir.emit(f"getelementptr i8, ptr %frames, i64 {self.c.warps * self.frame_size}")
        ir.jump(each)
        ir.start(each)
        at = ir.emit(f"phi ptr [ {frame}, %{before} ], [ {following}, %{each} ]")
        for t, value, offset in values:
            ir.store_saved(t, value, ir.field(at, offset), 8)
        ir.line(f"{following} = getelementptr i8, ptr {at}, i64 {self.frame_size}")
        ir.branch(ir.emit(f"icmp eq ptr {following}, {end}"), again, each)

    def end_of_warp(self) -> None:
        """A warp ends: the next one continues at the region's beginning, or the CTA ends."""
        ir = self.ir
        step, last, alone = ir.fresh(), ir.fresh(), ir.fresh()
        ir.likely(self.all_warps_reached(ENDED), step, alone)
        ir.start(step)
        self.next_in_region(ENDED, sorted(self.segments.ends, reverse=True), last)
        ir.start(last)
        ir.jump("onward")
        ir.start(alone)
        self.leave()

    def after_end(self) -> None:
        self.ir.jump("onward")

    def all_warps_reached(self, position: int) -> str:
        """An i1: whether all warps that have run the region came to this position."""
        self.entry.index()  # loaded before the paths part, since both need it
        came = self.ir.load("i32", "%came", 4)
        none, same = (self.ir.emit(f"icmp eq i32 {came}, {number}") for number in (NO_WARP, position))
        return self.ir.emit(f"or i1 {none}, {same}")

    def next_in_region(self, came: int, regions: list[int], last: str) -> None:
        """Continues with the next warp in the current region, which is one of `regions`; at `last` if this warp is the
        last one."""
        if self.has_next(regions, last):
            self.ir.store("i32", came, "%came", 4)
            self.ir.jump(self.next_in.setdefault(tuple(regions), f"next{len(self.next_in)}"))

    def leave(self) -> None:
        """Records in memory where the other warps are, as the two numbers say it; does nothing if that has been
        recorded before (`ALONE`)."""
        ir = self.ir
        came, region = ir.load("i32", "%came", 4), ir.load("i32", "%region", 4)
        numbers = ", ".join(f"i32 {e}" for e in (self.entry.index(), came, self.barrier_at(came), region,
                                                 self.barrier_at(region)))  # fmt: skip
        ir.line(f"call void @openptx.note_warps(ptr %w, {numbers})")
        ir.store("i32", ALONE, "%came", 4)

    def barrier_at(self, position: str) -> str:
        """The number of the barrier at a position."""
        barriers = {at: number for at, number in self.segments.barriers.items() if number is not None}
        most = next(iter(barriers.values()), 0)
        found = str(most)
        for at, number in barriers.items():
            if number != most:
                arrived = self.ir.emit(f"icmp eq i32 {position}, {at}")
                found = self.ir.emit(f"select i1 {arrived}, i32 {number}, i32 {found}")
        return found

    def emit_jumps(self, lines: list[str]) -> None:
        ir = self.ir
        for regions, label in self.next_in.items():
            ir.start(label)
            lowest = min(regions)
            others = [position for position in regions if position != lowest]
            region = ir.load("i32", "%region", 4) if others else ""
            for position in others:
                other = ir.fresh()
                ir.branch(ir.emit(f"icmp eq i32 {region}, {position}"), self.following_at(position), other)
                ir.start(other)
            ir.jump(self.following_at(lowest))
        super().emit_jumps(lines)

    def following_at(self, position: int) -> str:
        return self.following.setdefault(position, f"following{position}")

    def begin_region(self, position: int) -> None:
        self.ir.store("i32", NO_WARP, "%came", 4)
        self.ir.store("i32", position, "%region", 4)
