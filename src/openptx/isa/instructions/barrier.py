"""Barriers of a CTA, a warp, a cluster (9.7.13.1 to 9.7.13.3)."""

from __future__ import annotations

from openptx.isa.notation import instruction

_BARRIER_TYPES = {"a": "u32", "b": "u32", "c": "pred"}
_RANGES = """
    a           0 to 15
    .arrive b   a multiple of 32, not 0
    b           a multiple of 32
"""

barrier = instruction(
    "barrier",
    anchor="parallel-synchronization-and-communication-instructions-bar",
    summary="Waits for or arrives at barrier a of the CTA, for all or b threads; `.red` reduces a predicate.",
    syntax="""
        barrier{.cta}.sync{.aligned}          a{, b};            // PTX 6.0, sm_30

        barrier{.cta}.mode{.aligned}          a, b;              // PTX 6.0, sm_30
        .mode = { .arrive };
        barrier{.cta}.mode.op{.aligned}.u32   d, a{, b}, {!}c;   // PTX 6.0, sm_30
        .mode = { .red };
        .op   = { .popc };
        barrier{.cta}.mode.op{.aligned}.pred  p, a{, b}, {!}c;   // PTX 6.0, sm_30
        .mode = { .red };
        .op   = { .and, .or };
    """,
    types=_BARRIER_TYPES,
    ranges=_RANGES,
    gates="""
        .cta   PTX 7.8
    """,
    control="barrier",
    defaults={"mode": "sync"},
    ordered_prefix="cta mode",
    operands="""
        *     no function
        a c   strictly
    """,
)

bar = instruction(
    "bar",
    anchor="parallel-synchronization-and-communication-instructions-bar",
    summary="The same as `barrier.aligned`: all threads of the warp must execute it together.",
    syntax="""
        bar{.cta}.sync          a{, b};            // PTX 1.0
        bar{.cta}.mode          a, b;              // PTX 2.0, sm_20
        .mode = { .arrive };
        bar{.cta}.mode.op.u32   d, a{, b}, {!}c;   // PTX 2.0, sm_20
        .mode = { .red };
        .op   = { .popc };
        bar{.cta}.mode.op.pred  p, a{, b}, {!}c;   // PTX 2.0, sm_20
        .mode = { .red };
        .op   = { .and, .or };
    """,
    types=_BARRIER_TYPES,
    ranges=_RANGES,
    defaults={"aligned": True, "mode": "sync"},
    gates="""
        .cta   PTX 7.8, sm_20
    """,
    control="barrier",
    ordered_prefix="cta mode",
    operands="""
        *     no function
        a c   strictly
    """,
)

bar_warp_sync = instruction(
    "bar.warp",
    anchor="parallel-synchronization-and-communication-instructions-bar-warp-sync",
    summary="Waits for the lanes of the warp in membermask, and orders their memory accesses.",
    syntax="""
        bar.warp.sync   membermask;   // PTX 6.0, sm_30
    """,
    control="warp-barrier",
    converges="membermask",
    operands="*   no function",
)

barrier_cluster = instruction(
    "barrier.cluster",
    anchor="parallel-synchronization-and-communication-instructions-barrier-cluster",
    summary="Arrives at, or waits for, the barrier of all threads of the cluster.",
    syntax="""
        barrier.cluster.mode{.sem}{.aligned};   // PTX 7.8, sm_90
        .mode = { .arrive };
        .sem  = { .release, .relaxed };
        barrier.cluster.mode{.sem}{.aligned};   // PTX 7.8, sm_90
        .mode = { .wait };
        .sem  = { .acquire };
    """,
    gates="""
        .acquire|.release|.relaxed   PTX 8.0
    """,
    control="cluster-barrier",
    ordered_prefix=1,
)
