"""Calls under a guard with results in registers: lanes that do not call keep their old values."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

TEXT = """.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %d) times3 (.reg .b32 %a, .reg .b32 %b) {{ mad.lo.u32 %d, %a, 3, %b; ret; }}
.func (.reg .b64 %d) square (.reg .b64 %a) {{ mul.lo.u64 %d, %a, %a; ret; }}
.visible .entry k(.param .u64 from, .param .u64 to) {{
.reg .b64 %from, %to, %wide, %f; .reg .b32 %t, %a, %d, %low, %high; .reg .pred %p;
ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; mov.u32 %t, %tid.x;
mad.wide.u32 %from, %t, 4, %from; mad.wide.u32 %to, %t, 4, %to; ld.global.u32 %a, [%from];
setp.gt.u32 %p, %a, 99; mov.u32 %d, 7; mov.u64 %wide, 5; mov.u64 %f, times3; cvt.u64.u32 %from, %a;
{call}
mov.b64 {{%low, %high}}, %wide; xor.b32 %d, %d, %low; add.u32 %d, %d, %high; st.global.u32 [%to], %d; ret; }}"""
INDIRECT = "prototype: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b32 _);"

VALUES = np.arange(0, 64 * 0x01000007, 0x01000007, dtype=np.uint32)
VALUES[::3] %= 90
THREE, SQUARES = VALUES * np.uint32(3), VALUES.astype(np.uint64) ** 2
BOTH = (np.uint32(7) ^ SQUARES.astype(np.uint32)) + (SQUARES >> np.uint64(32)).astype(np.uint32)
CALLS = {
    "direct": ("@%p call (%d), times3, (%a, %t);", (THREE + np.arange(64, dtype=np.uint32)) ^ np.uint32(5)),
    "own": ("@%p call (%d), times3, (%d, %d);", np.full(64, 28 ^ 5, np.uint32)),
    "wide": ("@%p call (%wide), square, (%from);", BOTH),
    "indirect": (
        INDIRECT + "@%p call (%d), %f, (%a, %t), prototype;",
        (THREE + np.arange(64, dtype=np.uint32)) ^ np.uint32(5),
    ),
}


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("name", CALLS)
def test_lanes_that_do_not_call_keep_their_registers(name: str, engine: str) -> None:
    call, called = CALLS[name]
    got = np.zeros(64, np.uint32)
    openptx.load(TEXT.format(call=call))["k"](1, 64, [VALUES, got], engine=engine)
    assert np.array_equal(got, np.where(VALUES > 99, called, np.uint32(7 ^ 5)))
