"""Video instructions: on bytes and halfwords, one at a time or all of a register (9.7.18)."""

from __future__ import annotations

from openptx.isa.fidelity import modelled
from openptx.isa.notation import Instruction, instruction, meaning
from openptx.isa.semantics import video
from openptx.isa.types import TYPES, Type
from openptx.numerics import S, U

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

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
        operands="""
        *     minus
        a b   no sum
    """,
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
    operands="""
        *     minus
        a b   no sum
    """,
)


@meaning(vmad)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    minus = bool(m.a_minus) != bool(m.b_minus)
    signed = m.atype.signed or m.btype.signed or minus or bool(m.c_minus)
    t = TYPES["s32" if signed else "u32"]
    d = video.extract(x, m.atype, a, m.a_part) * video.extract(x, m.btype, b, m.b_part)
    if m.sat and signed and not (m.atype.signed or m.btype.signed):
        d = x.min(U, d, 1 << 62)  # the sum may need 66 bits; what is cut here is clamped even after `.shr15`
    e = x.resize(~c if m.c_minus else c, 64, signed)
    d = (~d if minus else d) + e + int(bool(m.po or minus or m.c_minus))
    if m.scale:
        d = x.shr(t, d, int(m.scale[3:]))
    if not m.sat:
        return x.resize(d, 32)
    # An unsigned result may need all 64 bits.
    return x.resize(video.clamp(x, t, d, 32) if signed else x.min(U, d, (1 << 32) - 1), 32)


@meaning(vadd, vsub, vabsdiff, vmin, vmax)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    a, b = video.extract(x, m.atype, a, m.a_part), video.extract(x, m.btype, b, m.b_part)
    return finish(x, m, video.operate(x, m.form.instruction.name, a, b), m.dtype, c)


def finish(x: Machine, m: Modifiers, d: Bits, t: Type, c: Bits | None) -> Bits:
    """Saturation, and the second operation or the merge."""
    if m.sat:
        d = video.clamp(x, t, d, video.width_of(m.d_part))
    if c is None:
        return x.resize(d, 32)
    return video.merge(x, d, m.d_part, c) if m.d_part else video.second(x, m.op2, t, d, c)


@meaning(vshl, vshr, fidelity=modelled("PTX ISA, 9.7.18.1: an intermediate result of 34 bits, taken as signed"))
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    a = video.extract(x, m.atype, a, m.a_part)
    n = video.extract(x, TYPES["u32"], b, m.b_part)
    n = x.min(U, n, 32) if m.mode == "clamp" else n & 31
    d = x.shr(S, a << n << 30, 30) if m.form.instruction is vshl else x.shr(S, a, n)
    return finish(x, m, d, m.dtype, c)


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
    operands="""
        *     minus
        d c   strictly
        a b   no sum
    """,
)


@meaning(vset)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    a, b = video.extract(x, m.atype, a, m.a_part), video.extract(x, m.btype, b, m.b_part)
    return finish(x, m, video.compare(x, m.cmp or "", a, b), TYPES["u32"], c)


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
        operands="a b c   registers",
    )


def _simd_set(name: str, summary: str) -> Instruction:
    return instruction(
        name,
        anchor=f"simd-video-instructions-{name}",
        summary=summary + ", or the number of those that do plus c; what the mask leaves out comes from c.",
        syntax=_SIMD_SET.format(name) + (_HALVES if name[-1] == "2" else _BYTES),
        types={"d": "u32", "c": "u32"},
        operands="a b c   registers",
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

HALVES = ("h10", "h10", "h32")
BYTES = ("b3210", "b3210", "b7654")
"""Default mask and selectors of a and b."""


def vectors(x: Machine, m: Modifiers, a: Bits, b: Bits) -> tuple[str, list[Bits], list[Bits]]:
    """The mask, and the parts of both operands that the selectors pick."""
    mask, first, second = HALVES if m.form.instruction.name.endswith("2") else BYTES
    va = video.pick(x, m.atype, a, b, m.a_part or first)
    vb = video.pick(x, m.btype, a, b, m.b_part or second)
    return m.d_part or mask, va, vb


@meaning(vadd2, vsub2, vavrg2, vabsdiff2, vmin2, vmax2, vadd4, vsub4, vavrg4, vabsdiff4, vmin4, vmax4)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    mask, va, vb = vectors(x, m, a, b)
    d = [video.operate(x, m.form.instruction.name, p, q) for p, q in zip(va, vb, strict=True)]
    if m.sat:
        d = [video.clamp(x, m.dtype, v, 32 // len(d)) for v in d]
    return video.gather(x, d, mask, c, accumulate=bool(m.add))


@meaning(vset2, vset4)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits, c: Bits) -> Bits:
    mask, va, vb = vectors(x, m, a, b)
    d = [video.compare(x, m.cmp or "", p, q) for p, q in zip(va, vb, strict=True)]
    return video.gather(x, d, mask, c, accumulate=bool(m.add))
