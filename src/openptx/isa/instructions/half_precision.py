"""Arithmetic of f16 and bf16, single and packed in pairs (9.7.4)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, UNSUPPORTED, Fidelity, bounded, modelled
from openptx.isa.instructions.floating_point import may_clamp
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import format_of, packed, saturated
from openptx.isa.semantics.tensor_map import OUT_OF_BOUNDS_NAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_SUM = """
        {0}{{.rnd}}{{.ftz}}{{.sat}}.f16     d, a, b;   // PTX 4.2, sm_53
        {0}{{.rnd}}{{.ftz}}{{.sat}}.f16x2   d, a, b;   // PTX 4.2, sm_53
        {0}{{.rnd}}.bf16                d, a, b;   // PTX 7.8, sm_90
        {0}{{.rnd}}.bf16x2              d, a, b;   // PTX 7.8, sm_90
        .rnd = {{ .rn }};
"""

add = instruction(
    "add",
    anchor="half-precision-floating-point-instructions-add",
    summary="d = a + b, rounded once.",
    syntax=_SUM.format("add"),
    defaults={"rnd": "rn"},
    algebra="sum",
)


@meaning(add)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return saturated(x, m, x.fadd(format_of(m), a, b, m.rnd, m.ftz))


sub = instruction(
    "sub",
    anchor="half-precision-floating-point-instructions-sub",
    summary="d = a - b, rounded once.",
    syntax=_SUM.format("sub"),
    defaults={"rnd": "rn"},
    algebra="difference",
)


@meaning(sub)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return saturated(x, m, x.fsub(format_of(m), a, b, m.rnd, m.ftz))


mul = instruction(
    "mul",
    anchor="half-precision-floating-point-instructions-mul",
    summary="d = a * b, rounded once.",
    syntax=_SUM.format("mul"),
    defaults={"rnd": "rn"},
    algebra="product",
    relative="fma",
)


@meaning(mul)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return saturated(x, m, x.fmul(format_of(m), a, b, m.rnd, m.ftz))


fma = instruction(
    "fma",
    anchor="half-precision-floating-point-instructions-fma",
    summary="d = a * b + c, rounded once; with `.oob` zero if a or b is the out-of-bounds NaN.",
    syntax="""
        fma.rnd{.ftz}{.sat}.f16     d, a, b, c;   // PTX 4.2, sm_53
        fma.rnd{.ftz}{.sat}.f16x2   d, a, b, c;   // PTX 4.2, sm_53
        fma.rnd{.ftz}.relu.f16      d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.ftz}.relu.f16x2    d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.relu}.bf16         d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.relu}.bf16x2       d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd.oob{.relu}.type     d, a, b, c;   // PTX 8.1, sm_90

        fma.rnd{.relu}.type         d, a, b, c;   // PTX 7.0, sm_80 (ptxas)
        .rnd  = { .rz, .rm, .rp };
        .type = { .bf16, .bf16x2 };

        .type = { .f16, .f16x2, .bf16, .bf16x2 };
        .rnd = { .rn };
    """,
    algebra="fused",
    relative="mul",
)


def fidelity_of_fma(m: Modifiers) -> Fidelity:
    """The manual allows only rounding to nearest for bf16. ptxas accepts other modifiers, which an H100 ignores, and
    ptxas 13.5 packs the sum as f16."""
    if m.type.element.name == "bf16" and m.rnd != "rn":
        return UNSUPPORTED
    return modelled("the out-of-bounds NaN is an H100's; the document does not give it") if m.oob else EXACT


@meaning(fma, fidelity=fidelity_of_fma)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    f = format_of(m)
    d = x.fma(f, a, b, c, m.rnd, m.ftz)
    if m.sat:
        return x.saturate(f, d)
    if m.relu:
        d = x.relu(f, d)
    if not m.oob:
        return d
    outside = [x.magnitude(f, v) == OUT_OF_BOUNDS_NAN for v in (a, b)]
    return x.pick(outside[0] | outside[1], 0, d)


neg = instruction(
    "neg",
    anchor="half-precision-floating-point-instructions-neg",
    summary="d = -a.",
    syntax="""
        neg{.ftz}.f16     d, a;   // PTX 6.0, sm_53
        neg{.ftz}.f16x2   d, a;   // PTX 6.0, sm_53
        neg.bf16          d, a;   // PTX 7.0, sm_80
        neg.bf16x2        d, a;   // PTX 7.0, sm_80
    """,
    algebra=lambda m: "" if m.type.name == "bf16x2" else "negation",
)


@meaning(neg)
@packed
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.fneg(format_of(m), a, m.ftz)


abs_ = instruction(
    "abs",
    anchor="half-precision-floating-point-instructions-abs",
    summary="d = |a|.",
    syntax="""
        abs{.ftz}.f16     d, a;   // PTX 6.5, sm_53
        abs{.ftz}.f16x2   d, a;   // PTX 6.5, sm_53
        abs.bf16          d, a;   // PTX 7.0, sm_80
        abs.bf16x2        d, a;   // PTX 7.0, sm_80
    """,
    algebra="magnitude",
)


@meaning(abs_)
@packed
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.fabs(format_of(m), a, m.ftz)


_SMALLER_OR_LARGER = """
        {0}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.f16     d, a, b;   // PTX 7.0, sm_80
        {0}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.f16x2   d, a, b;   // PTX 7.0, sm_80
        {0}{{.NaN}}{{.xorsign.abs}}.bf16          d, a, b;   // PTX 7.0, sm_80
        {0}{{.NaN}}{{.xorsign.abs}}.bf16x2        d, a, b;   // PTX 7.0, sm_80
