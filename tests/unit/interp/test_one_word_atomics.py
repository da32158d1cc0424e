"""Atomics of lanes that all address one word, as those that wait for a lock."""

from __future__ import annotations

import random

import numpy as np
import pytest

from openptx.engines.interp import atomics


@pytest.mark.parametrize("different", [1, 2, 3, 50])
def test_many_lanes_compare_and_swap_one_word(different: int) -> None:
    """Most of them compare with a value that the word does not have."""
    dice = random.Random(different)

    def lane_by_lane(old: int, b: int, c: int) -> int:
        return c if old == b else old

    for count in [*range(1, 40), 3000]:
        columns = [[dice.randrange(different) for _ in range(count)] for _ in range(2)]
        assert atomics.swapped(0, columns) == atomics.one_after_another(lane_by_lane, 0, columns)


def test_lanes_of_one_word_are_not_sorted() -> None:
    """But lanes whose first and last address the same word, and others another, are."""
    one, two = atomics.Queue(np.full(5, 7, np.int64)), atomics.Queue(np.array([7, 3, 7], np.int64))
    assert one.order is None
    assert two.order is not None
    assert [one.starts.tolist(), one.ends.tolist(), one.rank.tolist(), one.longest] == [[0], [4], [0, 1, 2, 3, 4], 5]
    assert [two.starts.tolist(), two.ends.tolist(), two.rank.tolist(), two.longest] == [[0, 1], [0, 2], [0, 0, 1], 2]
