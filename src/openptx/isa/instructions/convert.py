"""Conversion between types (9.7.9.21, 9.7.9.22). `isa/conversions.py` says which pairs need which rounding."""

from __future__ import annotations

from openptx.isa.fidelity import Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import as_tuple
from openptx.numerics.cvt import cvt as convert
from openptx.numerics.cvt import cvt_pack as pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

cvt = instruction(
    "cvt",
    anchor="data-movement-and-conversion-instructions-cvt",
    summary="d = a converted to another type, rounded, saturated and flushed as the modifiers say.",
    syntax="""
        cvt{.rnd}{.ftz}{.sat}.dtype.atype            d, a;   // PTX 1.0
        .rnd   = { .rni, .rzi, .rmi, .rpi, .rn, .rz, .rm, .rp };
        .dtype = .atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .bf16, .f16, .f32, .f64 };

        cvt.rnd{.relu}{.satfinite}.f16.f32           d, a;                    // PTX 7.0
        .rnd   = { .rn, .rz };
        cvt.rnd{.relu}{.satfinite}.bf16.f32          d, a;                    // PTX 7.0, sm_80
        .rnd   = { .rn, .rz };
        cvt.rnd{.relu}{.satfinite}.dtype.f32         d, a, b;                 // PTX 7.0, sm_80
        .rnd   = { .rn, .rz };
        .dtype = { .f16x2, .bf16x2 };
        cvt.rs{.relu}{.satfinite}.dtype.f32          d, a, b, rbits;          // PTX 8.7, sm_100a sm_103a sm_107a
        .dtype = { .f16x2, .bf16x2 };

        cvt.rna{.satfinite}.tf32.f32                 d, a;                    // PTX 7.0, sm_80
        cvt.rnd{.satfinite}{.relu}.tf32.f32          d, a;                    // PTX 7.8, sm_90
        .rnd   = { .rn, .rz };

        cvt.rn.satfinite{.relu}.dtype.f32            d, a, b;                 // PTX 8.1, sm_89 or PTX 7.8, sm_90
        .dtype = { .e4m3x2, .e5m2x2 };
        cvt.rn.satfinite{.relu}.dtype.f16x2          d, a;                    // PTX 8.1, sm_89 or PTX 7.8, sm_90
        .dtype = { .e4m3x2, .e5m2x2 };
        cvt.rn.satfinite{.relu}.dtype.bf16x2         d, a;                    // PTX 9.1, sm_100f sm_110f sm_120f
        .dtype = { .e4m3x2, .e5m2x2 };
        cvt.rn{.relu}.f16x2.atype                    d, a;                    // PTX 8.1, sm_89 or PTX 7.8, sm_90
        .atype = { .e4m3x2, .e5m2x2 };
        cvt.rn{.relu}{.satfinite}.bf16x2.atype       d, a;              // PTX 9.2, sm_100f sm_110f sm_120f (ptxas)
        .atype = { .e4m3x2, .e5m2x2, .e2m3x2, .e3m2x2, .e2m1x2 };
        cvt.rs{.relu}.satfinite.dtype.f32            d, {a, b, e, f}, rbits;  // PTX 8.7, sm_100a sm_103a sm_107a
        .dtype = { .e4m3x4, .e5m2x4, .e2m3x4, .e3m2x4, .e2m1x4 };

        cvt.rn.satfinite{.relu}.dtype.f32            d, a, b;                 // PTX 8.6, sm_100f sm_110f sm_120f
        .dtype = { .e2m3x2, .e3m2x2, .e2m1x2 };
        cvt.rn.satfinite{.relu}.dtype.atype          d, a;                    // PTX 9.1, sm_100f sm_110f sm_120f
        .dtype = { .e2m3x2, .e3m2x2, .e2m1x2 };
        .atype = { .f16x2, .bf16x2 };
        cvt.rn{.relu}.f16x2.atype                    d, a;                    // PTX 8.6, sm_100f sm_110f sm_120f
        .atype = { .e2m3x2, .e3m2x2, .e2m1x2 };

        cvt.rnd{.satfinite}.ue8m0x2.f32              d, a, b;                 // PTX 8.6, sm_100f sm_110f sm_120f
        .rnd   = { .rz, .rp };
        cvt.rnd{.satfinite}.ue8m0x2.bf16x2           d, a;                    // PTX 8.6, sm_100f sm_110f sm_120f
        .rnd   = { .rz, .rp };
        cvt.rn.bf16x2.ue8m0x2                        d, a;                    // PTX 8.6, sm_100f sm_110f sm_120f

        cvt.rn.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32
                d, a, b{, scale-factor};   // PTX 9.1, sm_100a sm_103a sm_107a sm_110a sm_120a sm_121a
        cvt.rn.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.bf16x2
                d, a{, scale-factor};   // PTX 9.1, sm_100a sm_103a sm_107a sm_110a sm_120a sm_121a
        cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2
                d, a{, scale-factor};   // PTX 9.1, sm_100a sm_103a sm_107a sm_110a sm_120a sm_121a
    """,
    types={"b": "atype", "e": "atype", "f": "atype", "rbits": "b32", "scale-factor": "b16"},
    when={"scale-factor": "scaled_n2_ue8m0"},
    gates="""
        dtype=.f64|atype=.f64                             sm_13
        .ftz                                              PTX 1.4
        .relu                                             PTX 7.0, sm_80
        dtype=.bf16 atype=.f32                            PTX 7.0, sm_80
        dtype=.f32 atype=.bf16                            PTX 7.1, sm_80
        dtype=.f32 atype=.bf16 .ftz                       PTX 7.8, sm_90
        dtype=.bf16 atype=.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64|.f16|.f64|.bf16   PTX 7.8, sm_90
        atype=.bf16 dtype=.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64|.f16|.f64         PTX 7.8, sm_90
        .satfinite dtype=.f16|.bf16|.f16x2|.bf16x2|.tf32  PTX 8.1
        .satfinite dtype=.tf32 .rn|.rz                    PTX 8.6, sm_100
    """,
    allows_wider_registers=True,
    operands="""
        rbits scale-factor   exactly
        *       any special
        a       short floats if .rna
    """,
    converts=True,
    algebra=lambda m: "copy" if m.dtype is m.atype and m.dtype.format and len(m.written) == 2 else "",
)


