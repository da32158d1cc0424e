"""A thread's knowledge of others: up to which time their accesses happened before, as immutable sparse vectors.

A vector has floors for whole CTAs and warps, and times of single threads and asynchronous copies; the same once more
for what the async proxy knows. Vectors are numbered; 0 is the empty one. Joins are memoised, because most threads of a
CTA share a vector. Those whose numbers nothing holds any more are collected.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.teams import AGENT
from openptx.sanitize.races.vectors import SMALL, Vectors

if TYPE_CHECKING:
    from openptx.sanitize.races.teams import Teams

WARPS, CTAS = 1 << 33, 1 << 34
"""Where the keys of floors begin; lower keys are threads and copies."""

ASYNC_PROXY = {"shared": 1 << 40, "global": 1 << 41}
"""By state space, the offset of a key for accesses that a proxy fence has made known to the async proxy (8.6)."""

LIMIT = 1 << 30
"""The maximum bytes of vectors. Launches reach it with some thousand threads that synchronise one by one, so that each
knows of all."""

JOIN = 250
"""Bytes that a memoised join takes."""

RECENT, NEAR = 4, 8
"""How many joins of several vectors are compared with the next one, and how many ancestors of a vector are looked up
among the joins."""

FEW = 64 << 20
"""Bytes of vectors that are not worth a collection."""


class Views:
    """The vectors of a launch, by number.

    Numbers are kept in tables of `table`, or by `holders`, functions that return the numbers in use; others are valid
    until the next `collect`. If more than LIMIT bytes are in use all vectors are dropped, and everything counts as
    known: there are no more races.
    """

    def __init__(self, teams: Teams) -> None:
        self.teams = teams
        self.holders: list[Callable[[], Iterable[int]]] = []
        self._tables: list[weakref.ref[Array]] = []
        self._vectors = Vectors(LIMIT)
        self._joins: dict[tuple[int, ...], int] = {}
        self._recent: dict[frozenset[int], int] = {}
        """The last joins of several vectors."""
        self._rows: dict[tuple[int, ...], int] = {}
        """The vectors of `sorted_row`."""
        self._collection_at = min(FEW, LIMIT // 2)

    @property
    def dropped(self) -> bool:
        return self._vectors.dropped

    @property
    def _bytes(self) -> int:
        return self._vectors.bytes + JOIN * len(self._joins)

    def table(self, size: int) -> Array:
        """A table of numbers of vectors, which are in use as long as the table exists."""
        made: Array = np.zeros(size, np.int32)
        self._tables.append(weakref.ref(made))
        return made

    def collect(self) -> None:
        """Removes vectors that are not in use, if there are many."""
        if self._bytes <= self._collection_at:
            return
        self._tables = [table for table in self._tables if table() is not None]
        tables = [made for table in self._tables if (made := table()) is not None]
        used = {0}.union(*(np.unique(table).tolist() for table in tables), *(held() for held in self.holders))
        self._vectors.collect(used)
        self._joins = {some: to for some, to in self._joins.items() if used.issuperset((*some, to))}
        self._recent.clear()
        self._rows.clear()
        self._collection_at = min(max(FEW, 2 * self._bytes), (self._bytes + LIMIT) // 2)

    def add(self, keys: Array, times: Array) -> int:
        """A vector of these times; the later time counts if a key occurs twice."""
        if not keys.size:
            return 0
        order = np.lexsort((times, keys))
        keys, times = keys[order], times[order]
        last = np.append(keys[1:] != keys[:-1], True)
        return self._vectors.keep(keys[last], times[last])

    def sorted_row(self, keys: list[int], times: list[int]) -> int:
        """A vector of times whose keys are distinct and ascending."""
        key = *keys, *times
        found = self._rows.get(key, 0)
        if keys and not found:
            found = self._rows[key] = self._vectors.keep(np.array(keys, np.int64), np.array(times, np.int64))
        return found

    def single(self, key: int, time: int) -> int:
        """A vector with one entry."""
        return self.add(np.array([key], np.int64), np.array([time], np.int64))

    def contains(self, a: int, b: int) -> bool:
        """Whether a thread with the vector `a` has the knowledge of `b`."""
        if a == b or not b or self.dropped:
            return True
        known = self._vectors
        if known.size(b) > known.size(a):
            return False
        more = known.lineage.since(b, known.lineage.common(a, b), SMALL)
        if more is not None:
            return all(known.time(a, key) >= time for key, time in more.items())
        keys, times = known.entries(b)
        return bool((known.times(a, keys) >= times).all())

    def join(self, a: int, b: int) -> int:
        """The knowledge of a thread with both vectors."""
        if a == b or not b:
            return a
        if not a:
            return b
        if self.dropped:
            return 0
        pair = (a, b) if a < b else (b, a)
        found = self._joins.get(pair)
        if found is None:
            found = self._join(a, b)
            self._memoise(pair, found)
        return found

    def _join(self, a: int, b: int) -> int:
        """The join of two vectors; if they have equally many entries, it descends from the second one."""
        known = self._vectors
        if known.size(a) > known.size(b):
            a, b = b, a
        common = known.lineage.common(a, b)
        if common in (a, b):
            return max(a, b)
        for one, other in ((a, b), (b, a)):
            more = known.lineage.since(one, common, SMALL)
            if more is not None:
                return known.extend(other, more)
        if self._known_in(a, b):
            return b
        return a if self._known_in(b, a) else known.merge(a, b)

    def _memoise(self, views: tuple[int, ...], found: int) -> None:
        """Notes a join, and that it contains each of its vectors."""
        if not self.dropped:
            self._joins[views] = found
            self._joins.update(((min(view, found), max(view, found)), found) for view in views if view != found)
        elif self._joins:
            self._joins.clear()

    def _known_in(self, a: int, b: int) -> bool:
        """Whether an earlier join has shown that a vector, or one of its next ancestors, contains another one."""
        for _ in range(NEAR):
            if self._joins.get((a, b) if a < b else (b, a)) == b:
                return True
            b = self._vectors.lineage[b].parent
        return False

    def fenced(self, view: int, spaces: tuple[str, ...]) -> int:
        """What the async proxy knows after a proxy fence of a thread with this vector."""
        if self.dropped:
            return 0
        keys, times = self._vectors.entries(view)
        own = keys < min(ASYNC_PROXY.values())
        moved = [keys[own] + ASYNC_PROXY[space] for space in spaces]
        return self.add(np.concatenate(moved), np.tile(times[own], len(moved)))

    def join_all(self, views: Array) -> int:
        """The join of several vectors, by their numbers."""
        if views.size == 1:
            return int(views[0])
        found = 0
        for view in np.unique(views).tolist():
            found = self.join(found, view)
        return found

    def join_parts(self, views: list[int]) -> int:
        """The join of several vectors. Threads that update one location in turn each add to one of its parts: the join
        before that needs what that part has more alone."""
        if self.dropped or len(views) < 2:
            return views[0] if views and not self.dropped else 0
        some = frozenset(views)
        key = tuple(sorted(some))
        found = self._joins.get(key)
        if found is None:
            found = next((made for old in self._recent if (made := self._with_more(old, some)) is not None), None)
            if found is None:
                found = self._join_with_largest(key)
                self._memoise(key, found)
            elif not self.dropped:
                self._joins[key] = found
        if some not in self._recent and not self.dropped:
            self._recent = {some: found, **dict(list(self._recent.items())[: RECENT - 1])}
        return found

    def _with_more(self, old: frozenset[int], some: frozenset[int]) -> int | None:
        """The join of `some`, if these are the `old` ones but for few that have a little more."""
        new, gone = some - old, set(old - some)
        if len(new) > 2 or len(gone) > len(new):
            return None
        found, lineage = self._recent[old], self._vectors.lineage
        for view in new:
            before = next((each for each in gone if lineage.common(each, view) == each), 0)
            more = lineage.since(view, before, SMALL)
            if more is None:
                return None
            gone.discard(before)
            found = self._vectors.extend(found, more)
            if self.dropped:
                return 0
        return found if not gone else None

    def _join_with_largest(self, views: tuple[int, ...]) -> int:
        """The join of several vectors, of which one may be far larger than all others: it is copied once."""
        *others, largest = sorted(views, key=lambda view: (self._vectors.size(view), view))
        others = [view for view in others if not self._known_in(view, largest)]
        if len(others) < 2:
            return self.join(others[0] if others else 0, largest)
        keys, times = zip(*(self._vectors.entries(view) for view in others), strict=True)
        return self.join(self.add(np.concatenate(keys), np.concatenate(times)), largest)

    def knows_of(self, view: int, cta: int) -> bool:
        """Whether any action of threads of a CTA is known."""
        if self.dropped:
            return True
        keys, times = self._vectors.entries(view)
        keys = keys[times > 0]
        warps, threads = self.teams.warps, self.teams.threads
        ranges = (cta * threads, threads), (WARPS + cta * warps, warps), (CTAS + cta, 1)
        return any(((keys >= first) & (keys < first + count)).any() for first, count in ranges)

    def knows(self, view: int, threads: Array, times: Array, proxy: int = 0) -> Array:
        """Whether accesses of threads or copies at these times are known, or known to the async proxy of a space."""
        if self.dropped:
            return np.ones(np.broadcast(threads, times).shape, bool)
        found = self._vectors.times(view, proxy + threads) >= times
        real = threads < AGENT
        for start, units in ((WARPS, self.teams.warp(threads)), (CTAS, self.teams.cta(threads))):
            found |= real & (self._vectors.times(view, proxy + start + units) >= times)
        return found
