"""Release and acquire patterns (8.8): what strong writes release at each location, and which reads acquire it.

A strong write leaves a record at its location: what the thread released there, by the write itself or by a fence before
it, and the `fence.sc` that came before it. An atomic read-modify-write adds to the record, a plain strong write
replaces it (8.9.2). A thread that reads the location takes the record now, if the read acquires, or at its next
acquiring fence.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.clocks import Clocks, Moments
from openptx.sanitize.races.shadow import CLUSTER, CTA, GPU, Shadow
from openptx.sanitize.races.views import Views

SEVERAL = -1
"""Represents several threads, or CTAs."""

OUTSIDE = -2
"""Represents the threads, or CTAs, of which a record has no part."""

MOST_PARTS = 16
"""The maximum number of CTAs whose releases of scope gpu a record keeps apart. A counter of arrivals has one for each
block of the grid. Those of the others are one part, which counts as near: a fence of scope cta acquires it, too."""


class Part(NamedTuple):
    """What threads of one CTA released, and with which scope; `thread` is SEVERAL for several."""

    view: int
    scope: int
    cta: int
    thread: int


class Record(NamedTuple):
    parts: tuple[Part, ...] = ()
    fences: tuple[Part, ...] = ()
    """What precedes the next `fence.sc` of a thread that observes the write."""


class Records:
    """The records of a launch, by number: 0 is the empty one. Shadow memory holds the numbers."""

    def __init__(self, views: Views) -> None:
        self._by_number, self._numbers, self._newest = {0: Record()}, {Record(): 0}, 0
        self._shadows = weakref.WeakSet[Shadow]()
        views.holders.append(self.views_in_use)

    def __getitem__(self, number: int) -> Record:
        return self._by_number[number]

    def number(self, record: Record) -> int:
        """The number of a record; equal ones have the same."""
        found = self._numbers.get(record)
        if found is None:
            found = self._newest = self._newest + 1
            self._numbers[record], self._by_number[found] = found, record
        return found

    def table_of(self, shadow: Shadow) -> Array:
        """The numbers of the records of an allocation, by granule."""
        if shadow.records is None:
            self._shadows.add(shadow)
        return shadow.record_table()

    def views_in_use(self) -> Iterator[int]:
        """The views of records that memory holds. Forgets the others."""
        tables = [shadow.records for shadow in self._shadows if shadow.records is not None]
        used = {0}.union(*(np.unique(table).tolist() for table in tables))
        self._by_number = {number: record for number, record in self._by_number.items() if number in used}
        self._numbers = {record: number for number, record in self._by_number.items()}
        return (part.view for record in self._by_number.values() for part in record.parts + record.fences)


class Releases:
    """`active` is whether the kernel has any instruction that releases or acquires; otherwise nothing is recorded."""

    def __init__(self, clocks: Clocks, active: bool) -> None:
        self.clocks, self.active = clocks, active
        self.records = Records(clocks.views)
        self._idle, self._idle_at = set[tuple[int, ...]](), 0
        """Updates that have left the record of this number as it was."""
        if active:
            self.wide, self.near = Moments(clocks), Moments(clocks)  # last releasing fence of scope gpu, and of less
            self.near_scope = clocks.tables.zeros(np.int8)
            # what a thread has observed and its next acquiring fence adds: released by threads of its CTA, by others
            # of its cluster, and by others of the grid
            self.observed_near, self.observed = clocks.views_of_threads(), clocks.views_of_threads()
            clusters = clocks.teams.cluster_size > 1
            self.observed_in_cluster = clocks.views_of_threads() if clusters else self.observed_near

    # Fences.

    def fence(self, threads: Array, scope: int, *, releases: bool, acquires: bool, sequential: bool) -> None:
        c = self.clocks
        if acquires:
            for table in self.observations(scope):
                seen = table[threads]
                for view in np.unique(seen).tolist():
                    c.learn(threads[seen == view], view)
        if sequential:
            c.fence_sequentially(threads, scope != CTA)
        if releases and scope == GPU:
            self.wide.take(threads)
        elif releases:
            self.near.take(threads)
            self.near_scope[threads] = scope

    def observations(self, scope: int = GPU) -> tuple[Array, ...]:
        """The tables of what threads have observed that a fence of this scope acquires."""
        tables = [self.observed_near]
        if scope != CTA and self.observed_in_cluster is not self.observed_near:
            tables.append(self.observed_in_cluster)
        return (*tables, self.observed) if scope == GPU else tuple(tables)

    def fenced(self, threads: Array) -> int:
        """What a relaxed arrival at a cluster's barrier releases: everything before the threads' last fence."""
        if not self.active:
            return 0
        near = threads[self.near_scope[threads] >= CLUSTER]
        return self.clocks.views.join(self.wide.knowledge(threads), self.near.knowledge(near))

    # Strong accesses, lane by lane at each location.

    def access(
        self, shadow: Shadow, granules: Array, threads: Array, scope: int, *, observes: bool, writes: bool,
        update: bool = False, counts: bool = False, releases: bool = False, acquires: bool = False,
    ) -> None:  # fmt: skip
        """A strong access. An `update` is an atomic; a reduction is one that observes nothing (8.11.1).

        An update that `counts` is arithmetic: programs use it as a counter of arrivals, and the last thread to arrive
        often relies on it without a fence after it.
        """
        if not self.active or self.clocks.views.dropped:
            return
        table = self.records.table_of(shadow)
        first = granules[:, 0]
        quiet = table[first] == 0  # nothing to acquire, nor anything to release
        if writes:
            silent = (self.wide.time[threads] == 0) & (self.near.time[threads] == 0)
            quiet &= silent & (self.clocks.sequential[threads] == 0) & (self.clocks.sequential_near[threads] == 0)
            quiet &= self.clocks.fences_near.time[threads] == 0
            quiet &= not releases
        loud = np.flatnonzero(~quiet)
        if not writes:
            numbers = table[first[loud]]
            for number in set(map(int, numbers)):
                self.observe(self.records[number], threads[loud[numbers == number]], scope, acquires, counts)
            return
        if update and not releases and self.clocks.teams.cluster_size == 1:
            runs = np.split(loud, np.flatnonzero(np.diff(first[loud])) + 1)
        else:
            runs = [loud[i : i + 1] for i in range(loud.size)]
        for run in runs:
            at = 0
            while at < run.size:
                number = int(table[first[run[at]]])
                if run.size > 1:
                    at += self.retry(number, threads[run[at:]], scope, observes, acquires, counts)
                if at < run.size:
                    i = int(run[at])
                    table[granules[i]] = self.write(
                        number, threads[i : i + 1], scope, observes, acquires, counts, update, releases
                    )
                    self.clocks.views.collect()
                    at += 1

    def write(
        self, number: int, writer: Array, scope: int, observes: bool, acquires: bool, counts: bool, update: bool,
        releases: bool,
    ) -> int:  # fmt: skip
        """A strong write of one thread; returns the number of the record that it leaves in place of this one."""
        key = number, scope, observes, acquires, counts, *self.state(int(writer[0]))
        if update and not releases and self.is_idle(number, key):
            return number
        record = self.records[number]
        if observes:
            self.observe(record, writer, scope, acquires, counts)
        after = self.records.number(self.record_after_write(record, writer, scope, update, releases))
        if after == number and update:
            self._idle.add((*key[:5], *self.state(int(writer[0]))))
        return after

    def retry(self, number: int, threads: Array, scope: int, observes: bool, acquires: bool, counts: bool) -> int:
        """How many of the first of these threads leave the record as it is by an update that does not release, as
        those do that wait for a lock; they observe it. Threads without a fence whose CTAs have no part of the record
        differ in nothing but their views. An update only adds to a record, so that those after the first that
        changes it may observe it, too."""
        record, c = self.records[number], self.clocks
        apart = ~self.has_part(record)[c.teams.cta(threads)]
        for moments in (self.wide, self.near, c.fences, c.fences_near):
            apart &= moments.time[threads] == 0
        end = threads.size
        for i in np.flatnonzero(~apart).tolist():
            if not self.is_idle(number, (number, scope, observes, acquires, counts, *self.state(int(threads[i])))):
                end = i
                break
        places = np.flatnonzero(apart[:end])
        if not places.size:
            return end
        waiting = threads[places]
        if observes:
            self.observe(record, waiting, scope, acquires, counts)
        changes = c.sequential_near[waiting] != 0
        views = c.sequential[waiting]
        for view in np.unique(views).tolist():
            if view and not self.contains(record.fences, [Part(view, scope, OUTSIDE, OUTSIDE)]):
                changes |= views == view
        return int(places[changes.argmax()]) if changes.any() else end

    def state(self, thread: int) -> tuple[int, ...]:
        """What a thread adds to a record by a write that does not release: its number, and that of its last fences."""
        c = self.clocks
        times = self.wide.time, self.near.time, c.fences.time, c.fences_near.time
        return thread, *(int(table[thread]) for table in (*times, c.sequential, c.sequential_near))

    def is_idle(self, number: int, key: tuple[int, ...]) -> bool:
        """Whether an update was made before and neither the thread nor the record knows more since: spinning on a
        lock."""
        if number != self._idle_at:
            self._idle_at = number
            self._idle.clear()
        return key in self._idle

    def record_after_write(self, record: Record, writer: Array, scope: int, update: bool, releases: bool) -> Record:
        """The record that a strong write of one thread leaves in place of `record`."""
        c, thread = self.clocks, int(writer[0])
        parts = self.own_parts(writer, scope, releases)
        view = c.fence_view(writer)
        fences = [self.part(view, scope, writer)] if view else []
        if view := c.fence_view_near(writer):
            fences.append(self.part(view, CTA, writer))
        if update and self.contains(record.parts, parts) and self.contains(record.fences, fences):
            return record  # as of threads that spin on a lock
        if not update:
            return Record(
                merge_parts([*parts, *(p for p in record.parts if p.thread == thread)], c), merge_parts(fences, c)
            )
        return Record(
            merge_parts([*parts, *record.parts], c) if parts else record.parts,
            merge_parts([*fences, *record.fences], c) if fences else record.fences,
        )

    def contains(self, parts: tuple[Part, ...], new: list[Part]) -> bool:
        """Whether each of the new parts is contained in one of `parts`."""
        contains = self.clocks.views.contains
        return all(
            any(
                part.scope == each.scope
                and part.cta in (each.cta, SEVERAL)
                and part.thread in (each.thread, SEVERAL)
                and contains(part.view, each.view)
                for part in parts
            )
            for each in new
        )

    def part(self, view: int, scope: int, writer: Array) -> Part:
        return Part(view, scope, int(self.clocks.teams.cta(writer)[0]), int(writer[0]))

    def own_parts(self, writer: Array, scope: int, releases: bool) -> list[Part]:
        """What a strong write releases: by itself, and through the thread's earlier fences."""
        found = list[Part]()
        if releases:
            found.append(self.part(self.clocks.released(writer), scope, writer))
        if view := self.wide.knowledge(writer):
            found.append(self.part(view, scope, writer))
        if view := self.near.knowledge(writer):
            found.append(self.part(view, min(scope, int(self.near_scope[writer[0]])), writer))
        return found

    def observe(self, record: Record, threads: Array, scope: int, acquires: bool, counts: bool) -> None:
        """Threads read the records of strong writes."""
        c, joined = self.clocks, self.clocks.views.join_parts
        for cta, thread, observers in self.observers(record, threads):
            wide, near = list[int](), list[int]()
            for part in record.fences:
                if (part.scope != CTA or part.cta == cta) and self.includes(part, cta, thread, scope):
                    (near if part.scope == CTA else wide).append(part.view)
            if fences := joined(wide):
                c.add_to(c.sequential, observers, fences)
            if fences_near := joined(near):
                c.add_to(c.sequential_near, observers, fences_near)
            if counts:
                c.add_to(c.if_acquired, observers, joined(wide + near))
            far, clustered, near, size = list[int](), list[int](), list[int](), c.teams.cluster_size
            for part in record.parts:
                if self.includes(part, cta, thread, scope):
                    inside = part.cta // size == cta // size
                    (near if part.cta in (cta, SEVERAL) else clustered if inside else far).append(part.view)
            if acquires:
                c.learn(observers, joined(near + clustered + far))
                continue  # a later fence adds nothing to this
            if counts:
                c.add_to(c.if_acquired, observers, joined(near + clustered + far))
            for views, observed in (
                (near, self.observed_near), (clustered, self.observed_in_cluster), (far, self.observed)
            ):  # fmt: skip
                c.add_to(observed, observers, joined(views))

    def observers(self, record: Record, threads: Array) -> Iterator[tuple[int, int, Array]]:
        """The threads in groups to which the same parts of a record are new: each with its CTA, and the thread if it is
        one that has released a part, or the only one."""
        teams = self.clocks.teams
        if threads.size == 1:
            thread = int(threads[0])
            yield int(teams.cta(thread)), thread, threads
            return
        own = {part.thread for part in record.parts + record.fences}.intersection(threads.tolist())
        for thread in own:
            yield int(teams.cta(thread)), thread, np.array([thread])
        rest = threads[~np.isin(threads, list(own))] if own else threads
        ctas = teams.cta(rest)
        if teams.cluster_size == 1:
            ctas = np.where(self.has_part(record)[ctas], ctas, OUTSIDE)
        for cta in np.unique(ctas).tolist():
            yield cta, SEVERAL, rest[ctas == cta]

    def has_part(self, record: Record) -> Array:
        """For each CTA, whether the record has a part of it; the last entry is for SEVERAL."""
        found = np.zeros(self.clocks.teams.ctas + 1, np.bool_)
        found[[part.cta for part in record.parts + record.fences]] = True
        return found

    def includes(self, part: Part, cta: int, thread: int, scope: int) -> bool:
        """Whether the scopes of both sides include each other; a thread learns nothing from itself."""
        if thread == part.thread != SEVERAL:
            return False
        narrow, size = min(part.scope, scope), self.clocks.teams.cluster_size
        if narrow == CTA:
            return cta == part.cta
        return narrow != CLUSTER or cta // size == part.cta // size


def merge_parts(parts: list[Part], clocks: Clocks) -> tuple[Part, ...]:
    """Merges parts of one CTA and scope, because it does not matter which of its threads they come from, and the oldest
    parts of many CTAs."""
    kept: dict[tuple[int, int], Part] = {}
    wide = 0
    for part in parts:
        wide += part.scope == GPU and (GPU, part.cta) not in kept
        many = part.scope == GPU and wide > MOST_PARTS and (GPU, part.cta) not in kept
        key = (part.scope, SEVERAL if many else part.cta)
        before = kept.get(key)
        if before is None:
            kept[key] = part if not many else Part(part.view, part.scope, SEVERAL, SEVERAL)
        else:
            thread = part.thread if part.thread == before.thread else SEVERAL
            kept[key] = Part(clocks.views.join(before.view, part.view), part.scope, before.cta, thread)
    return tuple(kept.values())
