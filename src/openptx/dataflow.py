"""Data-flow analysis (Kildall, 1973): the solver, sets of registers as bits, and liveness.

A register is live where some path reads it before it writes it: a backward analysis, whose facts are united where paths
meet. Its transfer function is `live_before` for an instruction, `Effect` for a block.
"""

from __future__ import annotations

from itertools import compress, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    Facts = TypeVar("Facts")

FEW = 16
"""If fewer than one bit in so many is set, `numbers_of` removes bits one by one: most sets have few members, while
numbers go into the thousands."""


_DIGITS = bytes.maketrans(b"01", b"\0\1")


def bits_of(numbers: Iterable[int]) -> int:
    """A set of small numbers as the bits of one number: with many pairs of waiting blocks, frozensets took minutes."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def numbers_of(bits: int) -> list[int]:
    """The numbers in the set, in order."""
    if bits.bit_count() * FEW >= bits.bit_length():
        return list(compress(count(), f"{bits:b}"[::-1].encode().translate(_DIGITS)))
    found: list[int] = []
    while bits:
        found.append(bits.bit_length() - 1)
        bits ^= 1 << found[-1]
    return found[::-1]


def set_of(bits: int) -> frozenset[int]:
    return frozenset(numbers_of(bits))


def solve(
    facts: dict[int, Facts], transfer: Callable[[int, Facts], Iterable[tuple[int, Facts]]], join: Callable[[Facts,
    Facts], Facts],
) -> dict[int, Facts]:  # fmt: skip
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


def live_before(live: int, reads: Iterable[int], writes: Iterable[int]) -> int:
    """The live registers before an instruction, from those after it, those that it reads, and those that it definitely
    writes."""
    for register in writes:
        live &= ~(1 << register)
    for register in reads:
        live |= 1 << register
    return live


class Effect:
    """What a block does: the registers that it reads before it writes them, and those that it definitely writes."""

    __slots__ = ("defined", "used")

    def __init__(self, used: int, defined: int) -> None:
        self.used, self.defined = used, defined

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
    block leaves the function.

    In passes from the last block to the first, few of which suffice where blocks come in the order of the text: by
    `solve`, which takes what has changed last, registers go round a loop in many small groups.
    """
    predecessors: list[list[int]] = [[] for _ in effects]
    for block, after in enumerate(successors):
        for successor in after:
            predecessors[successor].append(block)
    live, due = [*at_end], bytearray(b"\1" * len(effects))
    while any(due):
        for block in reversed(range(len(effects))):
            if due[block]:
                due[block] = 0
                before = effects[block].before(live[block])
                for each in predecessors[block]:
                    more = live[each] | before
                    if more != live[each]:
                        live[each], due[each] = more, 1
    return live
