"""Liveness of a function's cells, in its blocks and after each of their operations (`dataflow.py`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from openptx.control_flow import END
from openptx.dataflow import bits_of, effect, live_after, set_of
from openptx.dataflow import live_before as before
from openptx.engines.native.analysis.cfg import Block, Graph
from openptx.program import Op


def find_liveness(graph: Graph, at_end: Collection[int] = ()) -> None:
    """Fills in the live cells of each block; cells of `at_end` are live where the function ends."""
    blocks, code, cells, read_at_end = graph.blocks, graph.function.code, graph.cells, bits_of(at_end)
    for b in blocks:
        b.effect = effect((cells.reads(op), cells.definite_writes(op)) for op in code[b.start : b.stop])
    successors = [[s for s in b.successors if s != END] for b in blocks]
    ends = [read_at_end if END in b.successors else 0 for b in blocks]
    for b, after in zip(blocks, live_after([b.effect for b in blocks], successors, ends), strict=True):
        b.live_in, b.live_out = set_of(b.effect.before(after)), set_of(after)


def live_results(graph: Graph, b: Block, kept: frozenset[int]) -> list[frozenset[int]]:
    """For each operation of the block, the cells it writes that are read later; `kept`: read by waiting lanes."""
    known = graph.live_results.get((b.index, kept))
    if known is None:
        writes = graph.cells.writes
        known = [frozenset([c for c in writes(op) if live >> c & 1]) for op, live in backwards(graph, b, kept)][::-1]
        graph.live_results[b.index, kept] = known
    return known


def live_before(graph: Graph, b: Block, kept: frozenset[int], at: Collection[int]) -> dict[int, frozenset[int]]:
    """The live cells before the operations of the block whose positions are in `at`."""
    cells = graph.cells
    return {
        b.stop - i: set_of(before(live, cells.reads(op), cells.definite_writes(op)))
        for i, (op, live) in enumerate(backwards(graph, b, kept), 1)
        if b.stop - i in at
    }


def backwards(graph: Graph, b: Block, kept: Collection[int] = ()) -> Iterator[tuple[Op, int]]:
    """The block's operations from the last to the first, and the cells that are live after each, as bits."""
    cells, live = graph.cells, bits_of(b.live_out) | bits_of(kept)
    for op in reversed(graph.function.code[b.start : b.stop]):
        yield op, live
        live = before(live, cells.reads(op), cells.definite_writes(op))
