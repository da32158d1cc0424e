"""Integer arithmetic (9.7.1)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import packed
from openptx.isa.types import TYPES, WIDE, Type
from openptx.numerics import S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits


def product(m: Modifiers) -> Type:
    """The type of a product and of its addend: twice as wide under `.wide`."""
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
        add.type        d, a, b;   // PTX 9.2, sm_107f sm_120f (ptxas)
        .type = { .u8x4, .s8x4 };
        add.sat.type    d, a, b;   // PTX 9.2, sm_107f sm_120f (ptxas)
        .type = { .u16x2, .s16x2, .u8x4, .s8x4, .u32 };

        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    algebra="integer sum",
)


@meaning(add)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return saturating_sum(x, m.type.element, a, b) if m.sat else a + b


def saturating_sum(x: Machine, t: Type, a: Bits, b: Bits) -> Bits:
    """a + b, clamped to the range of the type."""
    d, w = a + b, a.width
    if not t.signed:
        return x.pick(d < a, (1 << w) - 1, d)
    limit = x.pick(x.negative(a), 1 << w - 1, x.const((1 << w - 1) - 1, w))
    return x.select(x.negative((a ^ d) & (b ^ d)), limit, d)


sub = instruction(
    "sub",
    anchor="integer-arithmetic-instructions-sub",
    summary="d = a - b, wrapped around or saturated.",
    syntax="""
        sub.type        d, a, b;   // PTX 1.0
        sub{.sat}.s32   d, a, b;   // PTX 1.0

        sub{.sat}.type  d, a, b;   // PTX 9.2, sm_107f sm_120f (ptxas)
        .type = { .u8x4, .s8x4 };

        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    algebra="integer difference",
)


@meaning(sub)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    d, w = a - b, a.width
    if not m.sat:
        return d
    if not m.type.element.signed:
        return x.pick(a < b, 0, d)
    limit = x.pick(x.negative(a), 1 << w - 1, x.const((1 << w - 1) - 1, w))
    return x.select(x.negative((a ^ b) & (a ^ d)), limit, d)


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
    ordered_prefix=1,
    relative="mad",
)


@meaning(mul)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return multiply(x, m, a, b)


def multiply(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    """The part of the product that `.hi`, `.lo` or `.wide` selects."""
    if m.mode == "wide":
        a, b = (x.resize(q, 2 * q.width, m.type.signed) for q in (a, b))
    return x.mulhi(m.type, a, b) if m.mode == "hi" else a * b


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
    ordered_prefix=1,
    relative="mul",
)


@meaning(mad)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    d = multiply(x, m, a, b)
    return saturating_sum(x, m.type, d, c) if m.sat else d + c


mul24 = instruction(
    "mul24",
    anchor="integer-arithmetic-instructions-mul24",
    summary="d = the high or the low 32 bits of the 48-bit product of the low 24 bits of a and b.",
    syntax="""
        mul24.mode.type   d, a, b;   // PTX 1.0
        .mode = { .hi, .lo };
        .type = { .u32, .s32 };
    """,
    ordered_prefix=1,
)


@meaning(mul24)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return multiply_24(x, m, a, b)


def multiply_24(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    """Bits 47 to 16 or 31 to 0 of the product of two 24-bit integers."""
    a, b = (x.shr(m.type, x.resize(q, 64) << 40, 40) for q in (a, b))
    return x.resize(a * b >> (16 if m.mode == "hi" else 0), 32)


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
    ordered_prefix=1,
)


@meaning(mad24)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    d = multiply_24(x, m, a, b)
    return saturating_sum(x, m.type, d, c) if m.sat else d + c


sad = instruction(
    "sad",
    anchor="integer-arithmetic-instructions-sad",
    summary="d = c + |a - b|.",
    syntax="""
        sad.type   d, a, b, c;   // PTX 1.0
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
)


@meaning(sad)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    return c + x.select(x.less(m.type, a, b), b - a, a - b)


div = instruction(
    "div",
    anchor="integer-arithmetic-instructions-div",
    summary="d = a / b, rounded towards zero.",
    syntax="""
        div.type   d, a, b;   // PTX 1.0
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    splits_block=lambda m: m.type.name in ("s32", "s64", "u64"),
)


