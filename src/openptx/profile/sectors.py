"""Sectors of 32 bytes that global and local memory move for a request, and how few would do.

A request asks for each sector once, whatever its width, over all its active lanes (measured on an H100).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.engines.interp.geometry import WARP
from openptx.profile.requests import Requests, distinct, patterns

SECTOR = 32
"""Bytes of a sector."""
WORD = 4
"""Bytes of a word of local memory: the words at one local address of 32 lanes lie side by side."""


@dataclass(frozen=True, slots=True)
class Sectors:
    """`needed` is how many sectors the different bytes of each request fill when they lie side by side."""

    moved: int
    needed: int


def global_sectors(requests: Requests) -> Sectors:
    """Of loads and stores. Accesses are aligned, so each lane touches one sector."""
    rows, counts = patterns(requests, SECTOR)
    used = distinct(rows) * requests.size
    return Sectors(int(distinct(rows >> 5) @ counts), int(-(-used // SECTOR) @ counts))


def local_sectors(requests: Requests) -> Sectors:
    """Of local memory: word w of lane l is at 4 * (32 w + l), so a sector has one word of eight lanes."""
    unit = max(requests.size, WORD)
    places = requests.addresses // unit * (WARP // 8) + np.arange(WARP) // 8
    if requests.active is not None:  # lanes that take no part repeat one that does
        first = requests.active.argmax(axis=1)[:, None]
        places = np.where(requests.active, places, np.take_along_axis(places, first, axis=1))
    moved = distinct(places) * (unit // WORD)
    active = requests.mask().sum(axis=1) * unit
    return Sectors(int(moved.sum()), int((-(-active // SECTOR)).sum()))


def stride(requests: Requests) -> int | None:
    """The bytes between neighbouring active lanes, where all requests have the same; None where they differ."""
    rows, active = requests.addresses, requests.active
    if requests.relative is not None and (active is None or (active == active[0]).all()):
        rows, active = requests.relative[None, :], None if active is None else active[:1]
    pairs = rows[:, 1:] - rows[:, :-1]
    if active is not None:
        pairs = pairs[active[:, 1:] & active[:, :-1]]
    if not pairs.size:
        return None
    first = int(pairs.flat[0])
    return first if (pairs == first).all() else None