"""
_SMALLER_OR_LARGER_GATES = """
        .xorsign   PTX 7.2, sm_86
"""

min_ = instruction(
    "min",
    anchor="half-precision-floating-point-instructions-min",
    summary="d = the smaller of a and b; a NaN is ignored unless both are NaN, or propagated with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("min"),
    gates=_SMALLER_OR_LARGER_GATES,
    algebra=lambda m: "minimum" if may_clamp(m, "f16") else "",
)


@meaning(min_)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    f = format_of(m)
    a, b = x.flush(f, a, m.ftz), x.flush(f, b, m.ftz)
    return x.fmin(f, a, b, nan=bool(m.NaN), xorsign=bool(m.xorsign))


max_ = instruction(
    "max",
    anchor="half-precision-floating-point-instructions-max",
    summary="d = the larger of a and b; a NaN is ignored unless both are NaN, or propagated with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("max"),
    gates=_SMALLER_OR_LARGER_GATES,
    algebra=lambda m: "maximum" if may_clamp(m, "f16") else "",
)


@meaning(max_)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    f = format_of(m)
    a, b = x.flush(f, a, m.ftz), x.flush(f, b, m.ftz)
    return x.fmax(f, a, b, nan=bool(m.NaN), xorsign=bool(m.xorsign))


tanh = instruction(
    "tanh",
    anchor="half-precision-floating-point-instructions-tanh",
    summary="d = an approximation of the hyperbolic tangent of a.",
    syntax="""
        tanh.approx.type   d, a;   // PTX 7.0, sm_75
        .type = { .f16, .f16x2 };
        tanh.approx.type   d, a;   // PTX 7.8, sm_90
        .type = { .bf16, .bf16x2 };
    """,
)


@meaning(tanh, fidelity=bounded("absolute 2^-10.987 (f16), 2^-8 (bf16)", "2^-10.99 (f16), 2^-8.00 (bf16)"))
@packed
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("tanh", format_of(m), a)


ex2 = instruction(
    "ex2",
    anchor="half-precision-floating-point-instructions-ex2",
    summary="d = an approximation of 2 to the power of a.",
    syntax="""
        ex2.approx.type       d, a;   // PTX 7.0, sm_75
        .type = { .f16, .f16x2 };
        ex2.approx.ftz.type   d, a;   // PTX 7.8, sm_90
        .type = { .bf16, .bf16x2 };
    """,
    scales_subnormals=True,
)


@meaning(
    ex2, fidelity=bounded("relative 2^-9.9 (f16), 2^-7 (bf16)", "2^-10.00 (f16), 2^-7.02 (bf16), of normal results")
)
@packed
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("ex2", format_of(m), a, m.ftz)
