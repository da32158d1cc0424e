"""The fidelity of what a kernel may execute: functions by their addresses, and kernels that it launches, included."""

from __future__ import annotations

import numpy as np
import pytest

from openptx.errors import Unsupported
from openptx.runtime import load

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
WITHOUT_MEANING = ".reg .b16 x; mov.b16 x, 0; fma.rz.bf16 x, x, x, x; ret;"
IN_A_TABLE = f"""
.func f () {{ {WITHOUT_MEANING} }}
.global .u64 table[1] = {{ f }};
.visible .entry k(.param .u64 out) {{
    .reg .u64 a, g;
    P: .callprototype _ ();
    ld.param.u64 a, [out];
    st.global.u32 [a], 1;
    ld.global.u64 g, [table];
    call g, (), P;
    ret;
}}"""
LAUNCHED = f"""
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(
    .param .b64 f, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.visible .entry child() {{ {WITHOUT_MEANING} }}
.visible .entry k(.param .u64 out) {{
    .reg .u64 a, f;
    .param .b64 p, r; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 s;
    ld.param.u64 a, [out];
    st.global.u32 [a], 1;
    mov.u64 f, child;
    st.param.b64 [p], f;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [s], 0;
    call.uni (r), __cudaCDP2GetParameterBufferV2, (p, grid, block, s);
    ret;
}}"""


@pytest.mark.parametrize("text", [IN_A_TABLE, LAUNCHED], ids=["called by an address in a table", "launched"])
@pytest.mark.parametrize("engine", ["interp", "native"])
def test_an_instruction_without_a_meaning_is_found_before_memory_changes(text: str, engine: str) -> None:
    kernel, out = load(HEAD + text)["k"], np.zeros(1, np.uint32)
    with pytest.raises(Unsupported, match=r"fma\.rz\.bf16"):
        kernel(1, 1, (out,), engine=engine)
    assert out[0] == 0
    assert "fma.rz.bf16" in " ".join(map(str, kernel.fidelity()))
