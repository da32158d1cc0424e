"""Liveness: a register is live where some path reads it before it writes it.

A backward analysis. Its facts are sets of registers, as bits; where paths meet they are united; the transfer
function is `live_before` for an instruction, `Effect` for a block.
"""

from __future__ import annotations

from typing import NamedTuple

from openptx.analysis.dataflow import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def live_before(live: int, reads: Iterable[int], writes: Iterable[int]) -> int:
    """The live registers before an instruction, from those after it, those that it reads, and those that it definitely
    writes."""
    for register in writes:
        live &= ~(1 << register)
    for register in reads:
        live |= 1 << register
    return live


class Effect(NamedTuple):
    """What a block does: the registers that it reads before it writes them, and those that it definitely writes."""

    used: int
    defined: int

    def before(self, live: int) -> int:
        """The live registers before the block, from those after it."""
        return self.used | live & ~self.defined


def effect(code: Iterable[tuple[Iterable[int], Iterable[int]]]) -> Effect:
    """The effect of instructions in a row: of each, the registers that it reads and those that it definitely writes."""
    used = defined = 0
    for reads, writes in code:
        for register in reads:
            used |= 1 << register & ~defined
        for register in writes:
            defined |= 1 << register
    return Effect(used, defined)


def live_after(effects: Sequence[Effect], successors: Sequence[Iterable[int]], at_end: Sequence[int]) -> list[int]:
    """The live registers after each block, from the effects of the blocks; `at_end`: those that are read where the
    block leaves the function."""
    predecessors: list[list[int]] = [[] for _ in effects]
    for block, after in enumerate(successors):
        for successor in after:
            predecessors[successor].append(block)

    def transfer(block: int, live: int) -> Iterator[tuple[int, int]]:
        before = effects[block].before(live)
        return ((each, before) for each in predecessors[block])

    found = solve(dict(enumerate(at_end)), transfer, int.__or__)
    return list(found.values())
