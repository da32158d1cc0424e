"""How long warps wait at a block's barriers, in PTX instructions that other warps of the block still execute.

Each warp has a clock: the instructions that it executed. When a barrier completes, the clocks of all warps that arrived
are set to the latest, and what they advance is what they waited. A GPU's warps share issue slots and wait for memory,
so this says which barrier is uneven, not how many cycles it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from openptx.engines.interp.geometry import Geometry
    from openptx.profile.requests import Warps
    from openptx.program import Op

Array = NDArray[Any]


@dataclass(slots=True)
class Arrivals:
    """At one barrier: the statement that arrived last, and which warps arrived."""

    op: Op
    warps: NDArray[np.bool_]


class BarrierWaits:
    """The clocks of the warps of a batch."""

    def __init__(self, geometry: Geometry) -> None:
        self.shape = geometry.count, geometry.warps_per_cta
        self.threads = geometry.threads
        self.clocks = np.zeros(geometry.count * geometry.warps_per_cta, np.int64)
        self.arrivals: dict[int, Arrivals] = {}

    def executed(self, warps: Warps, instructions: int) -> None:
        """Warps executed instructions."""
        self.clocks[warps] += instructions

    def arrives(self, op: Op, number: int, warps: Array) -> None:
        """Warps arrive at a barrier of their block."""
        known = self.arrivals.get(number)
        if known is None:
            known = self.arrivals[number] = Arrivals(op, np.zeros(self.clocks.size, np.bool_))
        known.op = op
        known.warps[warps] = True

    def opens(self, number: int, arrived: NDArray[np.bool_]) -> tuple[Op, int] | None:
        """The barrier completes in the blocks of the lanes `arrived`: its statement, and what their warps waited."""
        known = self.arrivals.get(number)
        if known is None:
            return None
        blocks = np.any(arrived.reshape(self.shape[0], self.threads), axis=1, keepdims=True)
        come = np.logical_and(known.warps.reshape(self.shape), blocks)
        clocks = self.clocks.reshape(self.shape)
        latest = np.where(come, clocks, 0).max(axis=1, keepdims=True)
        waited = int(np.where(come, latest - clocks, 0).sum())
        np.copyto(clocks, latest, where=come)
        known.warps[come.reshape(-1)] = False
        return known.op, waited
