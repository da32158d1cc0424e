"""Floating-point arithmetic of f32 and f64 (9.7.3)."""

from __future__ import annotations

import math

from openptx.isa.fidelity import EXACT, Fidelity, bounded
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.packing import packed
from openptx.numerics import FORMATS, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_SUM = """
        {0}{{.rnd}}{{.ftz}}{{.sat}}.f32   d, a, b;   // PTX 1.0
        {0}{{.rnd}}.f64               d, a, b;   // PTX 1.0, sm_13
        {0}{{.rnd}}{{.ftz}}.f32x2       d, a, b;   // PTX 8.6, sm_100
        .rnd = {{ .rn, .rz, .rm, .rp }};
"""
_SUM_GATES = """
        .f32 .rm|.rp   sm_20
        .f32 .ftz      PTX 1.4
"""

add = instruction(
    "add",
    anchor="floating-point-instructions-add",
    summary="d = a + b, rounded once.",
    syntax=_SUM.format("add"),
    gates=_SUM_GATES,
    defaults={"rnd": "rn"},
    algebra="sum",
)


@meaning(add)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    f = format_of(m)
    d = x.fadd(f, a, b, m.rnd, m.ftz)
    return x.saturate(f, d) if m.sat else d


def format_of(m: Modifiers) -> Format:
    """The number format of the (element's) type."""
    return FORMATS[m.type.element.format or ""]


sub = instruction(
    "sub",
    anchor="floating-point-instructions-sub",
    summary="d = a - b, rounded once.",
    syntax=_SUM.format("sub"),
    gates=_SUM_GATES,
    defaults={"rnd": "rn"},
    algebra="difference",
)


@meaning(sub)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    f = format_of(m)
    d = x.fsub(f, a, b, m.rnd, m.ftz)
    return x.saturate(f, d) if m.sat else d


mul = instruction(
    "mul",
    anchor="floating-point-instructions-mul",
    summary="d = a * b, rounded once.",
    syntax=_SUM.format("mul"),
    gates=_SUM_GATES,
    defaults={"rnd": "rn"},
    algebra="product",
)


@meaning(mul)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    f = format_of(m)
    d = x.fmul(f, a, b, m.rnd, m.ftz)
    return x.saturate(f, d) if m.sat else d


fma = instruction(
    "fma",
    anchor="floating-point-instructions-fma",
    summary="d = a * b + c, rounded once.",
    syntax="""
        fma.rnd{.ftz}{.sat}.f32   d, a, b, c;   // PTX 2.0, sm_20
        fma.rnd.f64               d, a, b, c;   // PTX 1.4, sm_13
        fma.rnd{.ftz}.f32x2       d, a, b, c;   // PTX 8.6, sm_100
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    algebra="fused",
)

_FLUSHED = """
        .ftz   PTX 1.4
"""

mad = instruction(
    "mad",
    anchor="floating-point-instructions-mad",
    summary="d = a * b + c, rounded once, as `fma`; without a rounding modifier the old truncating form of sm_1x.",
    syntax="""
        mad.rnd{.ftz}{.sat}.f32   d, a, b, c;   // PTX 2.0, sm_20
        mad.rnd.f64               d, a, b, c;   // PTX 1.4, sm_13
        mad{.ftz}{.sat}.f32       d, a, b, c;   // PTX 1.0 to 3.1 or PTX 1.0, sm_10 to sm_13
        mad.f64                   d, a, b, c;   // PTX 1.0 to 1.3, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    defaults={"rnd": "rn"},
    gates=_FLUSHED,
)


@meaning(fma, mad)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    f = format_of(m)
    d = x.fma(f, a, b, c, m.rnd, m.ftz)
    return x.saturate(f, d) if m.sat else d


def rounded(m: Modifiers) -> bool:
    """Forms that round are subroutines with a branch to a slow path."""
    return bool(m.rnd) or m.type.width == 64


