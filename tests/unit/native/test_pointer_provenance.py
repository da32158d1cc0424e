"""Provenance is a guess: pointers into other allocations work, too."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

SOURCE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 far, .param .u64 out) {
    .reg .b32 %r<9>; .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd9, [y]; ld.param.u64 %rd2, [far]; ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;
    sub.s64 %rd5, %rd9, %rd1; st.global.u64 [%rd2], %rd5; ld.global.u64 %rd5, [%rd2];    // from x to y
    add.s64 %rd6, %rd1, %rd5; add.s64 %rd6, %rd6, %rd4; ld.global.u32 %r2, [%rd6];       // lanes side by side
    mul.lo.u32 %r3, %r1, %r1; and.b32 %r3, %r3, 31; mul.wide.u32 %rd7, %r3, 4;
    add.s64 %rd8, %rd1, %rd7; add.s64 %rd8, %rd8, %rd5; ld.global.u32 %r4, [%rd8];       // and all over the place
    st.global.u32 [%rd8], %r4;
    add.u32 %r2, %r2, %r4; add.s64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r2; ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_sum_of_a_pointer_and_a_distance_leads_to_another_array(engine: str) -> None:
    x, y = np.arange(32, dtype=np.uint32), np.arange(1000, 1032, dtype=np.uint32)
    far, out = np.zeros(1, np.int64), np.zeros(32, np.uint32)
    openptx.load(SOURCE)["k"](1, 32, (x, y, far, out), engine=engine)
    assert np.array_equal(out, y + y[np.arange(32) ** 2 % 32])
    assert far[0] != 0


@pytest.mark.parametrize("pointer", ["ld.param.u64 base, [x];", "mov.u64 base, v;"])
def test_a_pointer_that_the_text_uses_before_it_loads_it(pointer: str) -> None:
    """As nvcc arranges loops: a block that repeats stands before the one that the loop begins with."""
    text = f""".version 8.0
    .target sm_80
    .address_size 64
    .global .align 4 .b32 v[1024];
    .visible .entry k(.param .u64 x, .param .u64 y) {{
        .reg .pred more; .reg .b32 i, t, place; .reg .b64 base, at, out;
        mov.u32 i, 0;
        mov.u32 t, %tid.x;
        bra HEAD;
    TAIL:
        red.global.add.u32 [at], i;
    HEAD:
        {pointer}
        mul.lo.u32 place, t, t;
        mad.wide.u32 at, place, 4, base;
        add.u32 i, i, 1;
        setp.lt.u32 more, i, 4;
        @more bra TAIL;
        ld.global.u32 i, [at];
        ld.param.u64 out, [y];
        mad.wide.u32 out, t, 4, out;
        st.global.u32 [out], i;
        ret;
    }}"""
    x, y = np.zeros(1024, np.uint32), np.zeros(32, np.uint32)
    openptx.load(text)["k"](1, 32, (x, y), engine="native")
    assert (y == 6).all()