@meaning(div)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return x.divide(m.type, a, b)


rem = instruction(
    "rem",
    anchor="integer-arithmetic-instructions-rem",
    summary="d = the remainder of a / b, with the sign of a.",
    syntax="""
        rem.type   d, a, b;   // PTX 1.0
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    """,
    splits_block=lambda m: m.type.name in ("s32", "s64", "u64"),
)


@meaning(rem)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return x.remainder(m.type, a, b)


abs_ = instruction(
    "abs",
    anchor="integer-arithmetic-instructions-abs",
    summary="d = |a|; the most negative integer is unchanged.",
    syntax="""
        abs.type   d, a;   // PTX 1.0
        .type = { .s16, .s32, .s64 };
    """,
)


@meaning(abs_)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.abs(a)


neg = instruction(
    "neg",
    anchor="integer-arithmetic-instructions-neg",
    summary="d = -a, wrapped around.",
    syntax="""
        neg.type   d, a;   // PTX 1.0
        neg.s8x4   d, a;   // PTX 9.2, sm_107f sm_120f (ptxas)
        .type = { .s16, .s32, .s64 };
    """,
)


@meaning(neg)
@packed
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return -a


_SMALLER_OR_LARGER = """
        {0}.type          d, a, b;   // PTX 1.0
        .type = {{ .u16, .u32, .u64, .s16, .s32, .s64 }};
        {0}.type          d, a, b;   // PTX 8.0, sm_90
        .type = {{ .u16x2, .s16x2 }};
        {0}.relu.type     d, a, b;   // PTX 8.0, sm_90
        .type = {{ .s16x2, .s32 }};
        {0}.type          d, a, b;   // PTX 9.2, sm_107f sm_120f (ptxas)
        .type = {{ .u8x4, .s8x4 }};
        {0}.relu.s8x4     d, a, b;   // PTX 9.2, sm_107f sm_120f (ptxas)
"""

min_ = instruction(
    "min",
    anchor="integer-arithmetic-instructions-min",
    summary="d = the smaller of a and b; with `.relu` clamped to at least zero.",
    syntax=_SMALLER_OR_LARGER.format("min"),
)


@meaning(min_)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    d = x.min(m.type.element, a, b)
    return x.max(S, d, 0) if m.relu else d


max_ = instruction(
    "max",
    anchor="integer-arithmetic-instructions-max",
    summary="d = the larger of a and b; with `.relu` clamped to at least zero.",
    syntax=_SMALLER_OR_LARGER.format("max"),
)


@meaning(max_)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    d = x.max(m.type.element, a, b)
    return x.max(S, d, 0) if m.relu else d


dp4a = instruction(
    "dp4a",
    anchor="integer-arithmetic-instructions-dp4a",
    summary="d = c plus the dot product of the four bytes of a and b.",
    syntax="""
        dp4a.atype.btype   d, a, b, c;   // PTX 5.0, sm_61
        .atype = .btype = { .u32, .s32 };
    """,
    types={"d": dot_product, "a": "b32", "b": "b32", "c": dot_product},
    operands="""
        a b   as .u32
        c d   strictly
    """,
)


@meaning(dp4a)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    for p, q in zip(x.split(a, 8), x.split(b, 8), strict=True):
        c = c + x.resize(p, 32, m.atype.signed) * x.resize(q, 32, m.btype.signed)
    return c


dp2a = instruction(
    "dp2a",
    anchor="integer-arithmetic-instructions-dp2a",
    summary="d = c plus the dot product of the two halves of a and two bytes of b.",
    syntax="""
        dp2a.mode.atype.btype   d, a, b, c;   // PTX 5.0, sm_61
        .mode = { .lo, .hi };
        .atype = .btype = { .u32, .s32 };
    """,
    types={"d": dot_product, "a": "b32", "b": "b32", "c": dot_product},
    operands="""
        a b   as .u32
        c d   strictly
    """,
    ordered_prefix=1,
)


@meaning(dp2a)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    chosen = x.split(b, 8)[:2] if m.mode == "lo" else x.split(b, 8)[2:]
    for p, q in zip(x.split(a, 16), chosen, strict=True):
        c = c + x.resize(p, 32, m.atype.signed) * x.resize(q, 32, m.btype.signed)
    return c
