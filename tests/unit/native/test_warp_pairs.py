# ruff: noqa: E501 - PTX in one line reads better here
"""Loops run for two warps at once: same results and faults, and only while the branches agree."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b16 %h<2>; .reg .f32 %f<4>;"
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
    "a loop around that ends in the middle": f"{START0} {LOAD} mov.u32 %r9, %r1; mov.u32 %r10, 5; M: mov.u32 %r1, %r9; {LOOP} add.s32 %r10, %r10, -1; setp.eq.s32 %p2, %r10, %r9; @%p2 bra OUT; add.u32 %r7, %r7, %r2; setp.ne.s32 %p2, %r10, 0; @%p2 bra M; OUT: {STORE}",
    "a guarded end of the loop around": f"{START0} {LOAD} mov.u32 %r9, %r1; mov.u32 %r10, 3; M: mov.u32 %r1, %r9; {LOOP} st.global.u32 [%rd3], %r7; setp.eq.u32 %p2, %r10, 1; @%p2 exit; add.s32 %r10, %r10, -1; bra M;",
    "lanes that end before": f"{START0} {LOAD} and.b32 %r9, %r7, 5; setp.eq.u32 %p2, %r9, 4; @%p2 exit; {LOOP} {STORE}",
    "a warp that ends before": f"{START0} {LOAD} shr.u32 %r9, %r2, 5; setp.eq.u32 %p2, %r9, 1; @%p2 exit; {LOOP} {STORE}",
    "lanes that end in two places": f"{START0} {LOAD} setp.gt.u32 %p2, %r5, 36; @%p2 exit; mov.u32 %r9, %laneid; setp.lt.u32 %p2, %r9, 8; @%p2 exit; {LOOP} {STORE}",
    "lanes that exchange": f"{START0} {LOAD} shfl.sync.bfly.b32 %r7, %r7, 3, 31, -1; {LOOP} shfl.sync.bfly.b32 %r8, %r7, 5, 31, -1; add.u32 %r7, %r7, %r8; {STORE}",
    "the same element written by both warps, before and after": f"{START0} {LOAD} bra S; S: st.global.u32 [%rd1], %r2; {LOOP} st.global.u32 [%rd1], %r7; ret;",
    "its own element read again": f"{START0} {LOAD} bra S; S: st.global.u32 [%rd3], %r2; {LOOP} ld.global.u32 %r9, [%rd3]; add.u32 %r7, %r7, %r9; {STORE}",
    "two loops": f"{START0} {LOAD} mov.u32 %r9, %r1; {LOOP} mov.u32 %r1, %r9; {LOOP.replace('L', 'N')} {STORE}",
    "a constant of a number of rounds": f"{START0} {LOAD} mov.u32 %r1, 3; {LOOP} {STORE}",
    "NaN": f"{START0} {LOAD} mov.b32 %f1, %r7; L: fma.rn.f32 %f1, %f1, %f1, 0f7F800000; sub.f32 %f1, %f1, %f1; max.NaN.f32 %f1, %f1, 0f3F800000; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; mov.b32 %r7, %f1; {STORE}",
    "Newton's square root": f"{START0} {LOAD} cvt.rn.f32.u32 %f1, %r7; mov.f32 %f2, %f1; L: div.rn.f32 %f3, %f1, %f2; add.f32 %f2, %f2, %f3; mul.f32 %f2, %f2, 0f3F000000; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; mov.b32 %r7, %f2; {STORE}",
    "lanes selected by the warp": f"{START0} {LOAD} setp.lt.u32 %p2, %r2, 40; selp.u32 %r7, %r7, 99, %p2; {LOOP} @%p2 add.u32 %r7, %r7, 1; {STORE}",
}
ALONE = {
    "rounds that depend on the thread": f"{START0} {LOAD} shr.u32 %r9, %r2, 5; add.u32 %r1, %r1, %r9; {LOOP} {STORE}",
    "a guard after a store": f"{START0} {LOAD} st.global.u32 [%rd3], %r2; setp.ge.u32 %p2, %r5, 70; @%p2 bra OUT; {LOOP} {STORE} OUT: ret;",
    "a guard after a loop": f"{START0} {LOAD} {LOOP} setp.ge.u32 %p2, %r5, 70; @%p2 bra OUT; {STORE} OUT: ret;",
    "rounds that depend on the warp's number": f"{START0} {LOAD} mov.u32 %r9, %warpid; add.u32 %r1, %r1, %r9; {LOOP} {STORE}",
    "rounds that depend on the thread by way of a shuffle": f"{START0} {LOAD} shfl.sync.idx.b32 %r9, %r2, 0, 31, -1; add.u32 %r1, %r1, %r9; {LOOP} {STORE}",
    "rounds that depend on a guard": f"{START0} {LOAD} setp.gt.u32 %p2, %r2, 40; vote.sync.any.pred %p3, %p2, -1; @%p3 add.u32 %r1, %r1, 2; {LOOP} {STORE}",
    "rounds that depend on which lanes have ended": f"{START0} {LOAD} setp.eq.u32 %p2, %r5, 35; @%p2 exit; activemask.b32 %r9; popc.b32 %r9, %r9; add.u32 %r1, %r1, %r9; {LOOP} {STORE}",
    "lanes that end in the loop around": f"{START0} {LOAD} mov.u32 %r9, %r1; mov.u32 %r10, 3; M: mov.u32 %r1, %r9; {LOOP} st.global.u32 [%rd3], %r7; and.b32 %r11, %r7, 3; setp.eq.u32 %p2, %r11, %r10; @%p2 exit; add.s32 %r10, %r10, -1; setp.ne.s32 %p2, %r10, 0; @%p2 bra M; {STORE}",
    "the end of the loop around depends on the warp": f"{START0} {LOAD} shr.u32 %r10, %r2, 5; add.u32 %r10, %r10, 1; mov.u32 %r9, %r1; M: mov.u32 %r1, %r9; {LOOP} st.global.u32 [%rd3], %r7; add.s32 %r10, %r10, -1; setp.ne.s32 %p2, %r10, 0; @%p2 bra M; {STORE}",
    "a fence": f"{START0} {LOAD} {LOOP} st.global.u32 [%rd3], %r7; fence.acq_rel.gpu; ret;",
    "a barrier": f"{START0} {LOAD} {LOOP} bar.sync 0; {STORE}",
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


@pytest.mark.parametrize("threads", [33, 80])
def test_blocks_with_a_part_of_a_warp_have_no_pairs(threads: int) -> None:
    body = PAIRED["a chain"]
    assert not is_paired(body, threads)
    assert np.array_equal(results(body, threads, "native"), results(body, threads, "interp"))


@pytest.mark.parametrize("seed", range(8))
def test_random_chains_between_random_branches(seed: int) -> None:
    """Guards before, a loop around, predicated operations: by constants, the thread, the block or the data."""
    random = np.random.default_rng(seed)

    def pick(*texts: str) -> str:
        return texts[random.integers(len(texts))]

    guard = pick(
        "",
        f"setp.{pick('ge', 'lt')}.u32 %p2, {pick('%r5', '%r7', '%r3')}, {random.integers(99)}; @%p2 {pick('exit', 'bra OUT')};",
    )
    steps = " ".join(
        f"{pick('', '@%p3 ')}{pick('add.u32', 'xor.b32', 'mul.lo.u32', 'min.u32')} %r7, %r7, {pick('%r2', '%r3', '%r8', '77')};"
        f" shr.u32 %r8, %r7, {random.integers(1, 31)}; xor.b32 %r7, %r7, %r8;"
        for _ in range(3)
    )
    again = f"setp.ne.s32 %p2, %r10, {pick('0', '1', '%r9')}; {pick('@%p2 bra M;', '@!%p2 bra OUT; bra M;')}"
    body = (
        f"{START0} {LOAD} mov.u32 %r8, 0; {guard} setp.lt.u32 %p3, {pick('%r2', '%r7', '%r3')}, {random.integers(99)};"
        f" mov.u32 %r9, %r1; mov.u32 %r10, 7; M: {pick('', 'st.global.u32 [%rd3], %r7;')} mov.u32 %r1, %r9;"
        f" L: {steps} add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"
        f" add.s32 %r10, %r10, -1; {again} OUT: {STORE}"
    )
    for threads in (64, 160):
        assert is_paired(body, threads) or "bra OUT" in guard  # where lanes may wait
        assert np.array_equal(results(body, threads, "native"), results(body, threads, "interp"))


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


@pytest.mark.parametrize("first", [4, 36, 40, 68])
def test_the_warp_whose_fault_comes_first_in_the_program_is_reported(first: int) -> None:
    """Thread `first` faults before the loop, and thread 20 after it."""
    body = (
        f"{START0} setp.eq.u32 %p2, %r2, {first}; selp.u64 %rd4, 64, %rd3, %p2; ld.global.u32 %r7, [%rd4]; {LOOP}"
        "setp.eq.u32 %p2, %r2, 20; selp.u64 %rd4, 64, %rd3, %p2; st.global.u32 [%rd4], %r7; ret;"
    )
    assert is_paired(body, 96)
    threads: list[object] = []
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault) as caught:
            kernel(body)(1, 96, (np.zeros(96, np.uint32), 3), engine=engine)
        threads.append(caught.value.thread)
    same_pair = first < 64
    assert threads[0] == (first, 0, 0)
    assert threads[1] == ((first, 0, 0) if same_pair else (20, 0, 0))  # the pair before it runs to its end


def test_an_endless_loop_of_pairs_ends_with_its_limit() -> None:
    body = PAIRED["a chain"].replace("add.s32 %r1, %r1, -1;", "")
    assert is_paired(body, 64)
    with pytest.raises(openptx.Fault, match=r"0\.2 s"):
        kernel(body)(1, 64, (np.ones(64, np.uint32), 1), engine="native", timeout=0.2)
