"""Accesses: where addresses of a state space lead in compiled code, and which accesses share a bounds check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from openptx.engines.native.analysis.cfg import Block, Cells
from openptx.engines.native.analysis.lattice import Lanes
from openptx.engines.native.analysis.unsupported import InterpretInstruction
from openptx.isa.address_windows import LOCAL, SHARED, SHIFT, SLOTS, window
from openptx.isa.machine import Machine
from openptx.numerics import Bits
from openptx.program import Address, Function, Reg

TABLE = frozenset(("generic", "global", "const", "param"))
"""Spaces whose accesses are checked by the table of slots."""

OF_CTA = frozenset(("shared", "shared::cta", "shared::cluster", "local", "frame"))
"""Spaces that no other CTA can access: kernels with clusters are not compiled."""

UNIFORM = TABLE | {"shared"}
"""Regions in which equal addresses mean the same place for all lanes, unless generic addresses may lead to local
memory."""


def locate(x: Machine, space: str, address: Bits, address_size: int, stepping: bool) -> tuple[str, Bits]:
    """How accesses of a space are checked (by the table of slots, as "shared" or "local", or "slow": lane by lane), and
    the address to check.

    `stepping`: lanes stand for the steps of one lane (`repeat`). Raises InterpretInstruction if these touch memory that
    may be private to a lane.
    """
    if stepping and space in ("generic", "local", "frame"):
        raise InterpretInstruction("steps in memory that may be private to a lane")
    if space in ("shared", "shared::cta"):
        return "shared", address
    if space in ("local", "frame"):
        return "local", address
    if space == "shared::cluster":
        return "slow", address
    if space == "generic" and isinstance(address.v, int):
        shift = SHIFT[address_size]
        region = {SHARED: "shared", LOCAL: "local"}.get(address.v >> shift)
        if region is not None:
            return region, x.const(address.v & (1 << shift) - 1, 64)
    return space, address + window(space, address_size) if space in SLOTS else address


def is_private(space: str, has_local: bool) -> bool:
    """Whether one address may mean different places in different lanes."""
    return space in ("local", "frame") or (space == "generic" and has_local)


class Access(NamedTuple):
    """An access whose lanes are a base and offsets: its region, bytes per lane, whether it writes."""

    region: str
    size: int
    write: bool


class Form(NamedTuple):
    """Facts about an address: its scalar for lane offset 0, the lanes' offsets in bytes, the scalar's low zero bits,
    its upper bound (-1: none needed), the pointer that it is derived from, and whether addresses are modulo 2^32."""

    base: str
    lanes: Lanes
    tz: int
    high: int
    origin: object
    wraps: bool = False

    def surely_within(self, limit: int, size: int) -> bool:
        """Whether `size` bytes at every lane's address are aligned and below `limit` for any base."""
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
        """The offset of the group's lowest access from the one at `site`."""
        return min(offset for offset, _ in self.members.values()) - self.members[site][0]

    def span(self, top: int) -> int:
        begin = min(offset for offset, _ in self.members.values())
        return max(offset + size for offset, size in self.members.values()) - begin + top

    @staticmethod
    def of(accesses: list[tuple[int, int, Access]]) -> Group | None:
        """The group of accesses given as (position, offset, access); None if checking them together gains nothing."""
        regions = {facts.region for _, _, facts in accesses}
        if len(accesses) < 2 or len(regions) > 1 or regions & {"local", "slow"}:
            return None
        first = accesses[0][1]
        if any((offset - first) % min(facts.size & -facts.size, 64) for _, offset, facts in accesses):
            return None
        members = {pc: (offset, facts.size) for pc, offset, facts in accesses}
        return Group(regions.pop(), members, any(facts.write for _, _, facts in accesses))


def groups_of(function: Function, cells: Cells, b: Block, accesses: Mapping[int, Access]) -> dict[int, Group]:
    """The accesses of a block that share a check, by position: those with one base register that is not written between
    them."""
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
