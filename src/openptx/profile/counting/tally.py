"""Requests that machine code has recorded, many at once, added to the counters of their instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openptx.engines.common.accesses import COUNTED, CopyAccess, FragmentAccess, MatrixAccess, kind_of
from openptx.engines.native.instrument.count.layout import Site
from openptx.isa.address_windows import FIRST, SHIFT
from openptx.profile.costs import ATOMIC, Costs, Target
from openptx.profile.counting.observe import record
from openptx.profile.counting.recorder import Recorder
from openptx.profile.counting.requests import Addresses, Requests
from openptx.profile.counting.spaces import memory_of
from openptx.profile.registers import live_registers

WIDEST = 64
"""A bound above the bytes per lane of any access."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RequestRows:
    """Requests: one row each, of the instruction with that index; `times` is the number that each row represents.
    `addresses` and `active` have the shape (requests, 32). Inactive lanes repeat the address of an active one.
    """

    sites: NDArray[np.int64]
    addresses: Addresses
    active: Mask
    times: NDArray[np.int64]

    def take(self, chosen: NDArray[Any]) -> RequestRows:
        """The requests at some positions."""
        return RequestRows(self.sites[chosen], self.addresses[chosen], self.active[chosen], self.times[chosen])

    @staticmethod
    def concatenated(parts: Iterable[RequestRows]) -> RequestRows:
        """The requests of several objects as one."""
        columns = zip(*((p.sites, p.addresses, p.active, p.times) for p in parts), strict=True)
        return RequestRows(*(np.concatenate(column) for column in columns))


class Tally:
    """The counters of one launch."""

    def __init__(self, sites: list[Site], address_size: int, recorder: Recorder) -> None:
        self.sites, self.recorder, self.shift = sites, recorder, SHIFT[address_size]
        self.targets = [self.target_of(site) for site in sites]

    def target_of(self, site: Site) -> Callable[[str], Target]:
        """The targets of an instruction's requests, by memory."""
        found, op = site.found, site.op
        if isinstance(found, CopyAccess):
            return lambda memory: Target(memory, "ld", found.size)
        if isinstance(found, MatrixAccess):
            return lambda memory: Target(memory, found.kind, 16, found.rows)
        if isinstance(found, FragmentAccess):
            return lambda memory: Target(memory, found.kind, 0)
        kind, size = kind_of(op, live_registers(site.function).unread.get(op, ())), found.size
        return lambda memory: Target(memory, kind, size)

    def add(self, requests: RequestRows, sizes: NDArray[np.int64] | None = None) -> None:
        """Counts requests; `sizes` are bytes per lane, if the instruction does not say."""
        if not requests.sites.size:
            return
        groups: dict[Target, list[RequestRows]] = {}
        numbers = requests.sites if sizes is None else requests.sites * WIDEST + sizes
        present: list[int] = np.unique(numbers).tolist()
        for number in present:
            rows = requests.take(np.flatnonzero(numbers == number))
            site = number if sizes is None else number // WIDEST
            for memory, some in self.by_memory(self.sites[site].space, rows):
                target = self.targets[site](memory)
                if sizes is not None:
                    target = Target(memory, target.kind, number % WIDEST)
                groups.setdefault(target, []).append(some)
        for target, parts in groups.items():
            self.count(target, parts)

    def add_sums(self, site: int, sums: list[int], addresses: Addresses, active: Mask) -> None:
        """Adds the totals of an instruction's requests: their number, lanes, costs, minimum costs, lanes at an address
        of an earlier one; and the most wasteful one."""
        requests, lanes, taken, ideal, repeated = sums
        space = self.sites[site].space
        target = self.targets[site](COUNTED[space])
        example = Requests(addresses, None if active.all() else active, 0, target.size, None)
        nothing = np.zeros(1, np.int64)
        counters = self.recorder.of(self.sites[site].op)
        record(target, example, target.costs(example), nothing, requests, lanes, counters)
        shared, atomic = space == "shared", target.kind in ATOMIC
        totals = taken, ideal, taken - ideal if shared else 0, repeated if atomic else 0
        counters.at(target.of).add_costs(target.memory, *totals)

    def by_memory(self, space: str, rows: RequestRows) -> Iterable[tuple[str, RequestRows]]:
        """The memories that lanes access, each with their requests."""
        if space != "generic":
            if space in COUNTED:
                yield COUNTED[space], rows
            return
        kinds = np.minimum(rows.addresses >> self.shift, FIRST)
        for kind in np.unique(kinds).tolist():
            memory = memory_of(kind)
            active = rows.active & (kinds == kind)
            some = np.flatnonzero(active.any(axis=1))
            if memory is None or not some.size:
                continue
            active, addresses = active[some], rows.addresses[some]
            first = np.take_along_axis(addresses, active.argmax(axis=1)[:, None], axis=1)
            yield memory, RequestRows(rows.sites[some], np.where(active, addresses, first), active, rows.times[some])

    def count(self, target: Target, parts: list[RequestRows]) -> None:
        """Counts requests for one target, of one instruction in each part."""
        every = RequestRows.concatenated(parts)
        active = None if every.active.all() else every.active
        issued = Requests(every.addresses, active, 0, target.size, None)
        costs = target.costs(issued)
        lanes = every.active.sum(axis=1) if not target.rows else np.full(issued.warps, target.rows)
        start = 0
        for part in parts:
            stop = start + len(part.sites)
            chunk = slice(start, stop)
            counters = self.recorder.of(self.sites[int(part.sites[0])].op)
            rows = Requests(every.addresses[chunk], None if active is None else active[chunk], 0, target.size, None)
            times, warps = part.times, int(part.times.sum())
            record(target, rows, slice_costs(costs, chunk), times, warps, int(lanes[chunk] @ times), counters)
            start = stop


def slice_costs(costs: Costs, chunk: slice) -> Costs:
    return Costs(costs.taken[chunk], costs.ideal[chunk], costs.conflicts[chunk], costs.collisions[chunk])
