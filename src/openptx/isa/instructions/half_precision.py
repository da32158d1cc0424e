"""Arithmetic of f16 and bf16, single and packed in pairs (9.7.4)."""

from __future__ import annotations

from openptx.isa.notation import instruction

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
)

sub = instruction(
    "sub",
    anchor="half-precision-floating-point-instructions-sub",
    summary="d = a - b, rounded once.",
    syntax=_SUM.format("sub"),
    defaults={"rnd": "rn"},
)

mul = instruction(
    "mul",
    anchor="half-precision-floating-point-instructions-mul",
    summary="d = a * b, rounded once.",
    syntax=_SUM.format("mul"),
    defaults={"rnd": "rn"},
)

fma = instruction(
    "fma",
    anchor="half-precision-floating-point-instructions-fma",
    summary="d = a * b + c, rounded once; `.oob` makes it zero where a or b is the out-of-bounds NaN.",
    syntax="""
        fma.rnd{.ftz}{.sat}.f16     d, a, b, c;   // PTX 4.2, sm_53
        fma.rnd{.ftz}{.sat}.f16x2   d, a, b, c;   // PTX 4.2, sm_53
        fma.rnd{.ftz}.relu.f16      d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.ftz}.relu.f16x2    d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.relu}.bf16         d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.relu}.bf16x2       d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd.oob{.relu}.type     d, a, b, c;   // PTX 8.1, sm_90
        .type = { .f16, .f16x2, .bf16, .bf16x2 };
        .rnd = { .rn };
    """,
)

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
)

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
)

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
    summary="d = the smaller of a and b; a NaN loses against a number, or wins with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("min"),
    gates=_SMALLER_OR_LARGER_GATES,
)

max_ = instruction(
    "max",
    anchor="half-precision-floating-point-instructions-max",
    summary="d = the larger of a and b; a NaN loses against a number, or wins with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("max"),
    gates=_SMALLER_OR_LARGER_GATES,
)

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

ex2 = instruction(
    "ex2",
    anchor="half-precision-floating-point-instructions-ex2",
    summary="d = an approximation of two to the power of a.",
    syntax="""
        ex2.approx.type       d, a;   // PTX 7.0, sm_75
        .type = { .f16, .f16x2 };
        ex2.approx.ftz.type   d, a;   // PTX 7.8, sm_90
        .type = { .bf16, .bf16x2 };
    """,
)
