"""Sectors, wavefronts and collisions of any addresses and masks, compared with their definitions lane by lane."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openptx.profile.collisions import global_collisions, shared_collisions
from openptx.profile.requests import Requests
from openptx.profile.sectors import global_sectors, local_sectors, stride
from openptx.profile.wavefronts import matrix_wavefronts, wavefronts

Rows = list[dict[int, int]]
"""Of each warp, addresses by active lane."""


def requests_of(rows: Rows, size: int) -> Requests:
    filled = [[row.get(lane, next(iter(row.values()))) for lane in range(32)] for row in rows]
    active = np.array([[lane in row for lane in range(32)] for row in rows])
    lanes = int(active.sum())
    return Requests(np.array(filled, np.int64), None if active.all() else active, lanes, size)


@st.composite
def rows_of(draw: st.DrawFn, size: int) -> Rows:
    """One to five warps: whole ones or not, lanes at one distance or anywhere."""
    rows: Rows = []
    partial = draw(st.booleans())
    for _ in range(draw(st.integers(1, 5))):
        lanes = draw(st.sets(st.integers(0, 31), min_size=1)) if partial else range(32)
        if draw(st.booleans()):
            base, step = draw(st.integers(32, 72)), draw(st.integers(-1, 40))
            rows.append({lane: (base + step * lane) * size for lane in sorted(lanes)})
        else:
            rows.append({lane: draw(st.integers(0, 4096 // size - 1)) * size for lane in sorted(lanes)})
    return rows


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_global_sectors_are_the_different_sectors_of_each_request(size: int) -> None:
    @given(rows_of(size))
    def check(rows: Rows) -> None:
        found = global_sectors(requests_of(rows, size))
        assert found.moved == sum(len({a // 32 for a in row.values()}) for row in rows)
        assert found.needed == sum(-(-len(set(row.values())) * size // 32) for row in rows)

    check()


@pytest.mark.parametrize("size", [1, 4, 8, 16])
def test_local_memory_has_the_words_of_lanes_side_by_side(size: int) -> None:
    @given(rows_of(size))
    def check(rows: Rows) -> None:
        found = local_sectors(requests_of(rows, size))
        places = [
            {(a // 4 + w) * 128 + 4 * lane for lane, a in row.items() for w in range(max(size // 4, 1))} for row in rows
        ]
        assert found.moved == sum(len({place // 32 for place in some}) for some in places)

    check()


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
    @given(rows_of(size))
    def check(rows: Rows) -> None:
        found = wavefronts(requests_of(rows, size))
        counts = [count for row in rows for count in most(groups_of(row, size), size)]
        assert (found.taken, found.conflicts) == (sum(counts), sum(counts) - len(counts))

    check()


def test_a_matrix_takes_a_wavefront_for_each_row_in_the_same_banks() -> None:
    rows = np.array([[16 * i for i in range(8)], [128 * i for i in range(8)], [32 * i for i in range(8)]])
    found = matrix_wavefronts(rows)
    assert (found.taken, found.conflicts) == (1 + 8 + 2, 7 + 1)


@given(rows_of(4))
def test_global_atomics_take_a_pass_for_each_lane_at_the_fullest_address_of_a_sector(rows: Rows) -> None:
    found = global_collisions(requests_of(rows, 4))
    passes = without = 0
    for row in rows:
        sectors: dict[int, int] = defaultdict(int)
        for a, lanes in Counter(row.values()).items():
            sectors[a // 32] = max(sectors[a // 32], lanes)
        passes, without = passes + sum(sectors.values()), without + len(sectors)
    lanes = sum(len(row) - len(set(row.values())) for row in rows)
    assert (found.passes, found.without, found.lanes) == (passes, without, lanes)


@given(rows_of(4))
def test_shared_atomics_take_a_wavefront_for_each_lane_of_the_fullest_bank(rows: Rows) -> None:
    found = shared_collisions(requests_of(rows, 4))
    assert found.passes == sum(max(Counter(a // 4 % 32 for a in row.values()).values()) for row in rows)
    assert found.lanes == sum(len(row) - len(set(row.values())) for row in rows)


def test_the_distance_of_lanes_is_known_where_it_is_the_same() -> None:
    row = {i: 1024 * i for i in range(32)}
    assert stride(requests_of([row, row], 4)) == 1024
    assert stride(requests_of([{3: 30, 4: 20, 7: 0}], 4)) == -10
    assert stride(requests_of([{3: 30, 5: 20}], 4)) is None
    assert stride(requests_of([row, {i: 4 * i for i in range(32)}], 4)) is None
