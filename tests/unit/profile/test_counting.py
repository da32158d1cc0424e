"""Sectors, wavefronts and collisions of any addresses and masks, compared with their definitions lane by lane."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import numpy as np
import pytest

from openptx.profile.costs import (
    Target,
    global_collisions,
    global_sectors,
    local_sectors,
    matrix_wavefronts,
    shared_collisions,
    wavefronts,
)
from openptx.profile.counting.requests import Requests, patterns
from openptx.profile.examples import Cost, Example

Rows = list[dict[int, int]]
"""Of each warp, addresses by active lane."""


def requests_of(rows: Rows, size: int) -> Requests:
    filled = [[row.get(lane, next(iter(row.values()))) for lane in range(32)] for row in rows]
    active = np.array([[lane in row for lane in range(32)] for row in rows])
    lanes = int(active.sum())
    return Requests.of(np.array(filled, np.int64), None if active.all() else active, lanes, size)


def rows_of(size: int) -> list[Rows]:
    """A hundred times one to five warps: whole ones or not, lanes at one distance or anywhere."""
    found: list[Rows] = []
    for seed in range(100):
        random = Random(seed)
        partial = random.random() < 0.5
        rows: Rows = []
        for _ in range(random.randint(1, 5)):
            lanes = sorted(random.sample(range(32), random.randint(1, 32))) if partial else range(32)
            base, step, far = random.randint(32, 72), random.randint(-1, 40), random.choice((8, 64, 4096 // size))
            if random.random() < 0.5:
                rows.append({lane: (base + step * lane) * size for lane in lanes})
            else:
                rows.append({lane: random.randrange(far) * size for lane in lanes})
        if seed % 3 == 0:  # the same distances from other addresses on
            rows = [{lane: a + i * 3 * size for lane, a in rows[0].items()} for i in range(5)]
        found.append(rows)
    return found


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_global_sectors_are_the_different_sectors_of_each_request(size: int) -> None:
    for rows in rows_of(size):
        found = global_sectors(requests_of(rows, size))
        assert found.taken.tolist() == [len({a // 32 for a in row.values()}) for row in rows]
        assert found.ideal.tolist() == [-(-len(set(row.values())) * size // 32) for row in rows]


@pytest.mark.parametrize("size", [1, 4, 8, 16])
def test_local_memory_has_the_words_of_lanes_side_by_side(size: int) -> None:
    for rows in rows_of(size):
        found = local_sectors(requests_of(rows, size))
        places = [
            {(a // 4 + w) * 128 + 4 * lane for lane, a in row.items() for w in range(max(size // 4, 1))} for row in rows
        ]
        assert found.taken.tolist() == [len({place // 32 for place in some}) for some in places]


def most(groups: list[dict[int, int]], size: int) -> list[int]:
    """Of each group the most different words in one bank."""
    found: list[int] = []
    for group in groups:
        banks: dict[int, set[int]] = defaultdict(set)
        for a in group.values():
            for word in range(a // 4, (a + max(size, 4)) // 4):
                banks[word % 32].add(word)
        found.append(max(map(len, banks.values()), default=0))
    return found


def groups_of(row: dict[int, int], size: int) -> list[dict[int, int]]:
    """The groups of a warp that are processed one after the other."""
    if size <= 4:
        return [row]
    lanes = 32 // (size // 8)
    found: list[dict[int, int]] = []
    for start in range(0, 32, lanes):
        pair = {lane: a for lane, a in row.items() if start <= lane < start + lanes}
        halves = [{lane: a for lane, a in pair.items() if (lane - start) * 2 // lanes == half} for half in (0, 1)]
        merges = any(all(pair.get(lane ^ d, a) == a for lane, a in pair.items()) for d in (1, 2))
        found += [pair] if merges else halves
    return [group for group in found if group]


@pytest.mark.parametrize("size", [1, 4, 8, 16])
def test_wavefronts_are_the_most_words_in_a_bank(size: int) -> None:
    for rows in rows_of(size):
        found = wavefronts(requests_of(rows, size))
        counts = [most(groups_of(row, size), size) for row in rows]
        assert found.taken.tolist() == [sum(some) for some in counts]
        assert found.conflicts.tolist() == [sum(some) - len(some) for some in counts]


def test_a_matrix_takes_a_wavefront_for_each_row_in_the_same_banks() -> None:
    rows = np.array([[16 * i for i in range(8)], [128 * i for i in range(8)], [32 * i for i in range(8)]])
    found = matrix_wavefronts(np.stack([rows, rows[::-1] * 0]))
    assert (found.taken.tolist(), found.conflicts.tolist()) == ([1 + 8 + 2, 3], [7 + 1, 0])


def test_global_atomics_take_a_pass_for_each_lane_at_the_fullest_address_of_a_sector() -> None:
    for rows in rows_of(4):
        found = global_collisions(requests_of(rows, 4))
        for row, *counts in zip(rows, found.taken, found.ideal, found.collisions, strict=True):
            sectors: dict[int, int] = defaultdict(int)
            for a, lanes in Counter(row.values()).items():
                sectors[a // 32] = max(sectors[a // 32], lanes)
            assert counts == [sum(sectors.values()), len(sectors), len(row) - len(set(row.values()))]


def test_shared_atomics_take_a_wavefront_for_each_lane_of_the_fullest_bank() -> None:
    for rows in rows_of(4):
        found = shared_collisions(requests_of(rows, 4))
        assert found.taken.tolist() == [max(Counter(a // 4 % 32 for a in row.values()).values()) for row in rows]
        assert found.collisions.tolist() == [len(row) - len(set(row.values())) for row in rows]


@pytest.mark.parametrize("memory", ["global", "local", "shared"])
@pytest.mark.parametrize("kind", ["ld", "red"])
def test_patterns_stand_for_all_requests(memory: str, kind: str) -> None:
    """Requests at the same distances cost the same where their bases agree modulo the target's modulus."""
    target = Target(memory, kind, 4)
    for rows in rows_of(4):
        moved = [{lane: a + 8 * i for lane, a in rows[0].items()} for i in range(40)]
        these = requests_of(moved, 4)
        some, times = patterns(these, target.modulus)
        assert times is not None
        assert some.warps < these.warps
        for name in ("taken", "ideal", "conflicts", "collisions"):
            one, all = getattr(target.costs(some), name), getattr(target.costs(these), name)
            assert (one if times is None else one * times).sum() == all.sum()


def test_the_distance_of_lanes_is_known_where_it_is_the_same() -> None:
    def stride(row: dict[int, int]) -> int | None:
        return Example(tuple(row.get(lane) for lane in range(32)), 4, Cost(1, 1)).stride

    assert stride({i: 1024 * i for i in range(32)}) == 1024
    assert stride({3: 30, 4: 20, 7: 0}) == -10
    assert stride({3: 30, 5: 20}) is None
    assert stride({3: 30, 4: 31, 5: 0}) is None
