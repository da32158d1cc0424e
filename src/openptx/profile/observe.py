"""Counts the requests of one execution of an instruction by the lanes of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp import lane_sets
from openptx.profile.collisions import global_collisions, shared_collisions
from openptx.profile.examples import Cost, costliest
from openptx.profile.requests import Requests, requests
from openptx.profile.sectors import global_sectors, local_sectors, stride
from openptx.profile.spaces import memories
from openptx.profile.wavefronts import matrix_wavefronts, wavefronts

if TYPE_CHECKING:
    from openptx.numerics import Bits
    from openptx.profile.accesses import Access, CopyAccess, FragmentAccess, MatrixAccess
    from openptx.profile.counters import Counters, MemoryCounters
    from openptx.profile.machine import ProfiledThreads, Traced

Array = NDArray[Any]
ATOMIC = ("red", "atom")
MATRIX_ROW = 8
"""Rows of a matrix that are read together."""


def access(x: ProfiledThreads, found: Access, addresses: Array, lanes: lane_sets.Lanes, counters: Counters) -> None:
    """A load, a store or an atomic operation by `lanes`, at `addresses` of the instruction's space."""
    for memory, some, those in memories(x, found.space, addresses, lanes):
        count(memory, found.kind, requests(x.geometry, those, some, found.size), counters)


def copy(
    x: ProfiledThreads,
    found: CopyAccess,
    addresses: Array,
    limit: Bits | None,
    lanes: lane_sets.Lanes,
    counters: Counters,
) -> None:
    """The load of a `cp.async`: lanes whose src-size is 0, or that ignore the source, do not take part."""
    some, those = addresses, lanes
    if limit is not None:
        size = lane_sets.size(lanes, x.n)
        takes = np.broadcast_to(~limit.v if limit.width == 1 else limit.v > 0, size)
        if not takes.any():
            return
        if not takes.all():
            some, those = np.broadcast_to(addresses, size)[takes], lane_sets.where(lanes, takes, x.n)
    count("global", "ld", requests(x.geometry, those, some, found.size), counters)


def fragments(
    x: ProfiledThreads, found: FragmentAccess, trace: list[Traced], lanes: lane_sets.Lanes, counters: Counters
) -> None:
    """The elements of matrices that a warp loads or stores: two neighbouring ones of a lane are one access."""
    for space, addresses, size in joined(trace):
        for memory, some, those in memories(x, space, addresses, lanes):
            count(memory, found.kind, requests(x.geometry, those, some, size), counters)


def joined(trace: list[Traced]) -> list[Traced]:
    """Accesses of up to 32 bits, where the next one is 32 bits on in all lanes, are one of 64 bits."""
    found: list[Traced] = []
    for space, addresses, size in trace:
        if found:
            before, at, width = found[-1]
            if before == space and size == width == 4 and (addresses == at + np.uint64(4)).all() and not (at & 7).any():
                found[-1] = space, at, 8
                continue
        found.append((space, addresses, size))
    return found


def matrices(
    x: ProfiledThreads, found: MatrixAccess, addresses: Array, lanes: lane_sets.Lanes, counters: Counters
) -> None:
    """Rows of matrices in shared memory: eight lanes have the rows of one matrix."""
    these = requests(x.geometry, lanes, addresses, 16)
    counted = counters.at(("shared", found.kind, 128))
    note("shared", counted, these, these.warps * found.rows, lambda some: matrix_cost(some, found.rows))


def matrix_cost(these: Requests, rows: int) -> Cost:
    """Of requests whose first lanes have the addresses of so many rows."""
    result = matrix_wavefronts(these.addresses[:, :rows].reshape(-1, MATRIX_ROW))
    return Cost(result.taken, result.taken - result.conflicts, result.conflicts)


def count(memory: str, kind: str, these: Requests, counters: Counters) -> None:
    """Adds the cost of requests to one memory."""
    counted = counters.at((memory, kind, 8 * these.size))
    note(memory, counted, these, these.lanes, lambda some: cost(memory, kind, some))


def cost(memory: str, kind: str, these: Requests) -> Cost:
    """What requests take."""
    if kind in ATOMIC:
        passes = (shared_collisions if memory == "shared" else global_collisions)(these)
        conflicts = passes.passes - passes.without if memory == "shared" else 0
        return Cost(passes.passes, passes.without, conflicts, passes.lanes)
    if memory == "shared":
        result = wavefronts(these)
        return Cost(result.taken, result.taken - result.conflicts, result.conflicts)
    sectors = (global_sectors if memory == "global" else local_sectors)(these)
    return Cost(sectors.moved, sectors.needed)


def note(memory: str, counted: MemoryCounters, these: Requests, lanes: int, cost: Callable[[Requests], Cost]) -> None:
    """Adds requests, and keeps one as an example if they waste more than those before."""
    found = cost(these)
    counted.requests += these.warps
    counted.lanes += lanes
    counted.bytes += lanes * these.size
    counted.add_stride(stride(these), these.warps)
    counted.add_cost(memory, found)
    if counted.example is None or found.waste > these.warps * counted.example.cost.waste:
        counted.example = costliest(these, cost, evenly=these.warps == 1 or not found.waste)
