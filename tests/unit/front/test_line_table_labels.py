"""`.loc` after a label or another statement on the same line applies from its position on."""

from __future__ import annotations

import openptx
from openptx.line_table import LineTable

TEXT = """.version 8.0
.target sm_80
.address_size 64
.file 1 "a.cu"
.visible .entry k() {
    .reg .b32 r;
    .loc 1 1 1
    mov.u32 r, 1;
    here: .loc 1 2 1
    mov.u32 r, 2; .loc 1 3 1
    mov.u32 r, 3; // .loc 1 9 1
    mov.u32 r, 4;
    ret;
}
"""


def test_places() -> None:
    program = openptx.load(TEXT).program
    table = LineTable(program.file)
    assert [table.line(op) for op in program.function("k").code] == [1, 2, 3, 3, 3]
