"""Spin loops: those that may wait for other threads, and so need a scheduler that lets those run.

A loop may wait if its branches depend on an atomic or a strong load inside it. An atomic whose result becomes its own
operand, as in a compare-and-swap loop, does not count: some lane succeeds each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING

from openptx.control_flow import control
from openptx.engines.native.analysis.cfg import Graph
from openptx.engines.native.analysis.loops import cycles
from openptx.isa.memory_consistency import strong

if TYPE_CHECKING:
    from openptx.engines.native.analysis.context import FunctionContext


def waiting_loops(graph: Graph, touches: Mapping[int, str]) -> Iterator[tuple[int, frozenset[int]]]:
    """The position of an operation that a loop may be waiting for, and the loop.

    `touches`: "atomic" or "load", by position.
    """
    for cycle in cycles(graph.blocks):
        pcs = [pc for b in sorted(cycle) for pc in range(graph.blocks[b].start, graph.blocks[b].stop)]
        suspects = [
            pc for pc in pcs if touches.get(pc) == "atomic" or (touches.get(pc) and strong(graph.function.code[pc].m))
        ]
        if not suspects:
            continue
        decides = slice_back(graph, pcs, {c for pc in pcs for c in guard_cells(graph, pc)})
        for pc in suspects:
            op = graph.function.code[pc]
            results = graph.cells.writes(op)
            if not results & decides:
                continue
            own = slice_back(graph, pcs, graph.cells.reads(op))
            if touches[pc] == "atomic" and results & own:
                continue
            yield pc, cycle
            break


def guard_cells(graph: Graph, pc: int) -> tuple[int, ...]:
    op = graph.function.code[pc]
    found = graph.cells.of(op.guard) if op.guard is not None else ()
    if control(op) == "branch-table":
        found += tuple(graph.cells.reads(op))
    return found


def slice_back(graph: Graph, pcs: list[int], cells: Set[int]) -> set[int]:
    """All cells that `cells` are made of by the operations at `pcs`."""
    found, changed = set(cells), True
    while changed:
        changed = False
        for pc in pcs:
            op = graph.function.code[pc]
            if graph.cells.writes(op) & found:
                more = graph.cells.reads(op) - found
                if more:
                    found |= more
                    changed = True
    return found


def loops_with_calls(c: FunctionContext) -> list[frozenset[int]]:
    blocks, code = c.graph.blocks, c.function.code

    def has_call(loop: frozenset[int]) -> bool:
        return any(control(op) == "call" for i in loop for op in code[blocks[i].start : blocks[i].stop])

    return [loop for loop in cycles(blocks) if has_call(loop)]
