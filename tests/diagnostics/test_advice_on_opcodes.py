"""Opcodes that no instruction has, or no form together: one finding, and what to write instead."""

from __future__ import annotations

import pytest
from advice import Row, given

ROWS = (
    Row("ld.global.f32x4 {%f1,%f2,%f3,%f4}, [%rd1];", ".f32x4", "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];"),
    Row("ld.global.float4 {%f1,%f2,%f3,%f4}, [%rd1];", ".float4", "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];"),
    Row("ld.global.f32x2 {%f1,%f2}, [%rd1];", ".f32x2", "ld.global.v2.f32 {%f1,%f2}, [%rd1];"),
    Row("v_add_f32 %f0, %f1, %f2;", "v_add_f32", "add.f32 %f0, %f1, %f2;"),
    Row(
        "s_load_dwordx2 %r1, %r2, 0;",
        "s_load_dwordx2",
        "`s_load_dwordx2` is an instruction of AMD's GPUs; PTX has none of that name",
    ),
    Row(
        "v_fma_f32 %f0, %f1, %f2, %f3;",
        "v_fma_f32",
        "`v_fma_f32` is an instruction of AMD's GPUs; PTX has none of that name",
    ),
    Row("mov_u32 %r1, %r2;", "mov_u32", "mov.u32 %r1, %r2;"),
    Row("bar_sync 0;", "bar_sync", "bar.sync 0;"),
    Row("OpFAdd %f1, %f2, %f3;", "OpFAdd", "`OpFAdd` is an instruction of SPIR-V; PTX has none of that name"),
    Row(
        "getelementptr %rd1, %rd2, 5;",
        "getelementptr",
        "`getelementptr` is an instruction of LLVM IR; PTX has none of that name",
    ),
    Row("IADD3 %r1, %r2, %r3, %r4;", "IADD3", "did you mean `add`?"),
    Row(
        "MUFU.RCP %f1, %f2;",
        "MUFU.RCP",
        "`MUFU` is an instruction of SASS, a GPU's machine code; PTX has none of that name",
    ),
    Row("FADD %f1, %f2, %f3;", "FADD", "did you mean `add`?"),
    Row("EXIT;", "EXIT", "exit;"),
    Row("nop;", "nop", "PTX has no instruction that does nothing: leave it out"),
    Row(
        "lea %rd1, buf;",
        "lea",
        "`mov.u64 d, variable;` takes an address, `mad.wide.u32 d, index, size, base;` computes one",
    ),
    Row("mov.U32 %r1, %r2;", ".U32", "mov.u32 %r1, %r2;"),
    Row("mov.u23 %r1, %r2;", ".u23", "mov.u32 %r1, %r2;"),
    Row("MOV.U32 %r1, %r2;", "MOV.U32", "mov.u32 %r1, %r2;"),
    Row("mov.u32.u32 %r1, %r2;", ".u32", "mov.u32 %r1, %r2;"),
    Row("setp.lt.s32.s32 %p1, %r2, %r3;", ".s32", "setp.lt.s32 %p1, %r2, %r3;"),
    Row("cvt.rn.f32.s32.s32 %f1, %r1;", ".s32", "cvt.rn.f32.s32 %f1, %r1;"),
    Row(
        "ld.acquire.global.u32 %r1, [%rd1];",
        "ld.acquire.global.u32",
        "write `ld.acquire.cta.global.u32`, or one of the others",
    ),
    Row(
        "ld.relaxed.global.u32 %r1, [%rd1];",
        "ld.relaxed.global.u32",
        "write `ld.relaxed.cta.global.u32`, or one of the others",
    ),
    Row(
        "st.release.global.u32 [%rd1], %r1;",
        "st.release.global.u32",
        "write `st.release.cta.global.u32`, or one of the others",
    ),
    Row("mul.lo.f32 %f1, %f2, %f3;", ".lo", "mul.f32 %f1, %f2, %f3;"),
    Row("mul.hi.f32 %f1, %f2, %f3;", ".hi", "`mul.f32` is valid, but without the effect of `.hi`"),
    Row("mad.lo.f32 %f1, %f2, %f3, %f1;", ".lo", "write `mad.f32`"),
    Row(
        "fma.rn.s32 %r1, %r2, %r3, %r4;",
        ".s32",
        "the product of integers is not rounded: `mad.lo`, `mad.hi` or `mad.wide`",
    ),
    Row(
        "fma.s32 %r1, %r2, %r3, %r4;",
        ".s32",
        "the product of integers is not rounded: `mad.lo`, `mad.hi` or `mad.wide`",
    ),
    Row("membar.gpu;", ".gpu", "membar.gl;"),
    Row("membar;", "membar", "write `membar.cta`, or one of the others"),
    Row("fence.sc;", "fence.sc", "write `fence.sc.cta`, or one of the others"),
    Row("setp.s32 %p1, %r1, %r2;", "setp.s32", "write `setp.eq.s32`, or one of the others"),
    Row("ld.generic.u32 %r1, [%rd1];", ".generic", "ld.u32 %r1, [%rd1];"),
    Row("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1,%r2,%r3}, [%r5];", ".x3", "write one of `.x1` `.x2` `.x4`"),
    Row(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b32 {%r1,%r2,%r3,%r4}, [%r5];",
        ".b32",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];",
    ),
    Row(
        "ldmatrix.sync.aligned.m8n8.x4.shared.u16 {%r1,%r2,%r3,%r4}, [%r5];",
        ".u16",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];",
    ),
    Row("add.fp32 %f1, %f2, %f3;", ".fp32", "add.f32 %f1, %f2, %f3;"),
    Row("add.int32 %r1, %r2, %r3;", ".int32", "add.s32 %r1, %r2, %r3;"),
    Row("add.i32 %r1, %r2, %r3;", ".i32", "add.s32 %r1, %r2, %r3;"),
    Row("add.float %f1, %f2, %f3;", ".float", "add.f32 %f1, %f2, %f3;"),
    Row("add.32 %r1, %r2, %r3;", ".32", "write one of `.f32` `.s32` `.u32`"),
    Row("add.b32 %r1, %r2, %r3;", ".b32", "add.s32 %r1, %r2, %r3;"),
    Row(
        "ld.global.v4 {%f1,%f2,%f3,%f4}, [%rd1];",
        "ld.global.v4",
        "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];",
    ),
    Row("cvt.rn.u32 %f1, %r1;", "cvt.rn.u32", "its form is `cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a`"),
    Row("shl.u32 %r1, %r2, 1;", ".u32", "shl.b32 %r1, %r2, 1;"),
    Row("min.u32.s32 %r1, %r2, %r3;", ".s32", "write `min.s32` or `min.u32`"),
    Row("vote.sync.all.b32 %r1, %p1, -1;", ".b32", "replace `.all` by `.ballot`, or `.b32` by `.pred`"),
    Row("bar.red.popc.u32 %r1, 0;", "bar.red.popc.u32", "its form is `bar{.cta}.mode.op.u32 d, a{, b}, {!}c`"),
    Row("shfl.sync.xor.b32 %r1, %r2, 1, 31, -1;", ".xor", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;"),
    Row("atom.global.inc.s32 %r1, [%rd1], 5;", ".s32", "atom.global.inc.u32 %r1, [%rd1], 5;"),
    Row("atom.global.add.b32 %r1, [%rd1], 5;", ".b32", "atom.global.add.s32 %r1, [%rd1], 5;"),
    Row("atom.global.cas.u32 %r1, [%rd1], 5, 6;", ".u32", "atom.global.cas.b32 %r1, [%rd1], 5, 6;"),
    Row("atom.shared.global.add.u32 %r1, [%rd1], 5;", ".global", "write `atom.global.add.u32`"),
    Row("ld.cg.ca.global.u32 %r1, [%rd1];", ".ca", "write `ld.ca.global.u32`"),
    Row("tanh.f32 %f1, %f2;", "tanh.f32", "tanh.approx.f32 %f1, %f2;"),
    Row("exp.f32 %f1, %f2;", "exp.f32", "did you mean `ex2.f32`?"),
    Row("pow.f32 %f1, %f2, %f3;", "pow.f32", "`ex2.approx.f32` of `b` times `lg2.approx.f32` of `a`"),
    Row("sqrt.ftz.f32 %f1, %f2;", "sqrt.ftz.f32", "sqrt.rn.ftz.f32 %f1, %f2;"),
    Row("sqrt.approx.f64 %fd1, %fd2;", ".approx", "sqrt.rn.f64 %fd1, %fd2;"),
    Row("rsqrt.f64 %fd1, %fd2;", "rsqrt.f64", "rsqrt.approx.f64 %fd1, %fd2;"),
    Row("div.approx.f64 %fd1, %fd2, %fd3;", ".approx", "div.rn.f64 %fd1, %fd2, %fd3;"),
    Row("rcp.approx.f64 %fd1, %fd2;", "rcp.approx.f64", "rcp.approx.ftz.f64 %fd1, %fd2;"),
    Row("sin.approx.f64 %fd1, %fd2;", ".f64", "write `sin.approx.f32`"),
    Row("add.approx.f32 %f1, %f2, %f3;", ".approx", "add.f32 %f1, %f2, %f3;"),
    # what the operands say
    Row("xor %r1, %r2, %r3;", "xor", "xor.b32 %r1, %r2, %r3;"),
    Row("add %r1, %r2, %r3;", "add", "write `add.u32`, `add.s32` or"),
    Row("sqrt.rz %f1, %f2;", "sqrt.rz", "sqrt.rz.f32 %f1, %f2;"),
    Row("and.b6 %h1, %h2, 7;", ".b6", "and.b16 %h1, %h2, 7;"),
    Row("sd.s32 %r1, %r2, %r3, %r4;", "sd.s32", "sad.s32 %r1, %r2, %r3, %r4;"),
    Row("vma.s32.s32.s32 %r1, %r2, %r3;", "vma.s32.s32.s32", "vmax.s32.s32.s32 %r1, %r2, %r3;"),
    Row("prmtb32 %r1, %r2, %r3, 5;", "prmtb32", "prmt.b32 %r1, %r2, %r3, 5;"),
    Row("ex2.approxf32 %f1, %f2;", ".approxf32", "ex2.approx.f32 %f1, %f2;"),
    Row("cvta.to.shared.cluster.u64 %rd1, %rd2;", ".cluster", "cvta.to.shared::cluster.u64 %rd1, %rd2;"),
    Row("max.sat.f32 %f1, %f2, %f3;", ".sat", "write `max.f32`"),
    Row("membar.cluster;", ".cluster", "write `membar.cta`, `membar.gl` or `membar.sys`"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_one_finding_with_its_cure(row: Row) -> None:
    assert given(row) == (row.marked, row.cure)
