"""Both engines count the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings
from openptx.engines.native.instrument.count import layout
from openptx.engines.native.instrument.count.layout import Site
from openptx.profile.counting import native
from unit.profile.engines import DATA, ELSEWHERE, ENGINES, KERNELS, of_case, of_pattern, unlike

# fmt: off
FEW = (
    "ackermanns_sm80", "dense_switch_sm80", "early_leavers_sm80", "function_table_sm80", "generic_pointers_sm80",
    "partial_warp_33_sm80", "softmax_sm80", "voting_barriers_sm80",
)
FEW_CASES = (
    "block_reduce_sm80", "cp_async_pipeline_sm80", "fnptr_sm80", "ldmatrix_x4_sm80", "matmul16_sm80",
    "recursion_sm80", "warp_vote_match_sm80", "wmma_f16_sm80",
)
# fmt: on


@cache
def patterns() -> Any:
    return openptx.load(str(DATA / "profile" / "patterns.ptx"))


def folders(root: Path) -> list[str]:
    return sorted(path.parent.name for path in root.glob("*/case.json"))


def compare(folder: Path) -> None:
    one, other = (of_case(folder, engine) for engine in ENGINES)
    assert unlike(one, other) == []


def counted_natively(folder: Path) -> None:
    one, other = (of_case(folder, engine) for engine in ENGINES)
    assert not any(ELSEWHERE in note for note in other.notes)
    assert unlike(one, other) == []


@pytest.mark.parametrize("name", FEW_CASES)
def test_some_cases(name: str) -> None:
    counted_natively(DATA / "cases" / name)


@pytest.mark.parametrize("name", FEW)
def test_some_kernels(name: str) -> None:
    counted_natively(KERNELS / name)


@pytest.mark.parametrize("name", ["block_reduce_sm80", "matmul16_sm80"])
def test_code_that_knows_nothing_of_lanes_counts_the_same(name: str) -> None:
    with settings.lane_facts(False):
        other = of_case(DATA / "cases" / name, "native")
    assert unlike(of_case(DATA / "cases" / name, "interp"), other) == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", folders(DATA / "cases"))
def test_cases(name: str) -> None:
    compare(DATA / "cases" / name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", folders(KERNELS))
def test_kernels(name: str) -> None:
    compare(KERNELS / name)


@pytest.mark.parametrize("kernel", [k if i % 12 == 5 else pytest.param(k, marks=pytest.mark.sweep)
                                    for i, k in enumerate(patterns().kernels)])  # fmt: skip
def test_patterns(kernel: str) -> None:
    one, other = (of_pattern(patterns()[kernel], engine) for engine in ENGINES)
    assert not any(ELSEWHERE in note for note in other.notes)
    assert unlike(one, other) == []


HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
SCATTER = (
    HEAD
    + """
.visible .entry scatter(.param .u64 data, .param .u32 n)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    ld.param.u64 %d0, [data];
    ld.param.u32 %r6, [n];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mad.lo.u32 %r3, %r1, %r2, %r0;
    setp.ge.u32 %p0, %r3, %r6;
    @%p0 bra END;
    mov.u32 %r8, 0;
AGAIN:
    mul.lo.u32 %r4, %r3, 2654435761;
    xor.b32 %r4, %r4, %r8;
    shr.u32 %r5, %r4, 18;
    mul.wide.u32 %d1, %r5, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r7, [%d2];
    and.b32 %r9, %r4, 1024;
    setp.eq.u32 %p1, %r9, 0;
    @%p1 red.global.add.u32 [%d2], 1;
    @!%p1 st.global.u32 [%d2], %r7;
    add.u32 %r8, %r8, 1;
    and.b32 %r10, %r3, 7;
    setp.le.u32 %p2, %r8, %r10;
    @%p2 bra AGAIN;
END:
    ret;
}
"""
)
SHARED = (
    HEAD
    + """
.visible .entry shared(.param .u64 data)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    .shared .align 4 .b8 buffer[16384];
    ld.param.u64 %d0, [data];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r3, %r1, 37, %r0;
    mul.lo.u32 %r4, %r3, 2654435761;
    shr.u32 %r5, %r4, 20;
    shl.b32 %r6, %r5, 2;
    mov.u32 %r7, buffer;
    add.u32 %r6, %r6, %r7;
    and.b32 %r8, %r4, 3072;
    setp.ne.u32 %p0, %r8, 0;
    @%p0 st.shared.u32 [%r6], %r4;
    ld.shared.u8 %r9, [%r6+1];
    atom.shared.add.u32 %r10, [%r6], 1;
    shr.u32 %r5, %r4, 24;
    mul.wide.u32 %d1, %r5, 8;
    add.u64 %d2, %d0, %d1;
    red.global.add.u64 [%d2], 1;
    ret;
}
"""
)
CHOICES = (
    HEAD
    + """
.visible .entry choices(.param .u64 data)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    .shared .align 4 .b8 buffer[1024];
    ld.param.u64 %d0, [data];
    mov.u32 %r0, %tid.x;
    mov.u32 %r5, buffer;
    shl.b32 %r6, %r0, 2;
    add.u32 %r6, %r5, %r6;
    and.b32 %r1, %r0, 3;
    ts: .branchtargets A, B, A, C;
    brx.idx %r1, ts;
A:
    add.u32 %r2, %r0, 1;
    st.shared.u32 [%r6], %r2;
    bra JOIN;
