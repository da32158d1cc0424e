"""Integer arithmetic (9.7.1)."""

from __future__ import annotations

from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction
from openptx.isa.types import TYPES, WIDE, Type


def product(m: Modifiers) -> Type:
    """The type of a product, and of what is added to it: twice as wide under `.wide`."""
    return WIDE[m.type.name] if m.mode == "wide" else m.type


def dot_product(m: Modifiers) -> Type:
    """The type of a sum of products: unsigned if all factors are."""
    return TYPES["s32" if m.atype.signed or m.btype.signed else "u32"]


add = instruction(
    "add",
    anchor="integer-arithmetic-instructions-add",
    summary="d = a + b, wrapped around or saturated.",
    syntax="""
        add.type        d, a, b;   // PTX 1.0
        add{.sat}.s32   d, a, b;   // PTX 1.0

        add.type        d, a, b;   // PTX 8.0, sm_90
        .type = { .u16x2, .s16x2 };
        add.type        d, a, b;   // PTX 9.2, sm_107f sm_120f
        .type = { .u8x4, .s8x4 };
        add.sat.type    d, a, b;   // PTX 9.2, sm_107f sm_120f
        .type = { .u16x2, .s16x2, .u8x4, .s8x4, .u32 };

        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
)

sub = instruction(
    "sub",
    anchor="integer-arithmetic-instructions-sub",
    summary="d = a - b, wrapped around or saturated.",
    syntax="""
        sub.type        d, a, b;   // PTX 1.0
        sub{.sat}.s32   d, a, b;   // PTX 1.0

        sub.type        d, a, b;   // PTX 9.2, sm_107f sm_120f
        .type = { .u8x4, .s8x4 };

        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
)

mul = instruction(
    "mul",
    anchor="integer-arithmetic-instructions-mul",
    summary="d = the high or the low half of a * b, or all of it.",
    syntax="""
        mul.mode.type   d, a, b;   // PTX 1.0
        .mode = { .hi, .lo };
        mul.mode.type   d, a, b;   // PTX 1.0
        .mode = { .wide };
        .type = { .u16, .u32, .s16, .s32 };

        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    types={"d": product},
    glued=1,
)

mad = instruction(
    "mad",
    anchor="integer-arithmetic-instructions-mad",
    summary="d = the high or the low half of a * b, or all of it, plus c.",
    syntax="""
        mad.mode.type   d, a, b, c;   // PTX 1.0
        .mode = { .hi, .lo };
        mad.mode.type   d, a, b, c;   // PTX 1.0
        .mode = { .wide };
        .type = { .u16, .u32, .s16, .s32 };
        mad.mode.sat.s32  d, a, b, c;   // PTX 1.0
        .mode = { .hi };

        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    types={"d": product, "c": product},
    glued=1,
)

mul24 = instruction(
    "mul24",
    anchor="integer-arithmetic-instructions-mul24",
    summary="d = the high or the low 32 bits of the 48-bit product of the low 24 bits of a and b.",
    syntax="""
        mul24.mode.type   d, a, b;   // PTX 1.0
        .mode = { .hi, .lo };
        .type = { .u32, .s32 };
    """,
    glued=1,
)

mad24 = instruction(
    "mad24",
    anchor="integer-arithmetic-instructions-mad24",
    summary="d = the high or the low 32 bits of the 48-bit product of the low 24 bits of a and b, plus c.",
    syntax="""
        mad24.mode.type     d, a, b, c;   // PTX 1.0

        mad24.mode.sat.s32  d, a, b, c;   // PTX 1.0
        .mode = { .hi };

        .mode = { .hi, .lo };
        .type = { .u32, .s32 };
    """,
    glued=1,
)

sad = instruction(
    "sad",
    anchor="integer-arithmetic-instructions-sad",
    summary="d = c + |a - b|.",
    syntax="""
        sad.type   d, a, b, c;   // PTX 1.0
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
)

div = instruction(
    "div",
    anchor="integer-arithmetic-instructions-div",
    summary="d = a / b, rounded towards zero.",
    syntax="""
        div.type   d, a, b;   // PTX 1.0
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
)

