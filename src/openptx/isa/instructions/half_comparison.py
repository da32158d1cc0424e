"""Comparison of f16 and bf16, single and packed in pairs (9.7.7)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.comparisons import combine, compare
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.types import Type
    from openptx.numerics import Bits

_COMPARISONS = """
        .CmpOp  = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
        .BoolOp = { and, or, xor };
"""
_NO_INTEGERS = """
        .bf16|.bf16x2   c
"""

set_ = instruction(
    "set",
    anchor="half-precision-comparison-instructions-set",
    summary="d = the comparison of a and b, combined with c: 1.0 or 0.0 in half precision, all ones or zero.",
    syntax="""
        set.CmpOp.f16.atype                  d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp.f16.atype           d, a, b, {!}c;   // PTX 4.2, sm_53
        .atype  = { .b16, .b32, .b64 };
        .CmpOp  = { eq, ne };
        set.CmpOp.bf16.atype                 d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.bf16.atype          d, a, b, {!}c;   // PTX 7.8, sm_90
        .atype  = { .b16, .b32, .b64 };
        .CmpOp  = { eq, ne };
        set.CmpOp.f16.atype                  d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp.f16.atype           d, a, b, {!}c;   // PTX 4.2, sm_53
        .atype  = { .s16, .s32, .s64 };
        .CmpOp  = { eq, ne, lt, le, gt, ge };
        set.CmpOp.bf16.atype                 d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.bf16.atype          d, a, b, {!}c;   // PTX 7.8, sm_90
        .atype  = { .s16, .s32, .s64 };
        .CmpOp  = { eq, ne, lt, le, gt, ge };
        set.CmpOp.f16.atype                  d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp.f16.atype           d, a, b, {!}c;   // PTX 4.2, sm_53
        .atype  = { .u16, .u32, .u64 };
        .CmpOp  = { eq, ne, lt, le, gt, ge, lo, ls, hi, hs };
        set.CmpOp.bf16.atype                 d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.bf16.atype          d, a, b, {!}c;   // PTX 7.8, sm_90
        .atype  = { .u16, .u32, .u64 };
        .CmpOp  = { eq, ne, lt, le, gt, ge, lo, ls, hi, hs };
        set.CmpOp.f16.f64                    d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp.f16.f64             d, a, b, {!}c;   // PTX 4.2, sm_53
        set.CmpOp{.ftz}.f16.atype            d, a, b;         // PTX 4.2, sm_53
        set.CmpOp.BoolOp{.ftz}.f16.atype     d, a, b, {!}c;   // PTX 4.2, sm_53
        .atype  = { .f16, .f32 };
        set.CmpOp.bf16.atype                 d, a, b;         // PTX 7.8, sm_90
        set.CmpOp.BoolOp.bf16.atype          d, a, b, {!}c;   // PTX 7.8, sm_90
        .atype  = { .f16, .f32, .f64 };
        set.CmpOp.bf16.bf16                  d, a, b;         // PTX 7.8, sm_90 (ptxas)
        set.CmpOp.BoolOp.bf16.bf16           d, a, b, {!}c;   // PTX 7.8, sm_90 (ptxas)

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
    no_integers=_NO_INTEGERS,
)


@meaning(set_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    d, t = m.dtype, m.atype
    if t.count == 1:
        return choose(x, d, t, m, a, b, c, d.width)
    halves = zip(x.split(a, 16), x.split(b, 16), strict=True)
    return x.join([choose(x, d, t.element, m, p, q, c, 16) for p, q in halves])


def choose(x: Machine, d: Type, t: Type, m: Modifiers, a: Bits, b: Bits, c: Bits | None, w: int) -> Bits:
    """1.0 or all ones in `w` bits if the comparison holds, else 0."""
    p = combine(m.BoolOp, compare(x, m.CmpOp or "", t, a, b, m.ftz), c)
    true = -1
    if d.format is not None:
        f = FORMATS[d.format]
        true = f.bias << f.man
    return x.pick(p, true, x.const(0, w))


setp = instruction(
    "setp",
    anchor="half-precision-comparison-instructions-setp",
    summary="p = the comparison of a and b, combined with c; p and q for the two halves of packed operands.",
    syntax="""
        setp.CmpOp{.ftz}.f16            p, a, b;           // PTX 4.2, sm_53
        setp.CmpOp.BoolOp{.ftz}.f16     p, a, b, {!}c;     // PTX 4.2, sm_53
        setp.CmpOp{.ftz}.f16x2          p|q, a, b;         // PTX 4.2, sm_53
        setp.CmpOp.BoolOp{.ftz}.f16x2   p|q, a, b, {!}c;   // PTX 4.2, sm_53
        setp.CmpOp{.ftz}.f16x2          p, a, b;           // PTX 4.2, sm_53 (ptxas)
        setp.CmpOp.BoolOp{.ftz}.f16x2   p, a, b, {!}c;     // PTX 4.2, sm_53 (ptxas)
        setp.CmpOp.bf16                 p, a, b;           // PTX 7.8, sm_90
        setp.CmpOp.BoolOp.bf16          p, a, b, {!}c;     // PTX 7.8, sm_90
        setp.CmpOp.bf16x2               p|q, a, b;         // PTX 7.8, sm_90
        setp.CmpOp.BoolOp.bf16x2        p|q, a, b, {!}c;   // PTX 7.8, sm_90
        setp.CmpOp.bf16x2               p, a, b;           // PTX 7.8, sm_90 (ptxas)
        setp.CmpOp.BoolOp.bf16x2        p, a, b, {!}c;     // PTX 7.8, sm_90 (ptxas)
    """
    + _COMPARISONS,
    types={"c": "pred"},
    operands="*   sink",
    no_integers=_NO_INTEGERS,
)


@meaning(setp)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits | tuple[Bits, Bits]:
    if m.type.count == 1:
        return combine(m.BoolOp, compare(x, m.CmpOp or "", m.type, a, b, m.ftz), c)
    low, high = (
        combine(m.BoolOp, compare(x, m.CmpOp or "", m.type.element, p, q, m.ftz), c)
        for p, q in zip(x.split(a, 16), x.split(b, 16), strict=True)
    )
    return (low, high) if any(t.pair for t in m.form.operands) else low
