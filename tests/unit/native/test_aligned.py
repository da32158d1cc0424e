"""`.aligned` instructions wait for all lanes of the warp, on every engine."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

SOURCE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {{
    .reg .b32 t, r, a, b, c; .reg .b64 d, e; .reg .pred p; .reg .f32 f<4>;
    ld.param.u64 d, [x]; mov.u32 t, %tid.x; mul.wide.u32 e, t, 16; add.s64 d, d, e;
    add.u32 a, t, 0x3C003C00; mov.u32 b, 0x3C003C00; mov.u32 c, 0;
    setp.lt.u32 p, t, 16; @p bra LOW; bra HIGH;
LOW:
    {instruction}
    st.global.v4.f32 [d], {{f0, f1, f2, f3}};
    ret;
HIGH: // after, so that the lanes of the first half come to LOW first
    add.u32 a, a, 0x01000100;
    bra LOW;
}}
"""
INSTRUCTIONS = (
    "mov.f32 f0, 0f3F000000; mov.f32 f1, f0; mov.f32 f2, f0; mov.f32 f3, f0;"
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0, f1, f2, f3}, {a, b}, {b}, {f0, f1, f2, f3};",
    "movmatrix.sync.aligned.m8n8.trans.b16 r, a; mov.b32 f0, r; mov.b32 f1, r; mov.b32 f2, r; mov.b32 f3, r;",
)


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=["mma", "movmatrix"])
def test_a_matrix_instruction_waits_for_lanes_that_are_elsewhere(instruction: str) -> None:
    outputs: list[bytes] = []
    for engine in ("interp", "native"):
        x = np.zeros((32, 4), np.float32)
        openptx.load(SOURCE.format(instruction=instruction))["k"](1, 32, (x,), engine=engine)
        outputs.append(x.tobytes())
    assert np.frombuffer(outputs[0], np.uint32).any()
    assert outputs[0] == outputs[1]
