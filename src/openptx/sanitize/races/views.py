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

if TYPE_CHECKING:
    from openptx.sanitize.races.teams import Teams

WARPS, CTAS = 1 << 33, 1 << 34
"""Where the keys of floors begin; lower keys are threads and copies."""

ASYNC_PROXY = {"shared": 1 << 40, "global": 1 << 41}
"""By state space, the offset of a key for accesses that a proxy fence has made known to the async proxy (8.6)."""

LIMIT = 1 << 30
"""The maximum bytes of vectors. Launches reach it with some thousand threads that synchronise one by one, so that each
knows of all."""

ROW, JOIN = 400, 250
"""Bytes that a vector takes beside its entries, and a memoised join: of objects and places in tables."""

FEW = 64 << 20
"""Bytes of vectors that are not worth a collection."""


class Views:
    """The vectors of a launch, by number.

    Numbers are kept in tables of `table`, or by `holders`, functions that return the numbers in use; others are valid
    until the next `collect`. If more than LIMIT bytes are in use all vectors are dropped, and everything counts as
    known: there are no more races.
    """

    def __init__(self, teams: Teams) -> None:
        self.teams, self.dropped = teams, False
        nothing = np.zeros(0, np.int64)
        self.holders: list[Callable[[], Iterable[int]]] = []
        self._tables: list[weakref.ref[Array]] = []
        self._rows: dict[int, tuple[Array, Array]] = {0: (nothing, nothing)}
        self._newest = 0
        self._joins: dict[tuple[int, ...], int] = {}
        self._bytes, self._collection_at = 0, min(FEW, LIMIT // 2)

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
        self._rows = {number: row for number, row in self._rows.items() if number in used}
        self._joins = {some: to for some, to in self._joins.items() if used.issuperset((*some, to))}
        self._bytes = JOIN * len(self._joins) + sum(ROW + 16 * keys.size for keys, _ in self._rows.values())
        self._collection_at = min(max(FEW, 2 * self._bytes), (self._bytes + LIMIT) // 2)

    def add(self, keys: Array, times: Array) -> int:
        """A vector of these times; the later time counts if a key occurs twice."""
        if not keys.size:
            return 0
        order = np.lexsort((times, keys))
        keys, times = keys[order], times[order]
        last = np.append(keys[1:] != keys[:-1], True)
        return self._keep(keys[last], times[last])

    def sorted_row(self, keys: list[int], times: list[int]) -> int:
        """A vector of times whose keys are distinct and ascending."""
        return self._keep(np.array(keys, np.int64), np.array(times, np.int64)) if keys else 0

    def _keep(self, keys: Array, times: Array) -> int:
        self._bytes += ROW + 16 * keys.size
        if self._bytes > LIMIT:
            self.dropped = True
            self._rows.clear()
            self._joins.clear()
        if self.dropped:
            return 0
        self._newest += 1
        self._rows[self._newest] = keys, times
        return self._newest

    def single(self, key: int, time: int) -> int:
        """A vector with one entry."""
        return self.add(np.array([key], np.int64), np.array([time], np.int64))

    def contains(self, a: int, b: int) -> bool:
        """Whether a thread with the vector `a` has the knowledge of `b`."""
        if a == b or not b or self.dropped:
            return True
        keys, times = self._rows[b]
        return keys.size <= self._rows[a][0].size and bool((self._times(a, keys) >= times).all())

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
            found = self._joins[pair] = self._merge(*pair)
            self._bytes += JOIN
        return found

    def _merge(self, a: int, b: int) -> int:
        if self._rows[a][0].size < self._rows[b][0].size:
            a, b = b, a
        (keys, times), (more_keys, more_times) = self._rows[a], self._rows[b]
        at = keys.searchsorted(more_keys)
        inside = np.minimum(at, keys.size - 1)
        known, mine = keys[inside] == more_keys, times[inside]
        new = at[~known]
        if not new.size:
            if keys.size == more_keys.size and (mine <= more_times).all():
                return b  # of two equal ones the newer
            if (mine >= more_times).all():
                return a
        times = times.copy()
        times[inside[known]] = np.maximum(mine, more_times)[known]
        if not new.size:
            return self._keep(keys, times)
        places = new + np.arange(new.size)
        old = np.ones(keys.size + new.size, np.bool_)
        old[places] = False
        return self._keep(placed(old, places, keys, more_keys[~known]), placed(old, places, times, more_times[~known]))

    def fenced(self, view: int, spaces: tuple[str, ...]) -> int:
        """What the async proxy knows after a proxy fence of a thread with this vector."""
        if self.dropped:
            return 0
        keys, times = self._rows[view]
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

    def join_with_largest(self, views: list[int]) -> int:
        """The join of several vectors, of which one may be far larger than all others: it is copied once."""
        if self.dropped or not views:
            return 0
        *others, largest = sorted({*views}, key=lambda view: (self._rows[view][0].size, view))
        if len(others) < 2:
            return self.join(largest, others[0] if others else 0)
        key = tuple(others)
        found = self._joins.get(key)
        if found is None:
            keys, times = zip(*(self._rows[view] for view in others), strict=True)
            found = self.add(np.concatenate(keys), np.concatenate(times))
            self._joins[key] = found
            self._bytes += JOIN
        return self.join(largest, found)

    def knows_of(self, view: int, cta: int) -> bool:
        """Whether any action of threads of a CTA is known."""
        if self.dropped:
            return True
        keys, times = self._rows[view]
        keys = keys[times > 0]
        warps, threads = self.teams.warps, self.teams.threads
        ranges = (cta * threads, threads), (WARPS + cta * warps, warps), (CTAS + cta, 1)
        return any(((keys >= first) & (keys < first + count)).any() for first, count in ranges)

    def _times(self, view: int, keys: Array) -> Array:
        """The time of each key; -1 where it has none."""
        known, times = self._rows[view]
        if not known.size:
            return np.full(keys.shape, -1, np.int64)
        at = known.searchsorted(keys)
        at[at == known.size] = 0
        return np.where(known[at] == keys, times[at], -1)

    def knows(self, view: int, threads: Array, times: Array, proxy: int = 0) -> Array:
        """Whether accesses of threads or copies at these times are known, or known to the async proxy of a space."""
        if self.dropped:
            return np.ones(np.broadcast(threads, times).shape, bool)
        found = self._times(view, proxy + threads) >= times
        real = threads < AGENT
        for start, units in ((WARPS, self.teams.warp(threads)), (CTAS, self.teams.cta(threads))):
            found |= real & (self._times(view, proxy + start + units) >= times)
        return found


def placed(old: Array, places: Array, values: Array, more: Array) -> Array:
    """Values at the places where `old` is true, and more values at the other `places`: `np.insert`, but faster."""
    found = np.empty(old.size, values.dtype)
    found[places] = more
    found[old] = values
    return found
