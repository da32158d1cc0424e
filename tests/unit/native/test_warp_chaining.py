# ruff: noqa: E501 - PTX in one line reads better here
"""Direct branches to the next warp's resume point: same results with equal and with different barriers."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.device.shared_layout import shared_layout
from openptx.engines.native import settings
from openptx.engines.native.analysis.context import make_context
from openptx.engines.native.analysis.fixpoint import fixpoint
from openptx.engines.native.analysis.segments import BEGIN, Segments
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options
from openptx.llvm.host import host
from openptx.runtime.module import LoadedModule

START = "ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r5, %r5, %r6; shr.u32 %r7, %r1, 5; mov.u32 %r8, %r4; add.u32 %r9, %r1, 37; rem.u32 %r9, %r9, %r3; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r6;"
REGISTERS = ".reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %rd<8>; .shared .align 8 .b32 s[1024];"
# What each thread has goes to another, so that a warp which resumes too early or too late is seen.
EXCHANGE = (
    "st.shared.u32 [%r5], %r8; bar.sync {0}; ld.shared.u32 %r10, [%r9]; bar.sync {0}; mad.lo.u32 %r8, %r8, 3, %r10;"
)
END = "st.global.u32 [%rd3], %r8; ret;"


def entry(body: str) -> str:
    return f".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {{\n{REGISTERS}\n{START}\n{body}\n}}\n"


# fmt: off
BODIES = {
    "one after another": EXCHANGE.format(0) * 3 + END,
    "a loop": f"mov.u32 %r11, 0; L: {EXCHANGE.format(0)} add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 5; @%p1 bra L; {END}",
    "a loop that lanes might leave one by one": f"ld.global.u32 %r12, [%rd3]; add.u32 %r12, %r12, 5; mov.u32 %r11, 0; {EXCHANGE.format(0)} L: bar.sync 0; bar.sync 0; mad.lo.u32 %r8, %r8, 3, %r11; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, %r12; @%p1 bra L; {END}",
    "two numbers": f"mov.u32 %r11, 0; L: {EXCHANGE.format(3)} {EXCHANGE.format(7)} add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 3; @%p1 bra L; {END}",
    "a number in a register": f"ld.param.u32 %r12, [x]; and.b32 %r12, %r12, 0; {EXCHANGE.format('%r12')} {EXCHANGE.format(0)} {END}",
    "warps at two barriers": (
        f"{EXCHANGE.format(0)} and.b32 %r11, %r7, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra A; add.u32 %r8, %r8, 5; st.shared.u32 [%r5], %r8; bar.sync 0; add.u32 %r8, %r8, 7; bra B;"
        f"A: st.shared.u32 [%r5], %r8; bar.sync 0; B: ld.shared.u32 %r10, [%r9]; bar.sync 0; add.u32 %r8, %r8, %r10; {EXCHANGE.format(0)} {END}"),
    "warps that end in turn": (
        f"mov.u32 %r11, 0; L: setp.eq.u32 %p1, %r11, %r7; @%p1 bra OUT; {EXCHANGE.format(0)} add.u32 %r11, %r11, 1; bra L; OUT: {END}"),
    "the second of two warps ends before the first": (
        f"{EXCHANGE.format(0)} xor.b32 %r7, %r7, 1; mov.u32 %r11, 0; L: setp.eq.u32 %p1, %r11, %r7; @%p1 bra OUT; {EXCHANGE.format(0)} add.u32 %r11, %r11, 1; bra L; OUT: st.shared.u32 [%r5], %r8; {END}"),
    "lanes that end": (
        f"{EXCHANGE.format(0)} and.b32 %r11, %r1, 3; setp.eq.u32 %p1, %r11, 1; @%p1 st.global.u32 [%rd3], %r8; @%p1 exit;"
        f"st.shared.u32 [%r5], %r8; bar.sync 0; ld.shared.u32 %r10, [%r9]; add.u32 %r8, %r8, %r10; bar.sync 0; {END}"),
    "lanes that part before a barrier": (
        f"mov.u32 %r11, 0; L: and.b32 %r12, %r8, 4; setp.eq.u32 %p1, %r12, 0; @%p1 bra A; add.u32 %r8, %r8, 11; bra B; A: xor.b32 %r8, %r8, 85; B: {EXCHANGE.format(0)}"
        f"add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 4; @%p1 bra L; {END}"),
    "a warp that leaves for the generic version": (  # the second one, where its thread's number is widened
        f"{EXCHANGE.format(0)} add.s32 %r12, %r1, 0x7fffffd0; cvt.s64.s32 %rd4, %r12; shl.b64 %rd4, %rd4, 2; add.s64 %rd4, %rd4, 192; cvt.u32.u64 %r13, %rd4; and.b32 %r13, %r13, 127; add.u32 %r13, %r13, %r6;"
        f"st.shared.u32 [%r5], %r8; bar.sync 0; ld.shared.u32 %r10, [%r13]; add.u32 %r8, %r8, %r10; bar.sync 0; {EXCHANGE.format(0)} {END}"),
    "votes": (
        f"setp.gt.u32 %p1, %r1, 9; bar.red.popc.u32 %r10, 0, %p1; add.u32 %r8, %r8, %r10; bar.red.or.pred %p2, 0, %p1; selp.u32 %r10, 5, 6, %p2; add.u32 %r8, %r8, %r10; {EXCHANGE.format(0)} {END}"),
}
# fmt: on


def loaded(name: str) -> LoadedModule:
    return openptx.load(entry(BODIES[name]))


def text(name: str, threads: int, baseline: bool = False) -> str:
    module = loaded(name)
    options = Options((threads, 1, 1), False, baseline=baseline)
    return lower_kernel(module.program, module["k"].function, module.image, options).text


@pytest.mark.parametrize("threads", [32, 45, 64, 288])
@pytest.mark.parametrize("name", BODIES)
def test_results_are_those_of_the_reference_engine(name: str, threads: int) -> None:
    kernel = loaded(name)["k"]
    found, wanted = np.zeros((2, 3 * threads), np.uint32)
    kernel(3, threads, (wanted,), engine="interp")
    kernel(3, threads, (found,), engine="native", timeout=60)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", ["a loop", "lanes that part before a barrier"])
def test_warps_that_leave_for_the_interpreter_are_found_where_they_are(name: str) -> None:
    """After some iterations a warp leaves in the middle of a segment, while others wait at barriers."""
    found, wanted = np.zeros((2, 3 * 96), np.uint32)
    loaded(name)["k"](3, 96, (wanted,), engine="interp")
    with settings.deoptimize_after(3):
        loaded(name)["k"](3, 96, (found,), engine="native", timeout=60)
    assert np.array_equal(found, wanted)


def test_an_endless_loop_of_barriers_ends_with_its_limit() -> None:
    kernel = openptx.load(entry("L: bar.sync 0; bar.sync 0; bra L;"))["k"]
    with pytest.raises(openptx.Fault, match=r"0\.2 s"):
        kernel(1, 128, (np.zeros(128, np.uint32),), engine="native", timeout=0.2)


@pytest.mark.parametrize("odd", range(3))
def test_warps_that_wait_at_different_barriers_are_a_deadlock(odd: int) -> None:
    """Whichever of them is alone, and whether the others have run before it or not."""
    body = f"{EXCHANGE.format(0)} setp.eq.u32 %p1, %r7, {odd}; @%p1 bra A; bar.sync 1; ret; A: bar.sync 2; ret;"
    with pytest.raises(openptx.Fault, match="can never arrive"):
        openptx.load(entry(body))["k"](1, 96, (np.zeros(96, np.uint32),), engine="native", timeout=20)


def test_threads_that_wait_are_named_alike_by_all_engines() -> None:
    """One line for all that wait at one instruction, also if the interpreter got their warps one by one."""
    body = (
        "mov.u32 %r11, 0; L: add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, %r7; @%p1 bra L;"
        "setp.eq.u32 %p1, %r7, 1; @%p1 bra A; bar.sync 1; ret; A: bar.sync 2; ret;"
    )
    said = list[str]()
    for engine, turns in (("interp", 0), ("native", 0), ("native", 1), ("native", 3)):
        with settings.deoptimize_after(turns), pytest.raises(openptx.Fault, match="can never arrive") as found:
            openptx.load(entry(body))["k"](1, 160, (np.zeros(160, np.uint32),), engine=engine, timeout=20)
        said.append(str(found.value))
    assert len(set(said)) == 1, "\n".join(said)
    assert said[0].count("wait at barrier") == 2


@pytest.mark.parametrize(
    ("body", "threads"), [("bar.sync 0, 96; ret;", 64), ("bar.sync 0, 64; bar.sync 1; ret;", 96)],
    ids=["the first warp waits still", "the last one does"],
)  # fmt: skip
def test_warps_whose_barrier_is_not_complete_wait(body: str, threads: int) -> None:
    """They are where the next warp would resume, but too few have come."""
    with pytest.raises(openptx.Fault, match="can never arrive"):
        openptx.load(entry(body))["k"](1, threads, (np.zeros(threads, np.uint32),), engine="native", timeout=20)


def test_code_jumps_from_warp_to_warp() -> None:
    made = text("a loop", 96)
    assert made.count("\nfollowing") == 3, "the next warp, at the beginning and after either barrier"
    assert made.count("\nagain") == 2, "the first one, after either"
    assert "\nfollowing" not in text("a loop", 32), "there is one warp alone"
    assert "\nfollowing" not in text("a loop", 96, baseline=True)


def test_a_register_s_barrier_is_dispatched() -> None:
    made = text("a number in a register", 96)
    assert made.count("\nagain") == 2, "the two whose number is a constant"


def test_segments_begin_where_warps_do_and_behind_barriers() -> None:
    module = loaded("a loop")
    program, function = module.program, module["k"].function
    layout, options = shared_layout(program, "k"), Options((96, 1, 1), False)
    c = make_context(program, function, module.image, options, host(), layout, "kernel", 0, {})
    segments = Segments(c, fixpoint(c))
    first, second = (b for b in c.graph.blocks if b.index in c.suspending)
    assert segments.origins_of(first) == [second.stop, BEGIN]
    assert segments.origins_of(second) == [first.stop]
    assert segments.ends == {second.stop}
    assert segments.barriers == {first.stop: 0, second.stop: 0}


@pytest.mark.parametrize("name", ["one after another", "lanes that end", "a warp that leaves for the generic version"])
def test_frames_lie_an_odd_number_of_cache_lines_apart(name: str) -> None:
    module = loaded(name)
    options = Options((1024, 1, 1), False)
    stride = lower_kernel(module.program, module["k"].function, module.image, options).metadata.frame_size
    assert stride % 128 == 64
