"""How long warps wait at a block's barriers, in PTX instructions that other warps of the block still execute.

Each warp has a clock: the instructions that it executed. When a barrier completes, the clocks of all warps that arrived
are set to the latest, and the advance is their waiting time; if they arrived at several statements, it is counted at
the last one in the text. A GPU's warps share issue slots and wait for memory, so this says which barrier is uneven, not
how many cycles it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp.geometry import Geometry
from openptx.profile.counting.requests import Warps
from openptx.program import Op


@dataclass(slots=True)
class Arrivals:
    """Arrivals at one barrier: which warps, by the statement at which position in the text, and the statements."""

    warps: NDArray[np.bool_]
    places: NDArray[np.int64]
    ops: dict[int, Op]


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
            no_warps, no_places = np.zeros(self.clocks.size, np.bool_), np.zeros(self.clocks.size, np.int64)
            known = self.arrivals[number] = Arrivals(no_warps, no_places, {})
        place = op.span[0]
        known.ops[place] = op
        known.warps[warps] = True
        known.places[warps] = place

    def opens(self, number: int, arrived: NDArray[np.bool_]) -> Iterator[tuple[Op, int]]:
        """The barrier completes in the blocks of the lanes `arrived`: yields statements, and how long warps waited at
        them."""
        known = self.arrivals.get(number)
        if known is None:
            return
        blocks = np.any(arrived.reshape(self.shape[0], self.threads), axis=1, keepdims=True)
        arriving = np.logical_and(known.warps.reshape(self.shape), blocks)
        clocks = self.clocks.reshape(self.shape)
        latest = np.where(arriving, clocks, 0).max(axis=1, keepdims=True)
        waited = np.where(arriving, latest - clocks, 0).sum(axis=1)
        last = np.where(arriving, known.places.reshape(self.shape), -1).max(axis=1)
        np.copyto(clocks, latest, where=arriving)
        known.warps[arriving.reshape(-1)] = False
        for place in np.unique(last[last >= 0]).tolist():
            yield known.ops[place], int(waited[last == place].sum())
