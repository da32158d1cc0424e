"""Matrix multiplication by a warp, with a specified fragment layout (9.7.14.5)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.matrix import products, quarters, scaled
from openptx.isa.semantics.matrix.fragments import fragment, registers, shape
from openptx.isa.semantics.matrix.generations import BYTES_IN_HALVES, of
from openptx.isa.types import TYPES, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.fidelity import Fidelity
    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.products import Operand


def stored_type(m: Modifiers, type: Type) -> Type | str:
    """The bits of an element: formats below eight bits occupy a byte each, unless all are e2m1 (`.kind::mxf4`)."""
    return "b8" if m.kind in ("kind::f8f6f4", "kind::mxf8f6f4") else type


def _any_bits(m: Modifiers) -> bool:
    """Sparse multiplication of bf16 and tf32 checks only the width of registers (ptxas 13.5, measured)."""
    return bool(m.spvariant) and m.atype.name in ("bf16", "tf32")


def _factor(m: Modifiers, type: Type) -> Type:
    """The register types of a and b (ptxas 13.5, measured): only `.b32` with scales, integers in m8n8k16, else the
    fragment's."""
    if _any_bits(m):
        return TYPES["b32"]
    if m.block_scale:
        return TYPES["e4m3x4"]
    return TYPES["s32"] if m.shape == "m8n8k16" else fragment(type)


def type_d(m: Modifiers) -> Type:
    return TYPES["b32"] if _any_bits(m) else fragment(m.dtype)


def type_a(m: Modifiers) -> Type:
    return _factor(m, m.atype)


def type_b(m: Modifiers) -> Type:
    return _factor(m, m.btype)


def type_c(m: Modifiers) -> Type:
    return TYPES["b32"] if _any_bits(m) else fragment(m.ctype)


def _added(m: Modifiers) -> bool:
    """Whether the assembler multiplies bytes as halves, and adds the sums one by one."""
    return m.atype.name in ("e4m3", "e5m2") and not m.block_scale and of(m) in BYTES_IN_HALVES


def _pieces_d(m: Modifiers) -> range:
    count = count_d(m)
    moved = m.dtype.name == "f64" and m.shape != "m8n8k4" and of(m) in ("Blackwell", "RTX Blackwell")
    return range(0, count, 1 if moved or _added(m) else count)


def _pieces_c(m: Modifiers) -> range:
    count = count_c(m)
    return range(0, count, 1 if _added(m) else count)


def _quarters(m: Modifiers) -> int:
    """The f16 form of m8n8k4 does four multiplications at once, one per quarter of the warp."""
    return 4 if m.shape == "m8n8k4" and m.atype.name == "f16" else 1


def count_d(m: Modifiers) -> int:
    rows, columns, _ = shape(m)
    return registers(rows * columns * _quarters(m), m.dtype)


