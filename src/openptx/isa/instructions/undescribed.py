"""Other instructions of PTX 9.3 to 9.5 that NVIDIA's assembler and CUDA headers have, and no document here describes.

They have no meaning: a kernel that runs one ends in `Unsupported`.
"""

from __future__ import annotations

from openptx.isa.notation import instruction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.forms import Modifiers

_TCGEN05 = "tcgen05-instructions-tcgen05-"

clmad = instruction(
    "clmad",
    anchor="integer-arithmetic-instructions",
    summary="A carry-less product, of which half is kept, and a sum.",
    syntax="""
        clmad.mode.type   d, a, b, c;   // PTX 9.3, sm_80 (ptxas)
        .mode = { .lo, .hi };
        .type = { .u64, .s64 };
    """,
    ordered_prefix=1,
)

tensormap_query = instruction(
    "tensormap.query.alloc_class_large",
    anchor="data-movement-and-conversion-instructions-tensormap-replace",
    summary="p = whether the tensor map at addr is of the large allocation class.",
    syntax="""
        tensormap.query.alloc_class_large{.space}.b1024   p, [addr];   // PTX 9.5, sm_90 (ptxas)
        .space = { .global };
    """,
    types={"p": "pred"},
    defaults={"space": "generic"},
)

trace_mark = instruction(
    "trace.mark",
    anchor="miscellaneous-instructions",
    summary="Marks a place for tools that trace a kernel.",
    syntax="""
        trace.mark   imm;   // PTX 9.5, sm_107f (ptxas)
    """,
    types={"imm": "u32"},
)

tcgen05_alloc = instruction(
    "tcgen05.alloc",
    anchor=_TCGEN05 + "alloc-dealloc-relinquish-alloc-permit",
    summary="Allocates columns of tensor memory exclusively.",
    syntax="""
        tcgen05.alloc.exclusive.cta_group.sync.aligned{.space}.b32   [dst], nCols;   // PTX 9.4, sm_100f sm_110f (ptxas)
        .cta_group = { .cta_group::1, .cta_group::2 };
        .space     = { .shared{::cta} };
    """,
    types={"nCols": "u32"},
    defaults={"space": "generic"},
    operands="dst   in .shared",
)

tcgen05_dealloc = instruction(
    "tcgen05.dealloc",
    anchor=_TCGEN05 + "alloc-dealloc-relinquish-alloc-permit",
    summary="Frees columns of tensor memory that were allocated exclusively.",
    syntax="""
        tcgen05.dealloc.exclusive.cta_group.sync.aligned.b32   taddr, nCols;   // PTX 9.4, sm_100f sm_110f (ptxas)
        .cta_group = { .cta_group::1, .cta_group::2 };
    """,
    types={"taddr": "b32", "nCols": "u32"},
)

tcgen05_commit = instruction(
    "tcgen05.commit",
    anchor=_TCGEN05 + "commit",
    summary="Lets mbarriers of up to 32 CTAs be arrived at, or when a was read.",
    syntax="""
        tcgen05.commit.cta_group.completion_mechanism{.space}.multicast.b64
                [mbar], ctaMask;   // PTX 9.4, sm_107f (ptxas)
        .multicast = { .multicast::cluster::32b };
        tcgen05.commit.cta_group.completion_mechanism.sync_restrict{.space}.b64   [mbar];   // PTX 9.4, sm_107f (ptxas)
        tcgen05.commit.cta_group.completion_mechanism.sync_restrict{.space}.multicast.b64
                [mbar], ctaMask16;   // PTX 9.4, sm_107f (ptxas)
        .multicast = { .multicast::cluster };
        tcgen05.commit.cta_group.completion_mechanism.sync_restrict{.space}.multicast.b64
                [mbar], ctaMask;   // PTX 9.4, sm_107f (ptxas)
        .multicast = { .multicast::cluster::32b };
        .completion_mechanism = { .mbarrier::arrive::one };
        .cta_group = { .cta_group::1, .cta_group::2 };
        .space = { .shared::cluster };
        .sync_restrict = { .sync_restrict::shared::read::mma::a };
    """,
    types={"ctaMask": "b32", "ctaMask16": "b16"},
    defaults={"space": "generic"},
    operands="mbar   in .shared",
)


def _columns(m: Modifiers) -> int:
    return int((m.num or "x4")[1:])


tcgen05_ld_red_spcompress = instruction(
    "tcgen05.ld.red.spcompress",
    anchor=_TCGEN05 + "ld",
    summary="Loads from tensor memory, keeps the larger or smaller half, and reduces.",
    syntax="""
        tcgen05.ld.red.spcompress.sync.aligned.shape.num.redOp.pattern{.abs}.f32.b2
                metadata, d, redVal, [taddr];   // PTX 9.4, sm_107a (ptxas)
        .shape   = { .32x32b };
        .num     = { .x4, .x8, .x16, .x32, .x64, .x128 };
        .redOp   = { .min, .max };
        .pattern = { .sp::2:4 };
    """,
    types={"metadata": "b32", "d": "f32", "redVal": "f32"},
    vectors={"metadata": lambda m: max(_columns(m) // 32, 1), "d": lambda m: _columns(m) // 2},
    writes="metadata d redVal",
)
