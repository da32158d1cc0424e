"""The Hypothesis strategies generate values of the format, including edge cases."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from openptx.errors import InputError
from openptx.numerics.formats import FORMATS
from openptx.testing import strategies

FAST = settings(max_examples=200, deadline=None, database=None)


@pytest.mark.parametrize("name", FORMATS)
def test_edges_of_a_format_are_found(name: str) -> None:
    format = FORMATS[name]
    wanted = {
        0,
        format.hidden,
        format.largest,
        format.sign,
        *(c for c in (format.infinity, format.nan) if c is not None),
    }
    for code in wanted:
        assert find(strategies.bits(name), lambda found, code=code: found == code, settings=FAST) == code


@FAST
@given(
    st.sampled_from([*FORMATS, "s8", "u16", "b32", "s64", "b128"]).flatmap(
        lambda name: st.tuples(st.just(name), strategies.bits(name))
    )
)
def test_codes_fit_their_width(pair: tuple[str, int]) -> None:
    name, code = pair
    assert 0 <= code < 1 << (FORMATS[name].width if name in FORMATS else int(name[1:]))


@FAST
@given(strategies.arrays("e4m3", st.integers(0, 5)), strategies.arrays("f32", 4), strategies.arrays("s16", 2))
def test_arrays_have_the_dtype_of_their_format(small, floats, integers) -> None:
    assert small.dtype == ml_dtypes.float8_e4m3fn
    assert small.size <= 5
    assert (floats.dtype, floats.shape) == (np.float32, (4,))
    assert integers.dtype == np.int16


def test_values_are_scalars() -> None:
    nan = find(strategies.values("bf16"), lambda value: bool(value != value), settings=FAST)
    assert nan.dtype == ml_dtypes.bfloat16
    assert find(strategies.values("tf32"), lambda value: int(value) == 0, settings=FAST) == 0


@pytest.mark.parametrize("name", ["f16x2", "e4m3x2", ".f32", "pred", "float"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="no number format"):
        strategies.bits(name)