rem = instruction(
    "rem",
    anchor="integer-arithmetic-instructions-rem",
    summary="d = the remainder of a / b; it has the sign of a.",
    syntax="""
        rem.type   d, a, b;   // PTX 1.0
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
)

abs_ = instruction(
    "abs",
    anchor="integer-arithmetic-instructions-abs",
    summary="d = |a|; the least integer stays as it is.",
    syntax="""
        abs.type   d, a;   // PTX 1.0
        .type = { .s16, .s32, .s64 };
    """,
)

neg = instruction(
    "neg",
    anchor="integer-arithmetic-instructions-neg",
    summary="d = -a, wrapped around.",
    syntax="""
        neg.type   d, a;   // PTX 1.0
        neg.s8x4   d, a;   // PTX 9.2, sm_107f sm_120f
        .type = { .s16, .s32, .s64 };
    """,
)

_SMALLER_OR_LARGER = """
        {0}.type          d, a, b;   // PTX 1.0
        .type = {{ .u16, .u32, .u64, .s16, .s32, .s64 }};
        {0}.type          d, a, b;   // PTX 8.0, sm_90
        .type = {{ .u16x2, .s16x2 }};
        {0}.relu.type     d, a, b;   // PTX 8.0, sm_90
        .type = {{ .s16x2, .s32 }};
        {0}.type          d, a, b;   // PTX 9.2, sm_107f sm_120f
        .type = {{ .u8x4, .s8x4 }};
"""

min_ = instruction(
    "min",
    anchor="integer-arithmetic-instructions-min",
    summary="d = the smaller of a and b; with `.relu` not below zero.",
    syntax=_SMALLER_OR_LARGER.format("min"),
)

max_ = instruction(
    "max",
    anchor="integer-arithmetic-instructions-max",
    summary="d = the larger of a and b; with `.relu` not below zero.",
    syntax=_SMALLER_OR_LARGER.format("max"),
)

popc = instruction(
    "popc",
    anchor="integer-arithmetic-instructions-popc",
    summary="d = the number of one bits in a.",
    syntax="""
        popc.type   d, a;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
    types={"d": "u32"},
)

clz = instruction(
    "clz",
    anchor="integer-arithmetic-instructions-clz",
    summary="d = the number of zero bits above the highest one bit of a.",
    syntax="""
        clz.type   d, a;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
    types={"d": "u32"},
)

bfind = instruction(
    "bfind",
    anchor="integer-arithmetic-instructions-bfind",
    summary="d = the position of the most significant bit of a that isn't a copy of its sign, or all ones.",
    syntax="""
        bfind.type            d, a;   // PTX 2.0, sm_20
        bfind.shiftamt.type   d, a;   // PTX 2.0, sm_20
        .type = { .u32, .u64, .s32, .s64 };
    """,
    types={"d": "u32"},
)

fns = instruction(
    "fns",
    anchor="integer-arithmetic-instructions-fns",
    summary="d = the position of the n-th set bit of mask, counted from base; all ones if there is none.",
    syntax="""
        fns.b32   d, mask, base, offset;   // PTX 6.0, sm_30
    """,
    types={"d": "b32", "mask": "b32", "base": "b32", "offset": "s32"},
)

brev = instruction(
    "brev",
    anchor="integer-arithmetic-instructions-brev",
    summary="d = the bits of a in reverse order.",
    syntax="""
        brev.type   d, a;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
)

bfe = instruction(
    "bfe",
    anchor="integer-arithmetic-instructions-bfe",
    summary="d = c bits of a from bit b on, extended by their sign or by zero.",
    syntax="""
        bfe.type   d, a, b, c;   // PTX 2.0, sm_20
        .type = { .u32, .u64, .s32, .s64 };
    """,
    types={"b": "u32", "c": "u32"},
)

bfi = instruction(
    "bfi",
    anchor="integer-arithmetic-instructions-bfi",
    summary="f = b with d bits from bit c on replaced by the lowest bits of a.",
    syntax="""
        bfi.type   f, a, b, c, d;   // PTX 2.0, sm_20
        .type = { .b32, .b64 };
    """,
    types={"c": "u32", "d": "u32"},
    writes="f",
)

szext = instruction(
    "szext",
    anchor="integer-arithmetic-instructions-szext",
    summary="d = the lowest b bits of a, extended by their sign or by zero.",
    syntax="""
        szext.mode.type   d, a, b;   // PTX 7.6, sm_70
        .mode = { .clamp, .wrap };
        .type = { .u32, .s32 };
    """,
    types={"b": "u32"},
)

bmsk = instruction(
    "bmsk",
    anchor="integer-arithmetic-instructions-bmsk",
    summary="d = b one bits from bit a on.",
    syntax="""
        bmsk.mode.b32   d, a, b;   // PTX 7.6, sm_70
        .mode = { .clamp, .wrap };
    """,
    types={"a": "u32", "b": "u32"},
)

dp4a = instruction(
    "dp4a",
    anchor="integer-arithmetic-instructions-dp4a",
    summary="d = c plus the sum of the products of the four bytes of a and b.",
    syntax="""
        dp4a.atype.btype   d, a, b, c;   // PTX 5.0, sm_61
        .atype = .btype = { .u32, .s32 };
    """,
    types={"d": dot_product, "a": "b32", "b": "b32", "c": dot_product},
)

dp2a = instruction(
    "dp2a",
    anchor="integer-arithmetic-instructions-dp2a",
    summary="d = c plus the sum of the products of the two halves of a and two bytes of b.",
    syntax="""
        dp2a.mode.atype.btype   d, a, b, c;   // PTX 5.0, sm_61
        .mode = { .lo, .hi };
        .atype = .btype = { .u32, .s32 };
    """,
    types={"d": dot_product, "a": "b32", "b": "b32", "c": dot_product},
)
