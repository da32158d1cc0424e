"""Selecting bits of two registers and then lanes: LLVM miscompiles this to `vpternlog`."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings

SOURCE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
    .reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .pred %p<2>;
    ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;
    mad.wide.u32 %rd0, %r0, 4, %rd0; mad.wide.u32 %rd1, %r0, 4, %rd1;
    ld.global.u32 %r1, [%rd0]; ld.global.u32 %r2, [%rd0+384]; setp.gt.s32 %p1, %r1, 0;
    mul.lo.u32 %r3, %r2, %r2; cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d3, %r3;
    bar.sync 0;  // from here on, registers come from memory
    {statement}
    st.global.u32 [%rd1], %r4; ret;
}}
"""
STATEMENTS = (
    "mov.b32 %r4, %r3; @%p1 copysign.f32 %r4, %r1, %r4;",
    "copysign.f32 %r4, %r1, %r3; selp.b32 %r4, %r4, %r3, %p1;",
    "copysign.f32 %r4, %r1, %r3; selp.b32 %r4, %r4, %r1, %p1;",
    "and.b32 %r4, %r1, 0xff00; and.b32 %r5, %r3, 0xffff00ff; or.b32 %r4, %r4, %r5; selp.b32 %r4, %r4, %r3, %p1;",
    "and.b32 %r4, %r1, 0xff00; and.b32 %r5, %r3, 0xffff00ff; add.u32 %r4, %r5, %r4; selp.b32 %r4, %r4, %r3, %p1;",
    "and.b32 %r4, %r1, 0xff00; and.b32 %r5, %r3, 0xffff00ff; xor.b32 %r4, %r5, %r4; selp.b32 %r4, %r4, %r3, %p1;",
    "mov.b32 %r4, %r3; @%p1 lop3.b32 %r4, 0xff00ff, %r1, %r4, 0xCA;",
    "mov.b32 %r4, %r3; @%p1 bfi.b32 %r4, %r1, %r4, 0, 12;",
    "xor.b32 %r4, %r1, %r3; and.b32 %r4, %r4, 0xff0; xor.b32 %r4, %r4, %r3; selp.b32 %r4, %r4, %r3, %p1;",
    "and.b64 %d4, %d1, 0xff00; and.b64 %d5, %d3, 0xffffffffffff00ff; or.b64 %d4, %d4, %d5;"
    " selp.b64 %d4, %d4, %d3, %p1; cvt.u32.u64 %r4, %d4;",
)


@pytest.mark.parametrize("shapes", [True, False], ids=["lane shapes", "gathers only"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_selected_bits_are_the_selected_ones(statement: str, shapes: bool) -> None:
    given, found = np.random.default_rng(1).integers(0, 1 << 32, 192, np.uint32), dict[str, np.ndarray]()
    for engine in ("interp", "native"):
        found[engine] = np.zeros(96, np.uint32)
        with settings.cache_at(None), settings.lane_facts(shapes):
            openptx.load(SOURCE.format(statement=statement))["k"](1, 96, (given, found[engine]), engine=engine)
    np.testing.assert_array_equal(found["native"], found["interp"])
