"""Shuffles in a block's last warp that has fewer than 32 lanes: missing lanes give a lane its own value."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

TEXT = """.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %d) inner (.reg .b32 %a, .reg .b32 %b) {{
shfl.sync.{mode}.b32 %d, %a, %b, {bound}, -1; ret; }}
.visible .entry k(.param .u64 from, .param .u64 to) {{
.reg .b64 %from, %to; .reg .b32 %i, %n, %c, %t, %a, %b, %d, %e;
ld.param.u64 %from, [from]; ld.param.u64 %to, [to];
mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %c, %n, %t;
mad.wide.u32 %from, %i, 4, %from; mad.wide.u32 %to, %i, 8, %to; ld.global.u32 %a, [%from];
and.b32 %b, %t, 7; shfl.sync.{mode}.b32 %d, %a, {lane}, {bound}, -1; call (%e), inner, (%a, %b);
st.global.v2.b32 [%to], {{%d, %e}}; ret; }}"""


def expected(mode: str, values: np.ndarray, lane: np.ndarray, bound: int) -> np.ndarray:
    """Of one warp with as many lanes as there are values."""
    here, segment = np.arange(len(values)), bound >> 8
    first = here & segment
    last = first | (bound & 31 & ~segment)
    there = {"up": here - lane, "down": here + lane, "bfly": here ^ lane, "idx": first | (lane & ~segment)}[mode]
    inside = (there >= last if mode == "up" else there <= last) & (there < len(values)) & (there >= 0)
    return values[np.where(inside, there, here)]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    ("mode", "bound"), [("down", 0x1F), ("down", 0x181F), ("bfly", 0x1F), ("idx", 0x1F), ("up", 0)]
)
@pytest.mark.parametrize("threads", [1, 6, 31, 38, 64])
def test_a_lane_that_is_not_there(threads: int, mode: str, bound: int, engine: str) -> None:
    blocks = 3
    values = np.random.default_rng(threads).integers(0, 1 << 32, blocks * threads, np.uint32)
    found = np.zeros((blocks * threads, 2), np.uint32)
    kernel = openptx.load(TEXT.format(mode=mode, bound=bound, lane=5))["k"]
    kernel(blocks, threads, (values, found), engine=engine)
    for first in range(0, blocks * threads, threads):
        for warp in range(first, first + threads, 32):
            own = values[warp : min(warp + 32, first + threads)]
            lanes = np.arange(len(own))
            got = found[warp : warp + len(own)]
            np.testing.assert_array_equal(got[:, 0], expected(mode, own, lanes * 0 + 5, bound))
            np.testing.assert_array_equal(got[:, 1], expected(mode, own, lanes & 7, bound))
