"""Operations of machine code that PTX cannot express; passes of rewrite/ create them: a quotient whose last step also
adds c, a product scaled by a power of two, a reverse subtraction."""

from __future__ import annotations

from openptx.isa.fidelity import modelled
from openptx.isa.instructions.floating_point import format_of
from openptx.isa.machine import Machine
from openptx.isa.notation.declaration import Instruction
from openptx.isa.notation.forms import Modifiers
from openptx.numerics import FORMATS, Bits

quotient_sum = Instruction(
    "div",
    anchor="floating-point-instructions-div",
    summary="d = a / b + c, where the product with the reciprocal is not rounded before the sum is.",
    syntax="""
        div.approx{.ftz}{.sat}.f32   d, a, b, c;   // PTX 1.4
        div.full{.ftz}{.sat}.f32     d, a, b, c;   // PTX 1.4
    """,
)


def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    f = format_of(m)
    scaled, reciprocal = x.quotient_factors(f, a, b, m.ftz, full=bool(m.full))
    d = x.fma(f, scaled, reciprocal, c, "rn", m.ftz)
    return x.saturate(f, d) if m.sat else d


quotient_sum.means(_, modelled("ptxas 13.0 contracts the division's last product; the unit's bits are an H100's"))


scaled_product = Instruction(
    "mul",
    anchor="floating-point-instructions-mul",
    summary="d = a * b * c, rounded once; c is a power of two.",
    syntax="""
        mul{.ftz}{.sat}.f32   d, a, b, c;   // PTX 1.0
    """,
)


def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    f, wide = format_of(m), FORMATS["f64"]
    a, b, c = (x.convert(wide, f, each, ftz=bool(m.ftz)) for each in (a, b, c))
    exact = x.fmul(wide, x.fmul(wide, a, b), c)
    one = x.const(0x3F800000, 32)
    d = x.fmul(f, x.convert(f, wide, exact, ftz=bool(m.ftz)), one, "rn", m.ftz)  # a NaN becomes canonical
    return x.saturate(f, d) if m.sat else d


scaled_product.means(
    _, modelled("ptxas 13.0 scales the product; that it is rounded once, afterwards, was not measured")
)


reverse_difference = Instruction(
    "sub",
    anchor="floating-point-instructions-sub",
    summary="d = b - a, rounded once; of two NaN operands the result is b's.",
    syntax="""
        sub.rnd.f64   d, a, b;   // PTX 1.0
        .rnd = { .rn, .rz, .rm, .rp };
    """,
)


def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    return x.fsubr(format_of(m), a, b, m.rnd)


reverse_difference.means(_, modelled("an H100, whose sums return the second of two NaN operands"))