cvt_newer = instruction(
    "cvt",
    anchor="data-movement-and-conversion-instructions-cvt",
    summary="d = a converted to another type: forms of PTX 9.2 and 9.4.",
    syntax="""
        cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2.atype
                d, a, scale-factor;          // PTX 9.2, sm_100f sm_110f sm_120f (ptxas)
        .atype = { .e4m3x2, .e5m2x2, .e2m3x2, .e3m2x2, .e2m1x2 };
        cvt.rnd{.satfinite}.ue5m3x2.f32
                d, a, b;                     // PTX 9.4, sm_107f (ptxas)
        .rnd   = { .rn, .rz, .rp };
        cvt.rnd{.satfinite}.ue5m3x2.atype
                d, a;                        // PTX 9.4, sm_107f (ptxas)
        .rnd   = { .rn, .rz, .rp };
        .atype = { .f16x2, .bf16x2 };
        cvt.rn.dtype.ue5m3x2
                d, a;                        // PTX 9.4, sm_107f (ptxas)
        .dtype = { .f16x2, .bf16x2 };
    """,
    types={"b": "atype", "scale-factor": "b16"},
    allows_wider_registers=True,
    operands="""
        scale-factor   exactly
        *              any special
    """,
    converts=True,
)


def newer(m: Modifiers) -> Fidelity:
    """Forms that ISA 9.1 lacks: products by a scale, as it has for `.s2f6x2`; and `.ue5m3x2`."""
    if "ue5m3" in m.dtype.name + m.atype.name:
        return modelled("cuda_fp8.hpp of CUDA 13.4")
    return modelled("PTX ISA 9.1, products by a scale of `.s2f6x2`")


@meaning(cvt)
@meaning(cvt_newer, fidelity=newer)
def _(x: Machine, m: Modifiers, *operands: Bits | tuple[Bits, ...] | None) -> Bits:
    values = [v for o in operands if o is not None for v in as_tuple(o)]
    scale = values.pop() if m.scaled_n2_ue8m0 else None
    rbits = values.pop() if m.rnd == "rs" else None
    return convert(
        x,
        m.dtype.name,
        m.atype.name,
        *values,
        rnd=m.rnd,
        ftz=m.ftz,
        sat=m.sat,
        satfinite=m.satfinite,
        relu=m.relu,
        scale=scale,
        rbits=rbits,
    )


cvt_pack = instruction(
    "cvt.pack",
    anchor="data-movement-and-conversion-instructions-cvt-pack",
    summary="d = a and b, saturated to a narrow type and packed into the lowest bits; the upper bits come from c.",
    syntax="""
        cvt.pack.sat.dtype.atype         d, a, b;      // PTX 6.5, sm_72
        .dtype = { .u16, .s16 };
        cvt.pack.sat.dtype.atype.ctype   d, a, b, c;   // PTX 6.5, sm_72
        .dtype = { .u2, .s2, .u4, .s4, .u8, .s8 };
        .atype = { .s32 };
        .ctype = { .b32 };
    """,
    types={"d": "b32"},
    gates="""
        .u2|.s2|.u4|.s4   sm_75
    """,
    operands="""
        d   as .u32
        c   as .b32
        *   wider
    """,
)


@meaning(cvt_pack)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    return pack(x, m.dtype.name, a, b, c)
