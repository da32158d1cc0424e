"""An example of each access: the addresses of the lanes of one request, for a picture of what they touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.profile.costs import Costs
    from openptx.profile.requests import Requests


@dataclass(frozen=True, slots=True)
class Cost:
    """What a request takes, in sectors, or in wavefronts of shared memory; `ideal` is what would do."""

    taken: int
    ideal: int

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

    @property
    def stride(self) -> int | None:
        """The bytes between neighbouring active lanes; None where these differ, or where there are none."""
        pairs = zip(self.addresses, self.addresses[1:], strict=False)
        steps = {b - a for a, b in pairs if a is not None and b is not None}
        return steps.pop() if len(steps) == 1 else None


def costliest(known: Example | None, these: Requests, costs: Costs) -> Example:
    """The request that wastes most, the known one among them; the first of several."""
    waste = costs.taken - costs.ideal
    i = int(waste.argmax())
    if known is not None and known.cost.waste >= waste[i]:
        return known
    addresses, active = these.addresses[i].tolist(), these.mask()[i].tolist()
    return Example(
        tuple(address if takes else None for address, takes in zip(addresses, active, strict=True)),
        these.size,
        Cost(int(costs.taken[i]), int(costs.ideal[i])),
    )
