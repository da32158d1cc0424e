"""Atomics of lanes that all address one word, as those that wait for a lock."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from openptx.engines.interp.memory import atomic_updates
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import NumpyMachine


@pytest.mark.parametrize("different", [1, 2, 3, 50])
def test_many_lanes_compare_and_swap_one_word(different: int) -> None:
    """Most of them compare with a value that the word does not have."""
    dice = random.Random(different)

    def lane_by_lane(old: int, b: int, c: int) -> int:
        return c if old == b else old

    for count in [*range(1, 40), 3000]:
        columns = [[dice.randrange(different) for _ in range(count)] for _ in range(2)]
        expected = atomic_updates.one_after_another(lane_by_lane, 0, columns)
        assert atomic_updates.swapped(0, columns) == expected
        words = np.array([9, 0, 9], np.uint32)
        compared, new = (np.array(column, np.uint32) for column in columns)
        assert (atomic_updates.swap(words, 1, compared, new).tolist(), words.tolist()) == (
            expected[0],
            [9, expected[1], 9],
        )


@pytest.mark.parametrize("type", [np.uint32, np.uint64])
@pytest.mark.parametrize("update", atomic_updates.SCANS)
def test_many_lanes_combine_with_one_word(update: Callable[..., Bits], type: type[np.unsignedinteger[Any]]) -> None:
    """The old values are those of the meaning, lane by lane."""
    r, x = np.random.default_rng(1), NumpyMachine()
    for count in (1, 2, 40):
        values = r.integers(0, np.iinfo(type).max, count + 1, type, endpoint=True)
        old, word = list[int](), values[:1]
        for i in range(1, count + 1):
            old.append(word.item())
            word = update(x, *[Bits(x, 8 * word.itemsize, v) for v in (word, values[i : i + 1])]).v
        found, final = atomic_updates.chain(atomic_updates.SCANS[update], values[1:], values[:1])
        assert (found.tolist(), final.tolist()) == (old, word.tolist())
        assert found.dtype == final.dtype == values.dtype


def test_lanes_of_one_word_are_not_sorted() -> None:
    """But lanes whose first and last address the same word, and others another, are."""
    one, two = atomic_updates.Queue(np.full(5, 7, np.int64)), atomic_updates.Queue(np.array([7, 3, 7], np.int64))
    assert one.order is None
    assert two.order is not None
    assert [one.starts.tolist(), one.ends.tolist(), one.rank.tolist(), one.longest] == [[0], [4], [0, 1, 2, 3, 4], 5]
    assert [two.starts.tolist(), two.ends.tolist(), two.rank.tolist(), two.longest] == [[0, 1], [0, 2], [0, 0, 1], 2]
