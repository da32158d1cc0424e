"""Logic and shifts (9.7.8)."""

from __future__ import annotations

from openptx.isa.notation import instruction

and_ = instruction(
    "and",
    anchor="logic-and-shift-instructions-and",
    summary="d = a & b.",
    syntax="""
        and.type   d, a, b;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
)

or_ = instruction(
    "or",
    anchor="logic-and-shift-instructions-or",
    summary="d = a | b.",
    syntax="""
        or.type   d, a, b;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
)

xor = instruction(
    "xor",
    anchor="logic-and-shift-instructions-xor",
    summary="d = a ^ b.",
    syntax="""
        xor.type   d, a, b;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
)

not_ = instruction(
    "not",
    anchor="logic-and-shift-instructions-not",
    summary="d = ~a.",
    syntax="""
        not.type   d, a;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64 };
    """,
)

cnot = instruction(
    "cnot",
    anchor="logic-and-shift-instructions-cnot",
    summary="d = 1 if a is zero, else 0.",
    syntax="""
        cnot.type   d, a;   // PTX 1.0
        .type = { .b16, .b32, .b64 };
    """,
)

lop3 = instruction(
    "lop3",
    anchor="logic-and-shift-instructions-lop3",
    summary="d = the logical operation of a, b and c that the table immLut gives; p = whether d is not zero, with q.",
    syntax="""
        lop3.b32          d, a, b, c, immLut;        // PTX 4.3, sm_50
        lop3.BoolOp.b32   d|p, a, b, c, immLut, {!}q;   // PTX 8.2, sm_70
        .BoolOp = { .or, .and };
    """,
    types={"immLut": "u32"},
)

shf = instruction(
    "shf",
    anchor="logic-and-shift-instructions-shf",
    summary="d = the upper half of b:a shifted left by c, or the lower half of it shifted right.",
    syntax="""
        shf.direction.mode.b32   d, a, b, c;   // PTX 3.1, sm_32
        .direction = { .l, .r };
        .mode      = { .clamp, .wrap };
    """,
    types={"c": "u32"},
    glued=1,
)

shl = instruction(
    "shl",
    anchor="logic-and-shift-instructions-shl",
    summary="d = a << b; zero from the width of the type on.",
    syntax="""
        shl.type   d, a, b;   // PTX 1.0
        .type = { .b16, .b32, .b64 };
    """,
    types={"b": "u32"},
)

shr = instruction(
    "shr",
    anchor="logic-and-shift-instructions-shr",
    summary="d = a >> b, filled with the sign of a where the type is signed.",
    syntax="""
        shr.type   d, a, b;   // PTX 1.0
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    types={"b": "u32"},
)
