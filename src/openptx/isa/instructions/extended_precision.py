"""Extended-precision integer arithmetic: additions and multiplications that carry (9.7.2)."""

from __future__ import annotations

from openptx.isa.notation import instruction

add_cc = instruction(
    "add",
    anchor="extended-precision-arithmetic-instructions-add-cc",
    summary="d = a + b; the carry goes to CC.CF.",
    syntax="""
        add.cc.type   d, a, b;   // PTX 1.2
        .type = { .u32, .s32 };
        add.cc.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
    """,
    carry="out",
)

addc = instruction(
    "addc",
    anchor="extended-precision-arithmetic-instructions-addc",
    summary="d = a + b + CC.CF.",
    syntax="""
        addc{.cc}.type   d, a, b;   // PTX 1.2
        .type = { .u32, .s32 };
        addc{.cc}.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
    """,
    carry="in out",
)

sub_cc = instruction(
    "sub",
    anchor="extended-precision-arithmetic-instructions-sub-cc",
    summary="d = a - b; the borrow goes to CC.CF.",
    syntax="""
        sub.cc.type   d, a, b;   // PTX 1.2
        .type = { .u32, .s32 };
        sub.cc.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
    """,
    carry="out",
)

subc = instruction(
    "subc",
    anchor="extended-precision-arithmetic-instructions-subc",
    summary="d = a - (b + CC.CF).",
    syntax="""
        subc{.cc}.type   d, a, b;   // PTX 1.2
        .type = { .u32, .s32 };
        subc{.cc}.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
    """,
    carry="in out",
)

mad_cc = instruction(
    "mad",
    anchor="extended-precision-arithmetic-instructions-mad-cc",
    summary="d = the high or the low half of a * b, plus c; the carry goes to CC.CF.",
    syntax="""
        mad.mode.cc.type   d, a, b, c;   // PTX 3.0, sm_20
        .type = { .u32, .s32 };
        mad.mode.cc.type   d, a, b, c;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
        .mode = { .hi, .lo };
    """,
    carry="out",
    glued=1,
)

madc = instruction(
    "madc",
    anchor="extended-precision-arithmetic-instructions-madc",
    summary="d = the high or the low half of a * b, plus c + CC.CF.",
    syntax="""
        madc.mode{.cc}.type   d, a, b, c;   // PTX 3.0, sm_20
        .type = { .u32, .s32 };
        madc.mode{.cc}.type   d, a, b, c;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
        .mode = { .hi, .lo };
    """,
    carry="in out",
    glued=1,
)
