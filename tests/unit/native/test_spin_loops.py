# ruff: noqa: E501 - PTX in one line reads better here
"""Spin loops that no thread can end which runs meanwhile are left to the reference engine after few iterations."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import numpy as np
import pytest

import openptx
from openptx.device.shared_layout import shared_layout
from openptx.engines.native.analysis import spin_loops
from openptx.engines.native.analysis.cfg import Graph
from openptx.engines.native.analysis.context import FunctionContext, make_context
from openptx.engines.native.analysis.counted_loops import FUTILE, WAITS
from openptx.engines.native.analysis.spin_loops import polls_between_barriers
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options
from openptx.llvm.host import host

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f1; .reg .b64 %rd<4>; .shared .b64 bar; .shared .u32 flag;"
PEEK = ".func (.param .b32 o) peek(.param .b64 a) { .reg .b32 r; .reg .b64 p; ld.param.b64 p, [a]; ld.volatile.global.u32 r, [p]; st.param.b32 [o], r; ret; }\n"
# fmt: off
FUTILE_WAITS = {
    "a flag": "L: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "a flag, with a pause that grows": "mov.u32 %r2, 8; L: nanosleep.u32 %r2; shl.b32 %r2, %r2, 1; ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "a lock": "L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
    "a lock by exchange": "L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
    "a weak load": "L: ld.global.cg.u32 %r1, [%rd1]; membar.gl; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "a weak load in another loop": "mov.u32 %r2, 9; L: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra L;",
    "a barrier object": "L: mbarrier.test_wait.shared.b64 %p1, [bar], %rd2; @!%p1 bra L;",
}
OTHER_WAITS = {
    "a flag for some time": "mov.u32 %r2, 0; L: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r2, 90; and.pred %p1, %p1, %p2; @%p1 bra L;",
    "the next item of a queue": "L: atom.global.add.u32 %r1, [%rd1], 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra L;",
    "a flag that the loop writes": "L: st.volatile.global.u32 [%rd1+4], 1; ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "the end of a list": "mov.u64 %rd2, %rd1; L: ld.volatile.global.u64 %rd2, [%rd2]; setp.ne.u64 %p1, %rd2, 0; @%p1 bra L;",
    "an exchange for what differs in each round": "mov.u32 %r2, 3; L: add.u32 %r2, %r2, 1; atom.global.exch.b32 %r1, [%rd1], %r2; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;",
    "a loop inside": "L: mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra M; ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
}
# fmt: on


def kernel(body: str) -> openptx.Kernel:
    text = f".version 8.8\n.target sm_90\n.address_size 64\n{PEEK}.visible .entry k(.param .u64 x) {{\n{REGISTERS}\nld.param.u64 %rd1, [x]; {body} ret;\n}}\n"
    return openptx.load(text)["k"]


def gives_up_soon(body: str, locked: bool = False) -> bool:
    made = kernel(body)
    text = lower_kernel(made.module.program, made.function, made.module.image, Options((64, 1, 1), locked)).text
    assert text.count("ptr %turns") > 1  # the loop is counted
    return f", {FUTILE}\n" in text


@pytest.mark.parametrize("name", FUTILE_WAITS)
def test_loops_that_only_other_threads_can_end(name: str) -> None:
    assert gives_up_soon(FUTILE_WAITS[name])


@pytest.mark.parametrize("name", FUTILE_WAITS)
def test_other_workers_may_end_them_but_for_those_that_wait_for_shared_memory(name: str) -> None:
    assert gives_up_soon(FUTILE_WAITS[name], locked=True) == (name == "a barrier object")


@pytest.mark.parametrize("name", OTHER_WAITS)
def test_loops_whose_rounds_differ_are_counted_as_before(name: str) -> None:
    assert not gives_up_soon(OTHER_WAITS[name])


def test_lanes_that_let_each_other_go_need_no_reference_engine(caplog: pytest.LogCaptureFixture) -> None:
    """In each round one lane of the warp is let go, the last one first."""
    body = (
        "mov.u32 %r2, %laneid; sub.u32 %r2, 31, %r2; add.u32 %r3, %r2, 1;"
        "L: atom.global.cas.b32 %r1, [%rd1], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L;"
    )
    assert gives_up_soon(body)
    turn = np.zeros(1, np.uint32)
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        kernel(body)(1, 32, (turn,), engine="native", workers=1)
    assert turn[0] == 32
    assert not caplog.records


def test_a_warp_that_waits_for_another_one_goes_on_there(caplog: pytest.LogCaptureFixture) -> None:
    body = (
        "mov.u32 %r2, %tid.x; setp.ge.u32 %p2, %r2, 32; @%p2 bra SECOND;"
        "L: nanosleep.u32 100; ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"
        "st.global.u32 [%rd1+4], %r1; ret; SECOND: st.release.gpu.global.u32 [%rd1], 7;"
    )
    assert gives_up_soon(body)
    found = np.zeros(2, np.uint32)
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        kernel(body)(1, 64, (found,), engine="native", timeout=20)
    assert found.tolist() == [7, 7]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("space", ["shared", "global"])
def test_a_warp_that_polls_by_weak_loads_lets_the_others_run(space: str) -> None:
    flag = "[flag]" if space == "shared" else "[%rd1]"
    made = kernel(
        f"mov.u32 %r2, %tid.x; setp.ge.u32 %p2, %r2, 32; @%p2 bra SET; "
        f"L: ld.{space}.u32 %r1, {flag}; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret; SET: st.{space}.u32 {flag}, 1;"
    )
    made(1, 64, (np.zeros(1, np.uint32),), engine="native", timeout=60)


SEEN = "bar.sync 0; ld.shared.u32 %r4, [flag]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L; ret;"
# fmt: off
POLLS_FOR_ALL = {
    "Triton's scalar atomics": f"L: bar.sync 0; @%p2 atom.global.acq_rel.gpu.cas.b32 %r1, [%rd1], 1, 1; @%p2 st.shared.u32 [flag], %r1; {SEEN}",
    "a sum with 0": f"L: bar.sync 0; @%p2 atom.global.add.u32 %r1, [%rd1], 0; @%p2 st.shared.u32 [flag], %r1; {SEEN}",
    "a float": f"L: bar.sync 0; @%p2 atom.global.add.f32 %f1, [%rd1], 0f00000000; @%p2 st.shared.f32 [flag], %f1; {SEEN}",
    "a zero in a register, and a generic address": f"L: bar.sync 0; @%p2 atom.global.xor.b32 %r1, [%rd1], %r7; @%p2 st.u32 [%rd2], %r1; {SEEN.replace('.shared', '').replace('[flag]', '[%rd2]')}",
    "global memory": f"L: bar.sync 0; @%p2 ld.volatile.global.u32 %r1, [%rd1]; @%p2 st.global.u32 [%rd1+4], %r1; {SEEN.replace('.shared', '.global').replace('[flag]', '[%rd1+4]')}",
    "some polls at a time": f"L: bar.sync 0; @!%p2 bra S; mov.u32 %r5, 0; I: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 9; setp.eq.and.u32 %p3, %r1, 0, %p3; @%p3 bra I; st.shared.u32 [flag], %r1; S: {SEEN}",
    "weak loads, and a vote": "L: ld.global.cg.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; barrier.cta.red.and.pred %p1, 0, %p1; @%p1 bra L; ret;",
    "a semaphore": "@!%p2 ret; mov.u32 %r1, 1; L: max.u32 %r5, %r1, 1; sub.u32 %r6, %r5, 1; atom.global.cas.b32 %r1, [%rd1], %r5, %r6; setp.ne.u32 %p1, %r1, %r5; @%p1 bra L; atom.global.add.u32 %r1, [%rd1], 1; ret;",
}
# fmt: on


@pytest.mark.parametrize("name", POLLS_FOR_ALL)
def test_a_block_waits_for_a_later_one_though_one_thread_polls_for_all(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = (
        "mov.u32 %r7, 0; mov.u64 %rd2, flag; cvta.shared.u64 %rd2, %rd2;"
        "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; setp.eq.u32 %p2, %r3, 0; setp.ne.u32 %p3, %r2, 0; @%p3 bra LATER;"
        f"{POLLS_FOR_ALL[name]} LATER: @%p2 atom.global.exch.b32 %r1, [%rd1], {0x3F800000 if name == 'a float' else 1};"
    )
    found = np.zeros(2, np.uint32)
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        kernel(body)(2, 64, (found,), engine="native", workers=1, timeout=20)
    assert found[0]
    assert len(caplog.records) == 1


def test_compare_and_swap_loops_in_which_some_lane_succeeds_are_not_counted() -> None:
    text = "ld.global.u32 %r1, [%rd1]; L: mov.u32 %r5, %r1; mul.lo.u32 %r6, %r5, 3; atom.global.cas.b32 %r1, [%rd1], %r5, %r6; setp.ne.u32 %p1, %r1, %r5; @%p1 bra L;"
    made = kernel(text)
    options = Options((64, 1, 1), True)
    assert lower_kernel(made.module.program, made.function, made.module.image, options).text.count("ptr %turns") <= 1


# fmt: off
LONG_LOOPS = {
    "the items of a queue": "L: atom.global.add.u32 %r1, [%rd1], 1; setp.lt.u32 %p1, %r1, 4200000; @%p1 bra L;",
    "places of a hash table": "mov.u32 %r2, %tid.x; L: add.u32 %r2, %r2, 32; and.b32 %r3, %r2, 255; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1; atom.global.cas.b32 %r1, [%rd2], 7, 9; setp.ne.u32 %p1, %r1, 7; setp.lt.and.u32 %p1, %r2, 4200000, %p1; @%p1 bra L;",
}
# fmt: on


@pytest.mark.parametrize("name", LONG_LOOPS)
def test_loops_that_go_on_by_themselves_stay_compiled(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """For more than 131,072 iterations."""
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        kernel(LONG_LOOPS[name])(1, 32, (np.zeros(256, np.uint32),), engine="native", workers=1, timeout=20)
    assert not caplog.records


@pytest.mark.parametrize("give", ["[%rd1]", "[%rd2]"])
def test_what_is_taken_by_a_sum_and_given_back_is_a_semaphore(give: str) -> None:
    """Whether by the same register is all that is compared."""
    body = f"L: atom.global.add.s32 %r1, [%rd1], -1; setp.gt.s32 %p1, %r1, 0; @%p1 ret; red.global.add.s32 {give}, 1; bra L;"
    made = kernel(body)
    text = lower_kernel(made.module.program, made.function, made.module.image, Options((32, 1, 1), True)).text
    assert (f", {WAITS}\n" in text) == (give == "[%rd1]")


def test_only_loops_that_poll_between_barriers_count_across_them() -> None:
    """Around a barrier of the grid there may be a loop of many iterations, which would seem to wait in the end."""
    polls = "L: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"
    around = (
        f"mov.u32 %r2, 0; M: bar.sync 0; {polls} bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra M;"
    )
    between = "M: bar.sync 0; ld.acquire.gpu.global.u32 %r1, [%rd1]; bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra M;"
    call = "{ .param .b64 a; .param .b32 o; st.param.b64 [a], %rd1; call (o), peek, (a); ld.param.b32 %r1, [o]; }"
    some = f"mov.u32 %r2, 0; I: {call} add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra I;"
    for body, number in ((around, 0), (between, 1), (f"L: {some} st.shared.u32 [flag], %r1; {SEEN}", 1)):
        c = context(kernel(body))
        assert len(polls_between_barriers(c.graph, {}, c.headers)) == number


def context(made: openptx.Kernel) -> FunctionContext:
    program, image = made.module.program, made.module.image
    shared = shared_layout(program, "k")
    return make_context(program, made.function, image, Options((64, 1, 1), False), host(), shared, "k", 0, {})


def test_a_loop_that_polls_between_barriers_is_found_once_for_all_branches_back_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, ends_by_polls = 0, spin_loops.ends_by_polls

    def counted(graph: Graph, touches: Mapping[int, str], loop: frozenset[int]) -> bool:
        nonlocal asked
        asked += 1
        return ends_by_polls(graph, touches, loop)

    monkeypatch.setattr(spin_loops, "ends_by_polls", counted)
    inner = "mov.u32 %r2, 0; I: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra I;"
    back = " ".join(f"setp.eq.u32 %p2, %r1, {i}; @%p2 bra M;" for i in range(20, 40))
    c = context(
        kernel(
            f"M: bar.sync 0; ld.acquire.gpu.global.u32 %r1, [%rd1]; {inner} {back} setp.eq.u32 %p1, %r1, 0; @%p1 bra M;"
        )
    )
    loads = {
        pc: "load"
        for pc, op in enumerate(c.function.code)
        if op.form.instruction.access == "load" and op.m.space == "global"
    }
    assert len(polls_between_barriers(c.graph, loads, c.headers)) == 1
    assert asked == 1
