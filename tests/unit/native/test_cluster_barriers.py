# ruff: noqa: E501 - PTX in one line reads better here
"""Kernels with barriers of clusters run as machine code where each block is its own cluster."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings

SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
SPLIT = "barrier.cluster.arrive.release; add.u32 %r9, %r9, %r7; barrier.cluster.wait.acquire;"
FUNCTION = ".func sync() { barrier.cluster.arrive; barrier.cluster.wait; ret; }"
# fmt: off
BARRIERS = {
    "one": SYNC,
    "one beside a barrier of the block": f"{SYNC} bar.sync 15; {SYNC}",
    "one that some lanes reach elsewhere": "@%p2 bra A; barrier.cluster.arrive; barrier.cluster.wait; bra B; A: barrier.cluster.arrive; barrier.cluster.wait; B:",
    "an arrival, and a wait later": SPLIT,
    "one in a function": "call sync;",
}
# fmt: on


def kernel(sync: str) -> openptx.Kernel:
    """Each thread mixes its value with that of its neighbour's neighbour, five times; the last ones leave early."""
    body = (
        "ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;"
        "mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.u32 %r5, %r5, %r6; xor.b32 %r8, %r5, 136;"
        "and.b32 %r10, %r1, 4; setp.eq.u32 %p2, %r10, 0; setp.gt.u32 %p3, %r1, 90; @%p3 ret; mov.u32 %r9, %r4; mov.u32 %r7, 0;"
        "shr.u32 %r12, %r1, 5; mul.lo.u32 %r12, %r12, 3; L: mov.u32 %r13, 0; I: add.u32 %r13, %r13, 1; setp.le.u32 %p1, %r13, %r12; @%p1 bra I;"
        f"st.shared.u32 [%r5], %r9; {sync.replace('A', 'A0').replace('B', 'B0')} ld.shared.u32 %r11, [%r8]; {sync.replace('A', 'A1').replace('B', 'B1')}"
        "mad.lo.u32 %r9, %r9, 5, %r11; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 5; @%p1 bra L; st.global.u32 [%rd2], %r9; ret;"
    )
    registers = ".reg .pred %p<4>; .reg .b32 %r<14>; .reg .b64 %rd<4>; .shared .align 256 .u32 s[256];"
    return openptx.load(
        f".version 8.8\n.target sm_90\n.address_size 64\n{FUNCTION}\n.visible .entry k(.param .u64 x) {{\n{registers}\n{body}\n}}\n"
    )["k"]


@pytest.mark.parametrize("turns", [0, 1, 4])
@pytest.mark.parametrize("threads", [32, 96])
@pytest.mark.parametrize("name", BARRIERS)
def test_they_do_as_on_the_reference_engine(name: str, threads: int, turns: int) -> None:
    """Also where the interpreter continues after some iterations, while the first warps wait: a later one has a longer
    loop before the barrier."""
    made, found = kernel(BARRIERS[name]), list[bytes]()
    for engine in ("interp", "native"):
        x = np.zeros(4 * threads, np.uint32)
        with settings.deoptimize_after(turns):
            made(3, threads, (x,), engine=engine, timeout=60)
        found.append(x.tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("cluster", [None, 1])
@pytest.mark.parametrize("name", ["one", "one beside a barrier of the block", "one in a function"])
def test_an_arrival_with_its_wait_stays_compiled(
    name: str, cluster: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        kernel(BARRIERS[name])(3, 64, (np.zeros(256, np.uint32),), engine="native", cluster=cluster)
    assert not caplog.records


@pytest.mark.parametrize(("cluster", "given"), [(None, 0), (1, 1)])
def test_a_kernel_that_asks_learns_whether_the_launch_gave_a_size(cluster: int | None, given: int) -> None:
    text = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) { .reg .pred p; .reg .b32 r; .reg .b64 d; ld.param.u64 d, [x]; mov.pred p, %is_explicit_cluster; selp.u32 r, 1, 0, p; st.global.u32 [d], r; ret; }"
    x = np.full(1, 7, np.uint32)
    openptx.load(text)["k"](1, 1, (x,), engine="native", cluster=cluster)
    assert x[0] == given


@pytest.mark.parametrize("sync", ["barrier.cluster.arrive; barrier.cluster.wait;", "call sync;"])
def test_a_deadlock_names_the_clusters_barrier(sync: str) -> None:
    text = f".version 8.8\n.target sm_90\n.address_size 64\n{FUNCTION}\n.visible .entry k() {{ .reg .pred p; .reg .b32 r; mov.u32 r, %tid.x; setp.lt.u32 p, r, 32; @p bra A; bar.sync 1; ret; A: {sync} ret; }}"
    found = list[object]()
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault) as deadlock:
            openptx.load(text)["k"](1, 64, (), engine=engine, timeout=60)
        found.append((deadlock.value.name, deadlock.value.thread, deadlock.value.notes, deadlock.value.span))
    assert found[0] == found[1]
    assert "at the cluster's barrier" in str(found[1])
