"""Names, declarations and operands that do not belong together: one finding, with its cure."""

from __future__ import annotations

import pytest
from advice import Row, given

KERNEL = ".visible .entry k(.param .u64 a) {\n"
USES = "\nld.param.u64 %d1, [a];\ncvta.to.global.u64 %d2, %d1;\nadd.s64 %d3, %d2, 4;\nret; }"
CALLER = ".func (.reg .b32 r) f(.reg .b32 a, .reg .b64 b); .entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>; "
ROWS = (
    Row(
        ".func f() { $one: ret; } .entry k() { bra $one; ret; }",
        "$one",
        "a branch stays in its function: put `$one:` in this function",
    ),
    Row(
        ".entry k(.param .u64 k_param_0) { .reg .b64 %d; ld.param.u64 %d, [k_parm_0]; ret; }",
        "k_parm_0",
        ".entry k(.param .u64 k_param_0) { .reg .b64 %d; ld.param.u64 %d, [k_param_0]; ret; }",
    ),
    Row(
        ".entry k(.param .u64 k_parm_0) { .reg .b64 %d; ld.param.u64 %d, [k_param_0]; ret; }",
        "k_parm_0",
        ".entry k(.param .u64 k_param_0) { .reg .b64 %d; ld.param.u64 %d, [k_param_0]; ret; }",
    ),
    Row(
        ".entry k(.param .b64 k_param_0, .param .b64 k_param_1) { .reg .b64 %d; ld.param.u64 %d, [kk_param_1]; ret; }",
        "kk_param_1",
        ".entry k(.param .b64 k_param_0, .param .b64 k_param_1) { .reg .b64 %d; ld.param.u64 %d, [k_param_1]; ret; }",
    ),
    Row(
        KERNEL + ".reg .f64 %d<4>;" + USES,
        ".f64",
        KERNEL + ".reg .b64 %d<4>;" + USES,
    ),
    Row(
        KERNEL + ".global .b64 %d<4>;" + USES,
        ".global",
        KERNEL + ".reg .b64 %d<4>;" + USES,
    ),
    Row(
        KERNEL + ".reg .f32x2 %d<4>;" + USES,
        ".f32x2",
        KERNEL + ".reg .b64 %d<4>;" + USES,
    ),
    Row(
        KERNEL + ".reg .b64 %d<2>;" + USES,
        "%d2",
        KERNEL + ".reg .b64 %d<4>;" + USES,
    ),
    Row(
        KERNEL + USES[1:],
        "%d1",
        KERNEL[:-1] + "\n    .reg .b64 %d<4>;" + USES,
    ),
    Row(
        ".visible .entry k(.param .u64 a) {\nld.param.u64 %d1, [a];\n.reg .b64 %d<4>;\nret; }",
        "%d1",
        "its declaration stands below, in line 6: move it before this",
    ),
    Row(
        ".visible .entry k() {\n.reg .u64 %p<3>;\n.reg .u32 t;\nsetp.ne.u32 %p1, t, t;\n@%p1 ret;\nret; }",
        ".u64",
        ".visible .entry k() {\n.reg .pred %p<3>;\n.reg .u32 t;\nsetp.ne.u32 %p1, t, t;\n@%p1 ret;\nret; }",
    ),
    Row(
        ".visible .entry k() {\n.local .f32 %f<5>;\n.reg .u64 t;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [t];\nret; }",
        ".local",
        ".visible .entry k() {\n.reg .f32 %f<5>;\n.reg .u64 t;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [t];\nret; }",
    ),
    Row(
        ".visible .entry k(.param .u64 a) {\n.reg .u32 sums;\n{ .reg .u32 sum; }\nadd.s32 sums, sums, sum;\nret; }",
        "sum",
        ".visible .entry k(.param .u64 a) {\n    .reg .b32 sum;\n.reg .u32 sums;\n{ .reg .u32 sum; }\n"
        "add.s32 sums, sums, sum;\nret; }",
    ),
    Row(
        ".visible .entry k() {\n.reg .u32 t;\nadd.s32 t, t, u;\nvadd.u32.u32.u32 t, u.b0, u.b1;\n.reg .u32 u;\nret; }",
        "u",
        "its declaration stands below, in line 8: move it before this",
    ),
    Row(
        ".visible .entry k(.param .u64 a) {\n.reg .u32 t;\nadd.s32 t, t, u;\nret; }",
        "u",
        ".visible .entry k(.param .u64 a) {\n    .reg .b32 u;\n.reg .u32 t;\nadd.s32 t, t, u;\nret; }",
    ),
    Row(
        ".visible .entry k(.param .u64 a) {\n.reg .u32 t;\n@p add.s32 t, t, 1;\nret; }",
        "p",
        ".visible .entry k(.param .u64 a) {\n    .reg .pred p;\n.reg .u32 t;\n@p add.s32 t, t, 1;\nret; }",
    ),
    Row(
        ".visible .entry k(.param .u64 a, .param .u64 b, ) { .reg .u64 r; ld.param.u64 r, [c]; ret; }",
        ",",
        ".visible .entry k(.param .u64 a, .param .u64 b ) { .reg .u64 r; ld.param.u64 r, [c]; ret; }",
    ),
    Row(
        ".entry k() {\n.reg .u32 %x0;\n.reg .u32 %x2;\nmov.u32 %x1, 1;\nadd.u32 %x0, %x1, %x2;\nret; }",
        "%x1",
        ".entry k() {\n    .reg .b32 %x1;\n.reg .u32 %x0;\n.reg .u32 %x2;\nmov.u32 %x1, 1;\n"
        "add.u32 %x0, %x1, %x2;\nret; }",
    ),
    Row("st.param.u64 [%out], %rd1;", "%out", "declare it before, `.param .u64 %out;`"),
    Row("add.f32 %f1|%p1, %f2, %f3;", "%f1|%p1", "add.f32 %f1, %f2, %f3;"),
    Row("add.f32 %f1, %f2] %f3;", "]", "add.f32 %f1, %f2, %f3;"),
    Row("bra $L_2; $L_1: $L_3:", "$L_2", "put `$L_2:` in this function, before the statement to continue at"),
    Row(
        CALLER + "call f; ret; }",
        "f",
        "write `call (r), f, (a, b);`",
    ),
    Row(
        CALLER + "call (%r1), f, %r2, %rd1; ret; }",
        "%r2",
        CALLER + "call (%r1), f, (%r2, %rd1); ret; }",
    ),
    Row(
        CALLER + "call %r1, f, (%r2, %rd1); ret; }",
        "%r1",
        CALLER + "call (%r1), f, (%r2, %rd1); ret; }",
    ),
    Row(
        CALLER + "call (%r1) f (%r2, %rd1); ret; }",
        "(%r1) f (%r2, %rd1)",
        CALLER + "call (%r1), f, (%r2, %rd1); ret; }",
    ),
    Row(
        ".func f(.reg .b32 a); .entry k() { .reg .b32 %r<3>; call f(%r1); ret; }",
        "f(%r1)",
        ".func f(.reg .b32 a); .entry k() { .reg .b32 %r<3>; call f, (%r1); ret; }",
    ),
    Row(
        ".func f(.reg .b32 a); .entry k() { bra f; ret; }",
        "f",
        "`call` calls a function: `call (result), f, (arguments);`",
    ),
    Row("ld.global.b32 %r1, [%rd2, 4];", "[%rd2, 4]", "an offset is added to the register: `[%rd1+4]`"),
    Row("ld.global.b32 %r1, %rd2;", "%rd2", "ld.global.b32 %r1, [%rd2];"),
    Row("st.global.f32 {%rd1}, %f1;", "{%rd1}", "st.global.f32 [%rd1], %f1;"),
    Row("st.global.f32 [%rd1], [%rd2];", "[%rd2]", "only `ld` and `st` access memory: `ld.f32 %x, [%rd2];` first"),
    Row("add.s32 %r1, %r2, [%rd2];", "[%rd2]", "only `ld` and `st` access memory: `ld.s32 %x, [%rd2];` first"),
    Row("st.global.b32 [%rd1], 1.0;", "1.0", "st.global.b32 [%rd1], 0x3F800000;"),
    Row("add.s32 %r1, %r2, 1.5;", "1.5", "write an integer; an instruction on floats takes this one"),
    Row("add.u32 %r1, %r2, -%r3;", "-%r3", "sub.u32 %r1, %r2, %r3;"),
    Row("add.u32 %r1, %r2, !%p1;", "!%p1", "make it a number first: `selp.u32 %x, 0, 1, ...;`"),
    Row(
        "ld.global.u32 %r1, %rd1[-4];",
        "%rd1[-4]",
        "an address in a register has its offset inside the brackets: `[%rd1+4]`, `[%rd1+-4]`",
    ),
    Row("mov.u32 %r1, %tid.q;", "%tid.q", "its components are `.x`, `.y` and `.z`"),
    Row(
        ".reg .v4 .f32 v; mov.f32 %f1, v[0];",
        "v[0]",
        "a component of a vector register is named: `.x`, `.y`, `.z` or `.w`",
    ),
    Row(
        ".reg .v4 .f32 v; mov.f32 %f1, v.s;",
        "v.s",
        "the components are `.x`, `.y`, `.z` and `.w`, or `.r`, `.g`, `.b` and `.a`",
    ),
    Row(".reg .f32x4 v;", ".f32x4", ".reg .v4 .f32 v;"),
    Row(".reg .float4 v;", ".float4", ".reg .v4 .f32 v;"),
    Row(".local .align 3 .b8 s2[4];", "3", ".local .align 4 .b8 s2[4];"),
    Row(
        ".local .b8 s2[];",
        "s2",
        "give it a length, or initial values; `.extern .shared` variables get theirs at the launch",
    ),
    Row(
        ".shared .b32 x = 5;",
        "x = 5",
        "give it its value in the kernel, by `st.shared`; only `.global` and `.const` variables are initialised",
    ),
    Row("L: ret; L: ret;", "L", "rename one of them, and the branches that mean it"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_one_finding_with_its_cure(row: Row) -> None:
    assert given(row) == (row.marked, row.cure)
