"""A warp's frame in memory: where it keeps registers while the warp waits at a barrier, and how large it is."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.barrier_spills import BarrierSpills
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import N


def aligned(offset: int, to: int = 64) -> int:
    return -(-offset // to) * to


class WarpFrame:
    """How a warp's frame is laid out: what barriers save, and how much room all saved states need."""

    def __init__(self, c: FunctionContext, facts: Facts) -> None:
        self.c, self.facts = c, facts
        entered = {c.graph.at[pc] for pc in c.entered_from}
        self.spills = BarrierSpills(c.graph, facts.waiting, c.suspending, entered)
        self.slots: dict[int, int] = {}
        """Where it keeps registers that live after barriers."""
        cells = frozenset[int]().union(*(self.live_after_barrier(c.graph.blocks[b]) for b in c.suspending))
        offset = abi.SAVED
        for cell in sorted(cells, key=lambda c: (self.size_of(c), c)):
            fact = facts.registers[cell]
            if fact is not None and fact.known is None:
                size = self.size_of(cell)
                self.slots[cell] = offset = aligned(offset, min(size, 64))
                offset += size
        widest = abi.SAVED + self.size_of_vectors(cells)
        self.size = max(abi.SAVED, offset, widest)  # the generic version, which keeps vectors, shares it

    def size_of_vectors(self, cells: frozenset[int]) -> int:
        return sum(max(64, self.c.cells.widths[cell] * N // 8) for cell in cells)

    def live_after_barrier(self, b: Block) -> frozenset[int]:
        """Registers that live after the barrier that ends a block, but for those that it writes."""
        return b.live_out - (self.c.cells.writes(b.last) if b.last is not None else frozenset[int]())

    def saved(self, b: Block) -> list[tuple[int, int]]:
        """Registers that live after a barrier, and where the frame keeps them."""
        live = self.live_after_barrier(b)
        return [(cell, offset) for cell, offset in self.slots.items() if cell in live]

    def size_of(self, cell: int) -> int:
        fact, w = self.facts.registers[cell], self.c.cells.widths[cell]
        is_vector = fact is not None and fact.lanes is None
        if w == 1:
            return 4 if is_vector else 1
        return max(w, 8) // 8 * (N if is_vector else 1)

    def make_room_for_all(self) -> None:
        """For all registers as vectors, and the masks of lanes that wait at any block."""
        masks = aligned(4 * (len(self.c.function.code) + 2))
        every = self.size_of_vectors(frozenset(range(len(self.c.cells.widths))))
        self.size = max(self.size, abi.SAVED + masks + every)
