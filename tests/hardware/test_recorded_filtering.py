"""Filtered textures of three dimensions are as an H200 gave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openptx import Texture
from openptx.device import sampling

RECORDED = Path(__file__).parent / "sm_90-13.0-2026-11-26" / "filtering.npz"


def recorded(name: str) -> tuple[list[Any], list[Any], Any]:
    """The texels of each level (z, y, x, component), coordinates, and results as bits."""
    with np.load(RECORDED) as file:
        count = sum(key.startswith(f"{name}_texels") for key in file.files)
        levels = [file[f"{name}_texels{i}"] for i in range(count)]
        return levels, list(file[f"{name}_coordinates"].view(np.float32)), file[f"{name}_results"]


@pytest.mark.parametrize("name", [
    "float32-clamp", "float32-border", "float32-wrap", "float32-mirror", "float16-border", "float16-wrap",
])  # fmt: skip
def test_sums_that_cancel(name: str) -> None:
    """What the two z of a volume add up to loses what lies below the larger one's unit; 8 of these places show it."""
    (texels,), coordinates, expected = recorded(f"volume-{name}")
    mode = name.rpartition("-")[2]
    t = Texture(texels, filter="linear", address=mode, normalized=mode in ("wrap", "mirror"), channels=texels.shape[-1])
    found = sampling.fetch(t, t.sampler, sampling.Place(None, coordinates, ()))[:, : t.channels]
    np.testing.assert_array_equal(found, expected)