B:
    add.u32 %r2, %r0, 2;
    st.shared.u32 [%r6], %r2;
    setp.gt.u32 %p0, %r0, 40;
    @%p0 bra B2;
    bra JOIN;
B2:
    add.u32 %r2, %r2, 5;
    bra JOIN;
C:
    setp.gt.u32 %p1, %r0, 20;
    @%p1 exit;
    mov.u32 %r2, 7;
JOIN:
    setp.lt.u32 %p2, %r0, 32;
    @%p2 st.shared.u32 [%r6], %r2;
    bar.sync 0;
    mov.u32 %r7, 0;
LOOP:
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p3, %r7, %r0;
    @%p3 bra LOOP;
    bar.sync 0;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
    ld.shared.u32 %r8, [%r6];
    st.global.u32 [%d2], %r8;
    ret;
}
"""
)


APPEND = (
    HEAD
    + """
.visible .entry append(.param .u64 list)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [list];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, 0;
AGAIN:
    atom.global.add.u32 %r2, [%d0], 1;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p0, %r1, %r0;
    @%p0 bra AGAIN;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
    st.global.u32 [%d2+4], %r1;
    ret;
}
"""
)


def profiles(text: str, grid: int, block: int, arguments: Any, **options: Any) -> list[openptx.Profile]:
    """Of the text's only kernel, by each engine; arguments are made anew."""
    module = openptx.load(text)
    kernel = module[module.kernels[0]]
    return [openptx.profile(kernel, grid, block, arguments(), engine=engine, **options) for engine in ENGINES]


@pytest.mark.parametrize("workers", [1, 2])
def test_scattered_requests_and_several_workers(workers: int) -> None:
    """They are measured one by one."""
    made = profiles(SCATTER, 61, 96, lambda: (np.zeros(1 << 14, np.uint32), 61 * 96 - 5), workers=workers)
    assert unlike(*made) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_the_log_is_counted_when_it_is_full(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Site, "measure", layout.OTHER)
    text = SCATTER.replace("scatter", "log")
    made = profiles(text, 161, 96, lambda: (np.zeros(1 << 14, np.uint32), 161 * 96 - 5), workers=workers)
    assert sum(counted.requests for counted in made[1].counters.memory.values()) > layout.RECORDS + layout.MOST
    assert unlike(*made) == []


def test_scattered_requests_of_shared_memory() -> None:
    assert unlike(*profiles(SHARED, 50, 100, lambda: (np.zeros(256, np.uint64),), workers=1)) == []


def test_results_are_as_unprofiled() -> None:
    kernel = openptx.load(SCATTER)["scatter"]
    profiled, plain = np.zeros(1 << 14, np.uint32), np.zeros(1 << 14, np.uint32)
    openptx.profile(kernel, 20, 96, (profiled, 1900), engine="native", workers=1)
    kernel(20, 96, (plain, 1900), engine="native", workers=1)
    assert (profiled == plain).all()


def test_branches_by_index_exits_and_barriers() -> None:
    made = profiles(CHOICES, 3, 80, lambda: (np.zeros(128, np.uint32),))
    assert unlike(*made) == []
    assert made[1].counters.waited > 0
    assert made[1].counters.divergent > 0


def test_lanes_that_have_left_a_loop_with_atomics_wait_if_nobody_waits_for_them() -> None:
    """The trip count is known when the loop begins, so the lanes of each warp store together after it."""
    made = profiles(APPEND, 1, 64, lambda: (np.zeros(128, np.uint32),))
    assert unlike(*made) == []
    assert [line.counters.warps for line in made[0].lines if "st.global" in (line.text or "")] == [2]


def test_a_sample_is_of_the_same_blocks() -> None:
    made = profiles(SCATTER, 400, 32, lambda: (np.zeros(1 << 14, np.uint32), 400 * 32), blocks=50)
    assert made[1].launch.blocks == made[0].launch.blocks < 400
    assert unlike(*made) == []


def test_a_fault_leaves_what_came_before() -> None:
    found = profiles(SCATTER, 8, 32, lambda: (np.zeros(1 << 10, np.uint32), 256), workers=1)[1]
    assert found.ended == "fault"
    assert found.fault is not None
    assert 0 < found.launch.blocks <= 8
    assert found.counters.warps > 0


def test_a_time_limit_ends_the_profile() -> None:
    endless = HEAD + ".visible .entry endless()\n{\nAGAIN:\n    bra AGAIN;\n}\n"
    found = openptx.profile(openptx.load(endless)["endless"], 1, 32, (), engine="native", timeout=0.2)
    assert found.ended == "fault"
    assert found.fault is not None
    assert found.fault.name == "timeout"
    assert found.counters.branches > 1000


def test_an_interrupt_ends_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the log is counted, for one: what raises in Python ends the code."""

    def stop(self: Any, worker: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(native.Counting, "flush", stop)
    monkeypatch.setattr(Site, "measure", layout.OTHER)
    kernel = openptx.load(SCATTER.replace("scatter", "logged"))["logged"]
    with pytest.raises(KeyboardInterrupt):
        openptx.profile(kernel, 2000, 96, (np.zeros(1 << 14, np.uint32), 192000), engine="native", workers=1)


def test_what_only_the_reference_engine_counts_is_said() -> None:
    found = of_case(DATA / "cases" / "atomics_sm80", "native")
    assert any(note.startswith(ELSEWHERE) for note in found.notes)
    with pytest.raises(openptx.ArgumentError, match="engine"):
        of_case(DATA / "cases" / "matmul16_sm80", "fast")
