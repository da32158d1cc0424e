"""Where a warp stands and what it knows, in a form that the reference engine can go on from.

A warp may have to wait in ways that machine code does not wait in: lanes at two places that wait for each other, loops
that have been turning for very long because other threads are to change something first. Then it says so and leaves its
registers in its frame; `handover.py` gives the CTA, and all that have not run yet, to the reference engine.
"""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native import layout
from openptx.engines.native.atomics import Atomics
from openptx.engines.native.calls import Calls
from openptx.engines.native.flow import Block, Graph
from openptx.engines.native.values import Known, Lanes, N, Shape
from openptx.numerics import Bits
from openptx.program import Function

TURNS = 1 << 17
"""Turns of loops that may be waiting, after which a warp does count as waiting: some milliseconds."""


class Kept(NamedTuple):
    """A register's place in a frame, and its form there: a known value, a base with offsets, or a vector."""

    cell: int
    width: int
    offset: int = 0
    known: Known | None = None
    lanes: Lanes | None = None
    raw: bool = False  # a float whose NaNs are not canonical


class Stand(NamedTuple):
    """A place where a warp can stand: positions where other lanes wait, in the order of their masks, and registers."""

    waiting: tuple[int, ...]
    cells: tuple[Kept, ...]


class Standing(Calls, Atomics):
    """Leaves for the reference engine."""

    graph: Graph
    here_mask: Bits
    is_function: bool
    pending: list[frozenset[int]]
    kept: frozenset[int]
    shapes: list[Shape | None]
    function: Function
    version: int  # 1: the one that takes over where offsets wrap
    stands: dict[int, Stand]
    hands_over = False

    def save(self, position: int, waiting: tuple[int, ...], cells: tuple[int, ...]) -> tuple[Kept, ...]:
        """Puts into the frame who stands at `position` and who waits where, and registers as vectors."""
        raise NotImplementedError

    def dispatch(self, candidates: frozenset[int] | set[int], ending: bool = False) -> None:
        raise NotImplementedError

    def hand_over(self, b: Block) -> None:
        """Nothing of the block has run yet: the reference engine goes on with it."""
        self.hands_over = True
        if self.dry:
            return
        out = self.out
        out.aside += 1
        waiting = tuple(sorted(self.pending[b.index]))
        cells = self.save(-2 - b.start, waiting, tuple(sorted(b.live_in | self.kept)))
        where = out.emit(f"getelementptr i8, ptr %frame, i64 {layout.VERSION}")
        out.line(f"store i32 {self.version}, ptr {where}, align 4")
        out.line(f"ret i32 {layout.AWAY}")
        out.aside -= 1
        self.stands[-2 - b.start] = Stand(tuple(self.graph.blocks[c].start for c in waiting), cells)

    def turn(self, b: Block) -> None:
        """A loop that may be waiting for other threads begins again."""
        out = self.out
        turns = out.emit(f"sub i32 {out.emit('load i32, ptr %turns, align 4')}, 1")
        out.line(f"store i32 {turns}, ptr %turns, align 4")
        away, on = out.fresh(), out.fresh()
        out.unlikely(out.emit(f"icmp eq i32 {turns}, 0"), away, on)
        out.start(away)
        self.hand_over(b)
        out.start(on)

    def stay(self, b: Block, waiting: frozenset[int]) -> None:
        """Lanes have to wait here for others: those run that can, then those that wait at other places look again.

        Where nobody can go on, the lanes wait for each other at different places.
        """
        out = self.out
        parked = {c for c in waiting if self.graph.blocks[c].parks}
        if not parked:
            self.dispatch(waiting)
            return
        if others := waiting - parked:
            run, none = out.fresh(), out.fresh()
            out.branch(self.some_at(others), run, none)
            out.start(run)
            out.line("store i32 0, ptr %tries, align 4")
            self.dispatch(others)
            out.start(none)
        tries = out.emit(f"add i32 {out.emit('load i32, ptr %tries, align 4')}, 1")
        out.line(f"store i32 {tries}, ptr %tries, align 4")
        most = sum(c.parks for c in self.graph.blocks) + 1
        away, on = out.fresh(), out.fresh()
        out.unlikely(out.emit(f"icmp ugt i32 {tries}, {most}"), away, on)
        out.start(away)
        self.hand_over(b)
        out.start(on)
        order = sorted(parked, key=lambda c: (c < b.index, c))
        for c in order[:-1]:
            on = out.fresh()
            out.branch(self.some_at({c}), f"block{c}", on)
            out.start(on)
        out.jump(f"block{order[-1]}")

    def some_at(self, blocks: frozenset[int] | set[int]) -> str:
        """Whether lanes wait at one of these blocks."""
        out = self.out
        masks = [out.emit(f"load i{N}, ptr %m{c}, align 4") for c in sorted(blocks)]
        union = masks[0]
        for mask in masks[1:]:
            union = out.emit(f"or i{N} {union}, {mask}")
        return out.emit(f"icmp ne i{N} {union}, 0")

    def keeps(self, b: Block, saved: list[tuple[int, int]], live: frozenset[int]) -> None:
        """Remembers what the frame holds of a warp that waits at the barrier which ends a block."""
        places, found = dict(saved), list[Kept]()
        for cell in sorted(live):
            shape, w = self.shapes[cell], self.cells.widths[cell]
            if shape is not None:
                known = shape.known
                found.append(Kept(cell, w, places.get(cell, 0), known, shape.lanes, shape.raw))
        self.stands[b.stop] = Stand((), tuple(found))

    def most_saved(self) -> int:
        """Bytes of a frame that keeps all registers as vectors, and who waits at every block."""
        masks = 4 * (len(self.function.code) + 2)
        return layout.SAVED + -(-masks // 64) * 64 + sum(max(64, w * N // 8) for w in self.cells.widths)
