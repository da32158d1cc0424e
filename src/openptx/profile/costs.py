"""What requests cost, each by the definition of its memory, all measured on an H100.

Global and local memory move sectors of 32 bytes. A request asks for each sector once, whatever its width, over all its
active lanes.

Shared memory has 32 banks, each of which gives one 32-bit word at a time: a wavefront. Up to 32 bits per lane, a warp
is one group; for 64 bits its halves are groups, for 128 bits its quarters. Two adjacent groups are merged if all active
lanes have the address of their partner (lane ^ 1, or for all of them lane ^ 2) or the partner is not active. A group
takes as many wavefronts as the maximum number of distinct words in one bank; all beyond the first are bank conflicts.

Lanes that update one address by an atomic operation wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp.geometry import WARP
from openptx.profile.counting.requests import Addresses, Requests, distinct, ordered, runs

ATOMIC = ("red", "atom")
MATRIX_ROW = 8
"""Rows of a matrix that are read together."""
SECTOR = 32
"""Bytes of a sector."""
WORD = 4
"""Bytes of a word of a bank, and of local memory: the words at one local address of 32 lanes are adjacent."""
BANKS = 32
BANK_BYTES = BANKS * WORD
"""Bytes of one word in every bank."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Costs:
    """For each request its cost and the minimum, in sectors or wavefronts.

    The minimum for sectors is what the request's distinct bytes would fill if they were contiguous; for wavefronts,
    what it takes without bank conflicts; for atomics, without two lanes that update one address or use one bank.
    `collisions` is the number of lanes of an atomic whose address an earlier lane of the request has.
    """

    taken: Addresses
    ideal: Addresses
    conflicts: Addresses
    collisions: Addresses

    @staticmethod
    def sectors(taken: Addresses, ideal: Addresses) -> Costs:
        nothing = np.zeros(len(taken), np.int64)
        return Costs(taken, ideal, nothing, nothing)

    @staticmethod
    def wavefronts(taken: Addresses, ideal: Addresses) -> Costs:
        return Costs(taken, ideal, taken - ideal, np.zeros(len(taken), np.int64))


@dataclass(frozen=True, slots=True)
class Target:
    """The target of requests: `memory` (global, local, shared), `kind` (ld, st, red, atom), `size` bytes of a lane.

    `rows`, if not 0: that many of the first lanes have addresses of matrix rows.
    """

    memory: str
    kind: str
    size: int
    rows: int = 0

    @property
    def of(self) -> tuple[str, str, int]:
        """The key of the counters of such requests."""
        return self.memory, self.kind, 8 * self.size

    @property
    def modulus(self) -> int:
        """Addresses that differ by a multiple of it cost the same."""
        return BANK_BYTES if self.memory == "shared" else SECTOR

    def costs(self, issued: Requests) -> Costs:
        """The costs of each request."""
        if self.kind in ATOMIC:
            return (shared_collisions if self.memory == "shared" else global_collisions)(issued)
        if self.memory == "shared":
            if self.rows:
                return matrix_wavefronts(issued.addresses[:, : self.rows].reshape(issued.warps, -1, MATRIX_ROW))
            return wavefronts(issued)
        return (global_sectors if self.memory == "global" else local_sectors)(issued)


