"""Deoptimisation: a warp leaves its registers in its frame, in a form that the interpreter can go on from.

Waits that compiled code cannot express deoptimise to the interpreter: lanes at two places that wait for each other,
and loops that have been turning for very long because other threads must change something first. The CTA, and all that
have not run yet, are then the interpreter's (resume_interp.py).
"""

from __future__ import annotations

from collections.abc import Callable, Set

from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.deopt.side_exits import SideExits

TURNS = 1 << 17
"""Turns of loops that may be waiting, after which a warp does count as waiting: some milliseconds."""


Dispatch = Callable[[Set[int]], None]
"""Goes to the lowest of some blocks that has lanes."""


class Deoptimizer:
    def __init__(self, exits: SideExits) -> None:
        self.ir, self.scope, self.exits, self.c = exits.ir, exits.scope, exits, exits.c

    def deoptimize(self, b: Block) -> None:
        """Nothing of the block has run yet: the interpreter goes on with it."""
        at = -2 - b.start
        state = self.exits.layout.states[at]
        self.exits.save(at, state.waiting, tuple(r.cell for r in state.cells))
        self.ir.store("i32", self.c.version, self.scope.entry.frame_field(abi.VERSION), 4)
        self.ir.line(f"ret i32 {abi.DEOPTIMIZED}")

    def count_backedge(self, b: Block) -> None:
        """A loop that may be waiting for other threads begins again."""
        ir = self.ir
        turns = ir.emit(f"sub i32 {ir.load('i32', '%turns', 4)}, 1")
        ir.store("i32", turns, "%turns", 4)
        with ir.exit_block(ir.emit(f"icmp eq i32 {turns}, 0")):
            self.deoptimize(b)

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
            ir.store("i32", 0, "%tries", 4)
            dispatch(others)
            ir.start(none)
        tries = ir.emit(f"add i32 {ir.load('i32', '%tries', 4)}, 1")
        ir.store("i32", tries, "%tries", 4)
        most = sum(c.syncs_warp for c in self.c.graph.blocks) + 1
        with ir.exit_block(ir.emit(f"icmp ugt i32 {tries}, {most}")):
            self.deoptimize(b)
        order = sorted(parked, key=lambda c: (c < b.index, c))
        for c in order[:-1]:
            on = ir.fresh()
            ir.branch(self.some_at({c}), f"block{c}", on)
            ir.start(on)
        ir.jump(f"block{order[-1]}")

    def some_at(self, blocks: Set[int]) -> str:
        """Whether lanes wait at one of these blocks."""
        masks = [self.ir.load("i32", f"%m{c}", 4) for c in sorted(blocks)]
        union = masks[0]
        for mask in masks[1:]:
            union = self.ir.emit(f"or i32 {union}, {mask}")
        return self.ir.is_some(union)
