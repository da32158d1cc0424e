"""Invalid border colors are refused; out-of-range ones are clamped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import openptx

BYTES, FLOATS = np.zeros((4, 4), np.uint8), np.zeros((4, 4), np.float32)


@pytest.mark.parametrize(
    ("border", "words"),
    [
        ("x", "a border is a number for each component, not 'x'"),
        (None, "a border is a number for each component, not None"),
        (0.5, "a border is a number for each component, not 0.5"),
        ((1, 2, 3, 4, 5), "at most four components, not 5"),
    ],
)
def test_what_is_no_color_is_refused(border: Any, words: str) -> None:
    with pytest.raises(openptx.ArgumentError, match=words):
        openptx.Texture(FLOATS, border=border)


def test_integers_have_no_color_outside() -> None:
    with pytest.raises(openptx.ArgumentError, match="a border of zeros"):
        openptx.Texture(BYTES, border=(0.5,))
    assert openptx.Texture(FLOATS.view(np.int32), border=(0.5,)).border.tolist() == [0x3F000000]


@pytest.mark.parametrize(("color", "byte"), [(2.0, 255), (-1.0, 0), (np.nan, 0), (np.inf, 255), (0.5, 128)])
def test_a_color_is_stored_as_the_nearest_byte(color: float, byte: int) -> None:
    texture = openptx.Texture(BYTES, read="normalized_float", address="border", border=(color,))
    assert texture.border.tolist() == [byte]
