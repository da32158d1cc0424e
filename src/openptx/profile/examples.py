"""An example of each access: the addresses of the lanes of one request, for a picture of the memory they access."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openptx.engines.native.instrument.count.layout import FACTORS
from openptx.profile.costs import Costs
from openptx.profile.counting.requests import Addresses, Requests

RANKING = np.array(FACTORS, np.int64)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a request, in sectors, or in wavefronts of shared memory; `ideal` is the minimum."""

    taken: int
    ideal: int

    @property
    def waste(self) -> int:
        return self.taken - self.ideal


@dataclass(frozen=True, slots=True)
class Example:
    """One request: the byte address of each of 32 lanes, None for those that do not take part, and `size` bytes per
    lane.

    For `ldmatrix` and `stmatrix`, the addresses are those of rows of 16 bytes.
    """

    addresses: tuple[int | None, ...]
    size: int
    cost: Cost

    rank: tuple[int, ...] = ()
    """The order of preference: its waste, its active lanes, then their offsets from each other, so that the order in
    which requests arrive does not matter."""

    @property
    def stride(self) -> int | None:
        """The bytes between adjacent active lanes; None if these differ, or if there are none."""
        pairs = zip(self.addresses, self.addresses[1:], strict=False)
        steps = {b - a for a, b in pairs if a is not None and b is not None}
        return steps.pop() if len(steps) == 1 else None


def costliest(known: Example | None, issued: Requests, costs: Costs) -> Example:
    """The most wasteful request, including the known one; of several the one with the most active lanes."""
    waste = costs.taken - costs.ideal
    most = int(waste.max())
    if known is not None and known.cost.waste > most:
        return known
    worst = np.flatnonzero(waste == most)
    active = issued.mask()[worst]
    lanes = active.sum(axis=1)
    kept = np.flatnonzero(lanes == lanes.max())
    worst, active = worst[kept], active[kept]
    mixed = mixture(issued.addresses[worst], active)
    at = int(mixed.argmax())
    rank = most, int(lanes.max()), int(mixed[at])
    if known is not None and known.rank >= rank:
        return known
    i = int(worst[at])
    addresses, active = issued.addresses[i].tolist(), active[at].tolist()
    return Example(
        tuple(address if takes else None for address, takes in zip(addresses, active, strict=True)),
        issued.size,
        Cost(int(costs.taken[i]), int(costs.ideal[i])),
        rank,
    )


def mixture(addresses: Addresses, active: NDArray[np.bool_]) -> Addresses:
    """A number for each row that depends on its lanes' distances from the first active one, and on which are active."""
    first = np.take_along_axis(addresses, active.argmax(axis=1)[:, None], axis=1)
    return (np.where(active, addresses - first, -1) * RANKING).sum(axis=1)
