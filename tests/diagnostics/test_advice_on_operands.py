"""Operands that do not fit an opcode have one finding, which says what they fit."""

from __future__ import annotations

import pytest
from advice import Row, given
from findings import module

import openptx

ROWS = (
    # in another order
    Row("selp.f32 %f1, %p1, %f2, %f3;", "%p1", "selp.f32 %f1, %f2, %f3, %p1;"),
    Row("setp.lt.s32 %r1, %p1, %r2;", "%r1", "setp.lt.s32 %p1, %r1, %r2;"),
    Row("setp.lt.s32 %r1, %r2, %p1;", "%p1", "setp.lt.s32 %p1, %r1, %r2;"),
    Row("mad.wide.s32 %rd1, %rd2, %r3, %r4;", "%rd2", "mad.wide.s32 %rd1, %r3, %r4, %rd2;"),
    Row("mov.u32 5, %r1;", "5", "mov.u32 %r1, 5;"),
    Row("shl.b64 %rd1, %r2, %rd3;", "%r2", "shl.b64 %rd1, %rd3, %r2;"),
    Row("cvt.u32.u64 %rd1, %r1;", "%r1", "exchange the operands, or write `cvt.u64.u32`"),
    Row("cvt.rn.f32.f64 %fd1, %f2;", "%fd1", "exchange the operands, or write `cvt.f64.f32`"),
    Row("shfl.sync.down.b32 %p1|%r1, %r2, 16, 31, -1;", "%p1|%r1", "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;"),
    Row("vote.sync.any.pred %r1, %p1, -1;", "%r1", "declare it `.reg .pred`"),
    Row("elect.sync %p1, -1;", "%p1", "elect.sync _|%p1, -1;"),
    Row("cp.async.wait_group %r1;", "%r1", "its value is part of the instruction: write the number"),
    Row("fma.rn.f32 %f1, %f2, 0f3F8000, %f3;", "0f3F8000", "these are 6"),
    Row("cvt.rna.tf32.f32 %r1, 1.5;", "1.5", "write `0f3FC00000`"),
    Row("cvt.rna.tf32.f32 %r1, 1.0e300;", "1.0e300", "write `0f7F800000`"),
    # in brackets, or without them
    Row("add.s32 [%r1], %r2, 3;", "[%r1]", "add.s32 %r1, %r2, 3;"),
    Row("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, %rd1, {%f5, %f6};", "%rd1",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"),
    Row("tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7}];", "{%f5, %f6, %f7}",
        "add a fourth element, which is not read: `{x, y, z, z}`"),
    # those of another modifier
    Row("fma.rn.f16 %r1, %r2, %r3, %r4;", "%r1", "fma.rn.f16x2 %r1, %r2, %r3, %r4;"),
    Row("mad.lo.s32 %rd1, %r2, %r3, %rd4;", "%rd1", "mad.wide.s32 %rd1, %r2, %r3, %rd4;"),
    Row("mul.wide.s32 %r1, %r2, %r3;", "%r1", "declare it `.reg .s64`, or write `mul.lo.s32`"),
    Row("ld.global.u64 %r1, [%rd1];", "%r1", "declare it `.reg .u64`, or write `ld.global.u32`"),
    Row(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5},"
        " {%f0,%f1,%f2,%f3};",
        "{%r0,%r1,%r2,%r3}",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5},"
        " {%f0,%f1,%f2,%f3};",
    ),
    Row(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2}, [%r5];", "{%r1,%r2}",
        "`ldmatrix.sync.aligned.m8n8.x2.shared.b16` takes these operands",
    ),
    Row("tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f2}];", "{%f2}", "write `{x, y}`"),
    Row("cp.async.wait_group 1.0;", "1.0", "write an integer, without a point or exponent"),
    Row("setp.gt.ge %p1, %r1, 3;", ".ge", "leave out `.gt` or `.ge`"),
    Row("setp.s32.s32 %p1, %r1, 3;", ".s32", "its form is `setp.CmpOp.type"),
    Row("add.s32 {%r1}, %r2, 3;", "{%r1}", "add.s32 %r1, %r2, 3;"),
    Row("add.s32 %r1, %r2, {%r3, %r4};", "{%r3, %r4}", "write one operand, without braces"),
    Row("setp.gt.s32 !%p1, %r1, 0;", "!%p1", "setp.gt.s32 %p1, %r1, 0;"),
    Row("ld.global.u32 %r1, [%f1];", "%f1", "use a register of type `.b64`"),
    # special registers, whose help is accepted
    Row("mov.u32 %r1, %is_explicit_cluster;", "%is_explicit_cluster",
        "`mov.pred %p, %is_explicit_cluster; selp.u32 %x, 1, 0, %p;`"),
    Row("selp.u32 %r1, 1, 0, %is_explicit_cluster;", "%is_explicit_cluster", "`mov.pred %p, %is_explicit_cluster;`"),
    Row("mov.pred %p1, %tid.x;", "%tid.x", "`mov.u32 %r, %tid.x; setp.ne.u32 %p, %r, 0;`"),
    Row("add.s64 %rd1, %rd2, %clock64;", "%clock64", "`mov.u64 %r, %clock64;`"),
    Row("add.u32 %r1, %r2, %tid;", "%tid", "`mov.u32 %r, %tid.x;`"),
    # too many or too few
    Row("mad.f32 %f1, %f2, %f3;", "mad.f32", "mul.rn.f32 %f1, %f2, %f3;"),
    Row("st.global.v2.f32 [%rd1], %f1, %f2;", "st.global.v2.f32", "st.global.v2.f32 [%rd1], {%f1, %f2};"),
    Row("ld.global.v2.f32 %f1, %f2, [%rd1];", "ld.global.v2.f32", "ld.global.v2.f32 {%f1, %f2}, [%rd1];"),
    Row("atom.global.add.u32 [%rd1], %r1;", "atom.global.add.u32", "red.global.add.u32 [%rd1], %r1;"),
    Row("red.global.add.u32 %r1, [%rd1], %r2;", "red.global.add.u32", "atom.global.add.u32 %r1, [%rd1], %r2;"),
    Row("mul.lo.s32 %r1, %r2, %r3, %r4;", "mul.lo.s32", "mad.lo.s32 %r1, %r2, %r3, %r4;"),
    Row("mul.rn.f32 %f1, %f2, %f3, %f4;", "mul.rn.f32", "fma.rn.f32 %f1, %f2, %f3, %f4;"),
    Row("fma.rn.f16 %h1, %h2, %h3;", "fma.rn.f16", "mul.rn.f16 %h1, %h2, %h3;"),
    Row("tex.2d.v4.f32.f32 %f1, [%rd1, {%f2, %f3}];", "%f1", "write `{a, b, c, d}`, with `_` for results that"),
    Row("ldmatrix.sync.aligned.m8n8.x4.shared.b16 %r1, [%r5];", "%r1", "write `{a, b, c, d}`"),
    Row("bra %r1;", "%r1", "`brx.idx index, targets;` branches to one of several labels"),
    Row("L: bra [L];", "[L]", "a label stands without brackets"),
    Row("shfl.sync.down.b32 %r1, %r2, 1, 31;", "shfl.sync.down.b32", "shfl.sync.down.b32 %r1, %r2, 1, 31, 0xffffffff;"),
    Row("shfl.sync.down.b32 %r1, %r2, 1;", "shfl.sync.down.b32", "shfl.sync.mode.b32 d[|p], a, b, c, membermask"),
    Row("bar.warp.sync;", "bar.warp.sync", "bar.warp.sync 0xffffffff;"),
    Row("bar.sync;", "bar.sync", "bar.sync 0;"),
    Row("cp.async.wait_group;", "cp.async.wait_group", "cp.async.wait_group 0;"),
    Row("add.s32 %r1, 5;", "add.s32", "a destination that is also read is named twice"),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_one_finding_with_its_cure(row: Row) -> None:
    assert given(row) == (row.marked, row.cure)


@pytest.mark.parametrize(("a", "form"), [("%rd1", "8 operands"), ("{%r0,%r1,%r2,%r3}", "7 operands")])
def test_the_form_of_the_operands_that_are_there_says_how_many_there_are(a: str, form: str) -> None:
    """`wgmma` has a form with a descriptor for `a`, and one with a list of registers."""
    given = f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0,%f1,%f2,%f3}}, {a}, %rd2, 1, 1, 1;"
    (error,) = openptx.check(module(given).replace("sm_100a", "sm_90a"))
    assert f"takes {form}, not 6" in error.message


@pytest.mark.parametrize(
    ("example", "help"),
    [
        ("wgmma.fence;", "write `wgmma.fence.sync.aligned`"),
        (
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, [%rd1], %rd2, %p1, 1, 1, 0, 0;",
            "it is a descriptor of a matrix in shared memory, a value of 64 bits: compute it in a register",
        ),
    ],
)
def test_advice_on_multiplications_of_warpgroups(example: str, help: str) -> None:
    (found,) = openptx.check(module(example).replace("sm_100a", "sm_90a"))
    assert found.help == help
