"""Accesses to multimem addresses: the same place in the memories of several devices (9.7.9.14, 9.7.9.26, 9.7.9.27).

Only one device exists here, so a multimem address is an address of its memory, and a reducing load reduces one element.
"""

from __future__ import annotations

from openptx.isa.fidelity import modelled
from openptx.isa.instructions import async_copy, atomic, load_store
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.types import Type
    from openptx.numerics import Bits

ALONE = modelled("PTX ISA, 8.2.3, for a multicast object of one device")

_ANCHOR = "data-movement-and-conversion-instructions-multimem"
_CHOICES = """
        .space = { .global };
        .scope = { .cta, .cluster, .gpu, .sys };
        .vec   = { .v2, .v4, .v8 };
"""
_GATES = """
        .acc::f32                               PTX 8.2
        .acc::f16                               PTX 8.6, sm_100f sm_110f sm_120a sm_121a
"""


def _moved(m: Modifiers) -> Type:
    """The type of what is loaded or stored. Eight-bit values accept any register of their size (ptxas 13.5,
    measured)."""
    return TYPES[f"b{m.type.width}"] if m.type.element.width == 8 else m.type


multimem_ld_reduce = instruction(
    "multimem.ld_reduce",
    anchor=_ANCHOR,
    summary="d = the reduction of the values at a in the memories of all GPUs.",
    syntax="""
        multimem.ld_reduce{.sem.scope}{.space}.op.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .and, .or, .xor };
        .type = { .b32, .b64 };
        multimem.ld_reduce{.sem.scope}{.space}.op.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .min, .max };
        .type = { .u32, .u64, .s32, .s64 };
        multimem.ld_reduce{.sem.scope}{.space}.op.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .add };
        .type = { .u32, .u64, .s32, .f64 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.vec}.f32   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op{.vec}.f32   d, [a];   // PTX 8.1, sm_90
        .op   = { .add };
        .vec  = { .v2, .v4 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.vec}.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op{.vec}.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .min, .max };
        .type = { .f16x2, .bf16x2 };
        .vec  = { .v2, .v4 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.acc_prec}{.vec}.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op{.acc_prec}{.vec}.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .add };
        .acc_prec = { .acc::f32 };
        .type = { .f16x2, .bf16x2 };
        .vec  = { .v2, .v4 };
        multimem.ld_reduce{.sem.scope}{.space}.op.vec.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op.vec.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .min, .max };
        .type = { .f16, .bf16 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.acc_prec}.vec.type   d, [a];   // PTX 8.1, sm_90
        multimem.ld_reduce.weak{.space}.op{.acc_prec}.vec.type   d, [a];   // PTX 8.1, sm_90
        .op   = { .add };
        .acc_prec = { .acc::f32 };
        .type = { .f16, .bf16 };
        // PTX 8.6, sm_100f sm_110f sm_120a sm_121a
        multimem.ld_reduce{.sem.scope}{.space}.op{.vec}.type   d, [a];
        multimem.ld_reduce.weak{.space}.op{.vec}.type   d, [a];
        .op   = { .min, .max };
        .type = { .e5m2x4, .e4m3x4 };
        .vec  = { .v2, .v4 };
        multimem.ld_reduce{.sem.scope}{.space}.op.vec.type   d, [a];
        multimem.ld_reduce.weak{.space}.op.vec.type   d, [a];
        .op   = { .min, .max };
        .type = { .e5m2x2, .e4m3x2 };
        multimem.ld_reduce{.sem.scope}{.space}.op.vec.type   d, [a];
        multimem.ld_reduce.weak{.space}.op.vec.type   d, [a];
        .op   = { .min, .max };
        .type = { .e5m2, .e4m3 };
        .vec  = { .v4, .v8 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.acc_prec}{.vec}.type   d, [a];
        multimem.ld_reduce.weak{.space}.op{.acc_prec}{.vec}.type   d, [a];
        .op   = { .add };
        .acc_prec = { .acc::f16 };
        .type = { .e5m2x4, .e4m3x4 };
        .vec  = { .v2, .v4 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.acc_prec}.vec.type   d, [a];
        multimem.ld_reduce.weak{.space}.op{.acc_prec}.vec.type   d, [a];
        .op   = { .add };
        .acc_prec = { .acc::f16 };
        .type = { .e5m2x2, .e4m3x2 };
        multimem.ld_reduce{.sem.scope}{.space}.op{.acc_prec}.vec.type   d, [a];
        multimem.ld_reduce.weak{.space}.op{.acc_prec}.vec.type   d, [a];
        .op   = { .add };
        .acc_prec = { .acc::f16 };
        .type = { .e5m2, .e4m3 };
        .vec  = { .v4, .v8 };

        .sem = { .relaxed, .acquire };
    """
    + _CHOICES,
    types={"d": _moved},
    vectors={"d": "vec"},
    defaults={"space": "generic"},
    operands="d   integers in lists, a list of one float",
    gates=_GATES,
)


