"""Barriers: which lanes have arrived, which wait, and when they continue (9.7.13.1, 9.7.13.3).

Barriers do not wait for exited threads: kernels that return early before a barrier rely on this, and hardware allows
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp import lane_sets
from openptx.engines.interp.frames import Frame, Group
from openptx.engines.interp.geometry import WARP
from openptx.engines.interp.operands import Writer
from openptx.numerics.reductions import distinct
from openptx.program import Op

if TYPE_CHECKING:
    from openptx.engines.interp.batch_state import BatchState

Counts = NDArray[np.int64]


@dataclass(slots=True)
class Waiting:
    """Waiting lanes; `write` receives the result of a reduction."""

    frame: Frame
    pc: int  # where they continue
    lanes: lane_sets.Positions
    op: Op
    write: Writer | None = None


class Barrier:
    """One of the sixteen barriers of every CTA of a batch."""

    def __init__(self, batch: BatchState, number: int) -> None:
        n, ctas = batch.x.n, batch.x.geometry.count
        self.batch, self.number = batch, number
        self.arrived = np.zeros(n, np.int64)  # since the last completion of the barrier
        self.votes = np.zeros(n, np.bool_)
        self.expected = np.zeros(ctas, np.int64)  # threads; 0 for all of the CTA
        self.waiting: list[Waiting] = []

    def in_turn(self, lanes: lane_sets.Lanes, chosen: NDArray[np.bool_], expected: int) -> list[NDArray[np.bool_]]:
        """Splits the `chosen` among `lanes` into the parts that arrive one after another: a single one, or one for each
        warp if a CTA has more of them than the barrier still waits for, so that the surplus counts for its next
        completion."""
        if not expected:
            return [chosen]
        g = self.batch.x.geometry
        arrived_lanes = np.bincount(lane_sets.take(g.cta, lanes)[chosen], minlength=g.count)
        if (arrived_lanes + np.bincount(g.cta, self.arrived, g.count) <= expected).all():
            return [chosen]
        warp = lane_sets.take(g.warp, lanes) % g.warps_per_cta
        return [chosen & (warp == w) for w in distinct(warp[chosen])]

    def arrive(self, lanes: lane_sets.Lanes, expected: int, votes: NDArray[np.bool_] | None) -> None:
        """Records that lanes arrive; `expected`: the number of threads that the instruction names, 0 for all."""
        index = slice(None) if lanes is None else lanes
        self.arrived[index] += 1
        if votes is not None:
            self.votes[index] = votes
        self.expected[lane_sets.take(self.batch.x.geometry.cta, lanes)] = expected

    def complete(self) -> NDArray[np.bool_]:
        """Whether all threads have arrived, for every CTA."""
        geometry, alive = self.batch.x.geometry, self.batch.alive
        warps, per_cta = geometry.count * geometry.warps_per_cta, (geometry.count, geometry.warps_per_cta)
        arrived_lanes = np.bincount(geometry.warp, self.arrived, warps)
        present = np.bincount(geometry.warp, alive | (self.arrived > 0), warps)  # lanes may arrive and exit
        missing = np.bincount(geometry.warp, alive & (self.arrived == 0), warps)
        # A warp whose lanes have all arrived counts as a full warp, as does the last, partial warp of a CTA.
        counted = np.where((missing == 0) & (arrived_lanes > 0), arrived_lanes + (WARP - present), arrived_lanes)
        enough = counted.reshape(per_cta).sum(1) >= self.expected
        complete_ctas = missing.reshape(per_cta).sum(1) == 0
        some = arrived_lanes.reshape(per_cta).sum(1) > 0
        named = self.expected > 0
        return some & ((named & enough) | (~named & complete_ctas))

    def settle(self) -> None:
        """Releases the threads of completed barriers."""
        done = self.complete()
        if not done.any():
            return
        x, cta = self.batch.x, self.batch.x.geometry.cta
        arrivals, votes = self.arrived, self.votes
        released = done[cta]
        self.batch.opens(self.number, released & (arrivals > 0))
        waiting, self.waiting = self.waiting, []
        for w in waiting:
            free = released[w.lanes]
            if not free.any():
                self.waiting.append(w)
                continue
            some = lane_sets.normalize(w.lanes[free], x.n)
            if w.write is not None:
                self.reduce(w, some, arrivals, votes)
            self.batch.add(w.frame, w.pc, some)
            if not free.all():
                w.lanes = w.lanes[~free]
                self.waiting.append(w)
        self.arrived = np.where(released, 0, arrivals)
        self.votes = votes & ~released
        self.expected[done] = 0

    def reduce(self, w: Waiting, some: lane_sets.Lanes, arrivals: Counts, votes: NDArray[np.bool_]) -> None:
        assert w.write is not None
        x = self.batch.x
        result = reduction(w.op, arrivals > 0, votes, x.geometry.cta, x.geometry.count)
        w.write(x, w.frame.regs, some, x.lanes(result if some is None else result[some]))


def reduction(
    op: Op, present: NDArray[np.bool_], votes: NDArray[np.bool_], cta: NDArray[np.intp], ctas: int
) -> NDArray[np.uint32] | NDArray[np.bool_]:
    """The result of `.red` for every lane: the count, conjunction or disjunction of the predicate over the lane's
    CTA."""
    yes = np.bincount(cta, votes & present, ctas).astype(np.uint32)
    if op.m.op == "popc":
        return yes[cta]
    if op.m.op == "or":
        return (yes > 0)[cta]
    return (yes == np.bincount(cta, present, ctas))[cta]


class ClusterBarrier:
    """The barrier of all threads of each cluster: a lane may continue when all have arrived as often as it has."""

    def __init__(self, batch: BatchState) -> None:
        self.batch = batch
        self.arrivals = np.zeros(batch.x.n, np.int64)
        self.size = batch.x.geometry.threads * batch.x.geometry.shape.cluster_size
        self.waiting: list[Waiting] = []

    def arrive(self, lanes: lane_sets.Lanes) -> None:
        self.arrivals[slice(None) if lanes is None else lanes] += 1

    def settle(self) -> None:
        x = self.batch.x
        far = np.iinfo(np.int64).max
        slowest = np.where(self.batch.alive, self.arrivals, far).reshape(-1, self.size).min(1)
        waiting, self.waiting = self.waiting, []
        for w in waiting:
            free = slowest[w.lanes // self.size] >= self.arrivals[w.lanes]
            if free.any():
                self.batch.passes_cluster(w.op, w.lanes[free])
                self.batch.add(w.frame, w.pc, lane_sets.normalize(w.lanes[free], x.n))
            if not free.all():
                w.lanes = w.lanes[~free]
                self.waiting.append(w)


def waits(group: Group, end: int, x_n: int, op: Op, write: Writer | None = None) -> Waiting:
    return Waiting(group.frame, end, lane_sets.positions(group.lanes, x_n), op, write)
