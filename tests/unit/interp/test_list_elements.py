"""Constants and predicates as elements of lists; what the assembler makes of them was read from its code (-O1)."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

KERNEL = """.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p) {{
.reg .b64 at, w; .reg .b32 r; .reg .b16 h; .reg .b8 b; .reg .f32 f; .reg .pred c;
ld.param.u64 at, [p]; mov.b32 r, -1; mov.b64 w, -1; mov.b16 h, -1; cvt.u8.u32 b, r; mov.f32 f, 0fFFFFFFFF;
setp.eq.u32 c, r, 0;
{body}
ret; }}"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_float_constants_in_lists(engine: str) -> None:
    body = """
        st.global.v2.b32 [at], {r, 1.1};                st.global.v2.u32 [at+8], {r, 0f3F8CCCCD};
        st.global.v2.f32 [at+16], {f, -1.1};            st.global.v2.s32 [at+24], {r, 1.1};
        st.global.v2.b16 [at+32], {h, 0f00001234};      st.global.v2.b8 [at+36], {b, 1.0};
        mov.b64 w, {r, -1.1}; st.global.b64 [at+40], w; st.global.v2.b64 [at+48], {w, 0f3F8CCCCD};"""
    memory = np.zeros(16, np.uint32)
    openptx.load(KERNEL.format(body=body))["k"](1, 1, (memory,), engine=engine)
    ones = 0xFFFFFFFF
    want = [ones, 0x9999999A, ones, 0x3F8CCCCD, ones, 0xBF8CCCCD, ones, 0, 0xFFFF, 0xFF, ones, 0x9999999A,
            ones, 0x9999999A, 0x3F8CCCCD, 0]  # fmt: skip
    assert [hex(word) for word in memory] == [hex(word) for word in want]


@pytest.mark.parametrize("body", [
    "st.global.v2.b32 [at], {r, c};", "ld.global.v2.b32 {c, r}, [at];", "mov.b64 w, {r, c};", "mov.b64 {r, c}, w;",
    "st.async.mbarrier::complete_tx::bytes.v2.b32 [at], {r, c}, [at];",
])  # fmt: skip
def test_predicates_in_lists(body: str) -> None:
    with pytest.raises(openptx.Unsupported, match=r"a predicate in a list, can't be executed yet"):
        openptx.load(KERNEL.format(body=body))["k"]
