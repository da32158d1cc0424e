"""`.loc` on the line of another statement applies from its position on; those of inline assembly do not."""

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


ASSEMBLY = """.version 8.0
.target sm_80
.address_size 64
.file 1 "a.py"
.visible .entry k() {
    .reg .b32 r;
    .loc 1 6 23
    // begin inline asm
    .loc 1 6 23
    mov.u32 r, 1;
    .loc 1 7 23
    mov.u32 r, 2;

    // end inline asm
    mov.u32 r, 3;
    .loc 1 8 1
    // begin inline asm

    .loc 1 9 1
    mov.u32 r, 4;
    // end inline asm
    .loc 1 10 1
    ret;
}
"""


def test_lines_of_inline_assembly_are_not_lines_of_the_source() -> None:
    """What LLVM 22 makes of Triton's loads: it counts on from the line of the statement."""
    program = openptx.load(ASSEMBLY).program
    table = LineTable(program.file)
    assert [table.line(op) for op in program.function("k").code] == [6, 6, 6, 8, 10]
