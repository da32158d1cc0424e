"""Where a warp stands and what it knows, in a form that the reference engine can go on from.

A warp may have to wait in ways that machine code does not wait in: lanes at two places that wait for each other, loops
that have been turning for very long because other threads are to change something first. Then it says so and leaves its
registers in its frame; `handover.py` gives the CTA, and all that have not run yet, to the reference engine.
"""

from __future__ import annotations

from collections.abc import Callable, Set

from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.deopt.frame_state import FrameState, SavedRegister
from openptx.engines.native.deopt.side_exits import SideExits

TURNS = 1 << 17
"""Turns of loops that may be waiting, after which a warp does count as waiting: some milliseconds."""


Dispatch = Callable[[Set[int]], None]
"""Goes to the lowest of some blocks that has lanes."""


class Deoptimizer:
    def __init__(self, exits: SideExits) -> None:
        self.ir, self.scope, self.exits, self.c, self.facts = exits.ir, exits.scope, exits, exits.c, exits.facts
        self.states: dict[int, FrameState] = {}
        """Where warps may stand, by what their frame says."""
        self.is_used = False
        """Whether warps may have to go on in the interpreter."""

    """Leaves for the reference engine."""

    def deoptimize(self, b: Block) -> None:
        """Nothing of the block has run yet: the reference engine goes on with it."""
        self.is_used = True
        ir = self.ir
        ir.cold += 1
        waiting = tuple(sorted(self.facts.waiting[b.index]))
        cells = self.exits.save(-2 - b.start, waiting, tuple(sorted(b.live_in | self.scope.kept)))
        where = ir.emit(f"getelementptr i8, ptr %frame, i64 {abi.VERSION}")
        ir.line(f"store i32 {self.c.version}, ptr {where}, align 4")
        ir.line(f"ret i32 {abi.AWAY}")
        ir.cold -= 1
        self.states[-2 - b.start] = FrameState(tuple(self.c.graph.blocks[c].start for c in waiting), cells)

    def count_backedge(self, b: Block) -> None:
        """A loop that may be waiting for other threads begins again."""
        ir = self.ir
        turns = ir.emit(f"sub i32 {ir.emit('load i32, ptr %turns, align 4')}, 1")
        ir.line(f"store i32 {turns}, ptr %turns, align 4")
        away, on = ir.fresh(), ir.fresh()
        ir.unlikely(ir.emit(f"icmp eq i32 {turns}, 0"), away, on)
        ir.start(away)
        self.deoptimize(b)
        ir.start(on)

    def yield_to_lanes(self, b: Block, waiting: frozenset[int], dispatch: Dispatch) -> None:
        """Lanes have to wait here for others: those run that can, then those that wait at other places look again.

        Where nobody can go on, the lanes wait for each other at different places.
        """
        ir = self.ir
        parked = {c for c in waiting if self.c.graph.blocks[c].syncs_warp}
        if not parked:
            dispatch(waiting)
            return
        if others := waiting - parked:
            run, none = ir.fresh(), ir.fresh()
            ir.branch(self.some_at(others), run, none)
            ir.start(run)
            ir.line("store i32 0, ptr %tries, align 4")
            dispatch(others)
            ir.start(none)
        tries = ir.emit(f"add i32 {ir.emit('load i32, ptr %tries, align 4')}, 1")
        ir.line(f"store i32 {tries}, ptr %tries, align 4")
        most = sum(c.syncs_warp for c in self.c.graph.blocks) + 1
        away, on = ir.fresh(), ir.fresh()
        ir.unlikely(ir.emit(f"icmp ugt i32 {tries}, {most}"), away, on)
        ir.start(away)
        self.deoptimize(b)
        ir.start(on)
        order = sorted(parked, key=lambda c: (c < b.index, c))
        for c in order[:-1]:
            on = ir.fresh()
            ir.branch(self.some_at({c}), f"block{c}", on)
            ir.start(on)
        ir.jump(f"block{order[-1]}")

    def some_at(self, blocks: frozenset[int] | set[int]) -> str:
        """Whether lanes wait at one of these blocks."""
        ir = self.ir
        masks = [ir.emit(f"load i{N}, ptr %m{c}, align 4") for c in sorted(blocks)]
        union = masks[0]
        for mask in masks[1:]:
            union = ir.emit(f"or i{N} {union}, {mask}")
        return ir.emit(f"icmp ne i{N} {union}, 0")

    def keeps(self, b: Block, saved: list[tuple[int, int]], live: frozenset[int]) -> None:
        """Remembers what the frame holds of a warp that waits at the barrier which ends a block."""
        places, found = dict(saved), list[SavedRegister]()
        for cell in sorted(live):
            fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
            if fact is not None:
                known = fact.known
                found.append(SavedRegister(cell, w, places.get(cell, 0), known, fact.lanes, fact.raw))
        self.states[b.stop] = FrameState((), tuple(found))
