"""Sets of lanes: contiguous lanes are slices, all lanes are None; unions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openptx.engines.interp import lane_sets

N = 12
masks = st.lists(st.booleans(), min_size=N, max_size=N).map(np.array)


def members(lanes: lane_sets.Lanes) -> list[int]:
    return np.arange(N)[slice(None) if lanes is None else lanes].tolist()


@given(masks)
def test_where_of_all(mask: np.ndarray) -> None:
    if mask.any():
        lanes = lane_sets.where(None, mask, N)
        assert members(lanes) == np.flatnonzero(mask).tolist()
        assert lane_sets.size(lanes, N) == mask.sum()
        assert lane_sets.first(lanes) == mask.argmax()


@given(masks, masks)
def test_where_inside_and_union(mask: np.ndarray, other: np.ndarray) -> None:
    if not mask.any():
        return
    lanes = lane_sets.where(None, mask, N)
    inner = other[mask]
    if inner.any():
        assert members(lane_sets.where(lanes, inner, N)) == np.flatnonzero(mask & other).tolist()
    if inner.any() and not inner.all():
        parts = lane_sets.where(lanes, inner, N), lane_sets.where(lanes, ~inner, N)
        both = lane_sets.union(*parts, N)
        assert members(both) == members(lanes)
        assert (both is None) == (lanes is None)


def test_neighbours_are_a_slice() -> None:
    assert lane_sets.normalize(np.array([3, 4, 5]), N) == slice(3, 6)
    assert lane_sets.normalize(np.arange(N), N) is None


def test_united_neighbours_are_a_slice() -> None:
    assert lane_sets.union(slice(2, 4), slice(4, 7), N) == slice(2, 7)
    assert lane_sets.union(slice(4, 7), slice(2, 4), N) == slice(2, 7)
    assert members(lane_sets.union(slice(2, 4), slice(5, 7), N)) == [2, 3, 5, 6]
