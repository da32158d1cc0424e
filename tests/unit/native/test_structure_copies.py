"""Structures that are passed and returned where they lie at no multiple of their size."""

from __future__ import annotations

import numpy as np
import pytest

from openptx.engines.native import settings
from openptx.runtime import load

TEXT = """.version 8.0
.target sm_80
.address_size 64
.func (.param .align 4 .b8 out[8]) exchanged (.param .b32 x, .param .align 4 .b8 pair[8]) {
.reg .b32 a, b, c; ld.param.b32 a, [x]; ld.param.b32 b, [pair]; ld.param.b32 c, [pair+4];
add.u32 c, c, a; st.param.b32 [out], c; st.param.b32 [out+4], b; ret; }
.visible .entry k(.param .u64 out) {
.reg .b64 o; .reg .b32 a, b, t; .param .b32 x; .param .align 4 .b8 pair[8], result[8];
mov.u32 t, %tid.x; st.param.b32 [x], 100; st.param.b32 [pair], 1; st.param.b32 [pair+4], t;
call (result), exchanged, (x, pair); ld.param.b32 a, [result]; ld.param.b32 b, [result+4];
ld.param.u64 o, [out]; mad.wide.u32 o, t, 8, o; st.global.v2.b32 [o], {a, b}; ret; }
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_structures_of_eight_bytes_that_are_aligned_to_four(engine: str) -> None:
    out = np.zeros((32, 2), np.uint32)
    with settings.cache_at(None):
        load(TEXT)["k"](1, 32, (out,), engine=engine)
    assert out.tolist() == [[100 + lane, 1] for lane in range(32)]
