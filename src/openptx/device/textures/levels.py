"""Mip level selection: the levels of a mipmapped texture from which lanes fetch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from openptx.array_types import Array
from openptx.device.textures.sampler import Sampler
from openptx.device.textures.texture import Texture

STEPS = 256
"""Levels have eight fraction bits; the rest is truncated."""

MOST = 1024.0
"""Larger than all levels and biases."""

NO_LEVEL = -32.0
"""The level for instructions that name none, as in ptxas 13.5: a bias does not lead to level 0 from there."""


def level_of_detail(t: Texture, s: Sampler, level: Array | None, count: int) -> Array:
    """The level of each of `count` lanes, with its fraction, as doubles: bias added, then clamped to the existing
    levels.

    `level` is None if the instruction names none. NaN counts as 0.
    """
    least, most = (max(quantize(np.float64(v)), 0.0) for v in s.level_clamp)
    named = np.full(count, NO_LEVEL) if level is None else np.clip(np.nan_to_num(level, nan=0.0), -MOST, MOST)
    found: Array = np.clip(
        quantize(named.astype(np.float64) + quantize(np.float64(s.level_bias))), least, min(most, t.level_count - 1)
    )
    return found


def quantize(v: Array | np.float64) -> Array:
    found: Array = np.floor(v * STEPS) / STEPS
    return found


def groups(level: Array) -> Iterator[tuple[int, Array]]:
    """The distinct levels, each with its lanes."""
    for number in np.unique(level).tolist():
        yield int(number), np.flatnonzero(level == number)