div = instruction(
    "div",
    anchor="floating-point-instructions-div",
    summary="d = a / b: approximate, approximate over the full range, or rounded once.",
    syntax="""
        div.approx{.ftz}.f32   d, a, b;   // PTX 1.4
        div.full{.ftz}.f32     d, a, b;   // PTX 1.4
        div.rnd{.ftz}.f32      d, a, b;   // PTX 1.4, sm_20
        div.rnd.f64            d, a, b;   // PTX 1.4, sm_13
        div.f32                d, a, b;   // PTX 1.0 to 1.3
        div.f64                d, a, b;   // PTX 1.0 to 1.3, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    gates="""
        .f64 .rz|.rm|.rp   sm_20
    """,
    algebra=lambda m: "quotient" if m.approx or m.full else "",
    splits_block=rounded,
)


def error_of(text: str, measured: str = "") -> Callable[[Modifiers], Fidelity]:
    """Exact where the form rounds or has f64, else bounded: forms without either are old spellings of `.approx`."""

    def judge(m: Modifiers) -> Fidelity:
        return EXACT if m.rnd or m.type.width == 64 else bounded(text, measured)

    return judge


@meaning(div, fidelity=error_of("2 ulp for 2^-126 <= |b| <= 2^126"))
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    f = format_of(m)
    if m.rnd or f.name == "f64":
        return x.fdiv(f, a, b, m.rnd or "rn", m.ftz)
    return x.approx_div(f, a, b, m.ftz, full=bool(m.full))


abs_ = instruction(
    "abs",
    anchor="floating-point-instructions-abs",
    summary="d = |a|.",
    syntax="""
        abs{.ftz}.f32   d, a;   // PTX 1.0
        abs.f64         d, a;   // PTX 1.0, sm_13
    """,
    gates=_FLUSHED,
)


@meaning(abs_)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.fabs(format_of(m), a, m.ftz)


neg = instruction(
    "neg",
    anchor="floating-point-instructions-neg",
    summary="d = -a.",
    syntax="""
        neg{.ftz}.f32   d, a;   // PTX 1.0
        neg.f64         d, a;   // PTX 1.0, sm_13
    """,
    algebra="negation",
    gates=_FLUSHED,
)


@meaning(neg)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.fneg(format_of(m), a, m.ftz)


_SMALLER_OR_LARGER = """
        {0}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.f32   d, a, b;      // PTX 1.0
        {0}.f64                             d, a, b;      // PTX 1.0, sm_13
        {0}{{.ftz}}{{.NaN}}{{.abs}}.f32           d, a, b, c;   // PTX 8.8, sm_100
"""
_SMALLER_OR_LARGER_GATES = """
        .ftz       PTX 1.4
        .NaN       PTX 7.0, sm_80
        .xorsign   PTX 7.2, sm_86
"""

min_ = instruction(
    "min",
    anchor="floating-point-instructions-min",
    summary="d = the smallest of its operands; a NaN loses against a number, or wins with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("min"),
    gates=_SMALLER_OR_LARGER_GATES,
)


@meaning(min_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    return extreme(x, m, x.fmin, a, b, c)


def extreme(x: Machine, m: Modifiers, choose: Callable[..., Bits], a: Bits, b: Bits, c: Bits | None) -> Bits:
    """The smallest or largest of two or three operands, or of their magnitudes."""
    f = format_of(m)
    operands = [x.flush(f, q, m.ftz) for q in (a, b, c) if q is not None]
    if m.abs and not m.xorsign:
        operands = [x.magnitude(f, q) for q in operands]
    return choose(f, *operands, nan=bool(m.NaN), xorsign=bool(m.xorsign))


max_ = instruction(
    "max",
    anchor="floating-point-instructions-max",
    summary="d = the largest of its operands; a NaN loses against a number, or wins with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("max"),
    gates=_SMALLER_OR_LARGER_GATES,
)


@meaning(max_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    return extreme(x, m, x.fmax, a, b, c)


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
    splits_block=rounded,
)


@meaning(rcp, fidelity=error_of("1 ulp", "0.98 ulp"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    f = format_of(m)
    if m.rnd or f.name == "f64":
        ftz = m.ftz and f.name == "f32"  # of f64, `.ftz` does nothing (H100)
        return x.fdiv(f, x.const(f.bias << f.man, a.width), a, m.rnd or "rn", ftz)
    return x.approx("rcp", f, a, m.ftz)


rcp_approx_ftz_f64 = instruction(
    "rcp",
    anchor="floating-point-instructions-rcp-approx-ftz-f64",
    summary="d = a gross approximation of 1 / a, from the upper 32 bits of a.",
    syntax="""
        rcp.approx.ftz.f64   d, a;   // PTX 2.1, sm_20
    """,
)


@meaning(rcp_approx_ftz_f64, fidelity=bounded("2^-20.7 relative"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx_upper("rcp", a)


sqrt = instruction(
    "sqrt",
    anchor="floating-point-instructions-sqrt",
    summary="d = the square root of a: approximate, or rounded once.",
    syntax="""
        sqrt.approx{.ftz}.f32   d, a;   // PTX 1.4
        sqrt.rnd{.ftz}.f32      d, a;   // PTX 1.4, sm_20
        sqrt.rnd.f64            d, a;   // PTX 1.4, sm_13
        sqrt.f32                d, a;   // PTX 1.0 to 1.3
        sqrt.f64                d, a;   // PTX 1.0 to 1.3, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    gates="""
        .rz|.rm|.rp   PTX 2.0, sm_20
    """,
    folded=math.sqrt,
    splits_block=rounded,
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
)


@meaning(rsqrt, fidelity=bounded("2^-22.9 relative", "2^-22.93 (.f32)"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("rsqrt", format_of(m), a, m.ftz)


rsqrt_approx_ftz_f64 = instruction(
    "rsqrt",
    anchor="floating-point-instructions-rsqrt-approx-ftz-f64",
    summary="d = a gross approximation of 1 / sqrt(a), from the upper 32 bits of a.",
    syntax="""
        rsqrt.approx.ftz.f64   d, a;   // PTX 4.0, sm_20
    """,
)


@meaning(rsqrt_approx_ftz_f64, fidelity=bounded("2^-20.7 relative"))
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx_upper("rsqrt", a)


def flushed(a: float) -> float:
    """The operand of a sine, whose subnormal numbers count as zeros."""
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
)


@meaning(
    lg2, fidelity=bounded("2^-22 absolute for 0.5 < a < 2, else 2^-22 relative", "2^-22.14 absolute for 0.5 < a < 2")
)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.approx("lg2", format_of(m), a, m.ftz)


ex2 = instruction(
    "ex2",
    anchor="floating-point-instructions-ex2",
    summary="d = an approximation of two to the power of a.",
    syntax="""
        ex2.approx{.ftz}.f32   d, a;   // PTX 1.4
        ex2.f32                d, a;   // PTX 1.0 to 1.3
    """,
    folded=math.exp2,
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


testp = instruction(
    "testp",
    anchor="floating-point-instructions-testp",
    summary="p = whether a is finite, infinite, a number, not a number, normal, subnormal.",
    syntax="""
        testp.op.type   p, a;   // PTX 2.0, sm_20
        .op   = { .finite, .infinite, .number, .notanumber, .normal, .subnormal };
        .type = { .f32, .f64 };
    """,
)


@meaning(testp)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.testp(format_of(m), m.op, a)


copysign = instruction(
    "copysign",
    anchor="floating-point-instructions-copysign",
    summary="d = b with the sign of a.",
    syntax="""
        copysign.type   d, a, b;   // PTX 2.0, sm_20
        .type = { .f32, .f64 };
    """,
)


@meaning(copysign)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return x.copysign(format_of(m), a, b)
