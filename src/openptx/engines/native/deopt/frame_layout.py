"""The layout of a warp's frame in memory, computed before emission: its contents wherever the warp may stop, and its
size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from openptx.control_flow import control, converges
from openptx.engines.native import abi
from openptx.engines.native.analysis.barrier_spills import BarrierSpills
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.counted_loops import CountedLoop
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N
from openptx.engines.native.analysis.liveness import live_before
from openptx.engines.native.analysis.reconvergence import find_waiting
from openptx.engines.native.analysis.spin_loops import polls_between_barriers
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.deopt.frame_state import FrameState, SavedRegister, SideExit


def aligned(offset: int, to: int = 64) -> int:
    return -(-offset // to) * to


LINE = 64
"""The size of a cache line in bytes."""
PLACES = 1_000
"""Places where lanes may wait, over all blocks, above which masks are an array (`FrameLayout.masks`). Of
124 kernels of tests the most have 867."""


class FrameLayout:
    """Three kinds of places where a warp may stop: barriers, side exits (to the generic version, which takes over at
    `c.entered_from`), and deoptimisation points (to the interpreter).

    Barriers save registers in their own form, each in a place of its own. The others save vectors, one after another;
    for a register not written since the block began, side exits save the base if it has one.
    """

    def __init__(self, c: FunctionContext, facts: Facts, counted: Mapping[int, CountedLoop]) -> None:
        """`counted`: by their headers, loops whose iterations are counted; these deoptimise after many."""
        self.c, self.facts = c, facts
        self.masks = mask_array(c, facts)
        """The blocks whose masks are an array in memory, in its order; none if each mask is a variable. Code that names
        each place where lanes may wait, in each block, grows with the square of a kernel. A mask is 0 where no lanes
        wait, so all of them can be tested, or saved, instead of those in question."""
        entered = {c.graph.at[pc] for pc in c.entered_from}
        self.spills = BarrierSpills(c.graph, facts.waiting, c.suspending, entered)
        self.slots: dict[int, int] = {}
        """The frame's offsets of registers that are live across barriers, by cell."""
        self.size = self.place_slots()
        reached = [b for b in c.graph.blocks if facts.reached[b.index]]
        self.exits: dict[int, SideExit] = {pc: exit for b in reached for pc, exit in self.exits_of(b)}
        """The side exits that code may have, by position."""
        self.states: dict[int, FrameState] = {}
        """Where the interpreter may continue, by the value of `RESUME`: after a barrier, or -2 minus a position."""
        for b in reached:
            if (
                b.index in counted
                or b.only_interpreted
                or may_wait_for_parked(c, facts, b)
                or may_be_divided(c, facts, b)
            ):
                self.states[-2 - b.start] = self.block_state(b)
            if b.index in c.suspending:
                self.states[b.stop] = self.barrier_state(b)
        self.deoptimizes = any(at < 0 for at in self.states) or (
            bool(self.exits) and (may_wait_twice(c) or any(is_guarded(c, b) for b in c.graph.blocks))
        )
        """Whether warps may have to continue in the interpreter."""
        self.keeps_turns = polls_between_barriers(c.graph, facts.touches, counted)
        """Headers of loops whose iterations are counted in the frame, across barriers."""
        arrives = any(control(op) == "barrier" and op.m.mode == "arrive" for op in c.function.code)
        if self.deoptimizes and arrives:
            raise UnsupportedByJit("warps that only arrive at barriers, in a kernel that may deoptimise")
        self.make_room()
        self.samples: dict[int, list[tuple[int, int]]] = {}
        """For loops that may be waiting, by their headers, the registers that tell whether they do, and the places of
        samples of these."""
        for header, loop in counted.items():
            if loop.unchanged is not None:
                self.samples[header] = [*self.sampled(loop.unchanged)]

    def sampled(self, cells: frozenset[int]) -> Iterator[tuple[int, int]]:
        for cell in sorted(cells):
            fact = self.facts.registers[cell]
            if fact is not None and fact.known is None:
                yield cell, aligned(self.size)
                self.size = aligned(self.size) + self.size_of(cell)

    @property
    def stride(self) -> int:
        """The distance from one warp's frame to the next, in bytes: an odd number of cache lines, so that the same
        place in all frames does not fall into the same sets of the cache."""
        return aligned(self.size) | LINE

    # Registers across barriers

    def place_slots(self) -> int:
        """Allocates places for registers that are live across barriers; returns their end."""
        c = self.c
        cells = frozenset[int]().union(*(self.live_after_barrier(c.graph.blocks[b]) for b in c.suspending))
        offset = abi.SAVED
        for cell in sorted(cells, key=lambda c: (self.size_of(c), c)):
            fact = self.facts.registers[cell]
            if fact is not None and fact.known is None:
                size = self.size_of(cell)
                self.slots[cell] = offset = aligned(offset, min(size, 64))
                offset += size
        # The generic version, which keeps vectors, uses the same frame.
        return max(offset, abi.SAVED + self.size_of_vectors(cells))

    def size_of_vectors(self, cells: frozenset[int]) -> int:
        return sum(max(64, self.c.cells.widths[cell] * N // 8) for cell in cells)

    def live_after_barrier(self, b: Block) -> frozenset[int]:
        """Registers that are live after the barrier that ends a block, except those that it writes."""
        return b.live_out - (self.c.cells.writes(b.last) if b.last is not None else frozenset[int]())

    def saved(self, b: Block) -> list[tuple[int, int]]:
        """Registers that are live after a barrier, and their places in the frame."""
        live = self.live_after_barrier(b)
        return [(cell, offset) for cell, offset in self.slots.items() if cell in live]

    def size_of(self, cell: int) -> int:
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        is_vector = fact is not None and fact.lanes is None
        if w == 1:
            return 4 if is_vector else 1
        return max(w, 8) // 8 * (N if is_vector else 1)

    def barrier_state(self, b: Block) -> FrameState:
        """The frame's contents for a warp that waits at the barrier which ends a block."""
        found: list[SavedRegister] = []
        for cell in sorted(self.live_after_barrier(b)):
            fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
            if fact is not None:
                found.append(SavedRegister(cell, w, self.slots.get(cell, 0), fact.known, fact.lanes, fact.raw))
        return FrameState((), tuple(found))

    # Everything as vectors

    def waiting_at(self, b: Block) -> tuple[int, ...]:
        """Positions where other lanes may wait while a block runs, in the order of their masks."""
        return tuple(self.c.graph.blocks[i].start for i in self.masks or sorted(self.facts.waiting[b.index]))

    def exits_of(self, b: Block) -> Iterator[tuple[int, SideExit]]:
        """The side exits that a block may take, by position."""
        leaving = self.facts.may_leave.intersection(range(b.start, b.stop))
        if not leaving:
            return
        kept = kept_for(self.c, self.facts, b)
        live = live_before(self.c.graph, b, kept, leaving)
        written: set[int] = set()
        for pc in range(b.start, b.stop):
            if pc in leaving:
                cells = tuple(sorted(live[pc] | kept))
                lanes = tuple(None if cell in written else self.offsets_of(cell) for cell in cells)
                yield pc, SideExit(cells, self.waiting_at(b), lanes)
            written |= self.c.cells.writes(self.c.function.code[pc])

    def offsets_of(self, cell: int) -> Lanes | None:
        """The offsets of a register's lanes between blocks, if its base is kept."""
        fact = self.facts.registers[cell]
        return fact.lanes if fact is not None and fact.known is None and not fact.raw else None

    def block_state(self, b: Block) -> FrameState:
        """The frame's contents at the beginning of the block."""
        cells, waiting = tuple(sorted(b.live_in | kept_for(self.c, self.facts, b))), self.waiting_at(b)
        return FrameState(waiting, tuple(self.places(waiting, cells)))

    def places(self, waiting: tuple[int, ...], cells: tuple[int, ...]) -> Iterator[SavedRegister]:
        """Where registers are saved, after the masks of the current and of the waiting lanes."""
        offset = aligned(abi.SAVED + 4 * (1 + len(waiting)))
        for cell in cells:
            w = self.c.cells.widths[cell]
            yield SavedRegister(cell, w, offset)
            offset = aligned(offset + max(64, w * N // 8))

    def make_room(self) -> None:
        """Makes room for what side exits and barriers save; if the generic version may deoptimise too, for everything
        that it might save."""
        saved = [(exit.waiting, exit.cells) for exit in (*self.exits.values(), *self.c.entered_from.values())]
        saved += [(s.waiting, tuple(r.cell for r in s.cells)) for at, s in self.states.items() if at < 0]
        for waiting, cells in saved:
            self.size = max(
                self.size, aligned(abi.SAVED + 4 * (1 + len(waiting))) + self.size_of_vectors(frozenset(cells))
            )
        if self.deoptimizes and self.exits:
            masks = aligned(4 * (len(self.c.function.code) + 2))
            every = self.size_of_vectors(frozenset(range(len(self.c.cells.widths))))
            self.size = max(self.size, abi.SAVED + masks + every)


def mask_array(c: FunctionContext, facts: Facts) -> tuple[int, ...]:
    """The order of masks as an array: blocks that begin by waiting for other lanes come last."""
    if sum(map(len, facts.waiting)) <= PLACES:
        return ()
    return tuple(sorted(facts.masked, key=lambda i: (c.graph.blocks[i].syncs_warp, i)))


def kept_for(c: FunctionContext, facts: Facts, b: Block) -> frozenset[int]:
    """Registers that lanes waiting elsewhere while a block runs will read."""
    return frozenset[int]().union(*(c.graph.blocks[i].live_in for i in facts.waiting[b.index]))


def may_wait_for_parked(c: FunctionContext, facts: Facts, b: Block) -> bool:
    """Whether lanes may wait at one block on lanes that wait at another."""
    return b.syncs_warp and any(c.graph.blocks[i].syncs_warp for i in facts.waiting[b.index])


def is_guarded(c: FunctionContext, b: Block) -> bool:
    """Whether a block begins with an operation at which lanes wait for each other, under a guard."""
    op = c.function.code[b.start]
    return op.guard is not None and converges(op)


def may_be_divided(c: FunctionContext, facts: Facts, b: Block) -> bool:
    """Whether some lanes may skip the operation that begins a block while others wait for them there."""
    guard = c.function.code[b.start].guard
    if guard is None or not is_guarded(c, b):
        return False
    fact = facts.registers[c.cells.of(guard)[0]]
    return fact is not None and not isinstance(fact.known, int) and fact.lanes is not ZEROS


def may_wait_twice(c: FunctionContext) -> bool:
    """Whether lanes may wait at different places in the generic version, where more branches may diverge."""
    blocks = c.graph.blocks
    waiting, _ = find_waiting(blocks, [b.index for b in blocks if len(b.successors) > 1])
    return any(b.syncs_warp and any(blocks[c].syncs_warp for c in waiting[b.index]) for b in blocks)
