"""Happens-before of a launch (PTX ISA, chapter 8) as vector clocks in layers.

Every instruction that a group of threads executes takes one tick of a launch-wide clock, and an access is stamped with
it. Thread t knows the accesses of thread u up to a time: that of the last barrier of the whole CTA, that of the last
`bar.warp.sync` of the whole warp, or the one in its view. Everything else that orders changes the view: barriers of a
part of the CTA, acquire patterns, mbarriers, waits for copies.
"""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.device.arrays import as_array
from openptx.engines.interp.geometry import WARP
from openptx.sanitize.races.teams import AGENT, Teams
from openptx.sanitize.races.thread_tables import ThreadTables
from openptx.sanitize.races.views import CTAS, WARPS, Views


class Moments:
    """For each thread, its knowledge at an earlier moment, such as its last fence. Time 0: no such moment."""

    def __init__(self, clocks: Clocks) -> None:
        self.clocks = clocks
        self.time, self.own, self.warp = (clocks.tables.zeros(np.int64) for _ in range(3))
        self.view = clocks.views_of_threads()

    def take(self, threads: Array) -> None:
        """Saves what these threads know now."""
        c = self.clocks
        self.time[threads] = c.now
        self.own[threads] = c.cta_floor[c.teams.cta(threads)]
        self.warp[threads] = c.warp_floor[c.teams.warp(threads)]
        self.view[threads] = c.view[threads]

    def knowledge(self, threads: Array) -> int:
        """The union of what these threads knew."""
        valid = threads[self.time[threads] > 0]
        if not valid.size:
            return 0
        found = self.clocks.knowledge(valid, self.time[valid], self.own[valid], self.warp[valid])
        return self.clocks.views.join(found, self.clocks.views.join_all(self.view[valid]))


