"""Liveness of a function's registers: the register pressure at each instruction, in 32-bit registers, and unread
results.

This counts virtual registers of PTX. The assembler moves instructions, rematerialises values, and needs registers of
its own, so a kernel's allocated registers differ.
"""

from __future__ import annotations

from functools import lru_cache

from openptx.dataflow import bits_of
from openptx.engines.native.analysis.cfg import Cells, Graph
from openptx.engines.native.analysis.liveness import backwards, find_liveness
from openptx.program import Function, Op


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
        any_width, wide = (  # predicates have a file of their own
            bits_of(cell for cell, width in enumerate(cells.widths) if width > least) for least in (1, 32)
        )
        for block in graph.blocks:
            for op, live in backwards(graph, block):
                written = cells.writes(op)
                self.unread[op] = frozenset(cell for cell in written if not live >> cell & 1)
                held = live | bits_of(written)
                self.pressure[op] = (held & any_width).bit_count() + (held & wide).bit_count()
        self.most = max(self.pressure.values())
