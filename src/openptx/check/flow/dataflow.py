"""Data flow on any control-flow graph: what may have been generated before a node, as bits."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def generated_before(generated: Sequence[int], successors: Callable[[int], Iterable[int]]) -> dict[int, int]:
    """For each node that node 0 reaches, the union of the bits that the nodes on some path before it generate.

    A forward may-analysis: the lattice is sets of bits, its join the union, and a node adds its `generated` bits.
    """
    before = {0: 0}
    ahead = [0]
    while ahead:
        number = ahead.pop()
        state = before[number] | generated[number]
        for successor in successors(number):
            known = before.get(successor)
            if known is None or state & ~known:
                before[successor] = state | (known or 0)
                ahead.append(successor)
    return before
