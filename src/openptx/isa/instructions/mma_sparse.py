"""Matrix multiplication by a warp whose first matrix is sparse (9.7.14.6)."""

from __future__ import annotations

from openptx.isa.instructions.mma import COUNTS, REJECTS, SCALE_RANGES, SCALES, TYPES_OF
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.matrix import products, sparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.semantics.matrix.products import Operand
    from openptx.numerics import Bits

mma_sp = instruction(
    "mma",
    by_generation=True,
    anchor="warp-level-matrix-instructions-sparse-mma",
    summary="d = a * b + c with a sparse a: e has the positions of its elements, f selects the lanes of e.",
    syntax=f"""
        mma.spvariant.sync.aligned.shape.row.col.dtype.f16.f16.ctype   d, a, b, c, e, f;   // PTX 7.1, sm_80
        .shape = {{ .m16n8k16, .m16n8k32 }};

        mma.spvariant.sync.aligned.shape.row.col.f32.bf16.bf16.f32     d, a, b, c, e, f;   // PTX 7.1, sm_80
        .shape = {{ .m16n8k16, .m16n8k32 }};
        mma.spvariant.sync.aligned.shape.row.col.f32.tf32.tf32.f32     d, a, b, c, e, f;   // PTX 7.1, sm_80
        .shape = {{ .m16n8k8, .m16n8k16 }};
        mma.spvariant.sync.aligned.shape.row.col.f32.atype.btype.f32   d, a, b, c, e, f;   // PTX 8.4, sm_89
        .shape = {{ .m16n8k64 }};
        .atype = .btype = {{ .e4m3, .e5m2 }};
        mma.spvariant.sync.aligned.shape.row.col.f16.atype.btype.f16   d, a, b, c, e, f;   // PTX 8.7, sm_120f
        .spvariant = {{ .sp::ordered_metadata }};
        .shape = {{ .m16n8k64 }};
        .atype = .btype = {{ .e4m3, .e5m2 }};
        mma.spvariant.sync.aligned.shape.row.col.dtype.atype.btype.ctype
                d, a, b, c, e, f;   // PTX 8.7, sm_120 (manual)
        .shape = {{ .m16n8k32 }};
        .atype = .btype = {{ .e4m3, .e5m2 }};
        mma.spvariant.sync.aligned.shape.row.col.kind.f32.atype.btype.f32
                d, a, b, c, e, f;   // PTX 8.6, sm_100f sm_110f (ptxas)
        .spvariant = {{ .sp::ordered_metadata }};
        .shape = {{ .m16n8k64 }};
        .kind  = {{ .kind::f8f6f4 }};
        .atype = .btype = {{ .e4m3, .e5m2 }};
        mma.spvariant.sync.aligned.shape.row.col.kind.dtype.atype.btype.ctype   d, a, b, c, e, f;   // PTX 8.7, sm_120f
        .spvariant = {{ .sp::ordered_metadata }};
        .shape = {{ .m16n8k64 }};
        .kind  = {{ .kind::f8f6f4 }};
        .atype = .btype = {{ .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 }};

        mma.spvariant.sync.aligned.shape.row.col.kind.block_scale{{.scale_vec_size}}.f32.e2m1.e2m1.f32.stype
                d, a, b, c, e, f, {SCALES};   // PTX 8.7, sm_120a sm_121a
        .spvariant = {{ .sp::ordered_metadata }};
        .shape = {{ .m16n8k128 }};
        .kind  = {{ .kind::mxf4 }};
        .scale_vec_size = {{ .scale_vec::2X }};
        .stype = {{ .ue8m0 }};
        mma.spvariant.sync.aligned.shape.row.col.kind.block_scale.scale_vec_size.f32.e2m1.e2m1.f32.stype
                d, a, b, c, e, f, {SCALES};   // PTX 8.7, sm_120a sm_121a
        .spvariant = {{ .sp::ordered_metadata }};
        .shape = {{ .m16n8k128 }};
        .kind  = {{ .kind::mxf4nvf4 }};
        .scale_vec_size = {{ .scale_vec::2X, .scale_vec::4X }};
        .stype = {{ .ue8m0, .ue4m3 }};
        mma.spvariant.sync.aligned.shape.row.col.kind.block_scale{{.scale_vec_size}}.f32.atype.btype.f32.stype
                d, a, b, c, e, f, {SCALES};   // PTX 8.7, sm_120f
        .spvariant = {{ .sp::ordered_metadata }};
        .shape = {{ .m16n8k64 }};
        .kind  = {{ .kind::mxf8f6f4 }};
        .scale_vec_size = {{ .scale_vec::1X }};
        .atype = .btype = {{ .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 }};
        .stype = {{ .ue8m0 }};

        mma.spvariant.sync.aligned.shape.row.col{{.satfinite}}.s32.atype.btype.s32
                d, a, b, c, e, f;   // PTX 7.1, sm_80
        .shape = {{ .m16n8k32, .m16n8k64 }};
        .atype = .btype = {{ .u8, .s8 }};
        mma.spvariant.sync.aligned.shape.row.col{{.satfinite}}.s32.atype.btype.s32
                d, a, b, c, e, f;   // PTX 7.1, sm_80
        .shape = {{ .m16n8k64, .m16n8k128 }};
        .atype = .btype = {{ .u4, .s4 }};

        .spvariant = {{ .sp, .sp::ordered_metadata }};
        .dtype = .ctype = {{ .f16, .f32 }};
    """,
    types=TYPES_OF,
    vectors=COUNTS,
    rejects=REJECTS,
    immediates="f",
    ranges=SCALE_RANGES
    + """
        .m16n8k8 f           0 to 3
        .m16n8k16 .tf32 f    0 or 1
        .m16n8k16 f          0 to 3
        .m16n8k32 .bf16 f    0 or 1
        .m16n8k32 .s8 f      0 or 1
        .m16n8k32 .u8 f      0 or 1
        .m16n8k32 .f32 f     0 to 3
        .m16n8k32 f          0 or 1
        .m16n8k64 .s4 f      0 or 1
        .m16n8k64 .u4 f      0 or 1
        .m16n8k64 f          0
        .m16n8k128 f         0
    """,
    gates="""
        .sp::ordered_metadata    PTX 8.5
        .scale_vec::4X .ue8m0    PTX 9.1
    """,
    operands="""
        a b c d   registers, no pairs
        e scale-a-data scale-b-data   registers, as .b32, a list of one, one of several
        byte-id-a byte-id-b   integers after one
    """,
)


@meaning(mma_sp, fidelity=products.fidelity)
def _(x: Machine, m: Modifiers, a: Operand, b: Operand, c: Operand, e: Bits, f: int, *scaling: Operand) -> Operand:
    products.whole_warp(x, "mma.sp")
    a, b, c = map(as_tuple, (a, b, c))
    return sparse.product(x, m, a, b, c, e, f, scaling)
