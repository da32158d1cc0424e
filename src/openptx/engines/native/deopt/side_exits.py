"""Side exits: a warp leaves compiled code with its registers in its frame, as the frame layout provides.

`SideExits` go to the generic version of the kernel, which assumes nothing about lanes and takes over; `Deoptimizer`
goes to the interpreter, because of waits that compiled code cannot express: lanes at two places that wait for each
other, and loops that have run very long because other threads must change something first. The interpreter then runs
the CTA and all CTAs that have not run yet (resume_interp.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from openptx.engines.native import abi
from openptx.engines.native.analysis.affine import affine_of
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.counted_loops import WAITS, CountedLoop
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, Value
from openptx.engines.native.deopt.frame_layout import FrameLayout
from openptx.engines.native.deopt.frame_state import SideExit
from openptx.engines.native.emit.ir_builder import MASK, LaneType
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits

ITERATIONS = 1 << 17
"""Iterations of a loop that may be waiting, after which the warp counts as waiting: some milliseconds."""

TURNS = ITERATIONS * WAITS
"""The same, as weighed."""

TESTS, ROW = 8, 20
"""The first bits, in `abi.SAMPLED`, of how many tests there were, and of those in a row that found no change."""

Dispatch = Callable[[Set[int]], None]
"""Jumps to the lowest of some blocks that has lanes."""


class SideExits:
    def __init__(self, registers: RegisterFile, layout: FrameLayout) -> None:
        self.x, self.ir, self.scope, self.entry = registers.x, registers.ir, registers.scope, registers.scope.entry
        self.registers, self.c, self.facts, self.layout = registers, registers.c, registers.facts, layout
        self.exits: dict[int, SideExit] = {}
        """The layout's side exits that the code has, by position."""
        self.before_leaving: Callable[[], None] = lambda: None
        """Emits code that records where the CTA's other warps are, before this one leaves."""
        self.has_copy = False
        """Whether the block is emitted twice, so that values may have other forms in its other copy."""
        self.guarded: set[tuple[object, ...]] = set()
        """Sums that were checked in this block not to wrap."""

    def leave_if_wraps(self, base: str, top: int, w: int, signed: bool) -> None:
        """A base plus offsets is extended as if it did not wrap; if it does, the warp takes a side exit."""
        key = (base, top, w, signed)
        if key in self.guarded:
            return
        ir = self.ir
        if not ir.cold:
            self.guarded.add(key)
        kind = "sadd" if signed else "uadd"
        pair = ir.emit(f"call {{ i{w}, i1 }} @llvm.{kind}.with.overflow.i{w}(i{w} {base}, i{w} {top})")
        with ir.exit_block(ir.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1")):
            self.leave()

    def leave(self) -> None:
        """Saves registers, and which lanes wait where; two warps at once (`WarpPairs`) begin again, each alone."""
        if self.ir.own_suffix:
            self.ir.jump("alone")
            return
        site = self.scope.site
        self.x.watch.leaves()
        exit = self.layout.exits[site]
        values = [*map(self.held_value, exit.cells)]
        if not self.has_copy:
            exit = exit._replace(lanes=tuple(map(offsets_of, values)))
        self.exits[site] = exit
        self.save(-2 - site, exit, values)
        self.before_leaving()
        self.return_with(abi.SIDE_EXIT)

    def save(self, position: int, exit: SideExit, registers: Sequence[Bits]) -> None:
        """The current lanes, and those that wait at other positions, with registers."""
        ir, field, (cells, waiting, lanes) = self.ir, self.entry.frame_field, exit
        # All are read before any is written.
        values = [self.saved_as(value, own) for value, own in zip(registers, lanes, strict=True)]
        ir.store("i32", position, field(abi.RESUME), 4)
        ir.store_saved(MASK, ir.load_live(), field(abi.LIVE), 4)
        ir.store_saved(MASK, self.x.vector(self.scope.block_mask), field(abi.SAVED), 4)
        if self.layout.masks:
            if self.scope.block.index in self.facts.masked:  # its own is saved already
                ir.store("i32", 0, f"%m{self.scope.block.index}", 4)
            place, size = field(abi.SAVED + 4), 4 * len(self.layout.masks)
            ir.line(f"call void @llvm.memcpy.p0.p0.i64(ptr align 4 {place}, ptr align 4 %masks, i64 {size}, i1 false)")
        else:
            for i, pc in enumerate(waiting, 1):
                word = ir.load_word(f"%m{self.c.graph.at[pc]}")
                ir.store("i32", word, field(abi.SAVED + 4 * i), 4)
        for saved, own, value in zip(self.layout.places(waiting, cells), lanes, values, strict=True):
            ir.store(LaneType(saved.width, own is not None).int, value, field(saved.offset), 4)

    def saved_as(self, value: Bits, lanes: Lanes | None) -> str:
        """A register as a vector or, if its lanes are known to have these offsets, their base."""
        if lanes is None or lanes is ZEROS:
            return self.x.name_of(value, lanes is ZEROS)
        parts = affine_of(value.v, value.width)
        assert parts is not None
        assert parts.lanes == lanes
        return self.x.texts(parts.base, value.width)

    def held_value(self, cell: int) -> Bits:
        """A register; read from the frame if it has stayed there since the last barrier."""
        changed = cell in self.registers.written or self.layout.spills.has_changed(cell, self.scope.block.index)
        if changed or cell in self.registers.current or cell not in self.layout.slots:
            return self.registers.get(cell)
        saved = self.entry.frame_field(self.layout.slots[cell])
        return self.registers.held(cell, self.ir.load_saved(self.registers.cell_type(cell), saved, 4))

    def return_with(self, status: int) -> None:
        """Returns from the function, reporting the warp."""
        if self.c.runs_next_warp:
            self.ir.store("i32", self.entry.index(), self.entry.field(abi.WARP), 4)
        self.ir.line(f"ret i32 {status}")

    def enter(self, pc: int, saved: SideExit) -> None:
        """Takes over after a side exit of the other version."""
        ir, field = self.ir, self.entry.frame_field
        ir.start(f"enter{pc}")
        ir.store_live(ir.load_saved(MASK, field(abi.LIVE), 4))
        # The current lanes come last: if they are where a block begins, an array of masks has 0 for it, too.
        for i, at in reversed([*enumerate((pc, *saved.waiting))]):
            block = self.c.graph.at[at]
            if block in self.facts.masked and ir.masks_stay:
                ir.store("i32", ir.load("i32", field(abi.SAVED + 4 * i), 4), f"%m{block}", 4)
            elif block in self.facts.masked:
                ir.store_mask(ir.load_saved(MASK, field(abi.SAVED + 4 * i), 4), f"%m{block}")
        for register, own in zip(self.layout.places(saved.waiting, saved.cells), saved.lanes, strict=True):
            if self.registers.kept_in_memory(register.cell) is not None:
                t = LaneType(register.width, own is not None)
                value = self.x.bits(ir.load_saved(t.int, field(register.offset), 4), register.width, own)
                self.registers.keep_in(register.cell, value)
        ir.jump(f"block{self.c.graph.at[pc]}")


def offsets_of(a: Bits) -> Lanes | None:
    """The offsets of a value's lanes, if it has a base."""
    if isinstance(a.v, Value) and a.v.lanes is ZEROS:
        return ZEROS
    parts = affine_of(a.v, a.width)
    return parts.lanes if parts is not None and (a.width > 1 or parts.lanes is ZEROS) else None


class Deoptimizer:
    def __init__(self, exits: SideExits) -> None:
        self.ir, self.scope, self.exits, self.c = exits.ir, exits.scope, exits, exits.c

    def deoptimize(self, b: Block) -> None:
        """Exits to the interpreter, which continues with the block. None of it has run yet."""
        at = -2 - b.start
        state = self.exits.layout.states[at]
        cells = tuple(r.cell for r in state.cells)
        values = [*map(self.exits.held_value, cells)]
        self.exits.save(at, SideExit(cells, state.waiting, (None,) * len(cells)), values)
        self.ir.store("i32", self.c.version, self.scope.entry.frame_field(abi.VERSION), 4)
        self.exits.before_leaving()
        self.ir.line(f"ret i32 {abi.DEOPTIMIZED}")

    def count_backedge(self, b: Block, loop: CountedLoop) -> None:
        """The next iteration of a loop that may be waiting for other threads."""
        ir, weight = self.ir, loop.weight
        if b.index in self.exits.layout.keeps_turns:  # a variable would begin anew after each barrier
            at = self.scope.entry.frame_field(abi.TURNS)
            turns = ir.emit(f"add i32 {ir.load('i32', at, 4)}, {weight}")
            ir.store("i32", turns, at, 4)
            with ir.exit_block(ir.emit(f"icmp sge i32 {turns}, {self.c.options.deoptimize_after or TURNS}")):
                self.deoptimize(b)
            return
        turns = ir.emit(f"sub i32 {ir.load('i32', '%turns', 4)}, {weight}")
        ir.store("i32", turns, "%turns", 4)
        done = ir.emit(f"icmp sle i32 {turns}, 0")
        if b.index in self.exits.layout.samples:
            with ir.cold_block(done):
                self.leave_if_unchanged(b, loop)
            return
        with ir.exit_block(done):
            self.deoptimize(b)

    def leave_if_unchanged(self, b: Block, loop: CountedLoop) -> None:
        """Leaves if the registers that tell whether a loop waits are as they were at the test before. The first time
        they are only sampled."""
        ir, field, bit = self.ir, self.scope.entry.frame_field, 1 << [*self.exits.layout.samples].index(b.index) % TESTS
        word, changed = ir.load("i32", field(abi.SAMPLED), 4), self.sample(b)
        sampled = ir.emit(f"icmp ne i32 {ir.emit(f'and i32 {word}, {bit}')}, 0")
        one = 1 << TESTS if loop.tests else 0
        same = ir.emit(f"add i32 {word}, {(1 << ROW) + one}")
        goes_on = ir.emit(f"add i32 {ir.emit(f'and i32 {word}, {(1 << ROW) - (1 << TESTS)}')}, {one}")
        tested = ir.emit(f"select i1 {changed}, i32 {goes_on}, i32 {same}")
        waits = ir.emit(f"icmp uge i32 {tested}, {loop.futile << ROW}")
        if loop.tests:
            waits = ir.emit(f"or i1 {waits}, {ir.emit(f'icmp uge i32 {goes_on}, {loop.tests << TESTS}')}")
        with ir.exit_block(ir.emit(f"and i1 {sampled}, {waits}")):
            self.deoptimize(b)
        first = ir.emit(f"or i32 {word}, {bit}")
        ir.store("i32", ir.emit(f"select i1 {sampled}, i32 {tested}, i32 {first}"), field(abi.SAMPLED), 4)
        anew = ir.emit(f"and i1 {sampled}, {changed}")
        ir.store("i32", ir.emit(f"select i1 {anew}, i32 {TURNS}, i32 {loop.weight * loop.apart}"), "%turns", 4)

    def sample(self, b: Block) -> str:
        """Samples the registers that tell whether a loop waits. An i1: whether one differs, in a lane that runs, from
        the sample before."""
        ir, x, field, registers = self.ir, self.exits.x, self.scope.entry.frame_field, self.exits.registers
        changed = x.const(0, 1)
        for cell, offset in self.exits.layout.samples[b.index]:
            value, place, t = self.exits.held_value(cell), field(offset), registers.cell_type(cell)
            changed = changed | (value != registers.held(cell, ir.load_saved(t, place, 4)))
            fact = self.exits.facts.registers[cell]
            assert fact is not None
            ir.store_saved(t, registers.conformed(value, fact), place, 4)
        return "false" if isinstance(changed.v, int) else x.any_of(changed & self.scope.block_mask)

    def begin_counting(self) -> None:
        """A warp begins, or continues after a barrier."""
        self.ir.store("i32", self.c.options.deoptimize_after or TURNS, "%turns", 4)
        self.ir.store("i32", 0, "%tries", 4)
        if self.exits.layout.samples:
            self.ir.store("i32", 0, self.scope.entry.frame_field(abi.SAMPLED), 4)

    def yield_to_lanes(self, b: Block, waiting: frozenset[int], dispatch: Dispatch) -> None:
        """Lanes have to wait at this block for others: runnable lanes run, then lanes waiting at other places check
        again.

        If no lane can continue, lanes wait for each other at different places.
        """
        ir = self.ir
        parked = {c for c in waiting if self.c.graph.blocks[c].syncs_warp}
        if not parked:
            dispatch(waiting)
            return
        if others := waiting - parked:
            run, none = ir.fresh(), ir.fresh()
            ir.branch(self.some_runnable() if ir.masks_stay else self.some_at(others), run, none)
            ir.start(run)
            ir.store("i32", 0, "%tries", 4)
            dispatch(others)
            ir.start(none)
        tries = ir.emit(f"add i32 {ir.load('i32', '%tries', 4)}, 1")
        ir.store("i32", tries, "%tries", 4)
        most = sum(c.syncs_warp for c in self.c.graph.blocks) + 1
        with ir.exit_block(ir.emit(f"icmp ugt i32 {tries}, {most}")):
            self.deoptimize(b)
        if ir.masks_stay:
            ir.jump(f"ring{b.index}")
            return
        order = sorted(parked, key=lambda c: (c < b.index, c))
        for c in order[:-1]:
            on = ir.fresh()
            ir.branch(self.some_at({c}), f"block{c}", on)
            ir.start(on)
        ir.jump(f"block{order[-1]}")

    def some_runnable(self) -> str:
        """Whether lanes wait at any block that does not begin by waiting for others; masks are an array."""
        count = sum(not self.c.graph.blocks[i].syncs_warp for i in self.exits.layout.masks)
        return self.ir.is_some(self.ir.emit(f"call i32 @openptx.union(ptr %masks, i64 {count})"))

    def some_at(self, blocks: Set[int]) -> str:
        """Whether lanes wait at one of these blocks."""
        masks = [self.ir.load("i32", f"%m{c}", 4) for c in sorted(blocks)]
        union = masks[0]
        for mask in masks[1:]:
            union = self.ir.emit(f"or i32 {union}, {mask}")
        return self.ir.is_some(union)
