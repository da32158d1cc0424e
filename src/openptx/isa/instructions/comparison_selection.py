"""Comparison and selection (9.7.6)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.comparisons import combine, compare
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

ONE = FORMATS["f32"].bias << FORMATS["f32"].man

# The comparisons of each type (9.3.1): bits have only equality, signed integers six, unsigned integers those and their
# own names, floats also those that a NaN makes true.
_COMPARISONS = {
    ".b16, .b32, .b64": "eq, ne",
    ".s16, .s32, .s64": "eq, ne, lt, le, gt, ge",
    ".u16, .u32, .u64": "eq, ne, lt, le, gt, ge, lo, ls, hi, hs",
    ".f64": "eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan",
}


def _forms(opcode: str, result: str, type: str) -> str:
    """The forms of a comparison for each kind of source; only f32 has `.ftz`."""
    kinds = [(types, comparisons, "") for types, comparisons in _COMPARISONS.items()]
    kinds.append((".f32", _COMPARISONS[".f64"], "{.ftz}"))
    return "".join(
        f"""
        {opcode}.CmpOp{ftz}{type}          {result}, a, b;         // PTX 1.0
        {opcode}.CmpOp.BoolOp{ftz}{type}   {result}, a, b, {{!}}c;   // PTX 1.0
        .{type.rpartition(".")[2]} = {{ {types} }};
        .CmpOp  = {{ {comparisons} }};
"""
        for types, comparisons, ftz in kinds
    )


set_ = instruction(
    "set",
    anchor="comparison-and-selection-instructions-set",
    summary="d = the comparison of a and b, combined with c: all ones or zero, or 1.0 or 0.0 as f32.",
    syntax=_forms("set", "d", ".dtype.atype")
    + """
        .dtype  = { .u32, .s32, .f32 };
        .BoolOp = { and, or, xor };
    """,
    types={"c": "pred"},
    gates="""
        atype=.f64   sm_13
        .ftz         PTX 1.4
    """,
)


@meaning(set_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    p = combine(m.BoolOp, compare(x, m.CmpOp or "", m.atype, a, b, m.ftz), c)
    return x.pick(p, ONE if m.dtype.kind == "f" else -1, x.const(0, 32))


setp = instruction(
    "setp",
    anchor="comparison-and-selection-instructions-setp",
    summary="p = the comparison of a and b, combined with c; q = the negated comparison, combined with c.",
    syntax=_forms("setp", "p[|q]", ".type")
    + """
        .BoolOp = { and, or, xor };
    """,
    types={"c": "pred"},
    gates="""
        .f64   sm_13
        .ftz   PTX 1.4
    """,
    operands="*   sink",
    algebra="comparison",
)


@meaning(setp)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> tuple[Bits, Bits]:
    t = compare(x, m.CmpOp or "", m.type, a, b, m.ftz)
    return combine(m.BoolOp, t, c), combine(m.BoolOp, ~t, c)


selp = instruction(
    "selp",
    anchor="comparison-and-selection-instructions-selp",
    summary="d = a if c is true, else b.",
    syntax="""
        selp.type   d, a, b, c;   // PTX 1.0
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """,
    types={"c": "pred"},
    gates="""
        .f64   sm_13
    """,
    operands="*   negated",
)


@meaning(selp)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    return x.select(c, a, b)


slct = instruction(
    "slct",
    anchor="comparison-and-selection-instructions-slct",
    summary="d = a if c is not negative, else b.",
    syntax="""
        slct.dtype.s32         d, a, b, c;   // PTX 1.0
        slct{.ftz}.dtype.f32   d, a, b, c;   // PTX 1.0
        .dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    """,
    types={"a": "dtype", "b": "dtype", "c": "atype"},
    gates="""
        dtype=.f64   sm_13
        .ftz         PTX 1.4
    """,
)


@meaning(slct)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    if m.atype.kind == "s":
        return x.select(x.negative(c), b, a)
    # -0 and, when flushed, all subnormal numbers count as zero; a NaN selects b.
    return x.select(compare(x, "ge", m.atype, c, x.const(0, 32), m.ftz), a, b)
