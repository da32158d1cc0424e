# ruff: noqa: E501 - PTX in one line reads better here
"""Loops of one chain run for two warps at once: same results and faults, and only where branches agree."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native.options import Options
from openptx.engines.native.pipeline import lower_kernel

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b16 %h<2>;"
START = "ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r5, %r3, %r4, %r2; add.s32 %r6, %r5, {shift}; mul.wide.s32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;"
LOAD = "ld.global.u32 %r7, [%rd3];"
LOOP = "L: shl.b32 %r8, %r7, 13; xor.b32 %r7, %r7, %r8; shr.u32 %r8, %r7, 17; xor.b32 %r7, %r7, %r8; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"
STORE = "st.global.u32 [%rd3], %r7; ret;"
START0 = START.format(shift=0)


def kernel(body: str) -> openptx.Kernel:
    text = f".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u32 n) {{\n{REGISTERS}\n{body}\n}}\n"
    return openptx.load(text)["k"]


# fmt: off
PAIRED = {
    "a chain": f"{START0} {LOAD} {LOOP} {STORE}",
    "a branch before and rounds that depend on the block": f"{START0} {LOAD} add.u32 %r1, %r1, %r3; setp.eq.u32 %p2, %r3, 1; @%p2 bra OUT; {LOOP} OUT: {STORE}",
    "a guard": f"{START0} mov.u32 %r9, %ntid.x; mul.lo.u32 %r9, %r9, 3; sub.u32 %r9, %r9, 70; setp.ge.u32 %p2, %r5, %r9; @%p2 bra OUT; {LOAD} {LOOP} st.global.u32 [%rd3], %r7; OUT: ret;",
    "two guards": f"{START0} {LOAD} setp.ge.u32 %p2, %r5, 70; @%p2 bra OUT; setp.ge.u32 %p2, %r7, 60; @%p2 bra OUT; {LOOP} {STORE} OUT: ret;",
    "a loop around": f"{START0} {LOAD} mov.u32 %r9, %r1; mov.u32 %r10, 3; M: mov.u32 %r1, %r9; {LOOP} st.global.u32 [%rd3], %r7; add.s32 %r10, %r10, -1; setp.ne.s32 %p2, %r10, 0; @%p2 bra M; {STORE}",
    "lanes selected by the warp": f"{START0} {LOAD} setp.lt.u32 %p2, %r2, 40; selp.u32 %r7, %r7, 99, %p2; {LOOP} @%p2 add.u32 %r7, %r7, 1; {STORE}",
}
ALONE = {
    "rounds that depend on the thread": f"{START0} {LOAD} shr.u32 %r9, %r2, 5; add.u32 %r1, %r1, %r9; {LOOP} {STORE}",
    "a guard behind a store": f"{START0} {LOAD} st.global.u32 [%rd3], %r2; setp.ge.u32 %p2, %r5, 70; @%p2 bra OUT; {LOOP} {STORE} OUT: ret;",
    "a guard behind a loop": f"{START0} {LOAD} {LOOP} setp.ge.u32 %p2, %r5, 70; @%p2 bra OUT; {STORE} OUT: ret;",
    "rounds from memory": f"{START0} {LOAD} ld.global.u32 %r1, [%rd1]; {LOOP} {STORE}",
    "independent operations": f"{START0} {LOAD} mov.u32 %r8, %r2; mov.u32 %r9, %r2; mov.u32 %r10, %r2; L: mul.lo.u32 %r7, %r7, 3; mul.lo.u32 %r8, %r8, 5; mul.lo.u32 %r9, %r9, 7; mul.lo.u32 %r10, %r10, 9; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r10; {STORE}",
    "a reduction": f"{START0} {LOAD} {LOOP} st.global.u32 [%rd3], %r7; red.global.add.u32 [%rd1+4], 1; ret;",
    "a warp that may leave after something was written": f"{START0} {LOAD} {LOOP} st.global.u32 [%rd3], %r7; add.s32 %r6, %r6, %r1; mul.wide.s32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r8, [%rd5]; add.u32 %r7, %r7, %r8; {STORE}",
}
# fmt: on


def is_paired(body: str, threads: int) -> bool:
    made = kernel(body)
    options = Options((threads, 1, 1), False)
    return "\npair:" in lower_kernel(made.module.program, made.function, made.module.image, options).text


def results(body: str, threads: int, engine: str, rounds: int = 5) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    values = np.arange(1, 3 * threads + 1, dtype=np.uint32)
    kernel(body)(3, threads, (values, rounds), engine=engine, timeout=60)
    return values


@pytest.mark.parametrize("threads", [32, 64, 96, 256])
@pytest.mark.parametrize("name", PAIRED)
def test_pairs_give_what_the_reference_engine_gives(name: str, threads: int) -> None:
    body = PAIRED[name]
    assert is_paired(body, threads) == (threads > 32)
    assert np.array_equal(results(body, threads, "native"), results(body, threads, "interp"))


@pytest.mark.parametrize("name", ALONE)
def test_warps_run_alone_where_pairs_do_not_pay_or_are_not_possible(name: str) -> None:
    assert not is_paired(ALONE[name], 128)
    if name != "a reduction":  # whose threads race for the second element
        assert np.array_equal(results(ALONE[name], 128, "native"), results(ALONE[name], 128, "interp"))


def test_blocks_with_a_part_of_a_warp_have_no_pairs() -> None:
    assert not is_paired(PAIRED["a chain"], 80)


@pytest.mark.parametrize("odd", range(5))
def test_a_pair_of_which_a_warp_leaves_for_the_generic_version_begins_again(odd: int) -> None:
    """Lanes of one warp wrap around where the number of their element is widened from 16 bits; of none, if it is 4."""
    body = (
        f"{START0} {LOAD} add.s32 %r6, %r5, {0xFFF0 - 32 * odd}; cvt.u16.u32 %h1, %r6; mul.wide.u16 %r9, %h1, 4;"
        f"cvt.u64.u32 %rd4, %r9; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r9, [%rd5]; add.u32 %r7, %r7, %r9; {LOOP}"
        "st.global.u32 [%rd3+8192], %r7; ret;"  # where none of them reads
    )
    assert is_paired(body, 128)
    found, wanted = (np.arange(1, (1 << 16) + 1, dtype=np.uint32) for _ in range(2))
    made = kernel(body)
    made(1, 128, (found, 4), engine="native")
    made(1, 128, (wanted, 4), engine="interp")
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("elements", [10, 40, 70, 100])
@pytest.mark.parametrize("body", [f"{START0} {LOAD} {LOOP} {STORE}", f"{START0} mov.u32 %r7, %r2; {LOOP} {STORE}"], ids=["load", "store"])  # fmt: skip
def test_faults_are_those_of_the_reference_engine(body: str, elements: int) -> None:
    assert is_paired(body, 128)
    faults: list[object] = []
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault) as caught:
            kernel(body)(1, 128, (np.zeros(elements, np.uint32), 3), engine=engine)
        faults.append((caught.value.message, caught.value.thread, caught.value.span))
    assert faults[0] == faults[1]


def test_an_endless_loop_of_pairs_ends_with_its_limit() -> None:
    body = PAIRED["a chain"].replace("add.s32 %r1, %r1, -1;", "")
    assert is_paired(body, 64)
    with pytest.raises(openptx.Fault, match=r"0\.2 s"):
        kernel(body)(1, 64, (np.ones(64, np.uint32), 1), engine="native", timeout=0.2)
