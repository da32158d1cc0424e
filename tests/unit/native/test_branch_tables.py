"""Indexed branches with more labels than Python's recursion limit."""

from __future__ import annotations

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

LABELS = 1100


def test_a_table_of_many_labels() -> None:
    """Each block of such a table goes on to the next that has lanes."""
    labels = ", ".join(f"L{i}" for i in range(LABELS))
    text = f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {{
.reg .b64 x; .reg .b32 t; ld.param.u64 x, [p]; mov.u32 t, %tid.x;
T: .branchtargets {labels}; brx.idx t, T;
{" ".join(f"L{i}: add.u32 t, t, {i};" for i in range(LABELS))}
st.global.u32 [x], t; ret; }}"""
    module = openptx.load(text)
    made = lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), False)).text
    assert made.count("\nblock") >= LABELS
