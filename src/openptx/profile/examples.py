"""An example of each access: the addresses of the lanes of one request, for a picture of what they touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from openptx.profile.requests import Requests

CANDIDATES = 8
"""Requests of one execution that are compared."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What requests take, in sectors, or in wavefronts of shared memory; `ideal` is what would do."""

    taken: int
    ideal: int
    conflicts: int = 0
    collisions: int = 0

    @property
    def waste(self) -> int:
        return self.taken - self.ideal


@dataclass(frozen=True, slots=True)
class Example:
    """One request: the byte address of each of 32 lanes, None of those that take no part, and `size` bytes a lane.

    Of `ldmatrix` and `stmatrix`, the addresses are those of rows of 16 bytes.
    """

    addresses: tuple[int | None, ...]
    size: int
    cost: Cost


def costliest(these: Requests, cost: Callable[[Requests], Cost], evenly: bool) -> Example:
    """The request that wastes most, of several that are spread over these; `evenly`: they all cost the same."""
    rows = [0] if evenly else np.unique(np.linspace(0, these.warps - 1, CANDIDATES).astype(int)).tolist()
    found = [(row(these, i), i) for i in rows]
    worst, i = max(((cost(one), -i) for one, i in found), key=lambda each: (each[0].waste, each[1]))
    addresses, active = these.addresses[-i].tolist(), these.mask()[-i].tolist()
    return Example(
        tuple(address if takes else None for address, takes in zip(addresses, active, strict=True)), these.size, worst
    )


def row(these: Requests, i: int) -> Requests:
    """One of the requests."""
    active = None if these.active is None else these.active[i : i + 1]
    lanes = len(these.addresses[i]) if active is None else int(np.count_nonzero(active))
    return Requests.of(these.addresses[i : i + 1], active, lanes, these.size)
