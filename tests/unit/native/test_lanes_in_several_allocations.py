"""Accesses whose lanes lie in several allocations, which compiled code makes by its slow path: values, and faults."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

SOURCE = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 bad, .param .u64 by) {
    .reg .pred %p<4>; .reg .b32 %r<19>; .reg .b64 %rd<19>;
    .shared .align 16 .b8 s[512];
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [out];
    ld.param.u32 %r1, [bad]; ld.param.u64 %rd4, [by];
    mov.u32 %r2, %tid.x; mul.lo.u32 %r3, %r2, 5; and.b32 %r3, %r3, 31; mul.wide.u32 %rd5, %r3, STEP;
    mov.u64 %rd6, s; cvta.shared.u64 %rd7, %rd6; mul.lo.u32 %r4, %r2, 7; rem.u32 %r5, %r2, 3;
    add.u64 %rd8, %rd6, %rd5; mul.wide.u32 %rd9, %r2, 3; st.shared.u64 [%rd8], %rd9; bar.sync 0;
    setp.eq.u32 %p1, %r5, 1; selp.b64 %rd10, %rd2, %rd1, %p1;
    setp.eq.u32 %p2, %r5, 2; selp.b64 %rd10, %rd7, %rd10, %p2;
    setp.eq.u32 %p3, %r2, %r1; selp.b64 %rd11, %rd4, 0, %p3;
    add.u64 %rd12, %rd10, %rd5; add.u64 %rd12, %rd12, %rd11;
    setp.ne.u32 %p1, %r2, 4;
    @%p1 ACCESS
    mul.wide.u32 %rd14, %r2, 8; add.u64 %rd15, %rd3, %rd14;
    ld.shared.u64 %rd16, [%rd8]; add.u64 %rd13, %rd13, %rd16; st.global.u64 [%rd15], %rd13; ret;
}
"""
ACCESSES = {
    "ld.u8 %rd13, [%rd12];": 1,
    "ld.u16 %rd13, [%rd12];": 2,
    "ld.u32 %rd13, [%rd12];": 4,
    "ld.v2.u32 {%r6, %r7}, [%rd12]; mov.b64 %rd13, {%r7, %r6};": 8,
    "ld.u64 %rd13, [%rd12];": 8,
    "st.u8 [%rd12], %rd9;": 1,
    "st.v2.u32 [%rd12], {%r2, %r4};": 8,
    "atom.add.u32 %r6, [%rd12], %r4; cvt.u64.u32 %rd13, %r6;": 4,
}


def launched(engine: str, access: str, bad: int, by: int) -> tuple[bytes, ...]:
    """What the kernel writes, and the fault that it ends with; lane `bad` accesses a place `by` bytes away."""
    x, y = np.arange(32, dtype=np.uint64) << 32, np.arange(100, 132, dtype=np.uint64)
    out, said = np.zeros(32, np.uint64), ""
    text = SOURCE.replace("ACCESS", access).replace("STEP", "8")
    try:
        openptx.load(text)["k"](1, 32, (x, y, out, bad, by), engine=engine)
    except openptx.Fault as fault:
        said = str(fault)
    return x.tobytes(), y.tobytes(), out.tobytes(), said.encode()


@pytest.mark.parametrize("access", ACCESSES)
def test_lanes_in_several_allocations(access: str) -> None:
    for bad, by in ((99, 0), (17, 1), (0, 1 << 40), (31, 4096), (4, 1 << 40), (9, ACCESSES[access])):
        assert launched("native", access, bad, by) == launched("interp", access, bad, by)
    assert launched("native", access, 99, 0)[3] == b""
    assert b"address" in launched("native", access, 0, 1 << 40)[3]
