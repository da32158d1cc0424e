"""Comparison of f16 and bf16, single and packed in pairs (9.7.7)."""

from __future__ import annotations

from openptx.isa.notation import instruction

_COMPARISONS = """
        .CmpOp  = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
        .BoolOp = { and, or, xor };
"""

set_ = instruction(
    "set",
    anchor="half-precision-comparison-instructions-set",
    summary="d = whether a and b compare so, combined with c: 1.0 or 0.0 in half precision, all ones or zero.",
    syntax="""
        set.CmpOp{.ftz}.f16.atype            d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp{.ftz}.f16.atype     d, a, b, {!}c;   // PTX 4.2, sm_53
        set.CmpOp.bf16.atype                 d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.bf16.atype          d, a, b, {!}c;   // PTX 7.8, sm_90
        .atype  = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f16, .f32, .f64 };
        set.CmpOp{.ftz}.dtype.f16            d, a, b;         // PTX 6.5, sm_53
        set.CmpOp.BoolOp{.ftz}.dtype.f16     d, a, b, {!}c;   // PTX 6.5, sm_53
        set.CmpOp.dtype.bf16                 d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.dtype.bf16          d, a, b, {!}c;   // PTX 7.8, sm_90
        .dtype  = { .u16, .s16, .u32, .s32 };
        set.CmpOp{.ftz}.f16x2.f16x2          d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp{.ftz}.f16x2.f16x2   d, a, b, {!}c;   // PTX 4.2, sm_53
        set.CmpOp{.ftz}.dtype.f16x2          d, a, b;         // PTX 6.5, sm_53
        set.CmpOp.BoolOp{.ftz}.dtype.f16x2   d, a, b, {!}c;   // PTX 6.5, sm_53
        .dtype  = { .u32, .s32 };
        set.CmpOp.dtype.bf16x2               d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.dtype.bf16x2        d, a, b, {!}c;   // PTX 7.8, sm_90
        .dtype  = { .bf16x2, .u32, .s32 };
    """
    + _COMPARISONS,
    types={"c": "pred"},
)

setp = instruction(
    "setp",
    anchor="half-precision-comparison-instructions-setp",
    summary="p = whether a and b compare so, combined with c; p and q are for the halves of packed operands.",
    syntax="""
        setp.CmpOp{.ftz}.f16            p[|q], a, b;      // PTX 4.2, sm_53
        setp.CmpOp.BoolOp{.ftz}.f16     p[|q], a, b, {!}c;   // PTX 4.2, sm_53
        setp.CmpOp{.ftz}.f16x2          p|q, a, b;        // PTX 4.2, sm_53
        setp.CmpOp.BoolOp{.ftz}.f16x2   p|q, a, b, {!}c;  // PTX 4.2, sm_53
        setp.CmpOp.bf16                 p[|q], a, b;      // PTX 7.8, sm_90
        setp.CmpOp.BoolOp.bf16          p[|q], a, b, {!}c;   // PTX 7.8, sm_90
        setp.CmpOp.bf16x2               p|q, a, b;        // PTX 7.8, sm_90
        setp.CmpOp.BoolOp.bf16x2        p|q, a, b, {!}c;  // PTX 7.8, sm_90
    """
    + _COMPARISONS,
    types={"c": "pred"},
)
