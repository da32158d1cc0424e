"""Reconvergence: where lanes of a warp may be waiting while a block runs.

Lanes that stand at different blocks run lowest block first; where no lane waits, the warp is together. That is all
there is to reconvergence.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from openptx.engines.native.analysis.cells import bits_of, set_of
from openptx.engines.native.analysis.cfg import END, Block


class Reconvergence(NamedTuple):
    waiting: list[frozenset[int]]
    """For each block, the blocks where lanes may wait while it runs."""
    reached: list[bool]
    ended: frozenset[int]
    """Blocks during which lanes of the warp may have ended."""

    @property
    def masked(self) -> list[int]:
        """Blocks that have a mask of their lanes: lanes wait there, or elsewhere meanwhile."""
        return sorted({b for i, some in enumerate(self.waiting) for b in (*some, i) if some})


def reconvergence(blocks: list[Block], divergent: Collection[int]) -> Reconvergence:
    """If the branches that end blocks in `divergent` part lanes."""
    waiting, reached = find_waiting(blocks, divergent)
    return Reconvergence(waiting, reached, may_have_ended(blocks, divergent, waiting))


def find_waiting(blocks: list[Block], divergent: Collection[int]) -> tuple[list[frozenset[int]], list[bool]]:
    """For each block where lanes may wait meanwhile, and whether lanes may come there at all."""
    found = [0] * len(blocks)  # sets of blocks, as the bits of a number: see `bits_of`
    seen = [False] * len(blocks)
    work = [0] if blocks else []
    seen[0:1] = [True]

    def reach(candidates: int, last: int = END, also: int = 0) -> None:
        """One of `candidates` is next: the lowest that has lanes, `last` if none before it has."""
        while candidates:
            lowest = candidates & -candidates
            candidates ^= lowest
            c = lowest.bit_length() - 1
            others = found[c] | candidates | (also & ~lowest)
            if not seen[c] or others != found[c]:
                seen[c], found[c] = True, others
                if c not in work:
                    work.append(c)
            if c == last:
                return

    def leave(b: Block) -> None:
        """Lanes go to the block's successors."""
        here = 0 if b.is_cta_barrier else found[b.index]
        goals = {s for s in b.successors if s != END}
        if b.index in divergent or len(goals) <= 1:
            if goals or here:
                reach(here | bits_of(goals), END if END in b.successors else max(goals, default=END))
        else:
            for s in goals:
                reach(here | 1 << s, s)
        if END in b.successors and b.index not in divergent and here:
            reach(here)

    def park(b: Block, parked: int) -> None:
        """Lanes wait at the block's first instruction for others."""
        if any(blocks[c].syncs_warp for c in set_of(parked)):  # those that can run go first, see `Deoptimizer`
            for c in set_of(parked):
                reach(1 << c, c, parked | 1 << b.index)
        else:
            reach(parked, END, 1 << b.index)

    while work:
        b = blocks[work.pop()]
        leave(b)
        if b.syncs_warp and found[b.index]:
            park(b, found[b.index])
    sets = {bits: set_of(bits) for bits in {*found}}
    return [sets[bits] for bits in found], seen


def may_have_ended(blocks: list[Block], divergent: Collection[int], waiting: list[frozenset[int]]) -> frozenset[int]:
    work = list[int]()
    for b in blocks:
        if END in b.successors and (b.index in divergent or waiting[b.index]):
            work += [*b.successors, *waiting[b.index]]
    ended: set[int] = set()
    while work:
        b = work.pop()
        if b != END and b not in ended:
            ended.add(b)
            work += blocks[b].successors
    return frozenset(ended)
