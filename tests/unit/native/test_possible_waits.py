# ruff: noqa: E501 - PTX in one line reads better here
"""Loops that wait without any sign of it: compiled code leaves them if an iteration finds all as it was, and only then."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

REGISTERS = (
    ".reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .shared .u32 flag; .shared .u32 other; .local .u32 v;"
)
FUNCTIONS = """
.func (.param .b32 o) peek(.param .b64 a) { .reg .b32 r; .reg .b64 p; ld.param.b64 p, [a]; ld.u32 r, [p]; st.param.b32 [o], r; ret; }
.func wait(.param .b64 a) { .reg .b32 r, n; .reg .b64 p; .reg .pred q; ld.param.b64 p, [a]; W: add.u32 n, n, 1; st.u32 [p+4], n; ld.u32 r, [p]; setp.eq.u32 q, r, 0; @q bra W; ret; }
.func join(.param .b64 a) { .reg .b32 r, n; .reg .b64 p; .reg .pred q; ld.param.b64 p, [a]; W: add.u32 n, n, 1; st.u32 [p+4], n; ld.u32 r, [p]; setp.eq.u32 q, r, 0; @q bra W; bar.sync 1; ret; }
"""
# fmt: off
SHARED_WAITS = {
    "with a store": "add.u32 %r4, %r4, 1; st.shared.u32 [other], %r4; ld.shared.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "by way of a variable in local memory": "ld.shared.u32 %r1, [flag]; st.local.u32 [v], %r1; ld.local.u32 %r5, [v]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;",
    "of a consumer for each of three items": "ld.shared.u32 %r1, [flag]; setp.lt.u32 %p1, %r5, %r1; @%p1 add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra L;",
}
GLOBAL_WAITS = {
    "with a store": "add.u32 %r4, %r4, 1; st.global.u32 [%rd1+4], %r4; ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "with a store elsewhere": "add.u32 %r4, %r4, 1; st.global.u32 [%rd2], %r4; ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "for one of several flags": "mov.u32 %r4, 0; mov.u32 %r6, 0; mov.u64 %rd3, %rd1; M: ld.global.u32 %r1, [%rd3]; or.b32 %r6, %r6, %r1; add.u64 %rd3, %rd3, 4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2; @%p1 bra M; setp.eq.u32 %p2, %r6, 0; @%p2 bra L;",
    "with a pause that grows": "ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r4, 0; M: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r5; @%p2 bra M; shl.b32 %r5, %r5, 1; min.u32 %r5, %r5, 16; bra L;",
    "in a function": "{ .param .b64 a; .param .b32 o; st.param.b64 [a], %rd1; call (o), peek, (a); ld.param.b32 %r1, [o]; } setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
    "by a sum whose lowest bit counts": "atom.global.add.u32 %r1, [%rd1], 2; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
}
# fmt: on


def kernel(body: str) -> openptx.Kernel:
    text = f".version 8.8\n.target sm_90\n.address_size 64\n{FUNCTIONS}.visible .entry k(.param .u64 x) {{\n{REGISTERS}\nld.param.u64 %rd1, [x]; add.u64 %rd2, %rd1, 4; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; {body} ret;\n}}\n"
    return openptx.load(text)["k"]


def by_last(thread: bool, wait: str, give: str) -> openptx.Kernel:
    """All threads wait for the last one of the block, or all blocks for the last one."""
    own, count = ("%r2", "%ntid.x") if thread else ("%r3", "%nctaid.x")
    return kernel(
        f"mov.u32 %r7, {count}; sub.u32 %r7, %r7, 1; setp.eq.u32 %p7, {own}, %r7; @%p7 bra GIVE; L: {wait} ret; GIVE: {give}"
    )


@pytest.mark.parametrize("threads", [16, 64])
@pytest.mark.parametrize("name", SHARED_WAITS)
def test_threads_wait_for_another_one_of_the_block(name: str, threads: int) -> None:
    waits = by_last(True, SHARED_WAITS[name], "st.shared.u32 [flag], 3;")
    assert waits.why_interp(threads) is None
    waits(2, threads, (np.zeros(2, np.uint32),), engine="native", workers=1, timeout=60)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", GLOBAL_WAITS)
def test_blocks_wait_for_a_later_one(name: str, workers: int) -> None:
    waits = by_last(False, GLOBAL_WAITS[name], "atom.global.or.b32 %r1, [%rd1], 1;")
    assert waits.why_interp(32) is None
    x = np.zeros(2, np.uint32)
    waits(4, 32, (x,), engine="native", workers=workers, timeout=60)
    assert x[0] & 1


def test_a_thread_waits_by_increments_that_wrap_at_once() -> None:
    wait = "or.b32 %r4, %r2, %r3; setp.ne.u32 %p3, %r4, 0; @%p3 ret; M: atom.global.inc.u32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra M;"
    by_last(False, wait, "atom.global.exch.b32 %r1, [%rd1], 5;")(
        3, 32, (np.zeros(2, np.uint32),), engine="native", workers=1, timeout=60
    )


@pytest.mark.parametrize("name", ["wait", "join"])
def test_functions_that_wait_with_a_store(name: str) -> None:
    """One that only a kernel can execute becomes a part of it; others are left to the reference engine."""
    call = f"{{ .param .b64 a; st.param.b64 [a], %rd1; call {name}, (a); }}"
    waits = by_last(False, call, "st.global.u32 [%rd1], 1;")
    assert (waits.why_interp(32) is None) == (name == "join")
    waits(3, 32, (np.zeros(2, np.uint32),), engine="native", workers=1, timeout=60)


# fmt: off
OWN_PROGRESS = {
    "a lock that is free": "mov.u32 %r5, 0; L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; atom.global.exch.b32 %r1, [%rd1], 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 300000; @%p1 bra L;",
    "items that are all there": "mov.u32 %r5, 0; L: ld.global.u32 %r1, [%rd1+4]; setp.lt.u32 %p1, %r5, %r1; @%p1 add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 300000; @%p2 bra L;",
}
# fmt: on


@pytest.mark.parametrize("name", OWN_PROGRESS)
def test_loops_that_go_on_stay_compiled(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """For more than 131,072 iterations."""
    made = kernel(f"setp.ne.u32 %p3, %r2, 0; @%p3 ret; {OWN_PROGRESS[name]}")
    text = lower_kernel(made.module.program, made.function, made.module.image, Options((32, 1, 1), False)).text
    assert text.count("ptr %turns") > 1
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        made(1, 32, (np.array([0, 300000], np.uint32),), engine="native", workers=1, timeout=60)
    assert not caplog.records


# fmt: off
OTHER_LOOPS = {
    "a bound that is loaded again": "L: st.global.u32 [%rd2], %r5; add.u32 %r5, %r5, 1; ld.global.u32 %r1, [%rd1]; setp.lt.u32 %p1, %r5, %r1; @%p1 bra L;",
    "some tries": "L: ld.global.u32 %r1, [%rd1]; add.u32 %r5, %r5, 1; setp.eq.u32 %p1, %r1, 0; setp.ne.and.u32 %p1, %r5, 99, %p1; @%p1 bra L;",
    "the end of a list": "L: ld.global.u64 %rd1, [%rd1]; setp.ne.u64 %p1, %rd1, 0; @%p1 bra L;",
    "a search": "L: ld.global.u32 %r1, [%rd2]; add.u64 %rd2, %rd2, 4; setp.ne.u32 %p1, %r1, 7; @%p1 bra L;",
}
# fmt: on


@pytest.mark.parametrize("name", OTHER_LOOPS)
def test_loops_that_end_by_themselves_are_not_counted(name: str) -> None:
    made = kernel(OTHER_LOOPS[name])
    text = lower_kernel(made.module.program, made.function, made.module.image, Options((32, 1, 1), False)).text
    assert "ptr %turns" not in text
