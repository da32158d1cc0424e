"""One instruction, executed several times or by several lanes, does not race with itself."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

TILE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out)
{
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<6>;
    .shared .align 128 .b8 s[512];
    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
    mbarrier.init.shared::cta.b64 [bar], 1;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
    mov.b64 %rd1, map;
    cvta.param.u64 %rd1, %rd1;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%rd1, {-5, 15}], [bar];
WAIT:
    bar.sync 0;
AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
    @!%p2 bra AGAIN;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, s;
    add.u32 %r3, %r3, %r2;
    ld.shared.u32 %r4, [%r3+256];
    ld.param.u64 %rd2, [out];
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r4;
    ret;
}
"""

FLAG = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry flag(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    .shared .align 4 .b8 s[4];
    mov.u32 %r1, 5;
    st.shared.u32 [s], %r1;
    bar.warp.sync -1;
    ld.shared.u32 %r2, [s];
    mov.u32 %r3, %tid.x;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""


def test_a_tile_that_lies_partly_outside_of_its_tensor() -> None:
    tensor, out = np.arange(800, dtype=np.int32).reshape(20, 40), np.zeros(64, np.int32)
    kernel = openptx.load(TILE)["tile"]
    assert openptx.sanitize(kernel, 1, 64, (openptx.TensorMap(tensor, (8, 16)), out)) == []
    rows = np.zeros((8, 16), np.int32)
    rows[:5, 5:] = tensor[15:, :11]
    assert (out == rows.reshape(-1)[64:]).all()


@pytest.mark.parametrize("seed", range(4))
def test_lanes_of_a_warp_that_store_one_value_one_after_the_other(seed: int) -> None:
    out = np.zeros(32, np.int32)
    assert openptx.sanitize(openptx.load(FLAG)["flag"], 1, 32, (out,), schedules=3, seed=seed) == []


PACKED = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry packed(.param .u64 out)
{
    .reg .b16 %h<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0x3C003C00;
    mov.b16 %h1, 0x3C00;
    red.relaxed.gpu.global.add.noftz.f16x2 [%rd1], %r1;
    red.relaxed.gpu.global.add.noftz.f16 [%rd1+2], %h1;
    ret;
}
"""


def test_atomics_on_a_packed_type_and_on_its_elements() -> None:
    """They are as those on two scalars (8.2.5), and so are morally strong with one of them; others are not."""
    out = np.zeros(2, np.float16)
    kernel = openptx.load(PACKED)["packed"]
    assert openptx.sanitize(kernel, 2, 32, (out,)) == []
    assert out.tolist() == [64, 128]
    wider = openptx.load(PACKED.replace("add.noftz.f16x2", "add.u32"))["packed"]
    assert [f.kind for f in openptx.sanitize(wider, 2, 32, (out,))] == ["race"]


@pytest.mark.parametrize(("expected", "misused"), [(1048575, []), (1048576, ["mbarrier-misuse"])])
def test_the_bytes_that_an_mbarrier_can_expect(expected: int, misused: list[str]) -> None:
    text = """.version 8.0
.target sm_90
.address_size 64
.visible .entry expects() {
    .shared .align 8 .b64 bar;
    mbarrier.init.shared::cta.b64 [bar], 1;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], BYTES;
    ret;
}
"""
    kernel = openptx.load(text.replace("BYTES", str(expected)))["expects"]
    assert [f.name for f in openptx.sanitize(kernel, 1, 1)] == misused


ARRIVALS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry arrives() {
    .shared .align 8 .b64 bar;
    .reg .pred %p<3>; .reg .b32 %r<2>;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 5;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 64;
    bar.sync 0;
    mbarrier.arrive.shared::cta.b64 _, [bar];
    MORE
FIRST:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
    @!%p2 bra FIRST;
    mbarrier.arrive.shared::cta.b64 _, [bar];
    ret;
}
"""


@pytest.mark.parametrize(
    ("more", "misused"),
    [
        ("", []),
        ("@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];", ["mbarrier-misuse"]),
        ("bar.sync 0; mbarrier.arrive.shared::cta.b64 _, [bar]; bar.sync 0; @!%p1 ret;", ["mbarrier-misuse"]),
    ],
)
def test_arrivals_before_a_wait_has_seen_the_last_phase(more: str, misused: list[str]) -> None:
    kernel = openptx.load(ARRIVALS.replace("MORE", more))["arrives"]
    assert [f.name for f in openptx.sanitize(kernel, 1, 64, tools="sync", engine="interp")] == misused
