"""Floating-point arithmetic of f32 and f64 (9.7.3)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, Fidelity, bounded
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import format_of, packed, saturated

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
    return saturated(x, m, x.fadd(format_of(m), a, b, m.rnd, m.ftz))


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
    return saturated(x, m, x.fsub(format_of(m), a, b, m.rnd, m.ftz))


mul = instruction(
    "mul",
    anchor="floating-point-instructions-mul",
    summary="d = a * b, rounded once.",
    syntax=_SUM.format("mul"),
    gates=_SUM_GATES,
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
    anchor="floating-point-instructions-fma",
    summary="d = a * b + c, rounded once.",
    syntax="""
        fma.rnd{.ftz}{.sat}.f32   d, a, b, c;   // PTX 2.0, sm_20
        fma.rnd.f64               d, a, b, c;   // PTX 1.4, sm_13
        fma.rnd{.ftz}.f32x2       d, a, b, c;   // PTX 8.6, sm_100
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    algebra="fused",
    relative="mul",
)

_FLUSHED = """
        .ftz   PTX 1.4
"""

mad = instruction(
    "mad",
    anchor="floating-point-instructions-mad",
    summary="d = a * b + c, rounded once, as `fma`; without a rounding modifier the truncating form of sm_1x.",
    syntax="""
        mad.rnd{.ftz}{.sat}.f32   d, a, b, c;   // PTX 2.0, sm_20
        mad.rnd.f64               d, a, b, c;   // PTX 1.0, sm_13
        mad{.ftz}{.sat}.f32       d, a, b, c;   // PTX 1.0 to 3.1 or PTX 1.0, sm_10 to sm_13
        mad.f64                   d, a, b, c;   // PTX 1.0 to 1.3, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    defaults={"rnd": "rn"},
    gates=_FLUSHED,
    relative="mul",
)


@meaning(fma, mad)
@packed
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    return saturated(x, m, x.fma(format_of(m), a, b, c, m.rnd, m.ftz))


def rounded(m: Modifiers) -> bool:
    """Forms with a rounding modifier are subroutines with a branch to a slow path."""
    return bool(m.rnd) or m.type.width == 64


div = instruction(
    "div",
    anchor="floating-point-instructions-div",
    summary="d = a / b: approximate, approximate over the full range, or rounded once.",
    syntax="""
        div.approx{.ftz}.f32   d, a, b;   // PTX 1.4
        div.full{.ftz}.f32     d, a, b;   // PTX 1.4
        div.rnd{.ftz}.f32      d, a, b;   // PTX 1.4, sm_20
        div.rnd.f64            d, a, b;   // PTX 1.0, sm_13
        div.f32                d, a, b;   // PTX 1.0 to 1.3
        div.f64                d, a, b;   // PTX 1.0 to 1.3, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
    """,
    gates="""
        .f64 .rz|.rm|.rp   sm_20
    """,
    ordered_prefix="full",
    algebra=lambda m: "quotient" if m.approx or m.full else "",
    splits_block=rounded,
)


def error_of(text: str, measured: str) -> Callable[[Modifiers], Fidelity]:
    """Exact if the form has a rounding or is f64, else bounded: f32 forms without a rounding are old spellings of
    `.approx`."""

    def judge(m: Modifiers) -> Fidelity:
        return EXACT if m.rnd or m.type.width == 64 else bounded(text, measured)

    return judge


@meaning(
    div,
    fidelity=error_of("2 ulp for 2^-126 <= |b| <= 2^126", "2.02 ulp (.approx), 2.08 (.full) of 16 million quotients"),
)
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
    algebra="magnitude",
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


def may_clamp(m: Modifiers, type: str) -> bool:
    """Extremes that clamp together with another one: without modifiers but `.ftz`."""
    return m.type.name == type and not (m.NaN or m.xorsign or m.abs)


min_ = instruction(
    "min",
    anchor="floating-point-instructions-min",
    summary="d = the smallest operand; a NaN is ignored unless all are NaN, or propagated with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("min"),
    gates=_SMALLER_OR_LARGER_GATES,
    algebra=lambda m: "minimum" if may_clamp(m, "f32") else "",
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
    summary="d = the largest operand; a NaN is ignored unless all are NaN, or propagated with `.NaN`.",
    syntax=_SMALLER_OR_LARGER.format("max"),
    gates=_SMALLER_OR_LARGER_GATES,
    algebra=lambda m: "maximum" if may_clamp(m, "f32") else "",
)


@meaning(max_)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    return extreme(x, m, x.fmax, a, b, c)


testp = instruction(
    "testp",
    anchor="floating-point-instructions-testp",
    summary="p = whether a is finite, infinite, a number, a NaN, normal or subnormal.",
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
