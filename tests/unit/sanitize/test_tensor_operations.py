"""Asynchronous multiplications: Triton's kernels are clean, and reported without one of their waits or fences."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.testing.case import argument, read_case

KERNELS = Path(__file__).parents[2] / "kernels"
HOPPER, BLACKWELL = "triton_described_matmul_sm90", "triton_described_matmul_sm100"


@cache
def text(name: str) -> str:
    return (KERNELS / name / "kernel.ptx").read_text("utf-8")


def found(name: str, text: str) -> list[str]:
    case = read_case(str(KERNELS / name))
    arguments = [argument(case, param) for param in case.params]
    kernel = openptx.load(text)[case.kernel]
    findings = openptx.sanitize(
        kernel, case.grid, case.block, arguments, shared_mem=case.shared, cluster=case.cluster, engine="interp"
    )
    return [each.name for f in findings for each in (f, *f.related)]


@pytest.mark.parametrize("name", [HOPPER, pytest.param(BLACKWELL, marks=pytest.mark.sweep)])
def test_compiled_kernels_are_clean(name: str) -> None:
    assert found(name, text(name)) == []


@pytest.mark.parametrize(
    ("name", "statement", "number", "code"),
    [
        pytest.param(HOPPER, "fence.proxy.async.shared::cta;", 0, "missing-proxy-fence", marks=pytest.mark.sweep),
        pytest.param(HOPPER, "wgmma.fence.sync.aligned;", 0, "multiplication-order", marks=pytest.mark.sweep),
        (HOPPER, "wgmma.commit_group.sync.aligned;", 0, "data-race"),
        (HOPPER, "wgmma.wait_group.sync.aligned 0;", 0, "multiplication-order"),
        pytest.param(HOPPER, "fence.proxy.async.shared::cta;", 1, "missing-proxy-fence", marks=pytest.mark.sweep),
        pytest.param(BLACKWELL, "@%p35 tcgen05.commit.", 0, "endless-wait", marks=pytest.mark.sweep),
        pytest.param(BLACKWELL, "fence.proxy.async.shared::cta;", 1, "missing-proxy-fence", marks=pytest.mark.sweep),
        pytest.param(BLACKWELL, "@%p1 tcgen05.dealloc.", 0, "tensor-memory-not-freed", marks=pytest.mark.sweep),
    ],
)  # fmt: skip
def test_what_is_removed_is_missed(name: str, statement: str, number: int, code: str) -> None:
    lines = text(name).splitlines()
    at = [i for i, line in enumerate(lines) if line.strip().startswith(statement)][number]
    del lines[at]
    assert code in found(name, "\n".join(lines))


def test_registers_of_code_for_debugging_are_not_checked() -> None:
    """It stores results right behind a multiplication, and the assembler inserts the waits."""
    debugged = text(HOPPER).replace(".target sm_90a", ".target sm_90a, debug")
    assert debugged != text(HOPPER)
    codes = found(HOPPER, debugged.replace("wgmma.wait_group.sync.aligned 0;", ""))
    assert codes
    assert "multiplication-order" not in codes


COPIED = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 %a, %o; .reg .b32 %i, %v; .reg .pred %p, %d;
    .shared .align 128 .b8 tile[128]; .shared .b64 full, done;
    ld.param.u64 %a, [p];
    mov.u32 %i, %tid.x;
    setp.eq.u32 %p, %i, 0;
    @%p mbarrier.init.shared::cta.b64 [full], 1;
    @%p mbarrier.init.shared::cta.b64 [done], 1;
    bar.sync 0;
    @!%p bra WAIT;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%a], 128, [full];
COPY:
    mbarrier.try_wait.parity.shared::cta.b64 %d, [full], 0;
    @!%d bra COPY;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %d, [done], 0;
    @!%d bra WAIT;
    mul.wide.u32 %o, %i, 4;
    add.u64 %a, %a, %o;
    mov.u32 %v, tile;
    mad.lo.u32 %v, %i, 4, %v;
    ld.shared.u32 %v, [%v];
    st.global.u32 [%a+128], %v;
    ret;
}
"""
WAIT_FOR_THE_COPY = """    mbarrier.try_wait.parity.shared::cta.b64 %d, [full], 0;
    @!%d bra COPY;
"""


def test_a_commit_tells_of_the_copies_that_its_thread_waited_for() -> None:
    """As in CUTLASS's products by pairs of CTAs: the even CTA waits for the copies, the odd one for the product."""
    values = np.arange(64, dtype=np.uint32)
    assert openptx.sanitize(openptx.load(COPIED)["k"], 1, 32, (values,)) == []
    assert values[32:].tolist() == list(range(32))
    early = openptx.load(COPIED.replace(WAIT_FOR_THE_COPY, ""))["k"]
    assert "data-race" in [one.name for one in openptx.sanitize(early, 1, 32, (values,))]


MMA = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k() {
    .reg .b32 %i, %s, %t; .reg .b64 %d, %x; .reg .pred %p, %q;
    .shared .align 1024 .b8 tile[8192]; .shared .b64 bar; .shared .b32 place;
    mov.u32 %i, %tid.x;
    setp.eq.u32 %p, %i, 0;
    setp.ne.u32 %q, %i, %i;
    @%p mbarrier.init.shared::cta.b64 [bar], 1;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
    mov.u32 %s, tile; shl.b32 %t, %i, 2; add.u32 %s, %s, %t;
    st.shared.u32 [%s], 0;
    st.shared.u32 [%s+128], 0;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    ld.shared.u32 %t, [place];
    mov.u64 %d, 0x4000400000010000;
    @%p tcgen05.cp.cta_group::1.128x256b [%t], %d;
    @%p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
    WAIT
    st.shared.u32 [%s], 1;
    DONE: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0; @!%q bra DONE;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 32;
    ret;
}
"""
WAIT = "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0; @!%q bra AGAIN;"


@pytest.mark.parametrize(("wait", "code"), [(WAIT, []), ("", ["data-race"])])
def test_shared_memory_that_tensor_operations_read_is_overwritten_only_after_a_wait(wait: str, code: list[str]) -> None:
    kernel = openptx.load(MMA.replace("WAIT", wait))["k"]
    assert sorted({f.name for f in openptx.sanitize(kernel, 1, 32)}) == code


REUSED = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 %a; .reg .b32 %i, %t; .reg .pred %p, %q;
    .shared .align 128 .b8 tile[128]; .shared .b64 full;
    ld.param.u64 %a, [p];
    mov.u32 %i, %tid.x;
    setp.eq.u32 %p, %i, 0;
    @%p mbarrier.init.shared::cta.b64 [full], 1;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 32;
    bar.sync 0;
    ld.shared.u32 %t, [tile];
    STORE
    bar.sync 0;
    @%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;
    @%p cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%a], 128, [full];
    FULL: mbarrier.try_wait.parity.shared::cta.b64 %q, [full], 0; @!%q bra FULL;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 32;
    ret;
}
"""


@pytest.mark.parametrize(
    ("store", "codes"), [("", []), ("bar.sync 0; @%p st.shared.u32 [tile], 1;", ["missing-proxy-fence"])]
)
def test_a_copy_over_the_address_of_tensor_memory_needs_no_proxy_fence(store: str, codes: list[str]) -> None:
    """As in Triton's kernels: the manual names no proxy for the write of `tcgen05.alloc`."""
    kernel = openptx.load(REUSED.replace("STORE", store))["k"]
    assert [f.name for f in openptx.sanitize(kernel, 1, 32, (np.zeros(32, np.uint32),))] == codes
