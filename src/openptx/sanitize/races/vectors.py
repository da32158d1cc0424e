"""Immutable sparse vectors of times, by number; equal ones have one number. A vector that has little more than another
one is kept as what it has more.

Where many threads update one location in turn, each makes vectors of thousands of entries of which all but a few are
those of the thread before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.lineage import Lineage

SMALL = 16
"""The maximum number of entries that a vector has more than another one to be kept as these alone."""

STEPS = 32
"""The maximum number of such vectors in a line before the entries of one are copied into arrays."""

VECTOR = 400
"""Bytes that a vector takes beside its arrays: of objects and places in tables."""

WORD = (1 << 64) - 1
MIX = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""The odd factors of SplitMix64 (Steele, Lea and Flood, 2014)."""


@dataclass(slots=True)
class Vector:
    """The number of entries, and their hash; how many of its ancestors have no arrays, up to one that has; keys,
    ascending, and times, if it has arrays itself."""

    size: int
    content: int
    steps: int = 0
    arrays: tuple[Array, Array] | None = None


class Vectors:
    """Those of a launch; 0 is the empty one. If they take more than `limit` bytes all are dropped."""

    def __init__(self, limit: int) -> None:
        self.limit, self.bytes, self.dropped = limit, 0, False
        self.lineage = Lineage()
        nothing = np.zeros(0, np.int64)
        self._vectors = {0: Vector(0, 0, 0, (nothing, nothing))}
        self._numbers = {(0, 0): 0}  # by size and hash
        self._newest = 0

    def size(self, number: int) -> int:
        return self._vectors[number].size

    def keep(self, keys: Array, times: Array, parent: int = 0) -> int:
        """A vector with these arrays."""
        made, new = self._number(keys.size, int(mixed(keys, times).sum(dtype=np.uint64)), 16 * keys.size)
        if new:
            few = not parent and keys.size <= SMALL
            self._vectors[made].arrays = keys, times
            more = dict(zip(keys.tolist(), times.tolist(), strict=True)) if few else None
            self.lineage.add(made, parent, more)
        return made

    def extend(self, base: int, more: dict[int, int]) -> int:
        """A vector with the later of the times of `base` and these."""
        old = {key: self.time(base, key) for key in more}
        later = {key: time for key, time in more.items() if time > old[key]}
        if not later:
            return base
        before = self._vectors[base]
        content = before.content + sum(mixed_one(key, time) for key, time in later.items())
        content -= sum(mixed_one(key, old[key]) for key in later if old[key] >= 0)
        made, new = self._number(before.size + sum(old[key] < 0 for key in later), content & WORD, 0)
        if new:
            self.lineage.add(made, base, later)
            self._vectors[made].steps = before.steps + 1
            if before.steps == STEPS:
                self.entries(made)
        return made

    def _number(self, size: int, content: int, cost: int) -> tuple[int, bool]:
        """The number of a vector, and whether it is a new one; 0 if there is no room for it. Vectors of one size and
        one hash are the same: among a million, two others have the same hash with a probability of 3e-8."""
        found = self._numbers.get((size, content))
        if found is not None:
            return found, False
        self.bytes += VECTOR + cost
        if self.bytes > self.limit:
            self.dropped = True
            self._vectors.clear()
            self._numbers.clear()
            self.lineage.clear()
        if self.dropped:
            return 0, False
        made = self._newest = self._newest + 1
        self._numbers[size, content], self._vectors[made] = made, Vector(size, content)
        return made, True

    def entries(self, number: int) -> tuple[Array, Array]:
        """The keys of a vector, ascending, and their times."""
        vector = self._vectors[number]
        if vector.arrays is None:
            first = number
            while (arrays := self._vectors[first].arrays) is None:
                first = self.lineage[first].parent
            more = self.lineage.since(number, first, SMALL * (STEPS + 1))
            assert more is not None
            keys = sorted(more)
            new = np.array(keys, np.int64), np.array([more[key] for key in keys], np.int64)
            vector.arrays, vector.steps = merged(*arrays, *new), 0
            self.bytes += 16 * vector.size
        return vector.arrays

    def time(self, number: int, key: int) -> int:
        """The time of one key; -1 if it has none."""
        while (arrays := self._vectors[number].arrays) is None:
            node = self.lineage[number]
            assert node.more is not None
            if key in node.more:
                return node.more[key]
            number = node.parent
        keys, times = arrays
        at = int(keys.searchsorted(key))
        return int(times[at]) if at < keys.size and keys[at] == key else -1

    def times(self, number: int, keys: Array) -> Array:
        """The time of each key; -1 where it has none."""
        known, times = self.entries(number)
        if not known.size:
            return np.full(keys.shape, -1, np.int64)
        at = known.searchsorted(keys)
        at[at == known.size] = 0
        return np.where(known[at] == keys, times[at], -1)

    def merge(self, a: int, b: int) -> int:
        """The join of two vectors, of which the second is not the smaller one, by comparing all entries."""
        old_keys, old_times = self.entries(b)
        keys, times = merged(old_keys, old_times, *self.entries(a))
        if keys.size == self.size(a) and (times == self.entries(a)[1]).all():
            return a
        if keys.size - old_keys.size > SMALL:
            return self.keep(keys, times, b)
        old = np.full(keys.size, -1, np.int64)
        old[keys.searchsorted(old_keys)] = old_times
        later = np.flatnonzero(times > old)
        if later.size > SMALL:
            return self.keep(keys, times, b)
        return self.extend(b, dict(zip(keys[later].tolist(), times[later].tolist(), strict=True)))

    def collect(self, used: set[int]) -> None:
        """Forgets all other vectors. Adds to those `used` the ones that their entries are kept in."""
        used &= self._vectors.keys()
        for number in list(used):
            while self._vectors[number].arrays is None:
                number = self.lineage[number].parent
                used.add(number)
        self.lineage.keep(used)
        self._vectors = {number: vector for number, vector in self._vectors.items() if number in used}
        self._numbers = {(vector.size, vector.content): number for number, vector in self._vectors.items()}
        arrays = (vector.arrays for vector in self._vectors.values() if vector.arrays is not None)
        self.bytes = VECTOR * len(used) + sum(16 * keys.size for keys, _ in arrays)


