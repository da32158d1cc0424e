"""The race detector: checks each access against the shadow cells of its bytes, and takes its place in them.

Two accesses of one byte, one of them a write, race unless one happened before the other or both are strong, of the same
bytes and with scopes that include each other (8.7.1). Only accesses that another one stands for are forgotten: whoever
comes after that one comes after them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.sanitize.shadow import (
    CELL,
    CLUSTER,
    CTA,
    NON_COHERENT,
    PENDING,
    R2,
    SCOPE,
    SIZE,
    STATEMENT,
    UPDATE,
    VOLATILE,
    W2,
    R,
    W,
)
from openptx.sanitize.teams import AGENT
from openptx.sanitize.views import ASYNC_PROXY

if TYPE_CHECKING:
    from openptx.sanitize.clocks import Clocks
    from openptx.sanitize.shadow import Shadow

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Conflict:
    """An access of this instant that races with an earlier one. `index` is its position among the accesses."""

    index: int
    thread: int
    offset: int  # of the granule in the allocation, in bytes
    write: bool
    facts: int
    other_time: int
    other_thread: int
    other_facts: int
    other_write: bool
    equal: bool = False  # both wrote the same value
    stale: bool = False  # ordered, but one is a non-coherent read of what the kernel writes
    unfenced: bool = False  # ordered, but by different proxies without a proxy fence between


MOST_COMPARED = 64
"""Of how many writes in a conflict it is found out whether they store what is there already."""

Report = Callable[[Conflict], None]


def scope_of(facts: Array) -> Array:
    return (facts >> SCOPE) & 3


class Races:
    def __init__(self, clocks: Clocks, report: Report) -> None:
        self.clocks, self.report = clocks, report
        self.read_before_update: set[int] = set()
        self.asynchronous = False  # whether there have been asynchronous copies
        self.non_coherent = False
        self.unfenced: tuple[Array, ...] = ()
        """Views of what threads have observed without an acquiring fence."""
        self.shadow: Shadow
        self.unchanged: Callable[[int], bool] = lambda index: False
        """Whether a store at this position stores what is in memory already."""

    def access(
        self,
        shadow: Shadow,
        threads: Array,
        offsets: Array,
        size: int,
        facts: int,
        *,
        write: bool,
        owners: Array | None = None,
        values: Array | None = None,
        unchanged: Callable[[int], bool] = lambda index: False,
        by_proxy: bool = False,
    ) -> Array:
        """An access of `size` bytes by each of `threads`, at byte offsets; gives the granules.

        `owners` are who accesses in the name of the threads: asynchronous copies. `values` are what is stored, a row
        each, to tell writes of equal values from others. `by_proxy` is whether the access is one of the async proxy.
        """
        self.shadow, self.unchanged = shadow, unchanged
        if offsets.size < threads.size:
            offsets = np.broadcast_to(offsets, threads.shape)
        granules = shadow.granules(offsets, size)
        width = granules.shape[1]
        flat, who = granules.reshape(-1), np.repeat(threads, width) if width > 1 else threads
        rows = shadow.cells[flat]
        self.check(shadow, rows, who, flat, facts, write, width)
        self.check_coherence(shadow, rows, who, flat, facts, write, width)
        if by_proxy:
            self.check_proxy(shadow, rows, who, flat, facts, write, width)
        self.asynchronous |= owners is not None or bool(facts & PENDING)
        marks = who if owners is None else np.repeat(owners, width)
        if facts & UPDATE:
            self.remember_reads(rows, who)
        if write:
            if flat.size > 1 and (flat[1:] <= flat[:-1]).any():
                self.check_together(shadow, who, flat, facts, width, values)
            self.put_write(shadow, rows, who, marks, flat, facts)
        else:
            self.put_read(shadow, rows, who, marks, flat, facts)
        return granules

    def remember_reads(self, rows: Array, who: Array) -> None:
        """The statements by which threads read plainly what they now update."""
        for start in (CELL * R, CELL * R2):
            mine = (rows[:, start] != 0) & (rows[:, start + 1] == who) & (scope_of(rows[:, start + 2]) == 0)
            if mine.any():
                self.read_before_update.update((np.unique(rows[mine, start + 2]) & STATEMENT).tolist())

    # Checks.

    def check(self, shadow: Shadow, rows: Array, who: Array, flat: Array, facts: int, write: bool, width: int) -> None:
        floor = self.common_floor(shadow, who)
        for column in (W, W2, R, R2) if write else (W, W2):
            times = rows[:, CELL * column]
            if times.max() <= floor:
                continue
            found = np.flatnonzero((times != 0) & (times != self.clocks.now))
            if not found.size:
                continue
            bad = found[self.racing(rows[found, CELL * column : CELL * column + CELL], who[found], facts)]
            self.tell(shadow, rows, who, flat, facts, write, width, column, bad)

    def check_coherence(
        self, shadow: Shadow, rows: Array, who: Array, flat: Array, facts: int, write: bool, width: int
    ) -> None:
        """`ld.global.nc` is for data that nobody writes while the kernel runs."""
        self.non_coherent |= bool(facts & NON_COHERENT)
        if not self.non_coherent or (not write and not facts & NON_COHERENT):
            return
        for column in (R, R2) if write else (W,):
            cells = rows[:, CELL * column : CELL * column + CELL]
            bad = (cells[:, 0] != 0) & (not write or (cells[:, 2] & NON_COHERENT) != 0)
            for i in np.flatnonzero(bad)[:1].tolist():
                time, thread, earlier = (int(v) for v in cells[i])
                offset = int(flat[i]) * shadow.unit - shadow.lead
                found = (i // width, int(who[i]), offset, write, facts, time, thread, earlier, not write)
                self.report(Conflict(*found, stale=True))

    def check_proxy(
        self, shadow: Shadow, rows: Array, who: Array, flat: Array, facts: int, write: bool, width: int
    ) -> None:
        """The async proxy must know of earlier writes by instructions of other proxies (8.6).

        Of earlier reads as well, by the text; but pipelines that refill a buffer rely on barriers alone.
        """
        times, others = rows[:, CELL * W].astype(np.int64), rows[:, CELL * W + 1].astype(np.int64)
        found = np.flatnonzero((times != 0) & (others < AGENT))
        views, known = self.clocks.view[who[found]], np.zeros(found.size, np.bool_)
        for view in np.unique(views).tolist():
            some = views == view
            at = found[some]
            known[some] = self.clocks.views.knows(view, others[at], times[at], ASYNC_PROXY[shadow.space])
        left = found[~known]
        racing = left[self.racing(rows[left, CELL * W : CELL * W + CELL], who[left], facts)]
        for i in np.setdiff1d(left, racing)[:1].tolist():  # of the others the data race is told
            offset, earlier = int(flat[i]) * shadow.unit - shadow.lead, int(rows[i, CELL * W + 2])
            place = (i // width, int(who[i]), offset, write, facts, int(times[i]), int(others[i]), earlier, True)
            self.report(Conflict(*place, unfenced=True))

    def racing(self, cells: Array, threads: Array, facts: int) -> Array:
        """Which of these earlier accesses race with what the threads do."""
        times, others, earlier = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64), cells[:, 2]
        pending = (earlier & PENDING) != 0
        bad = np.flatnonzero((others != threads) | pending)
        if not bad.size:
            return bad
        times, others, earlier, pending, threads = (v[bad] for v in (times, others, earlier, pending, threads))
        loose = pending | ~self.clocks.ordered(others, times, threads)
        if (facts >> SCOPE) & 3:
            loose &= ~self.morally_strong(others, earlier, threads, facts) | self.in_lockstep(
                others, times, earlier, threads, facts
            )
        return bad[loose]

    def morally_strong(self, others: Array, earlier: Array, threads: Array, facts: int) -> Array:
        """Whether two accesses are morally strong (8.7): both strong, on the same bytes, with scopes that include each
        other."""
        narrow = np.minimum(scope_of(earlier), (facts >> SCOPE) & 3)
        return (
            (narrow > 0) & (((earlier >> SIZE) & 3) == ((facts >> SIZE) & 3)) & self.included(narrow, others, threads)
        )

    def in_lockstep(self, others: Array, times: Array, earlier: Array, threads: Array, facts: int) -> Array:
        """Volatile accesses of shared memory by lanes of one warp: no data race, but only lock-step orders them.

        Where a lock is between them that has no fences, it is the lock that does.
        """
        if self.shadow.space != "shared" or not facts & VOLATILE:
            return np.zeros(others.size, np.bool_)
        teams = self.clocks.teams
        found = ((earlier & VOLATILE) != 0) & (teams.warp(others) == teams.warp(threads))
        for views in self.unfenced if found.any() else ():
            found &= ~self.clocks.ordered(others, times, threads, views)
        return found

    def included(self, scopes: Array, a: Array, b: Array) -> Array:
        """Whether the scopes around the threads `a` include the threads `b`."""
        teams = self.clocks.teams
        one, two = teams.cta(a), teams.cta(b)
        near = (scopes >= CLUSTER) & (one // teams.cluster_size == two // teams.cluster_size)
        return (scopes > CLUSTER) | near | ((scopes == CTA) & (one == two))

    def common_floor(self, shadow: Shadow, who: Array) -> int:
        """The time up to which all accesses that the bytes can have are known to all threads, where that is simple."""
        teams = self.clocks.teams
        if shadow.space != "shared" or teams.cluster_size > 1 or self.asynchronous:
            return 0
        return int(self.clocks.cta_floor[teams.cta(int(who.min())) : teams.cta(int(who.max())) + 1].min())

    def tell(
        self,
        shadow: Shadow,
        rows: Array,
        who: Array,
        flat: Array,
        facts: int,
        write: bool,
        width: int,
        column: int,
        bad: Array,
    ) -> None:
        """Reports one conflict for every statement that the access races with, and one that no idiom excuses."""
        if not bad.size:
            return
        before = column in (W, W2)
        cells = rows[bad, CELL * column : CELL * column + CELL]
        times, others = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
        hoped = self.clocks.ordered(others, times, who[bad], self.clocks.hoped)
        _, group = np.unique(cells[:, 2] * np.int64(2) + hoped, return_inverse=True)
        group = group.reshape(-1)
        for number in range(int(group.max()) + 1):
            some = bad[group == number].tolist()
            differs = (i for i in some[:MOST_COMPARED] if not (write and before and self.unchanged(i // width)))
            different = next(differs, None)
            i = some[0] if different is None else different
            time, thread, earlier = (int(v) for v in rows[i, CELL * column : CELL * column + CELL])
            offset = int(flat[i]) * shadow.unit - shadow.lead
            found = (i // width, int(who[i]), offset, write, facts, time, thread, earlier, before)
            self.report(Conflict(*found, equal=different is None))

    def check_together(
        self, shadow: Shadow, who: Array, flat: Array, facts: int, width: int, values: Array | None
    ) -> None:
        """Writes of one instruction by several threads to the same bytes."""
        order = np.argsort(flat, kind="stable")
        same = np.flatnonzero((flat[order][1:] == flat[order][:-1]) & (who[order][1:] != who[order][:-1]))
        if not same.size:
            return
        first, second = order[same], order[same + 1]
        if (facts >> SCOPE) & 3:
            scope = np.full(first.shape, (facts >> SCOPE) & 3)
            wrong = ~self.included(scope, who[first], who[second])
            first, second = first[wrong], second[wrong]
        equal = False
        if values is not None and first.size:
            differ = np.flatnonzero((values[first // width] != values[second // width]).any(1))
            equal = not differ.size
            first, second = (first, second) if equal else (first[differ], second[differ])
            if equal:  # rather of different warps: of one warp it is an idiom
                far = np.argsort(-self.distance(who[first], who[second]), kind="stable")[:1]
                first, second = first[far], second[far]
        if first.size:
            i, j, now = int(first[0]), int(second[0]), self.clocks.now
            offset = int(flat[i]) * shadow.unit - shadow.lead
            self.report(Conflict(j // width, int(who[j]), offset, True, facts, now, int(who[i]), facts, True, equal))

    # Updates.

    def put_write(self, shadow: Shadow, rows: Array, who: Array, marks: Array, flat: Array, facts: int) -> None:
        """The write becomes W. It stands for all earlier ones, unless it is strong and they are not, or unordered."""
        new = np.zeros((flat.size, 4 * CELL), np.uint32)
        new[:, 0], new[:, 1], new[:, 2] = self.clocks.now, marks, facts
        if (facts >> SCOPE) & 3:
            old = rows[:, :CELL]
            weak = scope_of(old[:, 2]) == 0
            kept = (old[:, 0] != 0) & (weak | (old[:, 1] != who))
            new[:, CELL : 2 * CELL] = np.where(kept[:, None], old, rows[:, CELL : 2 * CELL])
            new[:, 2 * CELL :] = rows[:, 2 * CELL :]  # readers that are weak may race with later writes
        shadow.cells[flat] = new

    def put_read(self, shadow: Shadow, rows: Array, who: Array, marks: Array, flat: Array, facts: int) -> None:
        """The read takes a reader's cell: of one that it stands for, of an empty one, or of the nearer neighbour."""
        cells = np.empty((flat.size, CELL), np.uint32)
        cells[:, 0], cells[:, 1], cells[:, 2] = self.clocks.now, marks, facts
        first, second = rows[:, 6:9], rows[:, 9:12]
        free = self.replaceable(first, who, facts)
        if free.all() and not second[:, 0].any():
            shadow.cells[flat, 6] = cells[:, 0]
            shadow.cells[flat, 7] = cells[:, 1]
            shadow.cells[flat, 8] = cells[:, 2]
        else:
            also = self.replaceable(second, who, facts)
            closer = self.distance(first[:, 1], second[:, 1]) < self.distance(first[:, 1], who)
            put_second = ~free & (also | closer)
            fresh = rows[:, 6:12].copy()
            fresh[free, :3] = cells[free]
            fresh[free & also, 3:] = 0
            fresh[put_second, 3:] = cells[put_second]
            shadow.cells[flat, 6:12] = fresh
        if flat.size > 1 and (flat[1:] <= flat[:-1]).any():
            self.put_first_reader(shadow, who, marks, flat, facts)

    def put_first_reader(self, shadow: Shadow, who: Array, marks: Array, flat: Array, facts: int) -> None:
        """Where several lanes read one place, the last of them is its reader now; the first becomes the other
        reader."""
        there = shadow.cells[flat, 6:10]
        idle = np.flatnonzero((there[:, 0] == self.clocks.now) & (there[:, 1] != marks) & (there[:, 3] == 0))[::-1]
        at = flat[idle]  # in reverse order: of assignments to one place the last stays
        shadow.cells[at, 9], shadow.cells[at, 10] = self.clocks.now, marks[idle]
        shadow.cells[at, 11] = facts

    def replaceable(self, cells: Array, who: Array, facts: int) -> Array:
        """Which readers the new one stands for; empty cells as well."""
        free = cells[:, 0] == 0
        used = np.flatnonzero(~free)
        if used.size:
            times, others, earlier = (cells[used, i].astype(np.int64) for i in range(3))
            weaker = (scope_of(earlier) == 0) & bool((facts >> SCOPE) & 3)
            known = (others == who[used]) | self.clocks.ordered(others, times, who[used])
            free[used] = known & ~weaker & ((earlier & PENDING) == 0)
        return free

    def distance(self, a: Array, b: Array) -> Array:
        """3 for threads of different CTAs, 2 for different warps, 1 for different lanes."""
        teams = self.clocks.teams
        a, b = a.astype(np.int64), b.astype(np.int64)
        far = (teams.cta(a) != teams.cta(b)) | (a >= AGENT) | (b >= AGENT)
        return np.where(far, 3, np.where(teams.warp(a) != teams.warp(b), 2, (a != b).astype(np.int64)))