def count_a(m: Modifiers) -> int:
    """The registers of matrix a; half as many if a is sparse."""
    rows, _, depth = shape(m)
    return registers(rows * depth * _quarters(m) // (2 if m.spvariant else 1), stored_type(m, m.atype))


def count_b(m: Modifiers) -> int:
    _, columns, depth = shape(m)
    return registers(depth * columns * _quarters(m), stored_type(m, m.btype))


def count_c(m: Modifiers) -> int:
    rows, columns, _ = shape(m)
    return registers(rows * columns * _quarters(m), m.ctype)


TYPES_OF = {
    "d": type_d,
    "a": type_a,
    "b": type_b,
    "c": type_c,
    "e": "b32",
    "f": "u32",
    "scale-a-data": "b32",
    "scale-b-data": "b32",
    "byte-id-a": "u16",
    "thread-id-a": "u16",
    "byte-id-b": "u16",
    "thread-id-b": "u16",
}
COUNTS = {"d": count_d, "a": count_a, "b": count_b, "c": count_c}
REJECTS = """
        .scale_vec::2X .ue4m3    scales of `.ue4m3` come in fours: `.scale_vec::4X`
        dtype=.f16 ctype=.f32    d can't be `.f16` where c is `.f32`
        dtype=.f32 ctype=.f16 shape=m16n8k8|m16n8k16|m16n8k32|m16n8k64   c and d must be of the same type
"""
SCALE_RANGES = """
        .scale_vec::4X    byte-id-a     0
        .scale_vec::4X    byte-id-b     0
        .scale_vec::2X    byte-id-a     0 or 2
        .scale_vec::2X    byte-id-b     0 or 2
        .kind::mxf4       byte-id-a     0 or 2
        .kind::mxf4       byte-id-b     0 or 2
        byte-id-a         0 to 3
        byte-id-b         0 to 3
        thread-id-a       0 to 1
        thread-id-b       0 to 3
    """
"""Which bytes and lanes hold the scales (measured, ptxas 13.5)."""
SCALES = "scale-a-data, {byte-id-a, thread-id-a}, scale-b-data, {byte-id-b, thread-id-b}"

mma = instruction(
    "mma",
    by_generation=True,
    anchor="warp-level-matrix-instructions-mma",
    summary="d = a * b + c of matrices; block-scaled kinds first multiply blocks of a and b by scale factors.",
    syntax=f"""
        mma.sync.aligned.shape.alayout.blayout.dtype.f16.f16.ctype   d, a, b, c;   // PTX 6.4, sm_70
        .shape   = {{ .m8n8k4 }};
        .alayout = .blayout = {{ .row, .col }};
        mma.sync.aligned.shape.row.col.dtype.f16.f16.ctype           d, a, b, c;   // PTX 6.5, sm_75
        .shape   = {{ .m16n8k8 }};
        mma.sync.aligned.shape.row.col.dtype.f16.f16.ctype           d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m16n8k16 }};

        mma.sync.aligned.shape.row.col.f32.tf32.tf32.f32             d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m16n8k4, .m16n8k8 }};
        mma.sync.aligned.shape.row.col.f32.bf16.bf16.f32             d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m16n8k8, .m16n8k16 }};
        mma.sync.aligned.shape.row.col.f32.atype.btype.f32           d, a, b, c;   // PTX 8.4, sm_89
        .shape   = {{ .m16n8k32 }};
        .atype   = .btype = {{ .e4m3, .e5m2 }};
        mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype       d, a, b, c;   // PTX 8.7, sm_89
        .shape   = {{ .m16n8k16, .m16n8k32 }};
        .atype   = .btype = {{ .e4m3, .e5m2 }};
        mma.sync.aligned.shape.row.col.kind.dtype.atype.btype.ctype  d, a, b, c;   // PTX 8.6, sm_100f sm_110f (ptxas)
        .shape   = {{ .m16n8k32 }};
        .kind    = {{ .kind::f8f6f4 }};
        .atype   = .btype = {{ .e4m3, .e5m2 }};
        mma.sync.aligned.shape.row.col.kind.dtype.atype.btype.ctype  d, a, b, c;   // PTX 8.7, sm_120f
        .shape   = {{ .m16n8k32 }};
        .kind    = {{ .kind::f8f6f4 }};
        .atype   = .btype = {{ .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 }};

        mma.sync.aligned.shape.row.col.kind.block_scale{{.scale_vec_size}}.f32.e2m1.e2m1.f32.stype
                d, a, b, c, {SCALES};   // PTX 8.7, sm_120f
        .shape   = {{ .m16n8k64 }};
        .kind    = {{ .kind::mxf4 }};
        .scale_vec_size = {{ .scale_vec::2X }};
        .stype   = {{ .ue8m0 }};
        mma.sync.aligned.shape.row.col.kind.block_scale.scale_vec_size.f32.e2m1.e2m1.f32.stype
                d, a, b, c, {SCALES};   // PTX 8.7, sm_120f
        .shape   = {{ .m16n8k64 }};
        .kind    = {{ .kind::mxf4nvf4 }};
        .scale_vec_size = {{ .scale_vec::2X, .scale_vec::4X }};
        .stype   = {{ .ue8m0, .ue4m3 }};
        mma.sync.aligned.shape.row.col.kind.block_scale{{.scale_vec_size}}.f32.atype.btype.f32.stype
                d, a, b, c, {SCALES};   // PTX 8.7, sm_120f
        .shape   = {{ .m16n8k32 }};
        .kind    = {{ .kind::mxf8f6f4 }};
        .scale_vec_size = {{ .scale_vec::1X }};
        .atype   = .btype = {{ .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 }};
        .stype   = {{ .ue8m0 }};

        mma.sync.aligned.shape.row.col{{.rnd}}.f64.f64.f64.f64         d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m8n8k4 }};
        .rnd     = {{ .rn, .rz, .rm, .rp }};
        mma.sync.aligned.shape.row.col{{.rnd}}.f64.f64.f64.f64         d, a, b, c;   // PTX 7.8, sm_90
        .shape   = {{ .m16n8k4, .m16n8k8, .m16n8k16 }};
        .rnd     = {{ .rn, .rz, .rm, .rp }};

        mma.sync.aligned.shape.row.col{{.satfinite}}.s32.atype.btype.s32   d, a, b, c;   // PTX 6.5, sm_75
        .shape   = {{ .m8n8k16 }};
        .atype   = .btype = {{ .u8, .s8 }};
        mma.sync.aligned.shape.row.col{{.satfinite}}.s32.atype.btype.s32   d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m16n8k16, .m16n8k32 }};
        .atype   = .btype = {{ .u8, .s8 }};
        mma.sync.aligned.shape.row.col{{.satfinite}}.s32.atype.btype.s32   d, a, b, c;   // PTX 6.5, sm_75
        .shape   = {{ .m8n8k32 }};
        .atype   = .btype = {{ .u4, .s4 }};
        mma.sync.aligned.shape.row.col{{.satfinite}}.s32.atype.btype.s32   d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m16n8k32, .m16n8k64 }};
        .atype   = .btype = {{ .u4, .s4 }};

        mma.sync.aligned.shape.row.col.s32.b1.b1.s32.op.popc         d, a, b, c;   // PTX 7.0, sm_75
        .shape   = {{ .m8n8k128 }};
        .op      = {{ .xor, .and }};
        mma.sync.aligned.shape.row.col.s32.b1.b1.s32.op.popc         d, a, b, c;   // PTX 7.0, sm_80
        .shape   = {{ .m16n8k128, .m16n8k256 }};
        .op      = {{ .xor, .and }};

        .dtype = .ctype = {{ .f16, .f32 }};
    """,
    types=TYPES_OF,
    vectors=COUNTS,
    pieces={"d": _pieces_d, "c": _pieces_c},
    rejects=REJECTS,
    gates="""
        .and                     PTX 7.1, sm_80
        .scale_vec::4X .ue8m0    PTX 9.1
        .kind::f8f6f4 .f16       PTX 8.7
    """,
    ranges=SCALE_RANGES,
    no_integers="""
        .m8n8k16   a b
    """,
    operands="""
        a b c d   registers, no pairs, as .b64
        scale-a-data scale-b-data   registers, as .b32, a list of one, one of several
        byte-id-a byte-id-b   integers after one
    """,
)


def fidelity(m: Modifiers) -> Fidelity:
    return quarters.fidelity(m) if _quarters(m) > 1 else products.fidelity(m)


@meaning(mma, fidelity=fidelity)
def _(x: Machine, m: Modifiers, *operands: Operand) -> Operand:
    products.whole_warp(x, "mma")
    a, b, c = map(as_tuple, operands[:3])
    if m.block_scale:
        return scaled.product(x, m, a, b, c, operands[3:])
    if _quarters(m) > 1:
        return quarters.product(x, m, a, b, c)
    return products.product(x, m, a, b, c)
