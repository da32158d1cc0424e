"""The race detector: checks each access against the shadow cells of its bytes, and enters it there.

Two accesses of one byte, one of them a write, race unless one happened before the other or both are strong, of the same
bytes and with scopes that include each other (8.7.1). An access is dropped only if another one represents it:
everything ordered after that one is ordered after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.shadow import (
    CELL,
    CLUSTER,
    CTA,
    NON_COHERENT,
    PENDING,
    R2,
    SCOPE,
    SIZE,
    STATEMENT,
    UNNAMED_PROXY,
    UPDATE,
    VOLATILE,
    W2,
    R,
    Shadow,
    W,
)
from openptx.sanitize.races.teams import AGENT
from openptx.sanitize.races.views import ASYNC_PROXY


@dataclass(frozen=True, slots=True)
class Conflict:
    """A current access that races with an earlier one."""

    shadow: Shadow
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
    unfenced: bool = False  # ordered, but by different proxies without a proxy fence in between


@dataclass(frozen=True, slots=True)
class Access:
    """One instruction's accesses, granule by granule: `width` granules for each thread.

    `threads` has one each, `flat` the granules, `rows` their cells before. `unchanged` is whether the store at a
    position stores the value already in memory.
    """

    shadow: Shadow
    threads: Array
    flat: Array
    rows: Array
    width: int
    facts: int
    write: bool
    unchanged: Callable[[int], bool]
    issuers: Callable[[Array], Array] | None = None
    """The threads whose actions the agents of earlier accesses execute, in an order that their issue determines."""

    def cells(self, column: int) -> Array:
        return self.rows[:, CELL * column : CELL * column + CELL]

    @property
    def scope(self) -> int:
        return (self.facts >> SCOPE) & 3

    def conflict(self, i: int, cell: Array, other_write: bool, **what: bool) -> Conflict:
        """A conflict of the access at granule `i` with the earlier one of a cell."""
        time, thread, earlier = (int(v) for v in cell)
        offset = int(self.flat[i]) * self.shadow.unit - self.shadow.lead
        mine = self.shadow, int(self.threads[i]), offset, self.write, self.facts
        return Conflict(*mine, time, thread, earlier, other_write, **what)


MOST_COMPARED = 64
"""The maximum number of conflicting writes that are compared with the value already in memory."""

Report = Callable[[Conflict], None]


def scope_of(facts: Array) -> Array:
    return (facts >> SCOPE) & 3


class Races:
    """The race detector of a launch. `report` receives each conflict."""

    def __init__(self, clocks: Clocks, report: Report) -> None:
        self.clocks, self.report = clocks, report
        self.read_before_update: set[int] = set()
        self.asynchronous = False  # whether there have been asynchronous copies
        self.non_coherent = False
        self.unfenced: tuple[Array, ...] = ()
        """What threads have observed without an acquiring fence, as views."""

    def access(
        self, shadow: Shadow, threads: Array, offsets: Array, size: int, facts: int, *, write: bool,
        owners: Array | None = None, values: Array | None = None,
        unchanged: Callable[[int], bool] = lambda index: False, by_proxy: bool = False,
        issuers: Callable[[Array], Array] | None = None,
    ) -> Array:  # fmt: skip
        """An access of `size` bytes by each of `threads`, at byte offsets; returns the granules.

        `owners` access for the threads: asynchronous copies. `values` are the stored values, one row each, to
        distinguish writes of equal values. `by_proxy` is whether the access is by the async proxy, `issuers` as in
        `Access`.
        """
        if offsets.size < threads.size:
            offsets = np.broadcast_to(offsets, threads.shape)
        granules = shadow.granules(offsets, size)
        width = granules.shape[1]
        flat, each = granules.reshape(-1), np.repeat(threads, width) if width > 1 else threads
        a = Access(shadow, each, flat, shadow.cells[flat], width, facts, write, unchanged, issuers)
        marks = each if owners is None else np.repeat(owners, width)
        self.check(a, marks if owners is not None else None)
        self.check_coherence(a)
        if by_proxy:
            self.check_proxy(a)
        self.asynchronous |= owners is not None or bool(facts & PENDING)
        if facts & UPDATE:
            self.remember_reads(a)
        if write:
            if flat.size > 1 and (flat[1:] <= flat[:-1]).any():
                self.check_together(a, values)
            self.put_write(a, marks)
        else:
            self.put_read(a, marks)
        return granules

    def remember_reads(self, a: Access) -> None:
        """The statements of plain loads of the words that the same threads now update."""
        for cells in (a.cells(R), a.cells(R2)):
            mine = (cells[:, 0] != 0) & (cells[:, 1] == a.threads) & (scope_of(cells[:, 2]) == 0)
            if mine.any():
                self.read_before_update.update((np.unique(cells[mine, 2]) & STATEMENT).tolist())

    # Checks.

    def check(self, a: Access, owners: Array | None) -> None:
        """Reports conflicts with earlier accesses. `owners` are the agents of an asynchronous copy, whose accesses have
        one time."""
        floor = self.common_floor(a)
        for column in (W, W2, R, R2) if a.write else (W, W2):
            cells = a.cells(column)
            times = cells[:, 0]
            if times.max() <= floor:
                continue
            apart = times != self.clocks.now
            if owners is not None and a.write and column == W:
                apart |= cells[:, 1] != owners
            found = np.flatnonzero((times != 0) & apart)
            if found.size:
                bad = found[self.racing(a, cells, found)]
                if bad.size and column in (W, W2):
                    bad = bad[~self.observed(a, column, bad)]
                self.report_all(a, cells, bad, column in (W, W2))

    def check_coherence(self, a: Access) -> None:
        """`ld.global.nc` is for data that is not written while the kernel runs."""
        self.non_coherent |= bool(a.facts & NON_COHERENT)
        if not self.non_coherent or (not a.write and not a.facts & NON_COHERENT):
            return
        for column in (R, R2) if a.write else (W,):
            cells = a.cells(column)
            bad = (cells[:, 0] != 0) & (not a.write or (cells[:, 2] & NON_COHERENT) != 0)
            for i in np.flatnonzero(bad)[:1].tolist():
                self.report(a.conflict(i, cells[i], not a.write, stale=True))

    def check_proxy(self, a: Access) -> None:
        """The async proxy must know of earlier writes by instructions of other proxies (8.6).

        By the text also of earlier reads; but pipelines that refill a buffer rely on barriers alone. The manual names
        no proxy for the address that `tcgen05.alloc` writes: Triton's kernels copy over it after a barrier.
        """
        cells = a.cells(W)
        times, others = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
        found = np.flatnonzero((times != 0) & (others < AGENT) & ((cells[:, 2] & UNNAMED_PROXY) == 0))
        views, known = self.clocks.view[a.threads[found]], np.zeros(found.size, np.bool_)
        for view in np.unique(views).tolist():
            some = views == view
            at = found[some]
            known[some] = self.clocks.views.knows(view, others[at], times[at], ASYNC_PROXY[a.shadow.space])
        left = found[~known]
        racing = left[self.racing(a, cells, left)]
        for i in np.setdiff1d(left, racing)[:1].tolist():  # the others are reported as data races
            self.report(a.conflict(i, cells[i], True, unfenced=True))

    def racing(self, a: Access, cells: Array, which: Array) -> Array:
        """Positions in `which` of the cells whose accesses race with the current ones."""
        times, others, earlier = (cells[which, i] for i in range(CELL))
        times, others, threads = times.astype(np.int64), others.astype(np.int64), a.threads[which]
        if a.issuers is not None:
            others = a.issuers(others)
        pending = (earlier & PENDING) != 0
        bad = np.flatnonzero((others != threads) | pending)
        if not bad.size:
            return bad
        times, others, earlier, pending, threads = (v[bad] for v in (times, others, earlier, pending, threads))
        if a.scope:  # before the order, which takes long where atomics contend
            apart = self.in_lockstep(a, others, times, earlier, threads)
            racing = np.flatnonzero(~self.morally_strong(others, earlier, threads, a.facts) | apart)
            bad, times, others, pending, threads = (v[racing] for v in (bad, times, others, pending, threads))
        return bad[pending | ~self.clocks.ordered(others, times, threads)] if bad.size else bad

    def observed(self, a: Access, column: int, which: Array) -> Array:
        """Whether a strong read before the current access has observed the strong write in this column (8.9.5): then
        that write alone precedes the current access, not what its thread did before. Atomics between the two carry
        it on."""
        writes, last = a.cells(column)[which], a.cells(W)[which]
        times, others, earlier = (writes[:, i].astype(np.int64) for i in range(CELL))
        threads, found = a.threads[which], np.zeros(which.size, np.bool_)
        for reader in (R, R2) if column == W else (W, R, R2):
            reads = a.cells(reader)[which]
            then, observers, facts = (reads[:, i].astype(np.int64) for i in range(CELL))
            from_it = (then > times) & (scope_of(earlier) > 0)
            if column == W2:
                from_it &= ((last[:, 2] & UPDATE) != 0) | (last[:, 0] > then)
            at = np.flatnonzero(from_it)
            known = self.morally_strong(others[at], earlier[at], observers[at], facts[at])
            found[at] |= known & self.clocks.ordered(observers[at], then[at], threads[at])
        return found

    def morally_strong(self, others: Array, earlier: Array, threads: Array, facts: Array | int) -> Array:
        """Whether two accesses are morally strong (8.7): both strong, on the same bytes, with scopes that include each
        other."""
        narrow = np.minimum(scope_of(earlier), (facts >> SCOPE) & 3)
        return (
            (narrow > 0) & (((earlier >> SIZE) & 3) == ((facts >> SIZE) & 3)) & self.included(narrow, others, threads)
        )

    def in_lockstep(self, a: Access, others: Array, times: Array, earlier: Array, threads: Array) -> Array:
        """Volatile accesses of shared memory by lanes of one warp: no data race, but only lock-step orders them.

        If a lock without fences lies between them, the lock orders them.
        """
        if a.shadow.space != "shared" or not a.facts & VOLATILE:
            return np.zeros(others.size, np.bool_)
        teams = self.clocks.teams
        found = ((earlier & VOLATILE) != 0) & (teams.warp(others) == teams.warp(threads))
        for views in self.unfenced if found.any() else ():
            found &= ~self.clocks.ordered(others, times, threads, views)
        return found

    def included(self, scopes: Array, a: Array, b: Array) -> Array:
        """Whether the scopes of the threads `a` include the threads `b`."""
        teams = self.clocks.teams
        mine, theirs = teams.cta(a), teams.cta(b)
        near = (scopes >= CLUSTER) & (mine // teams.cluster_size == theirs // teams.cluster_size)
        return (scopes > CLUSTER) | near | ((scopes == CTA) & (mine == theirs))

    def common_floor(self, a: Access) -> int:
        """The time up to which all threads know all accesses of these bytes: that of the last barrier of their CTAs. 0
        where threads of other CTAs, or copies, may access them."""
        teams, threads = self.clocks.teams, a.threads
        if a.shadow.space != "shared" or teams.cluster_size > 1 or self.asynchronous:
            return 0
        return int(self.clocks.cta_floor[teams.cta(int(threads.min())) : teams.cta(int(threads.max())) + 1].min())

    def report_all(self, a: Access, cells: Array, bad: Array, other_write: bool) -> None:
        """Reports one conflict for every statement that the access races with, and one that is not an idiom: of the
        threads that are farthest apart, because what orders those orders the others."""
        if not bad.size:
            return
        times, others, earlier = cells[bad, 0].astype(np.int64), cells[bad, 1].astype(np.int64), cells[bad, 2]
        if_acquired = self.clocks.ordered(others, times, a.threads[bad], self.clocks.if_acquired)
        _, group = np.unique(earlier * np.int64(2) + if_acquired, return_inverse=True)
        group = group.reshape(-1)
        for number in range(int(group.max()) + 1):
            some = bad[group == number]
            far = self.distance(a.threads[some], cells[some, 1])
            some = some[np.argsort(-far, kind="stable")].tolist()
            differs = (i for i in some[:MOST_COMPARED] if not (a.write and other_write and a.unchanged(i // a.width)))
            different = next(differs, None)
            i = some[0] if different is None else different
            self.report(a.conflict(i, cells[i], other_write, equal=different is None))

    def check_together(self, a: Access, values: Array | None) -> None:
        """Writes of one instruction by several threads to the same bytes."""
        flat, threads = a.flat, a.threads
        order = np.argsort(flat, kind="stable")
        same = np.flatnonzero((flat[order][1:] == flat[order][:-1]) & (threads[order][1:] != threads[order][:-1]))
        if not same.size:
            return
        first, second = order[same], order[same + 1]
        if a.scope:
            scope = np.full(first.shape, a.scope)
            wrong = ~self.included(scope, threads[first], threads[second])
            first, second = first[wrong], second[wrong]
        equal = False
        if values is not None and first.size:
            differ = np.flatnonzero((values[first // a.width] != values[second // a.width]).any(1))
            equal = not differ.size
            first, second = (first, second) if equal else (first[differ], second[differ])
            if equal:  # preferably of different warps: within a warp it is an idiom
                far = np.argsort(-self.distance(threads[first], threads[second]), kind="stable")[:1]
                first, second = first[far], second[far]
        if first.size:
            other = np.array((self.clocks.now, threads[int(first[0])], a.facts))
            self.report(a.conflict(int(second[0]), other, True, equal=equal))

    # Updates.

    def put_write(self, a: Access, marks: Array) -> None:
        """The write becomes W. It represents all earlier ones, unless it is strong and they are not, or they are
        unordered."""
        new = np.zeros((a.flat.size, 4 * CELL), np.uint32)
        new[:, 0], new[:, 1], new[:, 2] = self.clocks.now, marks, a.facts
        if a.scope:
            old = a.cells(W)
            weak = scope_of(old[:, 2]) == 0
            kept = (old[:, 0] != 0) & (weak | (old[:, 1] != a.threads))
            new[:, CELL : 2 * CELL] = np.where(kept[:, None], old, a.cells(W2))
            new[:, 2 * CELL :] = a.rows[:, 2 * CELL :]  # weak readers may race with later writes
        a.shadow.cells[a.flat] = new

    def put_read(self, a: Access, marks: Array) -> None:
        """The read takes a reader's cell: that of one that it represents, an empty one, or that of the nearer
        thread."""
        shadow, flat, threads = a.shadow, a.flat, a.threads
        cells = np.empty((flat.size, CELL), np.uint32)
        cells[:, 0], cells[:, 1], cells[:, 2] = self.clocks.now, marks, a.facts
        first, second = a.cells(R), a.cells(R2)
        free = self.replaceable(first, a)
        if free.all() and not second[:, 0].any():
            shadow.cells[flat, 6] = cells[:, 0]
            shadow.cells[flat, 7] = cells[:, 1]
            shadow.cells[flat, 8] = cells[:, 2]
        else:
            also = self.replaceable(second, a)
            closer = self.distance(first[:, 1], second[:, 1]) < self.distance(first[:, 1], threads)
            put_second = ~free & (also | closer)
            fresh = a.rows[:, 6:12].copy()
            fresh[free, :3] = cells[free]
            fresh[free & also, 3:] = 0
            fresh[put_second, 3:] = cells[put_second]
            shadow.cells[flat, 6:12] = fresh
        if flat.size > 1 and (flat[1:] <= flat[:-1]).any():
            self.put_first_reader(a, marks)

    def put_first_reader(self, a: Access, marks: Array) -> None:
        """If several lanes read one address, the last of them is its reader now; the first becomes the other reader."""
        cells = a.shadow.cells
        columns = cells[a.flat, 6:10]
        idle = np.flatnonzero((columns[:, 0] == self.clocks.now) & (columns[:, 1] != marks) & (columns[:, 3] == 0))[
            ::-1
        ]
        at = a.flat[idle]  # in reverse order: the last assignment to an element is kept
        cells[at, 9], cells[at, 10], cells[at, 11] = self.clocks.now, marks[idle], a.facts

    def replaceable(self, cells: Array, a: Access) -> Array:
        """The readers that the new one represents, and empty cells."""
        free = cells[:, 0] == 0
        used = np.flatnonzero(~free)
        if used.size:
            times, others, earlier = (cells[used, i].astype(np.int64) for i in range(3))
            weaker = (scope_of(earlier) == 0) & bool(a.scope)
            known = (others == a.threads[used]) | self.clocks.ordered(others, times, a.threads[used])
            free[used] = known & ~weaker & ((earlier & PENDING) == 0)
        return free

    def distance(self, a: Array, b: Array) -> Array:
        """3 for threads of different CTAs, 2 for different warps, 1 for different lanes."""
        teams = self.clocks.teams
        a, b = a.astype(np.int64), b.astype(np.int64)
        far = (teams.cta(a) != teams.cta(b)) | (a >= AGENT) | (b >= AGENT)
        return np.where(far, 3, np.where(teams.warp(a) != teams.warp(b), 2, (a != b).astype(np.int64)))


def stacked(values: list[Array], count: int) -> Array:
    """The stored values of each thread, one row each."""
    return np.stack([np.broadcast_to(v, count) for v in values], axis=1)
