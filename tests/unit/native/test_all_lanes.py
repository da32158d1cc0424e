"""Checks of all lanes at once, for processors without mask registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanes import run, without

from openptx.engines.native.analysis.lattice import ZEROS
from openptx.engines.native.emit.memory.all_lanes import all_valid
from openptx.numerics import Bits


@pytest.mark.parametrize("align", [1, 8])
@pytest.mark.parametrize("room", [0, 1, 48, (1 << 31) - 1, (1 << 63) - 1])
@pytest.mark.parametrize("w", [32, 64])
def test_one_bad_lane_is_noticed(w: int, room: int, align: int) -> None:
    room = min(room, (1 << w - 1) - 1)
    edges = [0, 1, 7, 8, room - 1, room, room + 1, (1 << w - 1) - 1, 1 << w - 1, (1 << w) - 1, (1 << w) - 8]
    offsets = np.zeros((len(edges), 32), np.dtype(f"u{w // 8}"))
    for i, edge in enumerate(edges):
        offsets[i, i] = edge % (1 << w)

    def primitive(x: Any, a: Bits) -> Bits:
        return x.bits(all_valid(x.ir, w, x.vector(a), x.vector(a), str(room), align), 1, ZEROS)

    (found,) = run(primitive, [offsets.reshape(-1)], [w], without("avx512"))
    expected = (offsets < room) & (offsets % align == 0)
    np.testing.assert_array_equal(found.reshape(-1, 32)[:, 0], expected.all(1))
