"""Fences of scope `.cluster` order threads of one cluster, and no others: a lock in distributed shared memory, and a
flag in global memory."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b32 lock;
    .shared .align 4 .b32 sum;
"""
LOCK = (
    HEAD
    + """
    mov.u32 %r0, 0;
    st.shared.u32 [lock], %r0;
    st.shared.u32 [sum], %r0;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.u32 %r1, lock;
    mov.u32 %r2, sum;
    mapa.shared::cluster.u32 %r3, %r1, 0;
    mapa.shared::cluster.u32 %r4, %r2, 0;
taken:
    atom.relaxed.cluster.shared::cluster.exch.b32 %r5, [%r3], 1;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra taken;
    fence.acq_rel.SCOPE;
    ld.shared::cluster.u32 %r6, [%r4];
    add.u32 %r6, %r6, 1;
    st.shared::cluster.u32 [%r4], %r6;
    fence.acq_rel.SCOPE;
    st.relaxed.cluster.shared::cluster.u32 [%r3], %r0;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
}
"""
)
FLAG = (
    HEAD
    + """
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra writer;
    setp.ne.u32 %p2, %r1, READER;
    @%p2 bra done;
wait:
    ld.relaxed.gpu.global.u32 %r2, [%rd1];
    setp.eq.u32 %p3, %r2, 0;
    @%p3 bra wait;
    fence.acq_rel.SCOPE;
    ld.global.u32 %r3, [%rd1+4];
    st.global.u32 [%rd1+8], %r3;
    bra done;
writer:
    mov.u32 %r4, 1;
    st.global.u32 [%rd1+4], %r4;
    fence.acq_rel.SCOPE;
    st.relaxed.gpu.global.u32 [%rd1], %r4;
done:
    ret;
}
"""
)


def races(text: str) -> list[str]:
    kernel = openptx.load(text)["k"]
    return [found.name for found in openptx.sanitize(kernel, 4, 1, (np.zeros(4, np.uint32),), cluster=2, timeout=60)]


@pytest.mark.parametrize(("scope", "found"), [("cta", ["data-race"]), ("cluster", []), ("gpu", [])])
def test_a_lock_of_a_cluster(scope: str, found: list[str]) -> None:
    text = LOCK.replace("SCOPE", scope)
    assert races(text) == found


@pytest.mark.parametrize(
    ("reader", "scope", "found"),
    [
        ("1", "cta", ["data-race"]), ("1", "cluster", []), ("1", "gpu", []),
        ("2", "cta", ["data-race"]), ("2", "cluster", ["data-race"]), ("2", "gpu", []),
    ],
)  # fmt: skip
def test_a_flag_within_a_cluster_and_beyond(reader: str, scope: str, found: list[str]) -> None:
    assert races(FLAG.replace("SCOPE", scope).replace("READER", reader)) == found
