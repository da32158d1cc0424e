"""Counts the requests of one execution of an instruction by the lanes of a batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.common.accesses import Access, CopyAccess, FragmentAccess, MatrixAccess
from openptx.engines.interp import lane_sets
from openptx.numerics import Bits
from openptx.profile.costs import Costs, Target
from openptx.profile.counters import Counters
from openptx.profile.counting.machine import ProfiledThreads, Traced
from openptx.profile.counting.requests import Requests, patterns, requests
from openptx.profile.counting.spaces import memories
from openptx.profile.examples import costliest


def access(x: ProfiledThreads, found: Access, addresses: Array, lanes: lane_sets.Lanes, counters: Counters) -> None:
    """A load, a store or an atomic operation by `lanes`, at `addresses` of the instruction's space."""
    for memory, chosen, active in memories(x, found.space, addresses, lanes):
        count(memory, found.kind, requests(x.geometry, active, chosen, found.size), counters)


def copy(
    x: ProfiledThreads, found: CopyAccess, addresses: Array, limit: Bits | None, lanes: lane_sets.Lanes,
    counters: Counters,
) -> None:  # fmt: skip
    """The load of a `cp.async`: lanes with a src-size of 0, or that ignore the source, do not take part."""
    chosen, active = addresses, lanes
    if limit is not None:
        size = lane_sets.size(lanes, x.n)
        takes = np.broadcast_to(~limit.v if limit.width == 1 else limit.v > 0, size)
        if not takes.any():
            return
        if not takes.all():
            chosen, active = np.broadcast_to(addresses, size)[takes], lane_sets.where(lanes, takes, x.n)
    count("global", "ld", requests(x.geometry, active, chosen, found.size), counters)


def fragments(
    x: ProfiledThreads, found: FragmentAccess, trace: list[Traced], lanes: lane_sets.Lanes, counters: Counters
) -> None:
    """The matrix elements that a warp loads or stores: two adjacent ones of a lane are one access."""
    for space, addresses, size in merge_pairs(trace):
        for memory, chosen, active in memories(x, space, addresses, lanes):
            count(memory, found.kind, requests(x.geometry, active, chosen, size), counters)


def merge_pairs(trace: list[Traced]) -> list[Traced]:
    """Accesses of up to 32 bits are merged into one of 64 bits if the next one follows 32 bits later in all lanes."""
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
    """Rows of matrices in shared memory: eight lanes hold the row addresses of one matrix."""
    issued = requests(x.geometry, lanes, addresses, 16)
    note(Target("shared", found.kind, 16, found.rows), issued, counters)


def count(memory: str, kind: str, issued: Requests, counters: Counters) -> None:
    """Adds requests for one memory."""
    note(Target(memory, kind, issued.size), issued, counters)


def note(target: Target, issued: Requests, counters: Counters) -> None:
    """Adds requests, and keeps one as an example if it is more wasteful than those before."""
    representatives, times = patterns(issued, target.modulus)
    lanes = issued.warps * target.rows if target.rows else issued.lanes
    record(target, representatives, target.costs(representatives), times, issued.warps, lanes, counters)


def record(
    target: Target, representatives: Requests, costs: Costs, times: NDArray[np.int64] | None, warps: int, lanes: int,
    counters: Counters,
) -> None:  # fmt: skip
    """Adds `warps` requests with `lanes` active lanes; `times` is the number of requests that each of
    `representatives` stands for."""
    counted = counters.at(target.of)
    counted.requests += warps
    counted.lanes += lanes
    counted.bytes += lanes * target.size
    taken, ideal, conflicts, collisions = (
        int(v.sum() if times is None else v @ times)
        for v in (costs.taken, costs.ideal, costs.conflicts, costs.collisions)
    )
    counted.add_costs(target.memory, taken, ideal, conflicts, collisions)
    counted.example = costliest(counted.example, representatives, costs)
