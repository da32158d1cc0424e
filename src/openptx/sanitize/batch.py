"""A batch of a watched execution: barriers and calls report their ordering to the clocks and the checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.sanitize.numbered import NumberedBatch
from openptx.sanitize.races.semantics import WARP_BARRIER
from openptx.sanitize.schedule import LONGEST_TURN, take

if TYPE_CHECKING:
    from openptx.engines.interp.decode import Block
    from openptx.engines.interp.frames import Frame, Group
    from openptx.engines.interp.launch_state import LaunchState
    from openptx.numerics import Bits
    from openptx.program import Op
    from openptx.sanitize.machine import SanitizedThreads
    from openptx.sanitize.races.views import Views


@dataclass(slots=True)
class Arrivals:
    """For each lane at a cluster's barrier: when it arrived, and its view then."""

    times: Array
    views: Array

    @staticmethod
    def of(n: int, views: Views) -> Arrivals:
        return Arrivals(np.zeros(n, np.int64), views.table(n))


class SanitizedBatch(NumberedBatch):
    """A batch that reports arrivals at barriers, completed barriers, calls and exits to its session."""

    def __init__(self, launch: LaunchState, x: SanitizedThreads) -> None:
        self.watched, self.session = x, x.session
        self._no_wait: dict[int, Array] = {}
        """For each barrier, the lanes that arrived last without waiting."""
        self._cluster_phase = np.zeros(x.n, np.int64)
        views, clusters = self.session.clocks.views, x.geometry.count // self.session.teams.cluster_size
        self._cluster = Arrivals.of(x.n, views)
        self._passed, self._passed_views = np.zeros(clusters, np.int64), views.table(clusters)
        """By cluster, the last phase of its barrier that a thread passed, and what all arrivals in it pass on."""
        self._weak, self._weak_passed = views.table(clusters), views.table(clusters)
        """By cluster, what relaxed arrivals would pass on in this phase, and in the last one that a thread passed."""
        super().__init__(launch, x)
        self.session.begins(self)

    def advance(self, group: Group, slice_ends: int, until: int) -> None:
        self.session.executing.batch = self
        order = self.session.order
        if order is not None:  # other groups may run between any two basic blocks
            until = min(until, self.clock + int(order.integers(1, LONGEST_TURN)))
        super().advance(group, slice_ends, until)

    def take(self) -> tuple[Group, bool]:
        return super().take() if self.session.order is None else (take(self, self.session.order), False)

    def execute(self, block: Block, frame: Frame, lanes: lane_sets.Lanes) -> None:
        self.session.executing.frame = frame
        super().execute(block, frame, lanes)

    def execute_control(self, group: Group, block: Block) -> bool:
        assert block.control is not None
        self.watched.begin(block.control)
        self.session.control(group, block.control)
        return super().execute_control(group, block)

    # Barriers of CTAs.

    def arrives(self, op: Op, lanes: lane_sets.Lanes, number: Bits, count: Bits | None, votes: Bits | None) -> None:
        s, places = self.session, lane_sets.positions(lanes, self.x.n)
        self.x.executing = lanes
        s.values.barrier(number, count, votes)
        numbers = np.broadcast_to(number.v, places.size)
        for barrier in np.unique(numbers).tolist():
            chosen = places[numbers == barrier]
            self._no_wait.setdefault(barrier, np.zeros(self.x.n, np.bool_))[chosen] = op.m.mode == "arrive"
            s.weak_barriers.meets(self.x.numbers[chosen], s.reporter.statement(op), op.m.mode != "arrive")
            if op.m.mode == "arrive":
                s.block_barriers.arrive(barrier, self.x.numbers[chosen])
        s.waits.progress()
        s.barriers.arrives(op, self, places, numbers, count)
        if count is None:
            s.skipped_barriers.arrive(self, op, places)

    def opens(self, number: int, arrived: NDArray[np.bool_]) -> None:
        s, geometry = self.session, self.x.geometry
        s.clocks.tick()
        rows = arrived.reshape(geometry.count, geometry.threads)
        no_wait = (self._no_wait[number] & arrived).reshape(rows.shape)
        whole = rows.all(1) & ~no_wait.any(1)
        ctas = np.flatnonzero(whole)
        if ctas.size:
            s.clocks.meet_ctas(ctas + geometry.first)
        for cta in np.flatnonzero(rows.any(1) & ~whole).tolist():
            waiting = np.flatnonzero((rows & ~no_wait)[cta]) + cta * geometry.threads
            s.block_barriers.meet(cta + geometry.first, number, self.x.numbers[waiting])
            s.meetings.meet(number, rows[cta], (rows & ~no_wait)[cta])
        s.barriers.opens(self, number, arrived)

    # Barriers of warps.

    def converges(self, op: Op, lanes: lane_sets.Lanes, mask: Bits) -> None:
        places = lane_sets.positions(lanes, self.x.n)
        masks = np.broadcast_to(mask.v, places.size)
        self.session.barriers.converges(op, self, places, masks)
        if op.form.instruction is not WARP_BARRIER:
            return
        s, threads = self.session, self.x.numbers[places]
        s.clocks.tick()
        teams = s.teams
        warps, index, counts = np.unique(teams.warp(threads), return_inverse=True, return_counts=True)
        sizes = teams.warp_size(warps)
        all_lanes = ((np.int64(1) << sizes) - 1)[index]
        full = (counts == sizes)[index] & ((masks.astype(np.int64) & all_lanes) == all_lanes)
        whole = np.bincount(index, full) == counts
        if whole.any():
            s.clocks.meet_warps(warps[whole])
        for warp in np.flatnonzero(~whole).tolist():
            mine = index.reshape(-1) == warp
            for value in np.unique(masks[mine]).tolist():
                members = threads[mine & (masks == value)]
                s.clocks.receive(members, s.clocks.passed_on(members))

    # Barriers of clusters.

    def arrives_in_cluster(self, op: Op, lanes: lane_sets.Lanes) -> None:
        s, places = self.session, lane_sets.positions(lanes, self.x.n)
        s.waits.progress()
        s.barriers.arrives_in_cluster(op, self, places)
        if op.m.mode != "arrive":
            return
        self._cluster_phase[places] += 1
        relaxed = op.m.values.get("sem") == "relaxed"
        self._cluster.times[places] = 0 if relaxed else s.clocks.now
        threads = self.x.numbers[places]
        self._cluster.views[places] = s.releases.fenced(threads) if relaxed else s.clocks.view[threads]
        clusters = places // (s.teams.threads * s.teams.cluster_size)
        for cluster in np.unique(clusters).tolist() if relaxed else ():
            would = s.weak_barriers.relaxes(threads[clusters == cluster], s.reporter.statement(op))
            self._weak[cluster] = s.clocks.views.join(int(self._weak[cluster]), would)

    def passes_cluster(self, op: Op, lanes: lane_sets.Positions) -> None:
        s = self.session
        size = s.teams.threads * s.teams.cluster_size
        s.clocks.tick()
        s.lifetimes.meet(self.x.numbers[lanes])
        clusters = lanes // size
        for cluster in np.unique(clusters).tolist():
            mine = lanes[clusters == cluster]
            phase = int(self._cluster_phase[mine[0]])
            if self._passed[cluster] != phase:
                self._passed[cluster] = phase
                self._passed_views[cluster] = self._cluster_view(cluster * size, size, phase)
                self._weak_passed[cluster], self._weak[cluster] = self._weak[cluster], 0
            s.clocks.learn(self.x.numbers[mine], int(self._passed_views[cluster]))
            s.weak_barriers.would_learn(self.x.numbers[mine], int(self._weak_passed[cluster]))

    def _cluster_view(self, first: int, size: int, phase: int) -> int:
        """The knowledge that all arrivals in a phase of a cluster's barrier pass on."""
        arrivals = self._cluster
        lanes = np.arange(first, first + size)
        lanes = lanes[self._cluster_phase[lanes] == phase]
        clocks, released = self.session.clocks, lanes[arrivals.times[lanes] > 0]
        known = clocks.knowledge(self.x.numbers[released], arrivals.times[released]) if released.size else 0
        return clocks.views.join(known, clocks.views.join_all(arrivals.views[lanes]))

    # Exits and calls.

    def leave(self, lanes: lane_sets.Lanes) -> None:
        self.session.leaves(self, lanes)
        super().leave(lanes)

    def close(self) -> None:
        if not self.alive_count:
            self.session.ends(self)
        super().close()

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        self.watched.enters(frame, lanes)
