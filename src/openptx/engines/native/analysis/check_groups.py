"""Check groups: accesses that share one bounds check, and what is known of an address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from openptx.engines.native.analysis.abstract_machine import Access
from openptx.engines.native.analysis.cells import Cells
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.lattice import Lanes
from openptx.program import Address, Function, Reg


class Form(NamedTuple):
    """What is known of an address: its scalar for lane offset 0, the lanes' offsets in bytes, the scalar's low zero
    bits, the most it may be (-1: no matter what), and the pointer it comes from."""

    base: str
    lanes: Lanes
    tz: int
    high: int
    origin: object

    def surely_within(self, limit: int, size: int) -> bool:
        """Whether `size` bytes at every lane's place are aligned and below `limit`, whatever the base is."""
        align = size & -size
        aligned = align <= 1 << min(self.tz, 6) and all(v % align == 0 for v in self.lanes)
        return aligned and 0 <= self.high <= limit - size - max(self.lanes)


class Group:
    """Accesses with one base register in one block: positions with their offsets and sizes."""

    __slots__ = ("align", "first", "members", "region", "write")

    def __init__(self, region: str, members: dict[int, tuple[int, int]], write: bool) -> None:
        self.region, self.members, self.write = region, members, write
        self.align = max(min(size & -size, 64) for _, size in members.values())

    def low(self, site: int) -> int:
        """Where the lowest access begins, seen from the one at `site`."""
        return min(offset for offset, _ in self.members.values()) - self.members[site][0]

    def span(self, top: int) -> int:
        begin = min(offset for offset, _ in self.members.values())
        return max(offset + size for offset, size in self.members.values()) - begin + top

    @staticmethod
    def of(accesses: list[tuple[int, int, Access]]) -> Group | None:
        """Of (position, offset, access); None where there is nothing to gain."""
        regions = {facts.region for _, _, facts in accesses}
        if len(accesses) < 2 or len(regions) > 1 or regions & {"local", "slow"}:
            return None
        first = accesses[0][1]
        if any((offset - first) % min(facts.size & -facts.size, 64) for _, offset, facts in accesses):
            return None
        members = {pc: (offset, facts.size) for pc, offset, facts in accesses}
        return Group(regions.pop(), members, any(facts.write for _, _, facts in accesses))


def groups_of(function: Function, cells: Cells, b: Block, accesses: Mapping[int, Access]) -> dict[int, Group]:
    """The accesses of a block that are checked together, by position: those with one base register that nothing
    between them writes."""
    version: dict[int, int] = {}
    found: dict[tuple[object, ...], list[tuple[int, int, Access]]] = {}
    for pc in range(b.start, b.stop):
        op = function.code[pc]
        places = [o for o in op.operands if isinstance(o, Address)]
        if len(places) == 1 and isinstance(places[0].base, Reg) and op.guard is None and pc in accesses:
            cell = places[0].base.index
            key = (cell, version.get(cell, 0), op.m.space)
            found.setdefault(key, []).append((pc, places[0].offset, accesses[pc]))
        for cell in cells.writes(op):
            version[cell] = version.get(cell, 0) + 1
    groups = (Group.of(some) for some in found.values())
    return {pc: group for group in groups if group is not None for pc in group.members}
