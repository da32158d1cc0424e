"""Statements that are no PTX: one finding, and what to write instead."""

from __future__ import annotations

import pytest
from advice import Row, given

ROWS = (
    Row("add.f32 %f1, %f2, 3F800000;", "3F800000", "add.f32 %f1, %f2, 0f3F800000;"),
    Row("add.f32 %f1, %f2, BF800000;", "BF800000", "the bits of a float begin with `0f` or `0d`: `0fBF800000`"),
    Row("mov.f32 %f1, 1.0f;", "1.0f", "mov.f32 %f1, 1.0;"),
    Row("mov.f32 %f1, 1f;", "1f", "mov.f32 %f1, 1.0;"),
    Row("mov.u32 %r1, 5u;", "5u", "mov.u32 %r1, 5U;"),
    Row("mov.u32 %r1, 5UL;", "5UL", "an integer has 64 bits, and the only suffix is `U`: `5U`"),
    Row("mov.u32 %r1, 1F;", "1F", "a floating-point literal has no suffix: `1.0`"),
    Row(
        "mov.pred %p1, true;",
        "true",
        "a predicate is set by a number or a comparison: `mov.pred p, 1;`, `setp.ne.u32 p, a, 0;`",
    ),
    Row("ld.global.b32 %r1, [4+%rd2];", "4+%rd2", "ld.global.b32 %r1, [%rd2+4];"),
    Row("ld.global.b32 %r1, 4(%rd2);", "4(%rd2)", "ld.global.b32 %r1, [%rd2+4];"),
    Row("ld.global.b32 %r1, (%rd2);", "(%rd2)", "ld.global.b32 %r1, [%rd2];"),
    Row("ld.global.b32 %r1, *%rd2;", "*%rd2", "ld.global.b32 %r1, [%rd2];"),
    Row("mov.u64 %rd1, &buf;", "&buf", "mov.u64 %rd1, buf;"),
    Row("ld.global.b32 %r1, [[%rd2]];", "[%rd2]", "ld.global.b32 %r1, [%rd2];"),
    Row("ld.global.b32 %r1, [[%rd2+4]];", "[%rd2+4]", "ld.global.b32 %r1, [%rd2+4];"),
    Row("mov.u32 %r1, , 5;", ",", "mov.u32 %r1 , 5;"),
    Row("mov.u32 %r1, 5,;", ";", "mov.u32 %r1, 5;"),
    Row("mov.u32, %r1, 5;", ",", "mov.u32 %r1, 5;"),
    Row("add.f32 %f1, %f2, |%f3|;", "|%f3|", "compute it first: `abs.f32 %x, %f3;`"),
    Row('bra "L"; L:', '"L"', "bra L; L:"),
    Row("bra L:; L:", ":", "bra L; L:"),
    Row("L:: mov.u32 %r1, 1;", ":", "L: mov.u32 %r1, 1;"),
    Row("1: bra 1b;", "1", "a label begins with a letter, `$`, `%` or `_`, here and wherever it is branched to"),
    Row("mov u32 %r1, %r2;", "u32", "mov.u32 %r1, %r2;"),
    Row("mov..u32 %r1, %r2;", ".", "mov.u32 %r1, %r2;"),
    Row("st.global.f32 [%rd1]. %f1;", ".", "st.global.f32 [%rd1], %f1;"),
    Row("mov.u32 %r1, 5 mov.u32 %r2, 6;", "5", "mov.u32 %r1, 5; mov.u32 %r2, 6;"),
    Row("st.global.f32 %rd1], %f1;", "]", "st.global.f32 [%rd1], %f1;"),
    Row("st.global.f32 %rd1+4], %f1;", "]", "st.global.f32 [%rd1+4], %f1;"),
    Row("mov.u32 %r1 = %r2;", "=", "mov.u32 %r1 , %r2;"),
    Row(
        "%1 = add i32 %a, %b",
        "%1",
        "this is LLVM IR; an instruction names its destination first: `mov.u32 d, a;`, `add.u32 d, a, b;`",
    ),
    Row(
        "%5 = OpFAdd %float %3 %4",
        "%5",
        "this is SPIR-V; an instruction names its destination first: `mov.u32 d, a;`, `add.u32 d, a, b;`",
    ),
    Row(
        "%r1 = call fe(%r2, %rd1);",
        "%r1",
        "this is a call as C writes it: `call (result), name, (arguments);`",
    ),
    Row("(%p1) bra L; L:", "(%p1)", "@%p1 bra L; L:"),
    Row("%p1 bra L; L:", "%p1", "@%p1 bra L; L:"),
    Row("if %p1 bra L; L:", "if %p1", "@%p1 bra L; L:"),
    Row("@%p1 L; L:", "L", "@%p1 bra L; L:"),
    Row("bra L; \nL\n mov.u32 %r1, 1;", "L", "bra L; \nL:\n mov.u32 %r1, 1;"),
    Row(
        "@%p1 @%p2 mov.u32 %r1, 1;",
        "@",
        "a guard is one predicate: combine them first, `and.pred %p, %p1, %p2;` or `or.pred`, then `@%p`",
    ),
    Row("ld.shared.f32 %f1, buf[1][2];", "[", "an operand has one index: add the other offsets in bytes, `[array+72]`"),
    Row("add.u32 %r1, %r 2, %r3;", "2", "add.u32 %r1, %r2, %r3;"),
    Row("ld.global.v2.b32 {%r1, %r2], [%rd1];", "2", "ld.global.v2.b32 {%r1, %r2}, [%rd1];"),
    Row(
        "ld.global.v4.b32 {%r1, %r2} %r3, %r4}, [%rd1];",
        "%r3",
        "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];",
    ),
    Row("@@%p1 bra L; L:", "@@", "@%p1 bra L; L:"),
    Row("@not %p1 bra L; L:", "%p1", "@!%p1 bra L; L:"),
    Row("mov.u32 %r1, 5;;", ";", "mov.u32 %r1, 5;"),
    Row("{ mov.u32 %r1, 5 }", "5", "{ mov.u32 %r1, 5; }"),
    Row("ld.global.f32 %f1, [%rd1;", "1", "ld.global.f32 %f1, [%rd1];"),
    Row("ld.global.f32 %f1, [%rd1+4;", "4", "ld.global.f32 %f1, [%rd1+4];"),
    Row("mov.b64 %rd1, {%r1, %r2;", "2", "mov.b64 %rd1, {%r1, %r2};"),
    Row("mov.b64 %rd1, %r1, %r2};", "}", "mov.b64 %rd1, {%r1, %r2};"),
    # the nearest correct statement
    Row("neg ftz.f32 %f1, %f2;", "%f1", "neg.ftz.f32 %f1, %f2;"),
    Row("add.s32 %r1 and %r2, %r3;", "and", "add.s32 %r1, %r2, %r3;"),
    Row("ld.global.v2.f32 <%f1, %f2>, [%rd1];", "<", "ld.global.v2.f32 {%f1, %f2}, [%rd1];"),
    Row("bra.uni L 1; L:", "1", "bra.uni L; L:"),
    Row("add.s32 %r1} %r2, %r3;", "}", "add.s32 %r1, %r2, %r3;"),
    Row("add.s32 %r1, %r2, %r3,\nadd.s32 %r1, %r2, %r3;", ",", "add.s32 %r1, %r2, %r3;\nadd.s32 %r1, %r2, %r3;"),
    Row("add.s32 %r1: %r2, %r3;", ":", "add.s32 %r1, %r2, %r3;"),
    Row("add.s32 %r1; %r2, %r3;", ";", "add.s32 %r1, %r2, %r3;"),
    Row("mapa shared::cluster.u32 %r1, %r2, %r3;", ":", "mapa.shared::cluster.u32 %r1, %r2, %r3;"),
    Row("st.global.v2.f32 [%rd1, {%f1, %f2};", "}", "st.global.v2.f32 [%rd1], {%f1, %f2};"),
    # tokens in each other's place, twice, or in capital letters
    Row("add.s32 %r1, %r2%r3 ,;", "%r3", "add.s32 %r1, %r2, %r3;"),
    Row("setp.eq.s32 %p1, ,%r2 0;", ",", "setp.eq.s32 %p1, %r2, 0;"),
    Row("ld.shared.u32 %r1, [%r2;]", "2", "ld.shared.u32 %r1, [%r2];"),
    Row("{\n.reg .b32 %x<3;>\nmov.u32 %x2, 1; }", ";", "{\n.reg .b32 %x<3>;\nmov.u32 %x2, 1; }"),
    Row("{\n.reg .b32 %x<>;\nmov.u32 %x2, 1; }", ">", "{\n.reg .b32 %x<3>;\nmov.u32 %x2, 1; }"),
    Row("{\n.REG .b32 x;\nmov.u32 x, 1; }", ".REG", "{\n.reg .b32 x;\nmov.u32 x, 1; }"),
    # comments, guards and labels as they are written elsewhere
    Row("bar.sync 0;\n; wait for all\n", "; wait for all", "bar.sync 0;\n// wait for all\n"),
    Row("bar.sync 0; wait for all", "bar.sync 0; wait for all", "bar.sync 0; // wait for all"),
    Row("-- wait for all", "-- wait for all", "// wait for all"),
    Row("L: ; here\nbra L;", "L: ; here", "L: // here\nbra L;"),
    Row("L:\nbra L @%p1;", "bra L @%p1;", "L:\n@%p1 bra L;"),
    Row("L:\nbra @!%p1 L;", "bra @!%p1 L;", "L:\n@!%p1 bra L;"),
    Row("L:\n@%p1; bra L;", "@%p1; bra L;", "L:\n@%p1 bra L;"),
    Row("L:\n@(%p1) bra L;", "(", "L:\n@%p1 bra L;"),
    Row("label L:\nbra L;", "label L:", "L:\nbra L;"),
    Row("L L:\nbra L;", "L L:", "L:\nbra L;"),
    # labels
    Row("bra L;\nL;", "L;", "bra L;\nL:"),
    Row("bra $L;\n.$L:", ".$L:", "bra $L;\n$L:"),
    Row("bra L;\n[L]:", "[L]:", "bra L;\nL:"),
    # blocks and functions in the wrong place
    Row("@%p1 { ret; }", "{", "branch around the block, `@!%p bra end;`"),
    Row("__global__ void f() { }", "__global__", "a kernel is `.visible .entry name(.param .u64 a) { ... }`"),
    # tables that are wrong themselves
    Row("ts .branchtargets L;\nL: brx.idx %r1, ts;", "ts .branchtargets", "ts: .branchtargets L;\nL: brx.idx %r1, ts;"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_one_finding_with_its_cure(row: Row) -> None:
    assert given(row) == (row.marked, row.cure)
