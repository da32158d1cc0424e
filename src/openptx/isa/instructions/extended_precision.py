"""Extended-precision integer arithmetic: additions and multiplications with carry (9.7.2)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

add_cc = instruction(
    "add",
    anchor="extended-precision-arithmetic-instructions-add-cc",
    summary="d = a + b; CC.CF = the carry.",
    syntax="""
        add.cc.type   d, a, b;   // PTX 1.2
        .type = { .u32, .s32 };
        add.cc.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
    """,
    carry="out",
)


@meaning(add_cc)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> tuple[Bits, Bits]:
    d = a + b
    return d, d < a


addc = instruction(
    "addc",
    anchor="extended-precision-arithmetic-instructions-addc",
    summary="d = a + b + CC.CF.",
    syntax="""
        addc{.cc}.type   d, a, b;   // PTX 1.2
        .type = { .u32, .s32 };
        addc{.cc}.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
        addc.type        d, a, b;   // PTX 1.2 (ptxas)
        .type = { .u16, .s16, .u64, .s64 };
    """,
    carry="in out",
)


@meaning(addc)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, cc: Bits) -> Bits | tuple[Bits, Bits]:
    return with_carry(x, m, a, b, cc)


def with_carry(x: Machine, m: Modifiers, a: Bits, b: Bits, cc: Bits) -> Bits | tuple[Bits, Bits]:
    """a + b + CC.CF; with `.cc` also writes the carry."""
    s = a + b
    d = s + x.resize(cc, a.width)
    return (d, (s < a) | (d < s)) if m.cc else d


sub_cc = instruction(
    "sub",
    anchor="extended-precision-arithmetic-instructions-sub-cc",
    summary="d = a - b; CC.CF = the carry of a + ~b + 1, which is 0 if there is a borrow.",
    syntax="""
        sub.cc.type   d, a, b;   // PTX 1.3
        .type = { .u32, .s32 };
        sub.cc.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
    """,
    carry="out",
)


@meaning(sub_cc)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> tuple[Bits, Bits]:
    return a - b, a >= b


subc = instruction(
    "subc",
    anchor="extended-precision-arithmetic-instructions-subc",
    summary="d = a + ~b + CC.CF: a - b, minus 1 if there was a borrow.",
    syntax="""
        subc{.cc}.type   d, a, b;   // PTX 1.3
        .type = { .u32, .s32 };
        subc{.cc}.type   d, a, b;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
        subc.type        d, a, b;   // PTX 1.3 (ptxas)
        .type = { .u16, .s16, .u64, .s64 };
    """,
    carry="in out",
)


@meaning(subc)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, cc: Bits) -> Bits | tuple[Bits, Bits]:
    return with_carry(x, m, a, ~b, cc)


mad_cc = instruction(
    "mad",
    anchor="extended-precision-arithmetic-instructions-mad-cc",
    summary="d = the high or the low half of a * b, plus c; CC.CF = the carry.",
    syntax="""
        mad.mode.cc.type   d, a, b, c;   // PTX 3.0, sm_20
        .type = { .u32, .s32 };
        mad.mode.cc.type   d, a, b, c;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
        .mode = { .hi, .lo };
    """,
    carry="out",
    ordered_prefix=1,
)


@meaning(mad_cc)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> tuple[Bits, Bits]:
    d = half_product(x, m, a, b) + c
    return d, d < c


def half_product(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return x.mulhi(m.type, a, b) if m.mode == "hi" else a * b


madc = instruction(
    "madc",
    anchor="extended-precision-arithmetic-instructions-madc",
    summary="d = the high or the low half of a * b, plus c + CC.CF.",
    syntax="""
        madc.mode{.cc}.type   d, a, b, c;   // PTX 3.0, sm_20
        .type = { .u32, .s32 };
        madc.mode{.cc}.type   d, a, b, c;   // PTX 4.3, sm_20
        .type = { .u64, .s64 };
        madc.mode.type        d, a, b, c;   // PTX 3.0, sm_20 (ptxas)
        .type = { .u16, .s16, .u64, .s64 };

        .mode = { .hi, .lo };
    """,
    carry="in out",
    ordered_prefix=1,
)


@meaning(madc)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits, cc: Bits) -> Bits | tuple[Bits, Bits]:
    return with_carry(x, m, half_product(x, m, a, b), c, cc)
