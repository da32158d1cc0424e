"""Sectors of 32 bytes that global and local memory move for a request, and the minimum.

A request asks for each sector once, whatever its width, over all its active lanes (measured on an H100).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.engines.interp.geometry import WARP
from openptx.profile.requests import Addresses, Requests, distinct

SECTOR = 32
"""Bytes of a sector."""
WORD = 4
"""Bytes of a word of local memory: the words at one local address of 32 lanes are adjacent."""


@dataclass(frozen=True, slots=True)
class Sectors:
    """For each request, the number of sectors that it moves, and the number that its distinct bytes would fill if they
    were contiguous."""

    moved: Addresses
    needed: Addresses


def global_sectors(requests: Requests) -> Sectors:
    """The sectors of loads and stores. Accesses are aligned, so each lane uses one sector."""
    rows = requests.addresses
    return Sectors(distinct(rows >> 5), -(-distinct(rows) * requests.size // SECTOR))


def local_sectors(requests: Requests) -> Sectors:
    """The sectors of accesses to local memory: word w of lane l is at 4 * (32 w + l), so a sector has one word of eight
    lanes."""
    unit = max(requests.size, WORD)
    places = requests.addresses // unit * (WARP // 8) + np.arange(WARP) // 8
    if requests.active is not None:  # lanes that do not take part repeat one that does
        first = requests.active.argmax(axis=1)[:, None]
        places = np.where(requests.active, places, np.take_along_axis(places, first, axis=1))
    active = requests.mask().sum(axis=1) * unit
    return Sectors(distinct(places) * (unit // WORD), -(-active // SECTOR))
