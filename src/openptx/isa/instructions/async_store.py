"""Asynchronous stores and reductions, and bulk stores (9.7.9.12, 9.7.9.13, 9.7.13.7)."""

from __future__ import annotations

from openptx.isa.notation import instruction

st_async = instruction(
    "st.async",
    anchor="data-movement-and-conversion-instructions-st-async",
    summary="Stores b in another CTA's shared memory, and tells its mbarrier; or in global memory, with release.",
    syntax="""
        st.async{.weak}{.space}.completion_mechanism{.vec}.type    [a], b, [mbar];   // PTX 8.1, sm_90
        st.async{.scope}{.space}.completion_mechanism{.vec}.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .scope = { .cluster };
        .space = { .shared::cluster };
        .type  = { .b32, .b64, .u32, .u64, .s32, .s64, .f32, .f64 };
        .vec   = { .v2, .v4 };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        st.async{.mmio}.sem.scope{.space}.type   [a], b;   // PTX 8.7, sm_100
        .sem   = { .release };
        .scope = { .gpu, .sys };
        .space = { .global };
        .type  = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
    """,
    vectors={"b": "vec"},
    defaults={"space": "generic"},
)

st_bulk = instruction(
    "st.bulk",
    anchor="data-movement-and-conversion-instructions-st-bulk",
    summary="Fills size bytes of shared memory with zeros.",
    syntax="""
        st.bulk{.weak}{.shared::cta}   [a], size, initval;   // PTX 8.6, sm_100
    """,
    types={"size": "u64", "initval": "u64"},
    immediates="initval",
    defaults={"space": "generic"},
)

red_async = instruction(
    "red.async",
    anchor="parallel-synchronization-and-communication-instructions-red-async",
    summary="Reduces b into another CTA's shared memory, and tells its mbarrier; or into global memory, with release.",
    syntax="""
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .inc, .dec };
        .type  = { .u32 };
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .min, .max };
        .type  = { .u32, .s32 };
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .and, .or, .xor };
        .type  = { .b32 };
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .add };
        .type  = { .u32, .s32, .u64 };

        red.async{.mmio}.sem.scope{.space}.op.type   [a], b;   // PTX 8.7, sm_100
        .sem   = { .release };
        .scope = { .gpu, .cluster, .sys };
        .space = { .global };
        .op    = { .add };
        .type  = { .u32, .s32, .u64, .s64 };

        .sem   = { .relaxed };
        .scope = { .cluster };
        .space = { .shared::cluster };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
    """,
    defaults={"space": "generic"},
)
