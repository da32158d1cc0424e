"""`discard` behaves like a weak write of an indeterminate value (PTX ISA 9.7.9.17)."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 array, .param .u64 out) {
    .reg .b64 a, p, o; .reg .b32 t, v; .reg .pred first;
    ld.param.u64 a, [array]; ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    mad.wide.u32 p, t, 4, a; mad.wide.u32 o, t, 4, o;
    setp.eq.u32 first, t, 0;
    @first discard.global.L2 [a], 128;
    SYNC
    WRITE
    ld.global.u32 v, [p];
    add.u32 v, v, 1;
    st.global.u32 [o], v;
    ret;
}
"""
SYNC, WRITE = "bar.warp.sync -1;", "st.global.u32 [p], t;"


@pytest.mark.parametrize(
    ("sync", "write", "found"),
    [(SYNC, WRITE, []), (SYNC, "", [("undefined-value", 15)]), ("", WRITE, [("data-race", 12)])],
)
@pytest.mark.parametrize("engine", ["native", "interp"])
def test_what_is_discarded_is_undefined_and_written(
    sync: str, write: str, found: list[tuple[str, int]], engine: str
) -> None:
    kernel = openptx.load(KERNEL.replace("SYNC", sync).replace("WRITE", write))["k"]
    a, o = np.zeros(64, np.uint32), np.zeros(32, np.uint32)
    findings = openptx.sanitize(kernel, 1, 32, (a, o), engine=engine)
    assert [(f.name, f.line) for f in findings] == found


def test_a_line_outside_of_memory_or_not_aligned_is_a_fault() -> None:
    text = KERNEL.replace("SYNC", SYNC).replace("WRITE", WRITE)
    a, o = np.zeros(16, np.uint32), np.zeros(32, np.uint32)
    (finding,) = openptx.sanitize(openptx.load(text)["k"], 1, 1, (a, o))
    assert (finding.name, finding.line) == ("out-of-bounds", 10)
    (finding,) = openptx.sanitize(
        openptx.load(text.replace("[a], 128", "[a+64], 128"))["k"], 1, 1, (np.zeros(64, np.uint32), o)
    )
    assert (finding.name, finding.line) == ("misaligned-access", 10)
