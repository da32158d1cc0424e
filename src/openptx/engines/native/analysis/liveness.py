"""Liveness: the registers that are read later, at each block's ends and after each of its operations."""

from __future__ import annotations

from openptx.engines.native.analysis.cfg import END, Block, Graph


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


def live_after(graph: Graph, b: Block, kept: frozenset[int]) -> list[frozenset[int]]:
    """The live registers after each operation of the block; those in `kept` are always live."""
    known = graph.live_sets.get((b.index, kept))
    if known is not None:
        return known
    live = b.live_out | kept
    found: list[frozenset[int]] = []
    for op in reversed(graph.function.code[b.start : b.stop]):
        found.append(live)
        if op.guard is None:
            live -= graph.cells.writes(op)
        live |= graph.cells.reads(op)
    graph.live_sets[b.index, kept] = found = found[::-1]
    return found
