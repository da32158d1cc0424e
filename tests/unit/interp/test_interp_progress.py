"""Every lane makes progress: locks between lanes and between blocks, grid-wide barriers, divergent loops."""

import numpy as np
import pytest

from openptx.errors import Fault
from openptx.runtime import load

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

LOCK = (
    HEAD
    + """
.visible .entry locked(.param .u64 lock, .param .u64 sum) {
    .reg .u64 l, s;
    .reg .u32 old, v;
    .reg .pred p;
    ld.param.u64 l, [lock];
    ld.param.u64 s, [sum];
TRY:
    atom.global.cas.b32 old, [l], 0, 1;
    setp.ne.u32 p, old, 0;
    @p bra TRY;
    ld.volatile.global.u32 v, [s];
    add.u32 v, v, 1;
    st.volatile.global.u32 [s], v;
    membar.gl;
    atom.global.exch.b32 old, [l], 0;
    ret;
}
"""
)


@pytest.mark.parametrize(("grid", "block"), [(1, 32), (3, 40), (64, 1)])
def test_spin_lock_between_lanes_and_blocks(grid: int, block: int) -> None:
    lock, total = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    load(LOCK)["locked"](grid, block, (lock, total), engine="interp", timeout=60)
    assert total[0] == grid * block
    assert lock[0] == 0


GRID_BARRIER = (
    HEAD
    + """
.visible .entry everybody(.param .u64 count, .param .u64 out, .param .u32 blocks) {
    .reg .u64 c, o, at;
    .reg .u32 n, old, b, t;
    .reg .pred p, first;
    ld.param.u64 c, [count];
    ld.param.u64 o, [out];
    ld.param.u32 n, [blocks];
    mov.u32 t, %tid.x;
    mov.u32 b, %ctaid.x;
    setp.eq.u32 first, t, 0;
    @!first bra WAIT;
    atom.global.add.u32 old, [c], 1;
SPIN:
    ld.acquire.gpu.global.u32 old, [c];
    setp.lt.u32 p, old, n;
    @p bra SPIN;
WAIT:
    bar.sync 0;
    mul.wide.u32 at, b, 4;
    add.u64 at, o, at;
    ld.acquire.gpu.global.u32 old, [c];
    st.global.u32 [at], old;
    ret;
}
"""
)


def test_blocks_of_different_batches_wait_for_each_other() -> None:
    blocks = 100  # of 1024 threads: more than one batch
    count, out = np.zeros(1, np.uint32), np.zeros(blocks, np.uint32)
    load(GRID_BARRIER)["everybody"](blocks, 1024, (count, out, blocks), engine="interp", timeout=120)
    assert (out == blocks).all()


ARRIVALS = (
    HEAD
    + """
.visible .entry hand_over(.param .u64 out) {
    .shared .align 8 .b64 bar;
    .shared .u32 word;
    .reg .u64 o, at;
    .reg .u32 t, v;
    .reg .pred p;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    setp.eq.u32 p, t, 0;
    @p mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    setp.eq.u32 p, t, 40;
    @!p bra WAIT;
    st.shared.u32 [word], 7;
    mbarrier.arrive.shared.b64 _, [bar];
WAIT:
    mbarrier.test_wait.parity.shared.b64 p, [bar], 0;
    @!p bra WAIT;
    ld.shared.u32 v, [word];
    mul.wide.u32 at, t, 4;
    add.u64 at, o, at;
    st.global.u32 [at], v;
    ret;
}
"""
)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_warp_waits_at_an_mbarrier_for_a_later_one(engine: str) -> None:
    out = np.zeros(64, np.uint32)
    load(ARRIVALS)["hand_over"](1, 64, (out,), engine=engine, timeout=60)
    assert (out == 7).all()


PARTING = (
    HEAD
    + """
.visible .entry sums(.param .u64 out) {
    .reg .u64 o, at;
    .reg .u32 t, i, s, r;
    .reg .pred p;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    mov.u32 i, 0;
    mov.u32 s, 0;
AGAIN:
    setp.gt.u32 p, i, t;
    @p bra DONE;
    add.u32 s, s, i;
    add.u32 i, i, 1;
    bra AGAIN;
DONE:
    bar.sync 0;
    mul.wide.u32 at, t, 4;
    add.u64 at, o, at;
    st.global.u32 [at], s;
    ret;
}
"""
)


