"""Endless waits are found as soon as all threads repeat themselves, and loops that count their attempts are none."""

from __future__ import annotations

import numpy as np
import pytest
import test_defect_pairs as pairs

import openptx
from openptx.sanitize.findings import Finding

FEW = 20_000
"""Instructions."""


def found(kernel: openptx.Kernel, grid: int, block: int, *arguments: object) -> list[Finding]:
    return openptx.sanitize(kernel, grid, block, arguments, max_instructions=FEW, engine="interp")


@pytest.mark.parametrize("name", ["s_tx_bad", "s_deadlock_bad", "u_grid_sync_part_bad", "u_bar_expect_bad"])
def test_an_endless_wait_is_found_after_few_instructions(name: str) -> None:
    row = next(row for row in pairs.rows() if row.name == name)
    arrays = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32), np.zeros(1024, np.int32)
    findings = found(
        pairs.module(row.file)[name], row.launch.get("grid", 1), row.launch.get("block", 64), *arrays, 1024
    )
    assert [f.name for f in findings] == ["endless-wait"]


POLLS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flag) {{
    .reg .b64 %f; .reg .b32 %v, %n; .reg .pred %p;
    .local .b32 count;
    ld.param.u64 %f, [flag];
    mov.u32 %n, 0;
    st.local.u32 [count], %n;
AGAIN:
    ld.relaxed.gpu.global.u32 %v, [%f];
    setp.ne.u32 %p, %v, 0;
    @%p bra DONE;
    {counts}
    setp.lt.u32 %p, %n, 300;
    mov.u32 %n, 0;
    @%p bra AGAIN;
DONE:
    st.global.u32 [%f+4], %v;
    ret;
}}
"""
COUNTS = {
    "a register": ("add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 300; @%p bra AGAIN;", []),
    "local memory": ("ld.local.u32 %n, [count]; add.u32 %n, %n, 1; st.local.u32 [count], %n;", []),
    "the clock": ("mov.u32 %n, %clock; shr.u32 %n, %n, 5;", []),
    "nothing": ("", ["endless-wait"]),
}


@pytest.mark.parametrize("counted", COUNTS)
def test_a_loop_that_counts_its_attempts_is_no_endless_wait(counted: str) -> None:
    counts, names = COUNTS[counted]
    kernel = openptx.load(POLLS.format(counts=counts))["k"]
    assert [f.name for f in found(kernel, 1, 1, np.zeros(2, np.uint32))] == names


def test_the_callers_registers_belong_to_the_state() -> None:
    """Each call polls once, with registers of its own; the loop that counts is the caller's."""
    text = """.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 d) poll(.param .b64 p) {
    .reg .b64 %f; .reg .b32 %v; ld.param.u64 %f, [p]; ld.relaxed.gpu.global.u32 %v, [%f]; st.param.b32 [d], %v; ret;
}
.visible .entry k(.param .u64 flag) {
    .reg .b64 %f; .reg .b32 %v, %n; .reg .pred %p;
    ld.param.u64 %f, [flag];
    mov.u32 %n, 0;
AGAIN:
    { .param .b64 a; .param .b32 b; st.param.b64 [a], %f; call (b), poll, (a); ld.param.b32 %v, [b]; }
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 300;
    @%p bra AGAIN;
    st.global.u32 [%f+4], %v;
    ret;
}
"""
    assert found(openptx.load(text)["k"], 1, 1, np.zeros(2, np.uint32)) == []


@pytest.mark.parametrize("step", [0, 1])
def test_both_halves_of_128_bits_belong_to_the_state(step: int) -> None:
    text = f""".version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flag) {{
    .reg .b64 %f, %n, %m; .reg .b128 %q; .reg .pred %p;
    ld.param.u64 %f, [flag];
    mov.b128 %q, {{%f, 0}};
AGAIN:
    mov.b128 {{%m, %n}}, %q; add.u64 %n, %n, {step}; mov.b128 %q, {{%m, %n}};
    setp.gt.u64 %p, %n, 300;
    @%p bra DONE;
    ld.relaxed.gpu.global.u64 %m, [%f]; setp.eq.u64 %p, %m, 0; mov.u64 %n, 0; mov.u64 %m, 0;
    @%p bra AGAIN;
DONE:
    ret;
}}
"""
    names = [f.name for f in found(openptx.load(text)["k"], 1, 1, np.zeros(2, np.uint32))]
    assert names == ([] if step else ["endless-wait"])