@meaning(multimem_ld_reduce, fidelity=ALONE)
def _(x: Machine, m: Modifiers, a: Bits) -> Word | tuple[Bits, ...]:
    return load_store.load(x, m, a)


multimem_st = instruction(
    "multimem.st",
    anchor=_ANCHOR,
    summary="Stores b at a in the memories of all GPUs.",
    syntax="""
        multimem.st{.sem.scope}{.space}.type   [a], b;   // PTX 8.1, sm_90
        multimem.st.weak{.space}.type   [a], b;   // PTX 8.1, sm_90
        .type = { .b32, .b64, .u32, .u64, .s32, .s64, .f64 };
        multimem.st{.sem.scope}{.space}{.vec}.type   [a], b;   // PTX 8.1, sm_90
        multimem.st.weak{.space}{.vec}.type   [a], b;   // PTX 8.1, sm_90
        .type = { .f32, .f16x2, .bf16x2 };
        .vec  = { .v2, .v4 };
        multimem.st{.sem.scope}{.space}.vec.type   [a], b;   // PTX 8.1, sm_90
        multimem.st.weak{.space}.vec.type   [a], b;   // PTX 8.1, sm_90
        .type = { .f16, .bf16 };
        // PTX 8.6, sm_100f sm_110f sm_120a sm_121a
        multimem.st{.sem.scope}{.space}{.vec}.type   [a], b;
        multimem.st.weak{.space}{.vec}.type   [a], b;
        .type = { .e5m2x4, .e4m3x4 };
        .vec  = { .v2, .v4 };
        multimem.st{.sem.scope}{.space}.vec.type   [a], b;
        multimem.st.weak{.space}.vec.type   [a], b;
        .type = { .e5m2x2, .e4m3x2 };
        multimem.st{.sem.scope}{.space}.vec.type   [a], b;
        multimem.st.weak{.space}.vec.type   [a], b;
        .type = { .e5m2, .e4m3 };
        .vec  = { .v4, .v8 };

        .sem = { .relaxed, .release };
    """
    + _CHOICES,
    types={"b": _moved},
    vectors={"b": "vec"},
    defaults={"space": "generic"},
    operands="""
        a   no texture
        b   registers in lists, integers in lists, a list of one float
    """,
)


@meaning(multimem_st, fidelity=ALONE)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits | tuple[Bits, ...]) -> None:
    x.store(m.space, a, as_tuple(b))


