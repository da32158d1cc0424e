# ruff: noqa: E501 - PTX in one line reads better here
"""Idle warps: those that only skip work before a barrier are not run, where that changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.device.shared_layout import shared_layout
from openptx.engines.native.analysis.context import make_context
from openptx.engines.native.analysis.fixpoint import solve
from openptx.engines.native.analysis.idle_warps import skips
from openptx.engines.native.analysis.segments import Segments
from openptx.engines.native.deopt.frame_layout import FrameLayout
from openptx.engines.native.settings import Options
from openptx.llvm.host import host

REGISTERS = ".reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %rd<8>; .shared .align 8 .b32 s[2048];"
START = (
    "ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
    "ld.global.u32 %r8, [%rd3]; shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r5, %r5, %r6; shr.u32 %r7, %r1, 5; st.shared.u32 [%r5], %r8; bar.sync 0; mov.u32 %r20, 0;"
)
WORK = "shl.b32 %r12, %r11, 2; add.u32 %r12, %r5, %r12; ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r14, [%r5]; mad.lo.u32 %r14, %r13, 3, %r14; st.shared.u32 [%r5], %r14;"
OWN = "ld.shared.u32 %r14, [%r5]; mad.lo.u32 %r14, %r14, 3, %r11; st.shared.u32 [%r5], %r14;"
LEAVES = (  # where the number of a thread of the second warp is widened
    "add.s32 %r12, %r1, 0x7fffffd0; cvt.s64.s32 %rd4, %r12; shl.b64 %rd4, %rd4, 2; add.s64 %rd4, %rd4, 192; cvt.u32.u64 %r13, %rd4; and.b32 %r13, %r13, 127; add.u32 %r13, %r13, %r6;"
    "ld.shared.u32 %r14, [%r13+4096]; add.u32 %r14, %r14, %r11; add.u32 %r14, %r14, %r1; st.shared.u32 [%r5], %r14;"
)
END = "ld.shared.u32 %r9, [%r5]; mad.lo.u32 %r9, %r20, 7, %r9; st.global.u32 [%rd3], %r9; ret;"


def tree(test: str, before: str = "", after: str = "", bound: str = "shr.u32 %r11, %r3, 1;", work: str = WORK) -> str:
    """A reduction, in which `test` skips the work."""
    step = "shr.u32 %r11, %r11, 1; setp.ne.u32 %p3, %r11, 0; @%p3 bra L;"
    return f"{bound} L: {before} {test} bra B; {work} B: bar.sync 0; {after} {step} {END}"


# fmt: off
SKIPPED = {
    "beyond": tree("setp.ge.u32 %p1, %r1, %r11; @%p1"),
    "beyond, signed": tree("setp.ge.s32 %p1, %r1, %r11; @%p1"),
    "not below": tree("setp.lt.s32 %p1, %r1, %r11; @!%p1"),
    "above": tree("setp.hi.u32 %p1, %r1, %r11; @%p1"),
    "a count that is the same for all warps": tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="mad.lo.u32 %r20, %r20, 5, %r11;"),
    "a number of each lane": tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="mov.u32 %r21, %laneid; mad.lo.u32 %r20, %r20, 5, %r21;"),
    "one thread": tree("setp.ne.u32 %p1, %r1, 7; @%p1"),
    "a negative bound": tree("setp.ge.s32 %p1, %r1, %r11; @%p1", bound="shr.u32 %r11, %r3, 1; or.b32 %r11, %r11, 0x80000000;", work=OWN),
    "the thread's number changes later": tree("setp.ge.u32 %p1, %r1, %r11; @%p1").replace("ret;", "add.u32 %r1, %r1, 5; st.global.u32 [%rd3], %r1; ret;"),
    "a warp that leaves for the generic version": tree("setp.ge.u32 %p1, %r1, %r11; @%p1", work=LEAVES),
    "the work skipped by falling through": f"shr.u32 %r11, %r3, 1; L: setp.lt.u32 %p1, %r1, %r11; @%p1 bra W; B: bar.sync 0; shr.u32 %r11, %r11, 1; setp.ne.u32 %p3, %r11, 0; @%p3 bra L; bra E; W: {WORK} bra B; E: {END}",
}
RUN = {
    "below": tree("setp.lt.u32 %p1, %r1, %r11; @%p1", work=OWN),
    "every other thread": tree("and.b32 %r21, %r1, 1; setp.ge.u32 %p1, %r21, %r11; @%p1", work=OWN),
    "a count that differs between warps": tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="mad.lo.u32 %r20, %r20, 5, %r7;"),
    "a bound that differs between warps": tree("shr.u32 %r22, %r11, %r7; setp.ge.u32 %p1, %r1, %r22; @%p1", work=OWN),
    "a bound from memory": tree("ld.shared.u32 %r22, [s+8000]; setp.ge.u32 %p1, %r1, %r22; @%p1", bound="st.shared.u32 [s+8000], 77; bar.sync 0; shr.u32 %r11, %r3, 1;", work=OWN),
    "a store on the way": tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="st.shared.u32 [%r5+4096], %r20;", after="ld.shared.u32 %r21, [%r5+4096]; add.u32 %r20, %r20, %r21; add.u32 %r20, %r20, 1;"),
    "a branch on the way that differs": tree("setp.gt.u32 %p4, %r7, 2; @%p4 bra C; add.u32 %r20, %r20, 3; C: setp.ge.u32 %p1, %r1, %r11; @%p1"),
    "other work for later warps": tree("setp.gt.u32 %p4, %r7, 2; @%p4 bra C; setp.ge.u32 %p1, %r1, %r11; @%p1", work=f"{OWN} bra B; C: {OWN}"),
    "a value chosen by the warp": tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="setp.gt.u32 %p4, %r7, 1; selp.u32 %r21, 9, 2, %p4; add.u32 %r20, %r20, %r21;"),
    "a number chosen before, by a branch": "setp.gt.u32 %p4, %r7, 2; mov.u32 %r19, 1; @%p4 bra C; mov.u32 %r19, 2; C: bar.sync 0;" + tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="add.u32 %r20, %r20, %r19;"),
    "a count of the warp's own iterations": "mov.u32 %r19, 0; mov.u32 %r18, 0; C: add.u32 %r19, %r19, 1; setp.le.u32 %p4, %r19, %r7; @%p4 bra C; bar.sync 0;" + tree("setp.ge.u32 %p1, %r1, %r11; @%p1", before="add.u32 %r20, %r20, %r19;"),
    "warps at other barriers": "setp.gt.u32 %p4, %r7, 1; @%p4 bra C; bar.sync 0; add.u32 %r20, %r20, 1; bra D; C: bar.sync 0; D:" + tree("setp.ge.u32 %p1, %r1, %r11; @%p1"),
    "threads that have ended": "setp.eq.u32 %p4, %r7, 1; @%p4 bra E;" + tree("setp.ge.u32 %p1, %r1, %r11; @%p1").replace("ret;", "E: ret;"),
}
# fmt: on


def module(body: str) -> str:
    return f".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {{\n{REGISTERS}\n{START}\n{body}\n}}\n"


@pytest.mark.parametrize("threads", [32, 45, 64, 288, 1024])
@pytest.mark.parametrize("name", [*SKIPPED, *RUN])
def test_results_are_those_of_the_reference_engine(name: str, threads: int) -> None:
    kernel = openptx.load(module({**SKIPPED, **RUN}[name]))["k"]
    start = np.random.default_rng(5).integers(0, 1 << 32, 2 * threads, np.uint32)
    found, wanted = start.copy(), start.copy()
    kernel(2, threads, (wanted,), engine="interp")
    kernel(2, threads, (found,), engine="native", timeout=60)
    assert np.array_equal(found, wanted)


def found_in(body: str, block: tuple[int, int, int] = (256, 1, 1)) -> int:
    loaded = openptx.load(module(body))
    function, program = loaded["k"].function, loaded.program
    layout = shared_layout(program, "k")
    c = make_context(program, function, loaded.image, Options(block, False), host(), layout, "kernel", 0, {})
    facts = solve(c)
    return len(skips(c, facts, Segments(c, facts), FrameLayout(c, facts, {}).saved, ()))


@pytest.mark.parametrize("name", SKIPPED)
def test_warps_without_work_are_skipped(name: str) -> None:
    assert found_in(SKIPPED[name]) == 1


@pytest.mark.parametrize("name", RUN)
def test_warps_that_could_have_work_are_run(name: str) -> None:
    assert found_in(RUN[name]) == 0


@pytest.mark.parametrize("block", [(16, 16, 1), (250, 1, 1), (32, 1, 1), (64, 1, 2)])
def test_blocks_whose_later_warps_may_have_lower_numbers_or_are_not_full(block: tuple[int, int, int]) -> None:
    assert found_in(SKIPPED["beyond"], block) == 0
