"""Warp-level requests: the addresses of the lanes that execute an instruction, one row per warp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.geometry import WARP, Geometry

Addresses = NDArray[np.int64]
Warps = lane_sets.Run | NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Requests:
    """One memory access by some warps: of each warp with an active lane, the byte addresses of its 32 lanes.

    `addresses` has the shape (warps, 32). `active` says which lanes take part, None if all of them do; a lane that does
    not take part repeats the address of one that does, so that it adds no sector or word. `lanes` is the number of
    active lanes, `size` the bytes that each of them accesses. `relative` is the distance of each lane's address from
    lane 0's, if it is the same in all warps, as in most kernels.
    """

    addresses: Addresses
    active: NDArray[np.bool_] | None
    lanes: int
    size: int
    relative: Addresses | None

    @staticmethod
    def of(addresses: Addresses, active: NDArray[np.bool_] | None, lanes: int, size: int) -> Requests:
        """The requests that are rows of 32 addresses."""
        relative = addresses - addresses[:, :1]
        same = bool((relative == relative[0]).all())
        return Requests(addresses, active, lanes, size, relative[0] if same else None)

    @property
    def warps(self) -> int:
        return len(self.addresses)

    def take(self, chosen: NDArray[np.intp]) -> Requests:
        """The requests at some positions. `lanes` stays that of all."""
        active = None if self.active is None else self.active[chosen]
        return Requests(self.addresses[chosen], active, self.lanes, self.size, self.relative)

    def mask(self) -> NDArray[np.bool_]:
        """Which lanes take part, as an explicit array."""
        return np.ones(self.addresses.shape, np.bool_) if self.active is None else self.active


def requests(geometry: Geometry, lanes: lane_sets.Lanes, addresses: Array, size: int) -> Requests:
    """The requests of executing `lanes`; `addresses` has an element for each of them, or one for all."""
    count = lane_sets.size(lanes, geometry.n)
    every = np.broadcast_to(addresses.astype(np.int64, copy=False), count)
    if geometry.whole_warps and is_whole(lanes):
        return Requests.of(every.reshape(-1, WARP), None, count, size)
    warps = geometry.warp if lanes is None else geometry.warp[lanes]
    own = geometry.lane if lanes is None else geometry.lane[lanes]
    begins = np.empty(count, np.bool_)
    begins[0] = True
    np.not_equal(warps[1:], warps[:-1], out=begins[1:])
    rows = np.cumsum(begins) - 1
    found = np.repeat(every[begins], WARP).reshape(-1, WARP)
    active = np.zeros(found.shape, np.bool_)
    found[rows, own] = every
    active[rows, own] = True
    return Requests.of(found, active, count, size)


def is_whole(lanes: lane_sets.Lanes) -> bool:
    """Whether lanes are all lanes of a batch of full warps."""
    return lanes is None or (isinstance(lanes, slice) and not lanes.start % WARP and not lanes.stop % WARP)


def warps_of(geometry: Geometry, lanes: lane_sets.Lanes) -> Warps:
    """The warps with a lane among `lanes`, as an index into an array of the batch's warps."""
    if lanes is None:
        return slice(0, geometry.count * geometry.warps_per_cta)
    if isinstance(lanes, slice):
        if geometry.whole_warps:
            return slice(lanes.start // WARP, (lanes.stop - 1) // WARP + 1)
        return slice(int(geometry.warp[lanes.start]), int(geometry.warp[lanes.stop - 1]) + 1)
    warps = geometry.warp[lanes]
    return warps[np.concatenate(([True], warps[1:] != warps[:-1]))]


def count_of(warps: Warps) -> int:
    return warps.stop - warps.start if isinstance(warps, slice) else warps.size


def warp_count(geometry: Geometry, lanes: lane_sets.Lanes) -> int:
    """The number of warps with a lane among `lanes`."""
    return count_of(warps_of(geometry, lanes))


def patterns(requests: Requests, modulus: int) -> tuple[Requests, NDArray[np.int64] | None]:
    """Representative requests, and how many each represents; None: each only itself.

    Costs depend on the active lanes, the distances of their addresses, and the base modulo the hardware's granularity
    in bytes: 32 for a sector, 128 for all banks.
    """
    rows, active = requests.addresses, requests.active
    if requests.relative is None or len(rows) == 1 or (active is not None and not (active == active[0]).all()):
        return requests, None
    residues = rows[:, 0] % modulus
    counts = np.bincount(residues, minlength=modulus)
    examples = np.zeros(modulus, np.intp)
    examples[residues[::-1]] = np.arange(len(rows))[::-1]
    taken = np.flatnonzero(counts)
    return requests.take(examples[taken]), counts[taken]


def distinct(rows: Addresses) -> NDArray[np.intp]:
    """The number of distinct values in each row."""
    steps = rows[:, 1:] - rows[:, :-1]
    if steps.size and steps.min() < 0:
        ordered = np.sort(rows, axis=1)
        steps = ordered[:, 1:] - ordered[:, :-1]
    return 1 + np.count_nonzero(steps, axis=1)


NO_LANE = np.iinfo(np.int64).max


def ordered(rows: Addresses, active: NDArray[np.bool_] | None) -> tuple[NDArray[np.intp], Addresses]:
    """The values of active lanes, ascending in each row, and their rows."""
    if active is None or active.all():
        return np.repeat(np.arange(len(rows)), len(rows[0])), np.sort(rows, axis=1).reshape(-1)
    found = np.sort(np.where(active, rows, NO_LANE), axis=1)
    taken = found != NO_LANE
    return np.nonzero(taken)[0], found[taken]


def runs(rows: NDArray[np.intp], values: Addresses) -> NDArray[np.intp]:
    """Where runs of equal values in one row begin."""
    new = (rows[1:] != rows[:-1]) | (values[1:] != values[:-1])
    return np.concatenate(([0], np.flatnonzero(new) + 1))
