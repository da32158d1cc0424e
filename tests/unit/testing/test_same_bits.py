"""`assert_same_bits`: reports what differs, by how much, in which format."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from openptx.errors import InputError
from openptx.testing import assert_same_bits


def test_equal_bits_pass() -> None:
    nan = np.array([np.nan, -0.0, 1.5], np.float32)
    assert_same_bits(nan, nan.copy())
    assert_same_bits([[1, 2]], [[1, 2]])
    assert_same_bits(np.zeros(0, np.float16), np.zeros(0, np.float16))
    assert_same_bits(np.arange(12.0).reshape(3, 4).T, np.arange(12.0).reshape(3, 4).T.copy())


ABOVE_TWO = np.nextafter(np.float32(2), np.float32(3))
ONES = np.eye(3, 4, dtype=np.uint16) * 0x3F80
BF16 = ml_dtypes.bfloat16

# fmt: off
DIFFERENT = [
    # got                        wanted                 as      said
    (np.float32([1, ABOVE_TWO]), np.float32([1, 2]),    None,   ("1 of 2", "[1] 2.0000", "not 2.0 (0x40000000): 1")),
    (np.float32([-1e-45]),       np.float32([1e-45]),   None,   (": 2 ulp",)),
    (np.float64([0.0]),          np.float64([-0.0]),    None,   ("the signs of zeros differ",)),
    (np.float32([np.nan]),       np.float32([1.0]),     None,   ("nan (0x7fc00000), not 1.0 (0x3f800000)",)),
    (np.int32([5]),              np.int32([7]),         None,   ("[0] 5 (0x00000005), not 7 (0x00000007)",)),
    (np.uint8([0x38]),           np.uint8([0x3A]),      "e4m3", ("as e4m3", "1.0 (0x38), not 1.25 (0x3a): 2 ulp")),
    (0 * ONES,                   ONES,                  "bf16", ("3 of 12", "[0, 0]", "[2, 2]", ": 16,256 ulp")),
    (np.array([1], BF16),        np.array([2], BF16),   None,   (": 128 ulp",)),
]
# fmt: on


@pytest.mark.parametrize(("got", "wanted", "format", "said"), DIFFERENT)
def test_differences_are_told(got, wanted, format, said) -> None:
    with pytest.raises(AssertionError) as failed:
        assert_same_bits(got, wanted, format)
    for words in said:
        assert words in str(failed.value)


def test_many_differences_are_counted() -> None:
    with pytest.raises(AssertionError, match=r"1,000 of 1,000 elements differ[\s\S]*and 995 more"):
        assert_same_bits(np.ones(1000, np.int8), np.zeros(1000, np.int8))


@pytest.mark.parametrize(
    ("got", "wanted", "format"),
    [
        (np.zeros(3), np.zeros(4), None),
        (np.zeros(3, np.float32), np.zeros(3), None),
        (np.zeros(3, np.uint16), np.zeros(3, np.uint16), "e4m3"),
        (np.zeros(3, np.uint8), np.zeros(3, np.uint8), "f8"),
        (np.zeros(3, np.uint32), np.zeros(3, np.uint32), "tf32"),
    ],
)
def test_what_can_not_be_compared_is_said(got, wanted, format) -> None:
    with pytest.raises(InputError):
        assert_same_bits(got, wanted, format)
