"""Liveness: the registers that are read later, at each block's ends and after each of its operations."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from openptx.engines.native.analysis.cfg import END, Block, Graph
from openptx.program import Op


def find_liveness(graph: Graph, at_end: frozenset[int] = frozenset()) -> None:
    """Fills in the live registers of each block; registers of `at_end` are live where the function ends."""
    code, cells = graph.function.code, graph.cells
    for b in graph.blocks:
        used: set[int] = set()
        defined: set[int] = set()
        for op in code[b.start : b.stop]:
            used |= cells.reads(op) - defined
            if op.guard is None:
                defined |= cells.writes(op)
        b.used, b.defined = frozenset(used), frozenset(defined)
        b.live_in = b.used
    changed = True
    while changed:
        changed = False
        for b in reversed(graph.blocks):
            out = frozenset[int]().union(*(graph.blocks[s].live_in for s in b.successors if s != END))
            if END in b.successors:
                out |= at_end
            live = b.used | (out - b.defined)
            if live != b.live_in or out != b.live_out:
                b.live_in, b.live_out, changed = live, out, True


def live_results(graph: Graph, b: Block, kept: frozenset[int]) -> list[frozenset[int]]:
    """For each operation of the block, the registers it writes that are read later; `kept`: read by waiting lanes."""
    known = graph.live_results.get((b.index, kept))
    if known is None:
        cells = graph.cells
        known = [cells.writes(op) & live for op, live in backwards(graph, b, kept)][::-1]
        graph.live_results[b.index, kept] = known
    return known


def live_before(graph: Graph, b: Block, kept: frozenset[int], at: Collection[int]) -> dict[int, frozenset[int]]:
    """The live registers before the operations of the block whose positions are in `at`."""
    cells = graph.cells
    found: dict[int, frozenset[int]] = {}
    for i, (op, live) in enumerate(backwards(graph, b, kept), 1):
        if b.stop - i in at:
            found[b.stop - i] = cells.reads(op) | (live if op.guard is not None else live - cells.writes(op))
    return found


def backwards(graph: Graph, b: Block, kept: frozenset[int]) -> Iterator[tuple[Op, set[int]]]:
    """The block's operations from the last to the first, and the registers that are live after each.

    It is the same set each time, changed from step to step: a thousand live registers as a set for each of ten thousand
    operations would be a gigabyte.
    """
    live = set(b.live_out | kept)
    for op in reversed(graph.function.code[b.start : b.stop]):
        yield op, live
        if op.guard is None:
            live -= graph.cells.writes(op)
        live |= graph.cells.reads(op)
