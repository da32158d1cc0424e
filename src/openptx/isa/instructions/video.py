"""Video instructions: of bytes and halves, one at a time or all of a register (9.7.18)."""

from __future__ import annotations

from openptx.isa.notation import Instruction, instruction

_SELECTORS = """
        .dsel = .asel = .bsel = { .b0, .b1, .b2, .b3, .h0, .h1 };
        .op2  = { .add, .min, .max };
"""
_SCALAR = """
        {0}.dtype.atype.btype{{.sat}}       d, a{{.asel}}, b{{.bsel}};        // PTX 2.0, sm_20
        {0}.dtype.atype.btype{{.sat}}.op2   d, a{{.asel}}, b{{.bsel}}, c;     // PTX 2.0, sm_20
        {0}.dtype.atype.btype{{.sat}}       d.dsel, a{{.asel}}, b{{.bsel}}, c;   // PTX 2.0, sm_20
        .dtype = .atype = .btype = {{ .u32, .s32 }};
"""
_SHIFT = """
        {0}.dtype.atype.u32{{.sat}}.mode       d, a{{.asel}}, b{{.bsel}};        // PTX 2.0, sm_20
        {0}.dtype.atype.u32{{.sat}}.mode.op2   d, a{{.asel}}, b{{.bsel}}, c;     // PTX 2.0, sm_20
        {0}.dtype.atype.u32{{.sat}}.mode       d.dsel, a{{.asel}}, b{{.bsel}}, c;   // PTX 2.0, sm_20
        .dtype = .atype = {{ .u32, .s32 }};
        .mode  = {{ .clamp, .wrap }};
"""


def _scalar(name: str, summary: str, syntax: str = _SCALAR) -> Instruction:
    return instruction(
        name,
        anchor=f"video-instructions-{name}",
        summary=summary + "; then combined with c, or put into a part of it.",
        syntax=syntax.format(name) + _SELECTORS,
        types={"b": "btype", "c": "dtype"},
    )


vadd = _scalar("vadd", "d = a + b of bytes, halves or words, extended")
vsub = _scalar("vsub", "d = a - b of bytes, halves or words, extended")
vabsdiff = _scalar("vabsdiff", "d = |a - b| of bytes, halves or words, extended")
vmin = _scalar("vmin", "d = the smaller of a and b, bytes, halves or words, extended")
vmax = _scalar("vmax", "d = the larger of a and b, bytes, halves or words, extended")
vshl = _scalar("vshl", "d = a << b of bytes, halves or words, extended", _SHIFT)
vshr = _scalar("vshr", "d = a >> b of bytes, halves or words, extended", _SHIFT)

vmad = instruction(
    "vmad",
    anchor="video-instructions-vmad",
    summary="d = a * b + c of bytes, halves or words, extended; negated, plus one, scaled as the modifiers say.",
    syntax="""
        vmad.dtype.atype.btype{.sat}{.scale}      d, {-}a{.asel}, {-}b{.bsel}, {-}c;   // PTX 2.0, sm_20
        vmad.dtype.atype.btype.po{.sat}{.scale}   d, a{.asel}, b{.bsel}, c;            // PTX 2.0, sm_20
        .dtype = .atype = .btype = { .u32, .s32 };
        .scale = { .shr7, .shr15 };
    """
    + _SELECTORS,
    types={"c": "dtype"},
)

vset = instruction(
    "vset",
    anchor="video-instructions-vset",
    summary="d = whether a and b, bytes, halves or words, compare so; then combined with c, or put into a part of it.",
    syntax="""
        vset.atype.btype.cmp       d, a{.asel}, b{.bsel};         // PTX 2.0, sm_20
        vset.atype.btype.cmp.op2   d, a{.asel}, b{.bsel}, c;      // PTX 2.0, sm_20
        vset.atype.btype.cmp       d.dsel, a{.asel}, b{.bsel}, c; // PTX 2.0, sm_20
        .atype = .btype = { .u32, .s32 };
        .cmp   = { .eq, .ne, .lt, .le, .gt, .ge };
    """
    + _SELECTORS,
    types={"d": "u32", "c": "u32"},
)

# Selectors and masks are patterns here: `.h10` picks halves 1 and 0 of the four in b:a, `.b3210` bytes.
_HALVES = """
        .mask = { .h0, .h1, .h10 };
        .asel = .bsel = { .h[0-3][0-3] };
"""
_BYTES = """
        .mask = { .b3?2?1?0? };
        .asel = .bsel = { .b[0-7][0-7][0-7][0-7] };
"""
_SIMD = """
        {0}.dtype.atype.btype{{.sat}}   d{{.mask}}, a{{.asel}}, b{{.bsel}}, c;   // PTX 3.0, sm_30
        {0}.dtype.atype.btype.add     d{{.mask}}, a{{.asel}}, b{{.bsel}}, c;   // PTX 3.0, sm_30
        .dtype = .atype = .btype = {{ .u32, .s32 }};
"""
_SIMD_SET = """
        {0}.atype.btype.cmp       d{{.mask}}, a{{.asel}}, b{{.bsel}}, c;   // PTX 3.0, sm_30
        {0}.atype.btype.cmp.add   d{{.mask}}, a{{.asel}}, b{{.bsel}}, c;   // PTX 3.0, sm_30
        .atype = .btype = {{ .u32, .s32 }};
        .cmp   = {{ .eq, .ne, .lt, .le, .gt, .ge }};
"""


def _simd(name: str, summary: str) -> Instruction:
    return instruction(
        name,
        anchor=f"simd-video-instructions-{name}",
        summary=summary + ", or their sum plus c; what the mask leaves out comes from c.",
        syntax=_SIMD.format(name) + (_HALVES if name[-1] == "2" else _BYTES),
        types={"c": "dtype"},
    )


def _simd_set(name: str, summary: str) -> Instruction:
    return instruction(
        name,
        anchor=f"simd-video-instructions-{name}",
        summary=summary + ", or the number of those that do plus c; what the mask leaves out comes from c.",
        syntax=_SIMD_SET.format(name) + (_HALVES if name[-1] == "2" else _BYTES),
        types={"d": "u32", "c": "u32"},
    )


vadd2 = _simd("vadd2", "d = the sums of two halves each")
vsub2 = _simd("vsub2", "d = the differences of two halves each")
vavrg2 = _simd("vavrg2", "d = the averages of two halves each")
vabsdiff2 = _simd("vabsdiff2", "d = the absolute differences of two halves each")
vmin2 = _simd("vmin2", "d = the smaller of two halves each")
vmax2 = _simd("vmax2", "d = the larger of two halves each")
vset2 = _simd_set("vset2", "d = whether halves compare so")
vadd4 = _simd("vadd4", "d = the sums of four bytes each")
vsub4 = _simd("vsub4", "d = the differences of four bytes each")
vavrg4 = _simd("vavrg4", "d = the averages of four bytes each")
vabsdiff4 = _simd("vabsdiff4", "d = the absolute differences of four bytes each")
vmin4 = _simd("vmin4", "d = the smaller of four bytes each")
vmax4 = _simd("vmax4", "d = the larger of four bytes each")
vset4 = _simd_set("vset4", "d = whether bytes compare so")