def mixed(keys: Array, times: Array) -> Array:
    """A hash of each entry, of 64 bits."""
    x = keys.astype(np.uint64) * np.uint64(MIX[0]) + times.astype(np.uint64) * np.uint64(MIX[1])
    x = (x ^ (x >> np.uint64(31))) * np.uint64(MIX[2])
    return x ^ (x >> np.uint64(29))


def mixed_one(key: int, time: int) -> int:
    """`mixed` of one entry."""
    x = (key * MIX[0] + time * MIX[1]) & WORD
    x = ((x ^ (x >> 31)) * MIX[2]) & WORD
    return x ^ (x >> 29)


def merged(keys: Array, times: Array, more_keys: Array, more_times: Array) -> tuple[Array, Array]:
    """The entries of two vectors; the later time counts. Faster the fewer the second has."""
    if not keys.size:
        return more_keys, more_times
    at = keys.searchsorted(more_keys)
    inside = np.minimum(at, keys.size - 1)
    known = keys[inside] == more_keys
    times = times.copy()
    times[inside[known]] = np.maximum(times[inside], more_times)[known]
    new = at[~known]
    places = new + np.arange(new.size)
    old = np.ones(keys.size + new.size, np.bool_)
    old[places] = False
    return placed(old, places, keys, more_keys[~known]), placed(old, places, times, more_times[~known])


def placed(old: Array, places: Array, values: Array, more: Array) -> Array:
    """Values at the places where `old` is true, and more values at the other `places`: `np.insert`, but faster."""
    found = np.empty(old.size, values.dtype)
    found[places] = more
    found[old] = values
    return found
