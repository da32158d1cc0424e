"""Reconvergence: where lanes of a warp may be waiting while a block runs.

Of diverged lanes those at the lowest block run; the warp has reconverged when no lane waits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from openptx.control_flow import END
from openptx.dataflow import bits_of, numbers_of, set_of
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.unsupported import UnsupportedByJit

PLACES = 4_000_000
"""Places where lanes may wait, over all blocks, for which code is made: a diverging branch by index among 2,800 labels,
whose blocks each wait for all later ones. Such code takes 0.9 GB to make, and the memory grows with the square."""


class Reconvergence(NamedTuple):
    waiting: list[frozenset[int]]
    """For each block, the blocks where lanes may wait while it runs."""
    reached: list[bool]
    ended: frozenset[int]
    """Blocks during which lanes of the warp may have exited."""

    @property
    def masked(self) -> dict[int, None]:
        """In their order, blocks with a mask of their lanes: lanes wait there, or elsewhere while it runs."""
        return dict.fromkeys(sorted(frozenset(i for i, some in enumerate(self.waiting) if some).union(*self.waiting)))


def reconvergence(blocks: list[Block], divergent: Collection[int]) -> Reconvergence:
    """The reconvergence facts if the branches that end the blocks in `divergent` diverge."""
    waiting, reached = find_waiting(blocks, divergent)
    return Reconvergence(waiting, reached, may_have_ended(blocks, divergent, waiting))


def find_waiting(blocks: list[Block], divergent: Collection[int]) -> tuple[list[frozenset[int]], list[bool]]:
    """For each block, where lanes may wait while it runs, and whether lanes may reach it at all.

    Raises UnsupportedByJit above `PLACES`.
    """
    search = Search(blocks, divergent)
    search.run()
    if sum(bits.bit_count() for bits in search.waiting) > PLACES:
        raise UnsupportedByJit("lanes that may wait at too many places")
    sets = {bits: set_of(bits) for bits in {*search.waiting}}
    return [sets[bits] for bits in search.waiting], search.reached


class Search:
    """Follows lanes from block to block until nothing new is found. Sets of blocks are the bits of a number."""

    def __init__(self, blocks: list[Block], divergent: Collection[int]) -> None:
        self.blocks, self.divergent = blocks, divergent
        self.waiting = [0] * len(blocks)
        self.reached = [False] * len(blocks)
        self.work: dict[int, None] = {}
        self.syncs = bits_of(b.index for b in blocks if b.syncs_warp)
        self.onward: list[tuple[int, int, int] | None] = [None] * len(blocks)
        """For each block, where `reach` has gone on from it."""

    def run(self) -> None:
        if self.blocks:
            self.reached[0], self.work[0] = True, None
        while self.work:
            changed = dict[int, None]()
            while self.work:
                first = self.work.popitem()[0]
                changed[first] = None
                self.leave(self.blocks[first])
            self.park(self.blocks[i] for i in changed if self.blocks[i].syncs_warp and self.waiting[i])

    def leave(self, b: Block) -> None:
        """Lets lanes continue to the block's successors."""
        waiting_here = 0 if b.is_cta_barrier else self.waiting[b.index]
        goals = {s for s in b.successors if s != END}
        if b.index in self.divergent or len(goals) <= 1:
            if goals or waiting_here:
                self.reach(waiting_here | bits_of(goals), END if END in b.successors else max(goals, default=END))
        else:
            for s in goals:
                self.reach(waiting_here | 1 << s, s)
        if END in b.successors and b.index not in self.divergent and waiting_here:
            self.reach(waiting_here)

    def park(self, blocks: Iterable[Block]) -> None:
        """Lanes wait at the blocks' first instructions for others."""
        together = list[int]()
        for b in blocks:
            parked = self.waiting[b.index]
            if parked & self.syncs:  # runnable lanes go first, see `Deoptimizer`
                together.append(parked | 1 << b.index)
            else:
                self.reach(parked, END, 1 << b.index)
        for members in joined(together, self.syncs):
            for c in numbers_of(members):
                self.reach(1 << c, c, members)

    def reach(self, candidates: int, last: int = END, also: int = 0) -> None:
        """The next block is one of `candidates`: the lowest that has lanes; `last` if none before it has."""
        while candidates:
            lowest = candidates & -candidates
            candidates ^= lowest
            c = lowest.bit_length() - 1
            others = self.waiting[c] | candidates | (also & ~lowest)
            if not self.reached[c] or others != self.waiting[c]:
                self.reached[c], self.waiting[c] = True, others
                self.work[c] = None
            onward = candidates, last, also
            if c == last or self.onward[c] == onward:  # from here on it has been here, and sets only grow
                return
            self.onward[c] = onward


def joined(sets: Iterable[int], shared: int) -> list[int]:
    """The unions of the sets that have members of `shared` in common, directly or through others."""
    groups = list[int]()
    for members in sets:
        apart = [group for group in groups if not group & members & shared]
        for group in groups:
            if group & members & shared:
                members |= group
        groups = [*apart, members]
    return groups


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
