"""Comparison and selection (9.7.6)."""

from __future__ import annotations

from openptx.isa.notation import instruction

_COMPARISONS = """
        .CmpOp  = { eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };
        .BoolOp = { and, or, xor };
"""

set_ = instruction(
    "set",
    anchor="comparison-and-selection-instructions-set",
    summary="d = whether a and b compare so, combined with c: all ones or zero, or 1.0 or 0.0 as f32.",
    syntax="""
        set.CmpOp{.ftz}.dtype.atype          d, a, b;         // PTX 1.0
        set.CmpOp.BoolOp{.ftz}.dtype.atype   d, a, b, {!}c;   // PTX 1.0
        .dtype  = { .u32, .s32, .f32 };
        .atype  = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """
    + _COMPARISONS,
    types={"c": "pred"},
    gates="""
        atype=.f64   sm_13
    """,
)

setp = instruction(
    "setp",
    anchor="comparison-and-selection-instructions-setp",
    summary="p = whether a and b compare so, combined with c; q = the same of the opposite comparison.",
    syntax="""
        setp.CmpOp{.ftz}.type          p[|q], a, b;         // PTX 1.0
        setp.CmpOp.BoolOp{.ftz}.type   p[|q], a, b, {!}c;   // PTX 1.0
        .type   = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """
    + _COMPARISONS,
    types={"c": "pred"},
    gates="""
        .f64   sm_13
    """,
)

selp = instruction(
    "selp",
    anchor="comparison-and-selection-instructions-selp",
    summary="d = a where c holds, else b.",
    syntax="""
        selp.type   d, a, b, c;   // PTX 1.0
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """,
    types={"c": "pred"},
    gates="""
        .f64   sm_13
    """,
)

slct = instruction(
    "slct",
    anchor="comparison-and-selection-instructions-slct",
    summary="d = a where c is not negative, else b.",
    syntax="""
        slct.dtype.s32         d, a, b, c;   // PTX 1.0
        slct{.ftz}.dtype.f32   d, a, b, c;   // PTX 1.0
        .dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """,
    types={"a": "dtype", "b": "dtype", "c": "atype"},
    gates="""
        dtype=.f64   sm_13
    """,
)