def global_sectors(requests: Requests) -> Costs:
    """The sectors of loads and stores. Accesses are aligned, so each lane uses one sector."""
    rows = requests.addresses
    return Costs.sectors(distinct(rows >> 5), -(-distinct(rows) * requests.size // SECTOR))


def local_sectors(requests: Requests) -> Costs:
    """The sectors of accesses to local memory: word w of lane l is at 4 * (32 w + l), so a sector has one word of eight
    lanes."""
    unit = max(requests.size, WORD)
    places = requests.addresses // unit * (WARP // 8) + np.arange(WARP) // 8
    if requests.active is not None:  # lanes that do not take part repeat one that does
        first = requests.active.argmax(axis=1)[:, None]
        places = np.where(requests.active, places, np.take_along_axis(places, first, axis=1))
    active = requests.mask().sum(axis=1) * unit
    return Costs.sectors(distinct(places) * (unit // WORD), -(-active // SECTOR))


def wavefronts(requests: Requests) -> Costs:
    """The wavefronts of loads and stores of whole warps."""
    rows, active = requests.addresses, requests.mask()
    unit = max(requests.size, WORD)
    if unit == WORD:
        taken = most_in_a_bank(rows // unit, active, BANK_BYTES // unit)
        return Costs.wavefronts(taken, np.ones(len(taken), np.int64))
    halves = unit // WORD // 2
    lanes = rows.shape[1] // halves
    taken, used = paired(rows.reshape(-1, lanes) // unit, active.reshape(-1, lanes), BANK_BYTES // unit)
    taken, used = (v.reshape(-1, halves).sum(axis=1) for v in (taken, used))
    return Costs.wavefronts(taken, used)


def matrix_wavefronts(rows: Addresses) -> Costs:
    """The wavefronts of requests for matrices of eight rows of 16 bytes, each matrix a group: shape (requests,
    matrices, 8)."""
    each = rows.reshape(-1, rows.shape[2]) // 16
    taken = most_in_a_bank(each, np.ones(each.shape, np.bool_), BANK_BYTES // 16).reshape(rows.shape[:2])
    return Costs.wavefronts(taken.sum(axis=1), np.full(len(taken), rows.shape[1]))


def paired(units: Addresses, active: Mask, banks: int) -> tuple[Addresses, Addresses]:
    """For each row, whose two halves are served separately or together: its wavefronts, and the number of groups."""
    half = len(units[0]) // 2
    halves = most_in_a_bank(units.reshape(-1, half), active.reshape(-1, half), banks).reshape(-1, 2)
    whole = most_in_a_bank(units, active, banks)
    merged = np.zeros(len(units), np.bool_)
    lanes = np.arange(2 * half)
    for distance in (1, 2):
        partner = np.bitwise_xor(lanes, distance)
        alike = (units == units[:, partner]) | ~active | ~active[:, partner]
        merged |= alike.all(axis=1)
    taken = np.where(merged, whole, halves.sum(axis=1))
    groups = np.where(merged, np.minimum(whole, 1), np.minimum(halves, 1).sum(axis=1))
    return taken, groups


def most_in_a_bank(units: Addresses, active: Mask, banks: int) -> Addresses:
    """For each row, the maximum number of distinct units in one of this many banks; 0 in a row without active lanes."""
    if active.all():
        low, high = units.min(axis=1), units.max(axis=1)
        if (high - low < banks).all():
            return np.ones(len(units), np.int64)
    rows, words = ordered(units, active)
    new = runs(rows, words)
    places = rows[new] * banks + words[new] % banks
    return np.bincount(places, minlength=len(units) * banks).reshape(-1, banks).max(axis=1)


def global_collisions(requests: Requests) -> Costs:
    """Each sector takes as many passes as the maximum number of lanes that update one address in it."""
    rows, addresses = ordered(requests.addresses, requests.active)
    starts = runs(rows, addresses)
    many = np.diff(np.append(starts, rows.size))
    sectors = runs(rows[starts], addresses[starts] >> 5)
    passes, owners, count = np.maximum.reduceat(many, sectors), rows[starts][sectors], requests.warps
    return Costs(
        np.bincount(owners, passes, count).astype(np.int64),
        np.bincount(owners, minlength=count),
        np.zeros(count, np.int64),
        count_repeats(rows, starts, count),
    )


def shared_collisions(requests: Requests) -> Costs:
    """Each request takes as many wavefronts as the maximum number of lanes in one bank, at one address or at
    several."""
    rows, addresses = ordered(requests.addresses, requests.active)
    places = rows * BANKS + addresses // WORD % BANKS
    lanes = np.bincount(places, minlength=requests.warps * BANKS).reshape(-1, BANKS)
    starts = runs(rows, addresses)
    ideal = np.ones(requests.warps, np.int64)
    taken = lanes.max(axis=1)
    return Costs(taken, ideal, taken - ideal, count_repeats(rows, starts, requests.warps))


def count_repeats(rows: Addresses, starts: Addresses, count: int) -> Addresses:
    """For each row, the number of its sorted addresses that equal their predecessor."""
    return np.bincount(rows, minlength=count) - np.bincount(rows[starts], minlength=count)
