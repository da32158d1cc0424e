"""Arithmetic of f32 with operands in f16 or bf16 (9.7.5)."""

from __future__ import annotations

from openptx.isa.notation import instruction

add = instruction(
    "add",
    anchor="mixed-precision-floating-point-instructions-add",
    summary="d = a + c in f32, a being widened first.",
    syntax="""
        add{.rnd}{.sat}.f32.atype   d, a, c;   // PTX 8.6, sm_100
        .atype = { .f16, .bf16 };
        .rnd   = { .rn, .rz, .rm, .rp };
    """,
    defaults={"rnd": "rn"},
)

sub = instruction(
    "sub",
    anchor="mixed-precision-floating-point-instructions-sub",
    summary="d = a - c in f32, a being widened first.",
    syntax="""
        sub{.rnd}{.sat}.f32.atype   d, a, c;   // PTX 8.6, sm_100
        .atype = { .f16, .bf16 };
        .rnd   = { .rn, .rz, .rm, .rp };
    """,
    defaults={"rnd": "rn"},
)

fma = instruction(
    "fma",
    anchor="mixed-precision-floating-point-instructions-fma",
    summary="d = a * b + c in f32, a and b being widened first.",
    syntax="""
        fma.rnd{.sat}.f32.abtype   d, a, b, c;   // PTX 8.6, sm_100
        .abtype = { .f16, .bf16 };
        .rnd    = { .rn, .rz, .rm, .rp };
    """,
)
