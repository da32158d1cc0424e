"""A warp's frame in memory: where it keeps registers while the warp waits at a barrier, and how large it is."""

from __future__ import annotations

from openptx.engines.native import abi
from openptx.engines.native.analysis.barrier_spills import BarrierSpills
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.engines.native.analysis.lattice import N


class WarpFrame:
    """How a warp's frame is laid out: what barriers save, and how much room all saved states need."""

    def __init__(self, c: FunctionContext, facts: Facts) -> None:
        self.c, self.facts = c, facts
        entered = {c.graph.at[pc] for pc in c.entered_from}
        self.spills = BarrierSpills(c.graph, facts.waiting, c.suspending, entered)
        self.size = abi.SAVED
        self.slots: dict[int, int] = {}
        """Where it keeps registers that live after barriers."""
        self.place_registers()

    def place_registers(self) -> None:
        """Where the frame keeps registers that live behind barriers; makes it large enough for all as vectors."""
        cells: set[int] = set()
        for index in self.c.suspending:
            cells |= self.live_after_barrier(self.c.graph.blocks[index])
        offset = abi.SAVED
        for cell in sorted(cells, key=lambda c: (self.size_of(c), c)):
            fact = self.facts.registers[cell]
            if fact is not None and fact.known is None:
                size = self.size_of(cell)
                offset = -(-offset // min(size, 64)) * min(size, 64)
                self.slots[cell] = offset
                offset += size
        widest = abi.SAVED + sum(max(64, self.c.cells.widths[cell] * N // 8) for cell in cells)
        self.size = max(self.size, offset, widest)  # the version that knows nothing of lanes shares it

    def live_after_barrier(self, b: Block) -> frozenset[int]:
        """Registers that live behind the barrier that ends a block, but for those that it writes."""
        return b.live_out - (self.c.cells.writes(b.last) if b.last is not None else frozenset[int]())

    def saved(self, b: Block) -> list[tuple[int, int]]:
        """Registers that live behind a barrier, and where the frame keeps them."""
        behind = self.live_after_barrier(b)
        return [(cell, offset) for cell, offset in self.slots.items() if cell in behind]

    def size_of(self, cell: int) -> int:
        fact, w = self.facts.registers[cell], max(self.c.cells.widths[cell], 8) // 8
        if self.c.cells.widths[cell] == 1:
            return 4 if fact is not None and fact.lanes is None else 1
        return w * N if fact is not None and fact.lanes is None else w

    def most_saved(self) -> int:
        """Bytes of a frame that keeps all registers as vectors, and who waits at every block."""
        masks = 4 * (len(self.c.function.code) + 2)
        return abi.SAVED + -(-masks // 64) * 64 + sum(max(64, w * N // 8) for w in self.c.cells.widths)
