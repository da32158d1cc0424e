"""Liveness of a function's registers: the register pressure at each instruction, in 32-bit registers, and unread
results.

This counts virtual registers of PTX. The assembler moves instructions, rematerialises values, and needs registers of
its own, so a kernel's allocated registers differ.
"""

from __future__ import annotations

from functools import lru_cache

from openptx.engines.native.analysis.cells import Cells
from openptx.engines.native.analysis.cfg import Graph
from openptx.engines.native.analysis.liveness import backwards, find_liveness
from openptx.program import Function, Op

NO_THREAD = frozenset[int]()


@lru_cache(maxsize=512)
def live_registers(function: Function) -> LiveRegisters:
    """The live registers of a function; functions are compared by identity."""
    return LiveRegisters(function)


class LiveRegisters:
    """For each instruction, `pressure`: the number of live 32-bit registers; and its `unread` results.

    `most` is the maximum pressure of any instruction.
    """

    def __init__(self, function: Function) -> None:
        cells = Cells(function)
        self.pressure: dict[Op, int] = {}
        self.unread: dict[Op, frozenset[int]] = {}
        self.most = 0
        if not function.code:
            return
        graph = Graph(function, cells)
        find_liveness(graph)
        sizes = [-(-width // 32) if width > 1 else 0 for width in cells.widths]  # predicates have a file of their own
        for block in graph.blocks:
            for op, live in backwards(graph, block, NO_THREAD):
                written = cells.writes(op)
                self.unread[op] = written - live
                self.pressure[op] = sum(sizes[cell] for cell in live | written)
        self.most = max(self.pressure.values())
