"""Tensor memory: its allocation, moving data to and from it, waiting (9.7.16.7 to 9.7.16.9, 9.7.16.11, 9.7.16.12)."""

from __future__ import annotations

from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction

_ANCHOR = "tcgen05-instructions-tcgen05-"
_GROUP = """
        .cta_group = { .cta_group::1, .cta_group::2 };
"""
_COLUMNS = "nCols   32 or 64 or 128 or 256 or 512"
_REGISTERS = {"16x128b": 2, "16x256b": 4}


def moved(m: Modifiers) -> int:
    """The registers of a load or store: those of the shape, as often as `.num` says."""
    return _REGISTERS.get(m.shape or "", 1) * int((m.num or "x1")[1:])


alloc = instruction(
    "tcgen05.alloc",
    anchor=_ANCHOR + "alloc",
    summary="Allocates nCols columns of tensor memory and writes their address to shared memory at dst.",
    syntax="""
        tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32   [dst], nCols;   // PTX 8.6, sm_100f sm_110f
    """
    + _GROUP,
    types={"nCols": "u32"},
    ranges=_COLUMNS,
    defaults={"space": "generic"},
)

dealloc = instruction(
    "tcgen05.dealloc",
    anchor=_ANCHOR + "dealloc",
    summary="Frees nCols columns of tensor memory from taddr on.",
    syntax="""
        tcgen05.dealloc.cta_group.sync.aligned.b32   taddr, nCols;   // PTX 8.6, sm_100f sm_110f
    """
    + _GROUP,
    types={"taddr": "b32", "nCols": "u32"},
    ranges=_COLUMNS,
)

relinquish_alloc_permit = instruction(
    "tcgen05.relinquish_alloc_permit",
    anchor=_ANCHOR + "relinquish-alloc-permit",
    summary="This CTA will not allocate tensor memory any more.",
    syntax="""
        tcgen05.relinquish_alloc_permit.cta_group.sync.aligned;   // PTX 8.6, sm_100f sm_110f
    """
    + _GROUP,
)


ld = instruction(
    "tcgen05.ld",
    anchor=_ANCHOR + "ld",
    summary="r = what tensor memory holds at taddr.",
    syntax="""
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr];   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x64b, .32x32b };
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr];   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x128b };
        .num   = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr];   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x256b };
        .num   = { .x1, .x2, .x4, .x8, .x16, .x32 };
        tcgen05.ld.sync.aligned.shape.num{.pack}.b32   r, [taddr], immHalfSplitoff;   // PTX 8.6, sm_100f sm_110f
        .shape = { .16x32bx2 };

        .num   = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
        .pack  = { .pack::16b };
    """,
    types={"r": "b32", "immHalfSplitoff": "u32"},
    vectors={"r": moved},
)

ld_red = instruction(
    "tcgen05.ld.red",
    anchor=_ANCHOR + "ld",
    summary="r = what tensor memory holds at taddr, redval = its least or greatest element.",
    syntax="""
        // PTX 8.8, sm_103f sm_110f
        tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.f32   r, redval, [taddr];
        .shape = { .32x32b };
        tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.f32   r, redval, [taddr], immHalfSplitoff;
        .shape = { .16x32bx2 };
        tcgen05.ld.red.sync.aligned.shape.num.op.type   r, redval, [taddr];
        .shape = { .32x32b };
        .type  = { .u32, .s32 };
        tcgen05.ld.red.sync.aligned.shape.num.op.type   r, redval, [taddr], immHalfSplitoff;
        .shape = { .16x32bx2 };
        .type  = { .u32, .s32 };

        .op    = { .min, .max };
        .num   = { .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
    """,
    types={"immHalfSplitoff": "u32"},
    vectors={"r": moved},
    writes="r redval",
)

st = instruction(
    "tcgen05.st",
    anchor=_ANCHOR + "st",
    summary="Tensor memory at taddr = r.",
    syntax="""
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x64b, .32x32b };
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x128b };
        .num    = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x256b };
        .num    = { .x1, .x2, .x4, .x8, .x16, .x32 };
        tcgen05.st.sync.aligned.shape.num{.unpack}.b32   [taddr], immHalfSplitoff, r;   // PTX 8.6, sm_100f sm_110f
        .shape  = { .16x32bx2 };

        .num    = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
        .unpack = { .unpack::16b };
    """,
    types={"r": "b32", "immHalfSplitoff": "u32"},
    vectors={"r": moved},
)

wait = instruction(
    "tcgen05",
    anchor=_ANCHOR + "wait",
    summary="Waits for the thread's loads from, or stores to, tensor memory.",
    syntax="""
        tcgen05.operation.sync.aligned;   // PTX 8.6, sm_100f sm_110f
        .operation = { .wait::ld, .wait::st };
    """,
    glued=1,
)

fence = instruction(
    "tcgen05",
    anchor="tcgen05-special-sync-operations-fence",
    summary="Orders asynchronous operations on tensor memory around a synchronization of threads.",
    syntax="""
        tcgen05.operation;   // PTX 8.6, sm_100f sm_110f
        .operation = { .fence::before_thread_sync, .fence::after_thread_sync };
    """,
)

cp = instruction(
    "tcgen05.cp",
    anchor=_ANCHOR + "cp",
    summary="Copies from shared memory to tensor memory, asynchronously.",
    syntax="""
        tcgen05.cp.cta_group.shape{.dst_fmt.src_fmt}             [taddr], s-desc;   // PTX 8.6, sm_100f sm_110f
        .shape     = { .128x256b, .4x256b, .128x128b };
        tcgen05.cp.cta_group.shape.multicast{.dst_fmt.src_fmt}   [taddr], s-desc;   // PTX 8.6, sm_100f sm_110f
        .shape     = { .64x128b };
        .multicast = { .warpx2::02_13, .warpx2::01_23 };
        tcgen05.cp.cta_group.shape.multicast{.dst_fmt.src_fmt}   [taddr], s-desc;   // PTX 8.6, sm_100f sm_110f
        .shape     = { .32x128b };
        .multicast = { .warpx4 };

        .src_fmt   = { .b6x16_p32, .b4x16_p64 };
        .dst_fmt   = { .b8x16 };
    """
    + _GROUP,
    types={"s-desc": "b64"},
)

shift = instruction(
    "tcgen05.shift",
    anchor=_ANCHOR + "shift",
    summary="Shifts the rows of tensor memory down by one, asynchronously.",
    syntax="""
        tcgen05.shift.cta_group.down   [taddr];   // PTX 8.6, sm_100a sm_103a sm_107a sm_110a
    """
    + _GROUP,
)

commit = instruction(
    "tcgen05.commit",
    anchor="tcgen-async-sync-operations-commit",
    summary="Lets the mbarrier be arrived at when the thread's asynchronous operations so far are done.",
    syntax="""
        tcgen05.commit.cta_group.completion_mechanism{.shared::cluster}{.multicast}.b64
                [mbar]{, ctaMask};   // PTX 8.6, sm_100f sm_110f
        .completion_mechanism = { .mbarrier::arrive::one };
        .multicast = { .multicast::cluster };
    """
    + _GROUP,
    types={"ctaMask": "b16"},
    when={"ctaMask": "multicast"},
    defaults={"space": "generic"},
)