multimem_red = instruction(
    "multimem.red",
    anchor=_ANCHOR,
    summary="Reduces b into the memories of all GPUs at a.",
    syntax="""
        multimem.red{.sem.scope}{.space}.op.type   [a], b;   // PTX 8.1, sm_90
        .op   = { .and, .or, .xor };
        .type = { .b32, .b64 };
        multimem.red{.sem.scope}{.space}.op.type   [a], b;   // PTX 8.1, sm_90
        .op   = { .min, .max };
        .type = { .u32, .u64, .s32, .s64 };
        multimem.red{.sem.scope}{.space}.op.type   [a], b;   // PTX 8.1, sm_90
        .op   = { .add };
        .type = { .u32, .u64, .s32, .f64 };
        multimem.red{.sem.scope}{.space}.op{.vec}.type   [a], b;   // PTX 8.1, sm_90
        .op   = { .add };
        .type = { .f32, .f16x2, .bf16x2 };
        .vec  = { .v2, .v4 };
        multimem.red{.sem.scope}{.space}.op.vec.type   [a], b;   // PTX 8.1, sm_90
        .op   = { .add };
        .type = { .f16, .bf16 };
        multimem.red{.sem.scope}{.space}.op.vec.type   [a], b;   // PTX 8.1, sm_90 (ptxas)
        .op   = { .min, .max };
        .type = { .f16x2, .bf16x2 };
        .vec  = { .v2, .v4 };
        multimem.red{.sem.scope}{.space}.op.vec.type   [a], b;   // PTX 8.1, sm_90 (ptxas)
        .op   = { .min, .max };
        .type = { .f16, .bf16 };

        .sem = { .relaxed, .release };
    """
    + _CHOICES,
    operands="""
        a   64 bits
        b   integers in lists
    """,
    vectors={"b": "vec"},
    defaults={"space": "generic"},
    reduces="one",
)


@meaning(multimem_red, fidelity=ALONE)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits | tuple[Bits, ...]) -> None:
    if isinstance(b, tuple):
        atomic.each_element(x, m, a, b)
    else:
        atomic.operate(x, m, a, b)


multimem_cp_async_bulk = instruction(
    "multimem.cp.async.bulk",
    anchor="data-movement-and-conversion-instructions-multimem-cp-async-bulk",
    summary="Copies size bytes of shared memory to dstMem in the memories of all GPUs, asynchronously.",
    syntax="""
        multimem.cp.async.bulk.dst.src.completion_mechanism{.cp_mask}
                [dstMem], [srcMem], size{, byteMask};   // PTX 9.1, sm_90
        .dst = { .global };
        .src = { .shared::cta };
        .completion_mechanism = { .bulk_group };
    """,
    types={"size": "u32", "byteMask": "b16"},
    ranges=async_copy.BULK_SIZES,
    when={"byteMask": "cp_mask"},
    gates="""
        .cp_mask   sm_100
    """,
)


@meaning(multimem_cp_async_bulk, fidelity=ALONE)
def _(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits, mask: Bits | None = None) -> None:
    async_copy.copy_out(x, m, dst, src, size, mask)


multimem_cp_reduce_async_bulk = instruction(
    "multimem.cp.reduce.async.bulk",
    anchor="data-movement-and-conversion-instructions-multimem-cp-reduce-async-bulk",
    summary="Reduces size bytes of shared memory into the memories of all GPUs at dstMem, asynchronously.",
    syntax="""
        multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size;   // PTX 9.1, sm_90
        .op   = { .and, .or, .xor };
        .type = { .b32, .b64 };
        multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size;   // PTX 9.1, sm_90
        .op   = { .add };
        .type = { .u32, .s32, .u64, .f32, .f64 };
        multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size;   // PTX 9.1, sm_90
        .op   = { .inc, .dec };
        .type = { .u32 };
        multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size;   // PTX 9.1, sm_90
        .op   = { .min, .max };
        .type = { .u32, .s32, .u64, .s64, .f16, .bf16 };
        multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.noftz.type
                [dstMem], [srcMem], size;   // PTX 9.1, sm_90
        .op   = { .add };
        .type = { .f16, .bf16 };

        .dst = { .global };
        .src = { .shared::cta };
        .completion_mechanism = { .bulk_group };
    """,
    types={"size": "u32"},
    ranges=async_copy.BULK_SIZES,
    reduces="many",
)


@meaning(multimem_cp_reduce_async_bulk, fidelity=ALONE)
def _(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits) -> None:
    async_copy.reduce_out(x, m, dst, src, size)
