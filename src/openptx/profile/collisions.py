"""Atomics: lanes of a warp that update one address wait for each other (measured on an H100)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.profile.requests import Addresses, Requests, ordered, runs

BANKS = 32
WORD = 4


@dataclass(frozen=True, slots=True)
class Collisions:
    """Collisions of each request: `passes` is the number of sectors (in global memory) or wavefronts (in shared memory)
    it takes.

    `without` is the number if no two lanes updated one address or used one bank, and `lanes` the number of lanes whose
    address an earlier lane of the request has.
    """

    passes: Addresses
    without: Addresses
    lanes: Addresses


def global_collisions(requests: Requests) -> Collisions:
    """Each sector takes as many passes as the maximum number of lanes that update one address in it."""
    rows, addresses = ordered(requests.addresses, requests.active)
    starts = runs(rows, addresses)
    many = np.diff(np.append(starts, rows.size))
    sectors = runs(rows[starts], addresses[starts] >> 5)
    passes, owners, count = np.maximum.reduceat(many, sectors), rows[starts][sectors], requests.warps
    return Collisions(
        np.bincount(owners, passes, count).astype(np.int64),
        np.bincount(owners, minlength=count),
        repeated(rows, starts, count),
    )


def shared_collisions(requests: Requests) -> Collisions:
    """Each request takes as many wavefronts as the maximum number of lanes in one bank, at one address or at
    several."""
    rows, addresses = ordered(requests.addresses, requests.active)
    places = rows * BANKS + addresses // WORD % BANKS
    lanes = np.bincount(places, minlength=requests.warps * BANKS).reshape(-1, BANKS)
    starts = runs(rows, addresses)
    one = np.ones(requests.warps, np.int64)
    return Collisions(lanes.max(axis=1), one, repeated(rows, starts, requests.warps))


def repeated(rows: Addresses, starts: Addresses, count: int) -> Addresses:
    """For each row, the number of its sorted addresses that equal their predecessor."""
    return np.bincount(rows, minlength=count) - np.bincount(rows[starts], minlength=count)
