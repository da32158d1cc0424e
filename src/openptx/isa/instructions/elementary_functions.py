"""Reciprocals, roots, and the transcendental functions of f32 and f64 (9.7.3)."""

from __future__ import annotations

import math

from openptx.isa.fidelity import Fidelity, bounded
from openptx.isa.instructions.floating_point import error_of, format_of, rounded
from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits


def is_flushed(m: Modifiers) -> bool:
    """Forms that are one operation of the multifunction unit."""
    return bool(m.approx and m.ftz and m.type.name == "f32")


rcp = instruction(
    "rcp",
    anchor="floating-point-instructions-rcp",
    summary="d = 1 / a: approximate, or rounded once.",
    syntax="""
        rcp.approx{.ftz}.f32   d, a;   // PTX 1.4
        rcp.rnd{.ftz}.f32      d, a;   // PTX 1.4, sm_20
        rcp.rnd.f64            d, a;   // PTX 1.4, sm_13
        rcp.f32                d, a;   // PTX 1.0 to 1.3
        rcp.f64                d, a;   // PTX 1.0 to 1.3, sm_13
        rcp.rnd.ftz.f64        d, a;   // PTX 1.4, sm_13 (ptxas)
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    gates="""
        .rz|.rm|.rp   PTX 2.0, sm_20
    """,
    folded=lambda a: math.copysign(math.inf, a) if a == 0 else 1 / a,
    algebra=lambda m: "reciprocal" if is_flushed(m) else "",
    splits_block=rounded,
    scales_subnormals=True,
)


@meaning(rcp, fidelity=error_of("1 ulp", "0.98 ulp"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    f = format_of(m)
    if m.rnd or f.name == "f64":
        ftz = m.ftz and f.name == "f32"  # `.ftz` has no effect on f64 (H100)
        return x.fdiv(f, x.const(f.bias << f.man, a.width), a, m.rnd or "rn", ftz)
    return x.approx("rcp", f, a, m.ftz)


rcp_approx_ftz_f64 = instruction(
    "rcp",
    anchor="floating-point-instructions-rcp-approx-ftz-f64",
    summary="d = a coarse approximation of 1 / a, from the upper 32 bits of a.",
    syntax="""
        rcp.approx.ftz.f64   d, a;   // PTX 2.1, sm_20
    """,
)


@meaning(rcp_approx_ftz_f64, fidelity=bounded("not said, `gross`", "2^-19.94 relative"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx_upper("rcp", a)


sqrt = instruction(
    "sqrt",
    anchor="floating-point-instructions-sqrt",
    summary="d = the square root of a: approximate, or rounded once.",
    syntax="""
        sqrt.approx{.ftz}.f32   d, a;   // PTX 1.4
        sqrt.rnd{.ftz}.f32      d, a;   // PTX 1.4, sm_20
        sqrt.rnd.f64            d, a;   // PTX 1.0, sm_13
        sqrt.f32                d, a;   // PTX 1.0 to 1.3
        sqrt.f64                d, a;   // PTX 1.0 to 1.3, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    gates="""
        .rz|.rm|.rp   PTX 2.0, sm_20
    """,
    folded=math.sqrt,
    splits_block=rounded,
    scales_subnormals=True,
)


@meaning(sqrt, fidelity=error_of("2^-23 relative", "2^-23.25"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    f = format_of(m)
    return x.fsqrt(f, a, m.rnd or "rn", m.ftz) if m.rnd or f.name == "f64" else x.approx("sqrt", f, a, m.ftz)


rsqrt = instruction(
    "rsqrt",
    anchor="floating-point-instructions-rsqrt",
    summary="d = an approximation of 1 / sqrt(a).",
    syntax="""
        rsqrt.approx{.ftz}.f32   d, a;   // PTX 1.4
        rsqrt.approx.f64         d, a;   // PTX 1.4, sm_13
        rsqrt.f32                d, a;   // PTX 1.0 to 1.3
        rsqrt.f64                d, a;   // PTX 1.0 to 1.3, sm_13
    """,
    folded=lambda a: math.copysign(math.inf, a) if a == 0 else 1 / math.sqrt(a),
    scales_subnormals=True,
)


def error_of_rsqrt(m: Modifiers) -> Fidelity:
    """The manual gives a bound for f32 only."""
    if m.type.width == 64:
        return bounded("not said", "2^-52.99 relative, of 8 million operands")
    return bounded("2^-22.9 relative", "2^-22.93")


@meaning(rsqrt, fidelity=error_of_rsqrt)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("rsqrt", format_of(m), a, m.ftz)


rsqrt_approx_ftz_f64 = instruction(
    "rsqrt",
    anchor="floating-point-instructions-rsqrt-approx-ftz-f64",
    summary="d = a coarse approximation of 1 / sqrt(a), from the upper 32 bits of a.",
    syntax="""
        rsqrt.approx.ftz.f64   d, a;   // PTX 4.0, sm_20
    """,
)


@meaning(rsqrt_approx_ftz_f64, fidelity=bounded("not said", "2^-20.04 relative"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx_upper("rsqrt", a)


def flushed(a: float) -> float:
    """The operand of a sine; subnormal numbers count as zero."""
    return math.copysign(0.0, a) if abs(a) < 2.0**-126 else a


sin = instruction(
    "sin",
    anchor="floating-point-instructions-sin",
    summary="d = an approximation of the sine of a, in radians.",
    syntax="""
        sin.approx{.ftz}.f32   d, a;   // PTX 1.4
        sin.f32                d, a;   // PTX 1.0 to 1.3
    """,
    folded=lambda a: math.sin(flushed(a)),
)


@meaning(sin, fidelity=bounded("2^-20.5 absolute in [-2 pi, 2 pi]", "2^-20.55"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("sin", format_of(m), a, m.ftz)


cos = instruction(
    "cos",
    anchor="floating-point-instructions-cos",
    summary="d = an approximation of the cosine of a, in radians.",
    syntax="""
        cos.approx{.ftz}.f32   d, a;   // PTX 1.4
        cos.f32                d, a;   // PTX 1.0 to 1.3
    """,
    folded=math.cos,
)


@meaning(
    cos, fidelity=bounded("2^-20.5 absolute in [-2 pi, 2 pi]", "2^-20.42, beyond what is allowed at 2,349 operands")
)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("cos", format_of(m), a, m.ftz)


lg2 = instruction(
    "lg2",
    anchor="floating-point-instructions-lg2",
    summary="d = an approximation of the binary logarithm of a.",
    syntax="""
        lg2.approx{.ftz}.f32   d, a;   // PTX 1.4
        lg2.f32                d, a;   // PTX 1.0 to 1.3
    """,
    folded=math.log2,
    scales_subnormals=True,
)


@meaning(
    lg2, fidelity=bounded("2^-22 absolute for 0.5 < a < 2, else 2^-22 relative", "2^-22.14 absolute for 0.5 < a < 2")
)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("lg2", format_of(m), a, m.ftz)


ex2 = instruction(
    "ex2",
    anchor="floating-point-instructions-ex2",
    summary="d = an approximation of 2 to the power of a.",
    syntax="""
        ex2.approx{.ftz}.f32   d, a;   // PTX 1.4
        ex2.f32                d, a;   // PTX 1.0 to 1.3
    """,
    folded=math.exp2,
    algebra=lambda m: "power of two" if is_flushed(m) else "",
    scales_subnormals=True,
)


@meaning(ex2, fidelity=bounded("2 ulp", "1.40 ulp"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("ex2", format_of(m), a, m.ftz)


tanh = instruction(
    "tanh",
    anchor="floating-point-instructions-tanh",
    summary="d = an approximation of the hyperbolic tangent of a.",
    syntax="""
        tanh.approx.f32   d, a;   // PTX 7.0, sm_75
    """,
)


@meaning(tanh, fidelity=bounded("2^-11 relative", "2^-16.45 for 0.25 < a < 16"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("tanh", format_of(m), a)
