"""Atomics: lanes of a warp that update one address wait for each other (measured on an H100)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.engines.interp.geometry import WARP
from openptx.profile.requests import Requests

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
    rows, addresses = _flat(requests)
    order = np.lexsort((addresses, rows))
    rows, addresses = rows[order], addresses[order]
    starts = _starts(rows, addresses)
    many = np.diff(np.append(starts, rows.size))
    sectors = _starts(rows[starts], addresses[starts] >> 5)
    return Collisions(int(np.maximum.reduceat(many, sectors).sum()), sectors.size, int((many - 1).sum()))


def shared_collisions(requests: Requests) -> Collisions:
    """As many wavefronts as the most lanes in one bank, whether at one address or at several."""
    rows, addresses = _flat(requests)
    banks = addresses // WORD % BANKS
    lanes = np.bincount(rows * BANKS + banks, minlength=requests.warps * BANKS).reshape(-1, BANKS)
    order = np.lexsort((addresses, rows))
    different = _starts(rows[order], addresses[order]).size
    return Collisions(int(lanes.max(axis=1).sum()), requests.warps, rows.size - different)


def _flat(requests: Requests) -> tuple[np.ndarray, np.ndarray]:
    """Row and address of every active lane."""
    if requests.active is None:
        return np.repeat(np.arange(requests.warps), WARP), requests.addresses.reshape(-1)
    rows, lanes = np.nonzero(requests.active)
    return rows, requests.addresses[rows, lanes]


def _starts(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where runs of equal pairs begin."""
    new = (rows[1:] != rows[:-1]) | (values[1:] != values[:-1])
    return np.concatenate(([0], np.flatnonzero(new) + 1))
