"""All elements of a source vector are read before the first element of a destination is written."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

SWAP = """
.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 x) {
    .reg .b32 a, b, t; .reg .b64 d; .reg .pred p;
    ld.param.u64 d, [x]; mov.u32 t, %tid.x; mad.wide.u32 d, t, 8, d;
    mov.u32 a, t; add.u32 b, t, 100; setp.lt.u32 p, t, 16;
    @p mov.v2.b32 {a, b}, {b, a};
    st.global.v2.b32 [d], {a, b};
    ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_neighbouring_lanes_swap_registers(engine: str) -> None:
    x, t = np.zeros((64, 2), np.uint32), np.arange(64)
    openptx.load(SWAP)["k"](1, 64, (x,), engine=engine)
    a, b = np.where(t < 16, t + 100, t), np.where(t < 16, t, t + 100)
    assert np.array_equal(x, np.stack([a, b], 1))