class Clocks:
    """The launch-wide clock, the floors of CTAs and warps, and the view of each thread."""

    def __init__(self, teams: Teams, narrow: bool = True) -> None:
        self.teams, self.narrow = teams, narrow
        """`narrow`: whether the kernel has a `fence.sc` or a strong access of scope CTA. Without them what precedes the
        fences in the own CTA is part of what precedes all, and need not be kept apart."""
        self.views, self.tables = Views(teams), ThreadTables(teams.count)
        self.now = 1
        self.cta_floor = np.zeros(teams.ctas, np.int64)
        self.warp_floor = np.zeros(teams.ctas * teams.warps, np.int64)
        self.view = self.views_of_threads()
        self.if_acquired = self.views_of_threads()
        """What a thread would know if its counting atomic acquired (see releases.py)."""
        self.hypotheses = [self.if_acquired]
        """What threads would know in other circumstances: all that they do know, and more."""
        self.sequential = self.views_of_threads()
        """What precedes the next `fence.sc` of a thread, whatever the order of such fences (8.9.3)."""
        self.sequential_near = self.views_of_threads()
        """What precedes it of fences in its own CTA, also those of scope CTA, which do not precede fences of others."""
        self.fences = Moments(self)  # the last `fence.sc`, until all threads of a barrier know it
        self.fences_near = Moments(self)

    def tick(self) -> int:
        """Begins an instruction, or what happens at once when a barrier completes."""
        self.views.collect()
        self.now += 1
        return self.now

    def views_of_threads(self) -> Array:
        """A table with the number of a view for each thread. Those of running threads are in use."""
        made = self.tables.zeros(np.int32)
        self.views.holders.append(lambda: (v for part in self.tables.running for v in np.unique(made[part]).tolist()))
        return made

    def hypothesis(self) -> Array:
        """A table of what threads would know in other circumstances; at first it is what they know."""
        made = self.views_of_threads()
        for running in self.tables.running:
            made[running] = self.view[running]
        self.hypotheses.append(made)
        return made

    # Queries.

    def ordered(self, others: Array, times: Array, threads: Array, views: Array | None = None) -> Array:
        """Whether accesses of `others` at `times` happened before the current actions of `threads`."""
        teams = self.teams
        cta, other = teams.cta(threads), teams.cta(others)
        real = others < AGENT
        same = real & (cta == other)
        known = (others == threads) | (same & (times <= self.cta_floor[cta]))
        warp = teams.warp(threads)
        known |= same & (teams.warp(others) == warp) & (times <= self.warp_floor[warp])
        left = np.flatnonzero(~known)
        if left.size:
            of = (self.view if views is None else views)[threads[left]]
            for view in np.unique(of).tolist():
                if view:
                    chosen = left[of == view]
                    known[chosen] = self.views.knows(view, others[chosen], times[chosen])
        return known

    def knowledge(self, threads: Array, times: Array, own: Array | None = None, warps: Array | None = None) -> int:
        """A view of the accesses of `threads` up to `times`, and of their floors then: `own` of their CTAs, `warps` of
        their warps; by default the present ones."""
        teams = self.teams
        if threads.size == 1:
            return self.knowledge_of(int(threads[0]), int(times[0]), own, warps)
        warp, cta = teams.warp(threads), teams.cta(threads)
        units, index, counts = np.unique(warp, return_inverse=True, return_counts=True)
        index = index.reshape(-1)
        low, high = np.full(units.size, np.iinfo(np.int64).max), np.zeros(units.size, np.int64)
        np.minimum.at(low, index, times)
        np.maximum.at(high, index, times)
        whole = (low == high) & (counts == teams.warp_size(units))
        single = ~whole[index]
        floors = self.cta_floor[cta] if own is None else own
        near = self.warp_floor[warp] if warps is None else warps
        keys = [WARPS + units[whole], threads[single], CTAS + cta, WARPS + warp[single]]
        values = [low[whole], times[single], floors, near[single]]
        every, when = np.concatenate(keys).astype(np.int64), np.concatenate(values).astype(np.int64)
        return self.views.add(every[when > 0], when[when > 0])

    def knowledge_of(self, thread: int, time: int, own: Array | None, warps: Array | None) -> int:
        """`knowledge` of one thread, without sorting: atomics are watched thread by thread."""
        warp, cta = int(self.teams.warp(thread)), int(self.teams.cta(thread))
        floor = int(self.cta_floor[cta] if own is None else own[0])
        near = int(self.warp_floor[warp] if warps is None else warps[0])
        if len(self.teams.members(warp)) == 1:
            found = (WARPS + warp, max(time, near)), (CTAS + cta, floor)
        else:
            found = (thread, time), (WARPS + warp, near), (CTAS + cta, floor)
        nonzero = [entry for entry in found if entry[1] > 0]
        return self.views.sorted_row([key for key, _ in nonzero], [when for _, when in nonzero])

    def released(self, threads: Array) -> int:
        """The union of what these threads have done or know."""
        done = self.knowledge(threads, np.full(threads.size, self.now, np.int64))
        return self.views.join(done, self.views.join_all(self.view[threads]))

    # Edges.

    def learn(self, threads: Array, view: int) -> None:
        """Threads learn the contents of a view."""
        if view:
            for table in (self.view, *self.hypotheses):
                self.add_to(table, threads, view)

    def fence_proxy(self, threads: Array, spaces: tuple[str, ...]) -> None:
        """A proxy fence: the async proxy knows what these threads have done and know in their later actions."""
        self.learn(threads, self.views.fenced(self.released(threads), spaces))

    def add_to(self, table: Array, threads: Array, view: int) -> None:
        """Joins a view into each thread's entry of a table."""
        if not view:
            return
        if threads.size == 1:  # as for atomics, which are watched thread by thread
            thread = threads[0]
            table[thread] = self.views.join(int(table[thread]), view)
        elif threads.size:
            before = table[threads]
            for old in np.unique(before).tolist():
                table[threads[before == old]] = self.views.join(old, view)

    def fence_view(self, threads: Array) -> int:
        """The view that precedes a `fence.sc` of a thread that observes one of these threads."""
        return self.views.join(self.views.join_all(self.sequential[threads]), self.fences.knowledge(threads))

    def fence_view_near(self, threads: Array) -> int:
        """The view that precedes a `fence.sc` of a thread of the same CTA that observes one of these threads."""
        return self.views.join(self.views.join_all(self.sequential_near[threads]), self.fences_near.knowledge(threads))

    def fence_sequentially(self, threads: Array, wide: bool) -> None:
        """A `fence.sc`: it follows all earlier such fences whose order is forced and whose scope includes it. `wide`:
        its own scope is wider than the CTA.
        """
        for table in (self.sequential, self.sequential_near) if wide else (self.sequential_near,):
            before = table[threads]
            for view in np.unique(before).tolist():
                self.learn(threads[before == view], view)
        if wide:
            self.fences.take(threads)
        if self.narrow:
            self.fences_near.take(threads)

    def meet_ctas(self, ctas: Array) -> None:
        """All threads of CTAs have met at a barrier."""
        self.cta_floor[ctas] = self.now
        self._share(ctas, self.teams.threads)

    def meet_warps(self, warps: Array) -> None:
        """All lanes of warps have met at a `bar.warp.sync`."""
        self.warp_floor[warps] = self.now
        if self.teams.threads % WARP == 0:
            self._share(warps, WARP)
            return
        for warp in warps.tolist():
            members = self.teams.members(warp)
            self.share(np.arange(members.start, members.stop))

    def _share(self, units: Array, size: int) -> None:
        """Threads of each unit of `size` share their knowledge."""
        uneven = (self.fences.time | self.fences_near.time).reshape(-1, size)[units].any(1)
        for table in (self.view, *self.hypotheses, self.sequential, self.sequential_near):
            rows = table.reshape(-1, size)[units]
            uneven |= (rows != rows[:, :1]).any(1)
        for unit in as_array(units[uneven]).tolist():
            first = int(unit) * size
            self.share(np.arange(first, first + size))

    def share(self, threads: Array) -> None:
        """Threads share their views."""
        fences, near = self.fence_view(threads), self.fence_view_near(threads)
        for table in (self.view, *self.hypotheses):
            table[threads] = self.views.join_all(table[threads])
        self.sequential[threads], self.sequential_near[threads] = fences, near
        self.fences.time[threads] = self.fences_near.time[threads] = 0

    def passed_on(self, threads: Array) -> tuple[int, ...]:
        """What threads that arrive at a barrier now pass on to those that wait there: what precedes their later
        `fence.sc`, what they have done and know, and what they would know in each hypothesis."""
        done = self.knowledge(threads, np.full(threads.size, self.now, np.int64))
        known = [self.views.join_all(table[threads]) for table in (self.view, *self.hypotheses)]
        return self.fence_view(threads), self.fence_view_near(threads), *(self.views.join(done, v) for v in known)

    def receive(self, threads: Array, passed: tuple[int, ...]) -> None:
        """Threads that waited learn what others passed on. A hypothesis made since then began with their views."""
        tables = self.sequential, self.sequential_near, self.view, *self.hypotheses
        for i, table in enumerate(tables):
            self.add_to(table, threads, passed[i] if i < len(passed) else passed[2])
