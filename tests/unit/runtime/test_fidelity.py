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


STORED = f"""
.func f (.param .u64 at) {{ .reg .u64 a; ld.param.u64 a, [at]; st.global.u32 [a], 7; ret; }}
.func aliased (.param .u64 at) {{ .reg .u64 a; ld.param.u64 a, [at]; st.global.u32 [a], 8; ret; }}
.func g (.param .u64 at) {{ {WITHOUT_MEANING} }}
.global .u64 chosen;
.visible .entry choose(.param .u64 which) {{
    .reg .u64 w; .reg .pred p; .reg .u64 h;
    ld.param.u64 w, [which];
    setp.eq.u64 p, w, 0;
    mov.u64 h, /* ; */ f;
    @p st.global.u64 [chosen], h;
    @!p st.global.u64 [chosen], aliased;
    ret;
}}
.visible .entry calls_directly(.param .u64 out) {{ .param .b64 a; call g, (a); ret; }}
.visible .entry k(.param .u64 out) {{
    .reg .u64 a, h; .param .b64 p;
    P: .callprototype _ (.param .b64 x);
    ld.param.u64 a, [out];
    st.param.b64 [p], a;
    ld.global.u64 h, [chosen];
    call h, (p), P;
    ret;
}}"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_calls_by_address_reach_functions_whose_address_is_taken(engine: str) -> None:
    """By any kernel; not `g`, which only direct calls name and which cannot be executed."""
    module, out = load(HEAD + STORED), np.zeros(1, np.uint32)
    for which, expected in enumerate((7, 8)):
        module["choose"](1, 1, (which,), engine=engine)
        module["k"](1, 1, (out,), engine=engine)
        assert out[0] == expected
    assert "fma.rz.bf16" not in " ".join(map(str, module["k"].fidelity()))
    with pytest.raises(Unsupported, match=r"fma\.rz\.bf16"):
        module["calls_directly"](1, 1, (out,), engine=engine)
