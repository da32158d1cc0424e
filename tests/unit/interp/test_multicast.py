"""Multicast copies access only the CTAs in their mask."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx import TensorMap

KERNEL = """
.version 9.5
.target {target}
.address_size 64
.visible .entry k(.param .u64 src, .param .u64 out, .param .align 64 .b8 map[128]) .reqnctapercluster 2,1,1 {{
    .reg .b64 a, o, w, t;
    .reg .b32 r, wide;
    .reg .b16 mask;
    .reg .pred p;
    .shared .align 128 .b8 buf[64];
    .shared .align 8 .b64 bar;
    ld.param.u64 a, [src];
    ld.param.u64 o, [out];
    mov.b64 t, map;
    cvta.param.u64 t, t;
    mov.u32 r, %cluster_ctarank;
    mov.b16 mask, 2;
    mov.b32 wide, 2;
    st.shared.u64 [bar], 0;
    setp.eq.u32 p, r, 1;
    @p mbarrier.init.shared.b64 [bar], 1;
    @p mbarrier.arrive.expect_tx.shared.b64 w, [bar], {bytes};
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.eq.u32 p, r, 0;
    @p {copy};
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mul.wide.u32 w, r, 8;
    add.u64 o, o, w;
    ld.shared.u64 w, [bar];
    st.global.u64 [o], w;
    ret;
}}
"""
INTO = "shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    ("target", "copy"),
    [
        ("sm_90a", f"cp.async.bulk.{INTO} [buf], [a], 64, [bar], mask"),
        ("sm_107a", f"cp.async.bulk.{INTO}::32b [buf], [a], 64, [bar], wide"),
        (
            "sm_90a",
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
            " [buf], [t, {0}], [bar], mask",
        ),
    ],
)
def test_a_cta_outside_of_the_mask_is_not_touched(target: str, copy: str, engine: str) -> None:
    given, words = np.arange(16, dtype=np.uint32), np.ones(2, np.uint64)
    kernel = openptx.load(KERNEL.format(target=target, copy=copy, bytes=64))["k"]
    kernel(2, 1, (given, words, TensorMap(given, (16,))), engine=engine)
    assert words.tolist() == [0, 1 << 63 | 1 << 20 | 1]


RESPONSE = """
.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out) .reqnctapercluster 2,1,1 {
    .reg .b64 a, b, o, w;
    .reg .b32 r;
    .reg .pred p;
    .shared .align 16 .b64 answer[2];
    .shared .align 8 .b64 bar;
    ld.param.u64 o, [out];
    mov.u32 r, %cluster_ctarank;
    mov.u64 a, answer;
    mov.u64 b, bar;
    cvta.shared.u64 a, a;
    cvta.shared.u64 b, b;
    st.shared.u64 [answer+8], -1;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 w, [bar], 16;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.eq.u32 p, r, 1;
    @p clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [a], [b];
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mbarrier.test_wait.shared.b64 p, [bar], w;
    ld.shared.u64 w, [answer+8];
    selp.b64 w, w, 1, p;
    mul.wide.u32 a, r, 8;
    add.u64 o, o, a;
    st.global.u64 [o], w;
    ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_every_cta_of_the_cluster_gets_the_response_of_a_request_to_cancel(engine: str) -> None:
    words = np.ones(2, np.uint64)
    openptx.load(RESPONSE)["k"](2, 1, (words,), engine=engine)
    assert words.tolist() == [0, 0]
