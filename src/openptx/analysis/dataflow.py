"""Data-flow analysis: facts at the nodes of a graph, as the least fixpoint of a transfer function (Kildall, 1973)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    Facts = TypeVar("Facts")


def solve(
    facts: dict[int, Facts],
    transfer: Callable[[int, Facts], Iterable[tuple[int, Facts]]],
    join: Callable[[Facts, Facts], Facts],
) -> dict[int, Facts]:
    """The facts before each node that a path reaches.

    `facts`: of the entries, which is added to. `transfer` gives, for a node and the facts before it, its successors,
    each with the facts on the edge to it; for a backward analysis these are the predecessors. `join` combines the facts
    of edges that meet: `or` of sets as bits, where a fact holds on some path, `and` where it holds on all.
    """
    work = dict.fromkeys(facts)
    while work:
        node, _ = work.popitem()
        for successor, new in transfer(node, facts[node]):
            if successor in facts:
                old = facts[successor]
                new = join(old, new)
                if new == old:
                    continue
            facts[successor] = new
            work[successor] = None
    return facts
