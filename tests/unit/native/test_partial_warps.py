"""Shuffles that read lanes which a partial last warp lacks, which have ended, or which are elsewhere give 0."""

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
    inside = there >= last if mode == "up" else there <= last
    warp = np.concatenate([values, np.zeros(32 - len(values), np.uint32)])
    return warp[np.where(inside, there, here)]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    ("mode", "bound"),
    [
        ("down", 0x1F),
        ("down", 0x181F),
        ("down", 0x1007),
        ("bfly", 0x1F),
        ("bfly", 0x1C02),
        ("idx", 0x1F),
        ("idx", 0x181F),
        ("idx", 0x0B05),
        ("up", 0),
        ("up", 0x1800),
        ("up", 0x1003),
        ("up", 9),
    ],
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


ENDED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
.reg .b64 %p; .reg .b32 %t, %n, %v, %w; .reg .pred %q;
ld.param.u64 %p, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;
setp.ge.u32 %q, %t, %n; @%q ret;
mad.wide.u32 %p, %t, 4, %p; mad.lo.u32 %v, %t, 3, 7;
shfl.sync.down.b32 %w, %v, 8, 0x1f, -1; st.global.u32 [%p], %w;
shfl.sync.idx.b32 %w, %v, 20, 0x1f, -1; st.global.u32 [%p+256], %w; ret; }"""


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("threads", [1, 16, 24, 50, 64])
def test_a_lane_that_has_ended_is_no_fault_and_gives_0(threads: int, engine: str) -> None:
    out = np.zeros((2, 64), np.uint32)
    openptx.load(ENDED)["k"](1, 64, (out, threads), engine=engine)
    own = np.arange(threads, dtype=np.uint32) * 3 + 7
    for warp in range(0, threads, 32):
        size = len(own[warp : warp + 32])
        values = np.zeros(32, np.uint32)
        values[:size] = own[warp : warp + 32]
        lanes = np.arange(size)
        np.testing.assert_array_equal(out[0, warp : warp + size], values[np.where(lanes + 8 < 32, lanes + 8, lanes)])
        np.testing.assert_array_equal(out[1, warp : warp + size], values[20])


ELSEWHERE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b64 %p; .reg .b32 %t, %v, %one, %w, %x; .reg .pred %q;
ld.param.u64 %p, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 8, %p; mad.lo.u32 %v, %t, 3, 7; mov.b32 %one, 1;
setp.lt.u32 %q, %t, 9;
@%q shfl.sync.idx.b32 %w, %v, 20, 31, 0x1ff;
@!%q bra END;
mul.lo.u32 %v, %v, 5;
shfl.sync.bfly.b32 %x, %v, 12, 31, 0x1ff;
shfl.sync.down.b32 %one, %one, 4, 31, 0x1ff; add.u32 %x, %x, %one;
END: st.global.v2.u32 [%p], {%w, %x}; ret; }"""


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("threads", [9, 23, 32, 40])
def test_a_lane_that_is_elsewhere_gives_0(threads: int, engine: str) -> None:
    out = np.zeros((threads, 2), np.uint32)
    openptx.load(ELSEWHERE)["k"](1, threads, (out,), engine=engine)
    lanes = np.arange(9, dtype=np.uint32)
    np.testing.assert_array_equal(out[:9, 0], 0)
    swapped = np.where((lanes ^ 12) < 9, ((lanes ^ 12) * 3 + 7) * 5, 0)
    np.testing.assert_array_equal(out[:9, 1], swapped + (lanes + 4 < 9))


def test_the_sanitizer_reports_the_value_of_a_lane_that_has_ended() -> None:
    found = openptx.sanitize(openptx.load(ENDED)["k"], 1, 64, (np.zeros((2, 64), np.uint32), 16))
    names = {(each.name, each.kind) for one in found for each in (one, *one.related)}
    assert names == {("ended-lane", "sync"), ("inactive-lane", "sync")}
