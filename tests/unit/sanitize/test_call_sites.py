"""Findings in functions of a compiler's headers, which code without inlining (-G) calls, name the program's line."""

from __future__ import annotations

import numpy as np

import openptx

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 old) add_one(.reg .b64 p) {
    .loc 2 900 5
    atom.global.add.u32 old, [p], 1;
    ret;
}
.func (.reg .b32 old) mine(.reg .b64 p) {
    .loc 1 7 3
    ld.global.u32 old, [p];
    ret;
}
.visible .entry k(.param .u64 out, .param .u32 plain) {
    .reg .b64 p; .reg .b32 v, n; .reg .pred q;
    .loc 1 20 1
    ld.param.u64 p, [out];
    ld.param.u32 n, [plain];
    setp.eq.u32 q, n, 0;
    @q bra PLAIN;
    .loc 1 21 5
    call (v), add_one, (p);
    .loc 1 22 5
    add.u64 p, p, 64;
    call (v), add_one, (p);
    ret;
PLAIN:
    .loc 1 24 5
    add.u64 p, p, 64;
    call (v), mine, (p);
    ret;
}
.file 1 "kernel.cu"
.file 2 "/opt/cuda/include/device_atomic_functions.hpp"
"""


def found(n: int) -> openptx.Finding:
    (finding,) = openptx.sanitize(openptx.load(TEXT)["k"], 1, 1, (np.zeros(16, np.uint32), n), engine="interp")
    return finding


def test_a_fault_in_a_header_names_the_line_of_the_call() -> None:
    finding = found(1)
    assert (finding.line, finding.source) == (22, "kernel.cu:22:5")
    assert finding.site.inlined == ("/opt/cuda/include/device_atomic_functions.hpp:900:5",)


def test_a_fault_in_a_function_of_the_program_names_its_own_line() -> None:
    assert found(0).source == "kernel.cu:7:3"


def test_a_file_whose_name_ends_like_a_position_is_named_whole() -> None:
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 %p; .reg .b32 %t;
    .loc 1 12 3
    ld.param.u64 %p, [p];
    mov.u32 %t, %tid.x;
    st.global.u32 [%p], %t;
    ret;
}
.file 1 "kernel.cu:7"
"""
    (found,) = openptx.sanitize(openptx.load(text)["k"], 1, 64, (np.zeros(1, np.uint32),))
    assert (found.site.file, found.site.line, found.source) == ("kernel.cu:7", 12, "kernel.cu:7:12:3")


CALLED = """
.version 8.0
.target sm_80
.address_size 64
.shared .b32 s[32];
.func put(.reg .b32 at) {
    .loc 1 7 3
    st.shared.b32 [at], at;
    ret;
}
.visible .entry k() {
    .reg .b32 at, v;
    .loc 1 20 1
    mov.u32 at, %tid.x;
    mov.u32 v, s;
    mad.lo.u32 at, at, 4, v;
    .loc 1 21 5
    call put, (at);
    .loc 1 24 5
    xor.b32 at, at, 4;
    ld.shared.b32 v, [at];
    ret;
}
.file 1 "kernel.cu"
"""


def test_the_cure_of_a_race_in_two_functions_names_lines_of_the_one_that_calls() -> None:
    (race,) = openptx.sanitize(openptx.load(CALLED)["k"], 1, 32, (), tools="race")
    assert race.lines == {7, 24}
    assert (race.help or "").endswith("between lines 21 and 24")
