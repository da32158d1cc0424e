"""Asynchronous copies of tensors, and the maps that describe them (9.7.9.27, 9.7.9.28)."""

from __future__ import annotations

from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction


def coordinates(m: Modifiers) -> int:
    """One coordinate a dimension; a gather or scatter of four rows has a column and four rows."""
    return 5 if m.load_mode in ("tile::gather4", "tile::scatter4") else int((m.dim or "1d")[0])


def offsets(m: Modifiers) -> int:
    """How many offsets an im2col copy takes: one for each spatial dimension, or the two of the `.w` modes (5.5.5)."""
    return 2 if (m.load_mode or "").startswith("im2col::w") else max(coordinates(m) - 2, 1)


_TYPES = {"tensorCoords": "s32", "im2colInfo": "u16", "ctaMask": "b16"}
_VECTORS = {"tensorCoords": coordinates, "im2colInfo": offsets}
_CHOICES = """
        .dim = { .1d, .2d, .3d, .4d, .5d };
        .level::cache_hint = { .L2::cache_hint };
"""
_REFUSES = """
        .tile::gather4|.tile::scatter4 .1d|.3d|.4d|.5d   rows are gathered and scattered in two dimensions
        .im2col_no_offs .1d|.2d                          im2col modes need three dimensions or more
"""
_GATES = """
        .cta_group::1|.cta_group::2                             PTX 8.6, sm_100f sm_110f
        .shared::cta .tile::gather4|.im2col::w                  PTX 8.6, sm_100
        .shared::cluster .tile::gather4|.im2col::w              PTX 8.6, sm_100f sm_110f
        .tile::scatter4|.im2col::w::128                         PTX 8.6, sm_100f sm_110f
"""

cp_async_bulk_tensor = instruction(
    "cp.async.bulk.tensor",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-tensor",
    summary="Copies a box of a tensor between global and shared memory, asynchronously.",
    syntax="""
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.completion_mechanism{.cta_group}{.level::cache_hint}
                [dstMem], [tensorMap, tensorCoords], [mbar]{, cache-policy};                        // PTX 8.6, sm_90
        .load_mode = { .tile, .tile::gather4 };
        .dst = { .shared::cta };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.tensor.dim.dst.src.load_mode.completion_mechanism{.cta_group}{.level::cache_hint}
                [dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo{, cache-policy};            // PTX 8.6, sm_90
        .load_mode = { .im2col, .im2col::w, .im2col::w::128 };
        .dim = { .3d, .4d, .5d };
        .dst = { .shared::cta };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.completion_mechanism{.multicast}{.cta_group}{.level::cache_hint}
                [dstMem], [tensorMap, tensorCoords], [mbar]{, ctaMask}{, cache-policy};             // PTX 8.0, sm_90
        .load_mode = { .tile, .tile::gather4 };
        .dst = { .shared::cluster };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.tensor.dim.dst.src.load_mode.completion_mechanism{.multicast}{.cta_group}{.level::cache_hint}
                [dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo{, ctaMask}{, cache-policy}; // PTX 8.0, sm_90
        .load_mode = { .im2col, .im2col::w, .im2col::w::128 };
        .dim = { .3d, .4d, .5d };
        .dst = { .shared::cluster };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.completion_mechanism{.level::cache_hint}
                [tensorMap, tensorCoords], [srcMem]{, cache-policy};                                // PTX 8.0, sm_90
        .load_mode = { .tile, .tile::scatter4, .im2col_no_offs };
        .dst = { .global };
        .src = { .shared::cta };
        .completion_mechanism = { .bulk_group };

        .cta_group = { .cta_group::1, .cta_group::2 };
        .multicast = { .multicast::cluster };
    """
    + _CHOICES,
    types=_TYPES,
    operands="tensorMap   in .global",
    vectors=_VECTORS,
    when={"ctaMask": "multicast"},
    defaults={"load_mode": "tile"},
    refuses=_REFUSES,
    gates=_GATES,
)

cp_reduce_async_bulk_tensor = instruction(
    "cp.reduce.async.bulk.tensor",
    anchor="data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor",
    summary="Reduces a box of shared memory into a tensor in global memory, asynchronously.",
    syntax="""
        cp.reduce.async.bulk.tensor.dim.dst.src.op{.load_mode}.completion_mechanism{.level::cache_hint}
                [tensorMap, tensorCoords], [srcMem]{, cache-policy};   // PTX 8.0, sm_90
        .dst = { .global };
        .src = { .shared::cta };
        .completion_mechanism = { .bulk_group };
        .load_mode = { .tile, .im2col_no_offs };
        .op  = { .add, .min, .max, .inc, .dec, .and, .or, .xor };
    """
    + _CHOICES,
    types=_TYPES,
    operands="tensorMap   in .global",
    vectors=_VECTORS,
    defaults={"load_mode": "tile"},
    refuses=_REFUSES,
)

cp_async_bulk_prefetch_tensor = instruction(
    "cp.async.bulk.prefetch.tensor",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-prefetch-tensor",
    summary="Brings a box of a tensor into the L2 cache, asynchronously.",
    syntax="""
        cp.async.bulk.prefetch.tensor.dim.L2.src{.load_mode}{.level::cache_hint}
                [tensorMap, tensorCoords]{, cache-policy};               // PTX 8.0, sm_90
        .load_mode = { .tile, .tile::gather4 };
        cp.async.bulk.prefetch.tensor.dim.L2.src.load_mode{.level::cache_hint}
                [tensorMap, tensorCoords], im2colInfo{, cache-policy};   // PTX 8.0, sm_90
        .load_mode = { .im2col, .im2col::w, .im2col::w::128 };
        .dim = { .3d, .4d, .5d };

        .src = { .global };
    """
    + _CHOICES,
    types=_TYPES,
    operands="tensorMap   in .global",
    vectors=_VECTORS,
    defaults={"load_mode": "tile"},
    refuses=_REFUSES,
    gates="""
        .tile::gather4|.im2col::w|.im2col::w::128   PTX 8.6, sm_100f sm_110f
    """,
)

tensormap_replace = instruction(
    "tensormap.replace",
    anchor="data-movement-and-conversion-instructions-tensormap-replace",
    summary="Changes one field of the tensor map at addr.",
    syntax="""
        // PTX 8.3, sm_90a sm_100f sm_110f sm_120f
        tensormap.replace.mode.field{.space}.b1024.type   [addr], new_val;
        .field = { .global_address };
        .type  = { .b64 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], new_val;
        .field = { .rank };
        .type  = { .b32 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], ord, new_val;
        .field = { .global_stride };
        .type  = { .b64 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], ord, new_val;
        .field = { .box_dim, .global_dim, .element_stride };
        .type  = { .b32 };
        tensormap.replace.mode.field{.space}.b1024.type   [addr], imm-new-val;
        .field = { .elemtype, .interleave_layout, .swizzle_mode, .swizzle_atomicity, .fill_mode };
        .type  = { .b32 };

        .mode  = { .tile };
        .space = { .global, .shared::cta };
    """,
    types={"ord": "u32"},
    immediates="ord",
    ranges="""
        ord                              0 to 4
        .elemtype imm-new-val            0 to 15
        .interleave_layout imm-new-val   0 to 2
        .swizzle_mode imm-new-val        0 to 3
        .fill_mode imm-new-val           0 to 1
        .swizzle_atomicity imm-new-val   0 to 3
    """,
    defaults={"space": "generic"},
    gates="""
        .swizzle_atomicity   PTX 8.6, sm_100f sm_110f sm_120f
    """,
)
