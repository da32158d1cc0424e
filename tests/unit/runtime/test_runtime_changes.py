"""What ranges changed in an array is sent and merged byte by byte, in little more space than the changes take."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from openptx.runtime.changes import LINE, PART, MergedChanges, change


@pytest.mark.parametrize("size", [1, 63, 64, 65, 1000])
def test_ranges_that_write_alternating_bytes(size: int) -> None:
    dice = np.random.default_rng(size)
    before = dice.integers(0, 256, size, np.uint8)
    wanted = before ^ dice.integers(1, 256, size, np.uint8)
    merged, target = MergedChanges(size), before.copy()
    for first in (0, 1):
        after = before.copy()
        after[first::2] = wanted[first::2]
        found = change(before, after)
        if first < size:
            assert found is not None
            assert merged.add(found) is None
        else:
            assert found is None
    merged.write(target)
    assert (target == wanted).all()


def test_changes_on_either_side_of_the_end_of_a_part() -> None:
    """Arrays are compared part by part; lines are numbered through, and parts without a change leave no trace."""
    size = 3 * PART + 10
    places = np.array([0, PART - 1, PART, PART + LINE, 3 * PART + 9])
    before, target = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    after = before.copy()
    after[places] = 1 + np.arange(len(places))
    found, merged = change(before, after), MergedChanges(size)
    assert found is not None
    assert found.lines.tolist() == (places // LINE).tolist()
    assert merged.add(found) is None
    merged.write(target)
    assert (target == after).all()


def test_bytes_that_no_range_changed_keep_what_they_have_meanwhile() -> None:
    before, after, target = np.zeros(200, np.uint8), np.zeros(200, np.uint8), np.full(200, 9, np.uint8)
    after[150] = 3
    found, merged = change(before, after), MergedChanges(200)
    assert found is not None
    assert merged.add(found) is None
    merged.write(target)
    assert target[150] == 3
    assert (np.delete(target, 150) == 9).all()


def test_the_first_byte_with_two_values_is_named() -> None:
    before, merged = np.zeros(300, np.uint8), MergedChanges(300)
    for after, clash in ((np.full(300, 1, np.uint8), None), (np.arange(300, dtype=np.uint8) // 200 + 1, 200)):
        found = change(before, after)
        assert found is not None
        assert merged.add(found) == clash


def test_changes_take_little_more_space_than_what_they_change() -> None:
    before = np.zeros(1 << 20, np.uint8)
    whole, single = change(before, before + 1), before.copy()
    single[12345] = 1
    assert len(pickle.dumps(whole, 5)) < 1.26 * before.size
    assert len(pickle.dumps(change(before, single), 5)) < 700