def test_lanes_leave_a_loop_one_by_one_and_meet_behind_it() -> None:
    out = np.zeros(100, np.uint32)
    load(PARTING)["sums"](1, 100, (out,), engine="interp")
    assert out.tolist() == [t * (t + 1) // 2 for t in range(100)]


LONG_LOOPS = (
    HEAD
    + """
.visible .entry loops(.param .u64 out) {
    .reg .u64 o, at;
    .reg .u32 t, i, n;
    .reg .pred p;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    mad.lo.u32 n, t, 2500, 2500;
    mov.u32 i, 0;
OWN:
    add.u32 i, i, 1;
    setp.lt.u32 p, i, n;
    @p bra OWN;
    add.u32 n, n, 2000;
COMMON:
    add.u32 i, i, 1;
    setp.lt.u32 p, i, n;
    @p bra COMMON;
    mul.wide.u32 at, t, 4;
    add.u64 at, o, at;
    st.global.u32 [at], i;
    ret;
}
"""
)


def test_lanes_wait_behind_a_loop_for_those_that_stay_long() -> None:
    out = np.zeros(4, np.uint32)
    load(LONG_LOOPS)["loops"](1, 4, (out,), engine="interp", max_instructions=3 * (10000 + 2000) + 50)
    assert out.tolist() == [2500 * (t + 1) + 2000 for t in range(4)]


ENDLESS = HEAD + ".visible .entry endless() { AGAIN: bra AGAIN; }"


def test_an_endless_loop_ends_by_its_limits() -> None:
    kernel = load(ENDLESS)["endless"]
    with pytest.raises(Fault) as found:
        kernel(1, 32, (), engine="interp", timeout=0.1)
    assert found.value.name == "timeout"
    with pytest.raises(Fault) as found:
        kernel(1, 32, (), engine="interp", max_instructions=1000)
    assert found.value.name == "instruction-limit"


LOST = (
    HEAD
    + """
.visible .entry lost() {
    .reg .u32 t;
    .reg .pred p;
    mov.u32 t, %tid.x;
    setp.lt.u32 p, t, 32;
    @p barrier.sync 1, 64;
    ret;
}
"""
)


def test_a_lost_barrier_says_who_waits_and_who_has_left() -> None:
    with pytest.raises(Fault) as found:
        load(LOST)["lost"](2, 64, (), engine="interp")
    fault = found.value
    assert fault.name == "deadlock"
    assert fault.kernel == "lost"
    assert any("32 threads wait at barrier 1 for 64 threads" in note and "0-31" in note for note in fault.notes)
    assert any("32 of the block's 64 threads have exited (threads 32-63)" in note for note in fault.notes)


ARRIVE_AND_END = (
    HEAD
    + """
.visible .entry k(.param .u64 o) {
    .reg .b64 p, q;
    .reg .b32 t, v, i;
    .reg .pred c, d;
    .shared .u32 s;
    ld.param.u64 p, [o];
    mov.u32 t, %tid.x;
    setp.lt.u32 c, t, 32;
    @c bra ARRIVE;
    setp.lt.u32 d, t, 64;
    @d bra WAIT;
    mov.u32 i, 0;
LOOP:
    add.u32 i, i, 1;
    setp.lt.u32 c, i, 5000;
    @c bra LOOP;
    st.shared.u32 [s], 7;
WAIT:
    bar.sync 1, 96;
    ld.shared.u32 v, [s];
    mul.wide.u32 q, t, 4;
    add.u64 q, p, q;
    st.global.u32 [q], v;
    bra DONE;
ARRIVE:
    bar.arrive 1, 96;
DONE:
    ret;
}
"""
)


def test_a_warp_that_arrives_and_ends_counts_once() -> None:
    o = np.zeros(96, np.uint32)
    load(ARRIVE_AND_END)["k"](1, 96, (o,), engine="interp")
    assert o.tolist() == [0] * 32 + [7] * 64
