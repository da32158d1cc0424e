"""Barrier spills: which registers a warp saves to its frame at a barrier, and which it reloads after it.

A register has the same place in the frame at all barriers. It is saved only if it may have changed since the last
barrier, and reloaded only if something before the next barrier reads it.
"""

from __future__ import annotations

from collections.abc import Collection

from openptx.control_flow import END
from openptx.dataflow import Effect, bits_of, live_after, set_of
from openptx.engines.native.analysis.cfg import Graph

Sets = list[frozenset[int]]


class BarrierSpills:
    """For each block, the registers (cells) that may have changed since the last barrier, and those that will be read.

    Lanes waiting at other blocks may run whenever a block ends, or begins with an operation that waits for them.
    """

    __slots__ = ("changed", "wanted")

    def __init__(self, graph: Graph, pending: Sets, suspends: Collection[int], entered: Collection[int]) -> None:
        """`suspends` are the blocks that end with a barrier; registers at `entered` blocks come from elsewhere."""
        if not suspends:  # nothing is kept in frames
            self.changed = self.wanted = [frozenset[int]()] * len(graph.blocks)
            return
        written = [graph.writes(b.index) for b in graph.blocks]
        self.changed = changes(graph, pending, suspends, entered, written)
        self.wanted = wants(graph, pending, suspends, self.changed, written)


def changes(graph: Graph, pending: Sets, suspends: Collection[int], entered: Collection[int], written: Sets) -> Sets:
    """At each block's beginning, the registers that may have changed since the last barrier."""
    every = (1 << len(graph.cells.widths)) - 1
    found = [every if b.index == 0 or b.index in entered else 0 for b in graph.blocks]
    own = [bits_of(each) for each in written]
    ahead = [{*b.successors, *pending[b.index]} - {END} for b in graph.blocks]
    work = dict.fromkeys(reversed(range(len(graph.blocks))))
    while work:
        b = graph.blocks[work.popitem()[0]]
        before = found[b.index] | own[b.index]
        fresh = b.index in suspends and b.last is not None
        after = bits_of(graph.cells.writes(b.last)) if fresh and b.last is not None else before
        for s in ahead[b.index]:
            more = found[s] | (after if s not in pending[b.index] else before | after)
            if more != found[s]:
                found[s] = more
                work[s] = None
    sets = {bits: set_of(bits) for bits in {*found}}
    return [sets[bits] for bits in found]


def wants(graph: Graph, pending: Sets, suspends: Collection[int], changed: Sets, written: Sets) -> Sets:
    """At each block's beginning, the registers that are read or saved before the next barrier: liveness up to there."""
    code, cells = graph.function.code, graph.cells
    effects: list[Effect] = []
    ahead: list[frozenset[int] | set[int]] = []
    for b in graph.blocks:
        used, killed = b.effect.used, b.effect.defined
        for pc in range(b.start, b.stop):
            if code[pc].guard is not None:  # inactive lanes keep the old value
                used |= bits_of(cells.writes(code[pc]))
        if pending[b.index]:  # so do waiting lanes
            used, killed = used | bits_of(written[b.index]), 0
        if b.index in suspends:
            used |= bits_of(b.live_out & (changed[b.index] | written[b.index]))
        effects.append(Effect(used, killed))
        ahead.append(pending[b.index] if b.index in suspends else {*b.successors, *pending[b.index]} - {END})
    after = live_after(effects, ahead, [0] * len(effects))
    return [set_of(effect.before(later)) for effect, later in zip(effects, after, strict=True)]
