"""Atomics: lanes of a warp that update one address wait for each other (measured on an H100)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.profile.requests import Requests, ordered, runs

BANKS = 32
WORD = 4


@dataclass(frozen=True, slots=True)
class Collisions:
    """`passes` is how many sectors (in global memory) or wavefronts (in shared memory) the requests take.

    `without` is how many they would take if no two lanes of a request updated one address or used one bank, and
    `lanes` how many lanes came to an address that an earlier lane of their request has.
    """

    passes: int
    without: int
    lanes: int


def global_collisions(requests: Requests) -> Collisions:
    """Of each sector as many passes as the most lanes on one address in it."""
    rows, addresses = ordered(requests.addresses, requests.active)
    starts = runs(rows, addresses)
    many = np.diff(np.append(starts, rows.size))
    sectors = runs(rows[starts], addresses[starts] >> 5)
    return Collisions(int(np.maximum.reduceat(many, sectors).sum()), sectors.size, int((many - 1).sum()))


def shared_collisions(requests: Requests) -> Collisions:
    """As many wavefronts as the most lanes in one bank, whether at one address or at several."""
    rows, addresses = ordered(requests.addresses, requests.active)
    places = rows * BANKS + addresses // WORD % BANKS
    lanes = np.bincount(places, minlength=requests.warps * BANKS).reshape(-1, BANKS)
    different = runs(rows, addresses).size
    return Collisions(int(lanes.max(axis=1).sum()), requests.warps, rows.size - different)
