"""Barrier spills: which registers a warp saves to its frame at a barrier, and which it reloads after it.

A register has the same place in the frame at all barriers. It is saved only if it may have changed since the last
barrier, and reloaded only if something before the next barrier reads it.
"""

from __future__ import annotations

from collections.abc import Collection

from openptx.control_flow import END
from openptx.dataflow import Effect, bits_of, live_after
from openptx.engines.native.analysis.cfg import Graph


class BarrierSpills:
    """For each block, the registers (cells) that may have changed since the last barrier, and those that will be read,
    as bits: of 53,000 registers and 12,000 blocks, frozensets took 19 GB.

    Lanes waiting at other blocks may run whenever a block ends, or begins with an operation that waits for them.
    """

    __slots__ = ("changed", "wanted")

    def __init__(
        self, graph: Graph, pending: list[frozenset[int]], suspends: Collection[int], entered: Collection[int]
    ) -> None:
        """`suspends` are the blocks that end with a barrier; registers at `entered` blocks come from elsewhere."""
        if not suspends:  # nothing is kept in frames
            self.changed = self.wanted = [0] * len(graph.blocks)
            return
        written = [bits_of(graph.writes(b.index)) for b in graph.blocks]
        ahead = [{*b.successors, *pending[b.index]} - {END} for b in graph.blocks]
        self.changed = changes(graph, pending, ahead, suspends, entered, written)
        self.wanted = wants(graph, pending, ahead, suspends, self.changed, written)

    def has_changed(self, cell: int, block: int) -> bool:
        """Whether a register may have, at the block's beginning."""
        return bool(self.changed[block] >> cell & 1)


def changes(
    graph: Graph, pending: list[frozenset[int]], ahead: list[set[int]], suspends: Collection[int],
    entered: Collection[int], written: list[int],
) -> list[int]:  # fmt: skip
    """At each block's beginning, the registers that may have changed since the last barrier."""
    every = (1 << len(graph.cells.widths)) - 1
    found = [every if b.index == 0 or b.index in entered else 0 for b in graph.blocks]
    due = bytearray(b"\1" * len(found))
    while any(due):  # in passes, see `live_after`
        for b in graph.blocks:
            if not due[b.index]:
                continue
            due[b.index] = 0
            before = found[b.index] | written[b.index]
            fresh = b.index in suspends and b.last is not None
            after = bits_of(graph.cells.writes(b.last)) if fresh and b.last is not None else before
            for s in ahead[b.index]:
                more = found[s] | (after if s not in pending[b.index] else before | after)
                if more != found[s]:
                    found[s], due[s] = more, 1
    return found


def wants(
    graph: Graph, pending: list[frozenset[int]], ahead: list[set[int]], suspends: Collection[int], changed: list[int],
    written: list[int],
) -> list[int]:  # fmt: skip
    """At each block's beginning, the registers that are read or saved before the next barrier: liveness up to there."""
    code, cells = graph.function.code, graph.cells
    effects: list[Effect] = []
    for b in graph.blocks:
        used, killed = b.effect.used, b.effect.defined
        for pc in range(b.start, b.stop):
            if code[pc].guard is not None:  # inactive lanes keep the old value
                used |= bits_of(cells.writes(code[pc]))
        if pending[b.index]:  # so do waiting lanes
            used, killed = used | written[b.index], 0
        if b.index in suspends:
            used |= bits_of(b.live_out) & (changed[b.index] | written[b.index])
        effects.append(Effect(used, killed))
    beyond = [pending[b.index] if b.index in suspends else ahead[b.index] for b in graph.blocks]
    after = live_after(effects, beyond, [0] * len(effects))
    return [effect.before(later) for effect, later in zip(effects, after, strict=True)]
