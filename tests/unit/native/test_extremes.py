"""Maxima and minima of f32 in vectors: zeros of either sign, subnormal numbers, and NaNs, quiet and signalling."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

CODES = np.array(
    [0, 1, 0x007FFFFF, 0x00800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF],
    np.uint32,
)
SPECIAL = np.concatenate([CODES, CODES | np.uint32(1 << 31)])


def kernel(op: str) -> openptx.LoadedModule:
    """Of numbers from memory, and of a result with what it is made of."""
    return openptx.load(f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {{
    .reg .b32 %t, %n;
    .reg .f32 %x, %y, %d, %e;
    .reg .b64 %a, %b, %c, %at;
    ld.param.u64 %a, [a];
    ld.param.u64 %b, [b];
    ld.param.u64 %c, [c];
    mov.u32 %t, %tid.x;
    mov.u32 %n, %ctaid.x;
    mad.lo.s32 %t, %n, 32, %t;
    mul.wide.u32 %at, %t, 4;
    add.u64 %a, %a, %at;
    add.u64 %b, %b, %at;
    add.u64 %c, %c, %at;
    add.u64 %c, %c, %at;
    ld.global.f32 %x, [%a];
    ld.global.f32 %y, [%b];
    {op} %d, %x, %y;
    mul.f32 %e, %x, 0f3F800001;
    {op} %e, %e, %y;
    {op} %e, %y, %e;
    st.global.v2.f32 [%c], {{%d, %e}};
    ret;
}}
""")


@pytest.mark.parametrize("op", ["max.f32", "min.f32", "max.ftz.f32", "min.NaN.f32"])
def test_both_engines(op: str) -> None:
    a, b = (np.ascontiguousarray(e.ravel()) for e in np.meshgrid(SPECIAL, SPECIAL))
    a, b = (np.concatenate([e, np.random.default_rng(2).permutation(e)])[:960] for e in (a, b))
    found: list[list[int]] = []
    for engine in "interp", "native":
        c = np.zeros(2 * a.size, np.uint32)
        kernel(op)["k"](a.size // 32, 32, (a, b, c), engine=engine)
        found.append(c.tolist())
    assert found[0] == found[1]


PASSED_ON = """
    min.NaN.f32 %d, %x, %y;              max.f32 %e, %d, %y;
    min.f32 %d, %x, %x;                  max.f32 %e, %d, %y;
    mul.rn.f32 %d, %x, 1.0;              max.f32 %e, %d, %y;
    add.rn.f32 %d, %x, -0.0;             min.f32 %e, %d, %y;
    sub.rn.f32 %d, -0.0, %x;             max.f32 %e, %d, %y;
    div.rn.ftz.f32 %d, %x, -1.0;         max.f32 %e, %d, %y;
    fma.rn.f32 %d, %x, 1.0, -0.0;        max.f32 %e, %d, %y;
    cvt.f64.f32 %w, %x;                  cvt.rn.f32.f64 %e, %w;
"""
"""Operations of which LLVM makes one of their operands, and what tells a signalling NaN from a quiet one."""


@pytest.mark.parametrize("lane", ["%tid.x", "0"])
def test_results_are_never_signalling_nans(lane: str) -> None:
    lines = PASSED_ON.strip().splitlines()
    stores = [f"{line} st.global.f32 [%b + {4 * 32 * i}], %e;" for i, line in enumerate(lines)]
    text = f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {{
    .reg .b32 %t; .reg .f32 %x, %y, %d, %e; .reg .f64 %w; .reg .b64 %a, %b, %at;
    ld.param.u64 %a, [a]; ld.param.u64 %b, [b];
    mov.u32 %t, {lane}; mul.wide.u32 %at, %t, 4; add.u64 %a, %a, %at;
    mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 4; add.u64 %b, %b, %at;
    ld.global.f32 %x, [%a]; ld.global.f32 %y, [%a + 128];
    {"".join(stores)}
    ret;
}}
""".replace("-0.0", "0f80000000")
    a = np.full(64, 0x7F800001, np.uint32)
    a[32:] = 0x40400000
    found: list[list[int]] = []
    for engine in "interp", "native":
        b = np.zeros(32 * len(lines), np.uint32)
        openptx.load(text)["k"](1, 32, (a, b), engine=engine)
        found.append(b[::32].tolist())
    assert found[0] == found[1]
    assert found[0] == [0x40400000] * 7 + [0x7FC00001]
