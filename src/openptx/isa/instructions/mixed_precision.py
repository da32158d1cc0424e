"""Arithmetic of f32 with operands in f16 or bf16 (9.7.5)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.types import Type
    from openptx.numerics import Bits

add = instruction(
    "add",
    anchor="mixed-precision-floating-point-instructions-add",
    summary="d = a + c in f32; a is converted to f32 first.",
    syntax="""
        add{.rnd}{.sat}.f32.atype   d, a, c;   // PTX 8.6, sm_100
        .atype = { .f16, .bf16 };
        .rnd   = { .rn, .rz, .rm, .rp };
    """,
    defaults={"rnd": "rn"},
)


F32 = FORMATS["f32"]


@meaning(add)
def _(x: Machine, m: Modifiers, a: Bits, c: Bits) -> Bits:
    return saturated(x, m, x.fadd(F32, widened(x, m.atype, a), c, m.rnd))


def widened(x: Machine, t: Type, a: Bits) -> Bits:
    """The operand widened to f32, exactly."""
    return x.convert(F32, FORMATS[t.format or ""], a)


def saturated(x: Machine, m: Modifiers, d: Bits) -> Bits:
    return x.saturate(F32, d) if m.sat else d


sub = instruction(
    "sub",
    anchor="mixed-precision-floating-point-instructions-sub",
    summary="d = a - c in f32; a is converted to f32 first.",
    syntax="""
        sub{.rnd}{.sat}.f32.atype   d, a, c;   // PTX 8.6, sm_100
        .atype = { .f16, .bf16 };
        .rnd   = { .rn, .rz, .rm, .rp };
    """,
    defaults={"rnd": "rn"},
)


@meaning(sub)
def _(x: Machine, m: Modifiers, a: Bits, c: Bits) -> Bits:
    return saturated(x, m, x.fsub(F32, widened(x, m.atype, a), c, m.rnd))


fma = instruction(
    "fma",
    anchor="mixed-precision-floating-point-instructions-fma",
    summary="d = a * b + c in f32; a and b are converted to f32 first.",
    syntax="""
        fma.rnd{.sat}.f32.abtype   d, a, b, c;   // PTX 8.6, sm_100
        .abtype = { .f16, .bf16 };
        .rnd    = { .rn, .rz, .rm, .rp };
    """,
)


@meaning(fma)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    t: Type = m.values["abtype"]
    return saturated(x, m, x.fma(F32, widened(x, t, a), widened(x, t, b), c, m.rnd))
