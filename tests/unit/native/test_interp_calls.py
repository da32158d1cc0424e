# ruff: noqa: E501 - PTX in one line reads better here
"""Instructions that compiled code delegates to the interpreter: under guards, in functions, in loops, faulting."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings

HEAD = ".version 8.8\n.target sm_100a\n.address_size 64\n"
FILL = "cvta.shared.u64 at, box; mul.wide.u32 off, t, 8; add.s64 at, at, off;"
KERNEL = """.visible .entry k(.param .u64 px, .param .u32 pn) {{
.reg .pred p, q; .reg .b32 t, u, n; .reg .b64 x, at, off, v; .shared .align 16 .b8 box[1024];
ld.param.u64 x, [px]; ld.param.u32 n, [pn]; mov.u32 t, %tid.x; mul.wide.u32 off, t, 8; add.s64 x, x, off;
mov.u32 u, box; cvt.u64.u32 v, t; add.s64 v, v, 100; {at}
st.b64 [at], v; bar.sync 0;
{body}
bar.sync 0; ld.b64 v, [at]; st.global.b64 [x], v; ret; }}
"""
FUNCTION = """.func clear(.param .b64 pat, .param .b32 pt) {{
.reg .pred p; .reg .b64 at, v; .reg .b32 t; .local .align 8 .b64 own; ld.param.b64 at, [pat]; ld.param.b32 t, [pt];
cvt.u64.u32 v, t; st.local.b64 [own], v; and.b32 t, t, 1; setp.eq.u32 p, t, 0; @p st.bulk.weak [at], 8, 0;
ld.local.b64 v, [own]; @!p st.b64 [at], v; ret; }}
"""
UNKNOWN = "{ .reg .b16 h; mov.b16 h, 0; setp.ge.u32 q, t, n; @q fma.rz.bf16 h, h, h, h; }"
BODIES = {
    "all":        "st.bulk.weak [at], 8, 0;",
    "some":       "setp.lt.u32 p, t, n; @p st.bulk.weak [at], 8, 0;",
    "none":       "setp.lt.u32 p, t, 0; @p st.bulk.weak [at], 8, 0;",
    "parted":     "setp.lt.u32 p, t, n; @p bra A; st.b64 [at], off; bra B; A: st.bulk.weak [at], 8, 0; B:",
    "in a loop":  "mov.u32 u, 0; L: setp.eq.u32 p, u, t; @p st.bulk.weak [at], 8, 0; add.u32 u, u, 3; setp.lt.u32 p, u, n; @p bra L;",
    "elsewhere":  "setp.eq.u32 p, t, n; mov.u64 v, 64; @p mov.u64 at, v; @p st.bulk.weak [at], 8, 0;",
    "function":   "{ .param .b64 a; .param .b32 b; st.param.b64 [a], at; st.param.b32 [b], t; call clear, (a, b); }",
    "unreached":  UNKNOWN,
}  # fmt: skip


def result(body: str, engine: str, n: int = 40) -> object:
    x = np.zeros(64, np.uint64)
    text = HEAD + FUNCTION.format() + KERNEL.format(at=FILL, body=body)
    try:
        openptx.load(text)["k"](2, 64, (x, n), engine=engine, timeout=30)
    except openptx.Fault as fault:
        return fault.name, fault.message, fault.thread, fault.space
    except openptx.Unsupported as gap:
        return gap.form, gap.span
    return x.tolist()


@pytest.mark.parametrize("body", BODIES)
def test_what_is_borrowed_does_the_same(body: str) -> None:
    n = 64 if body == "unreached" else 40
    k = openptx.load(HEAD + FUNCTION.format() + KERNEL.format(at=FILL, body=BODIES[body]))["k"]
    assert k.why_interp(64) is None
    wanted = result(BODIES[body], "interp", n)
    assert result(BODIES[body], "native", n) == wanted
    with settings.lane_facts(False):
        assert result(BODIES[body], "native", n) == wanted


def test_an_instruction_without_a_meaning_is_unsupported_where_it_is_reached() -> None:
    found = result(UNKNOWN, "native", 63)
    assert found == result(UNKNOWN, "interp", 63)
    assert isinstance(found, tuple)
    assert found[0] == "fma.rz.bf16"


def test_what_lanes_do_wrong_over_there_is_told_of_them() -> None:
    found = result(BODIES["elsewhere"], "native")
    assert isinstance(found, tuple)
    assert found[0] == "out-of-bounds"
    assert found[2] == (40, 0, 0)
