"""What the lanes of a warp say to each other (9.7.13.8 to 9.7.13.12, 9.7.13.14)."""

from __future__ import annotations

from openptx.isa.notation import instruction

vote = instruction(
    "vote",
    anchor="parallel-synchronization-and-communication-instructions-vote",
    summary="d = whether a holds in all, any, or equally in all active lanes, or where it does. Deprecated.",
    syntax="""
        vote.mode.pred   d, {!}a;   // PTX 1.2 to 6.3, sm_12 or PTX 1.2, sm_12 to sm_62
        .mode = { .all, .any, .uni };
        vote.mode.b32    d, {!}a;   // PTX 1.2 to 6.3, sm_20 or PTX 1.2, sm_20 to sm_62
        .mode = { .ballot };
    """,
    types={"a": "pred"},
)

vote_sync = instruction(
    "vote",
    anchor="parallel-synchronization-and-communication-instructions-vote-sync",
    summary="d = whether a holds in all, any, or equally in all lanes of membermask, or where it does.",
    syntax="""
        vote.sync.mode.pred   d, {!}a, membermask;   // PTX 6.0, sm_30
        .mode = { .all, .any, .uni };
        vote.sync.mode.b32    d, {!}a, membermask;   // PTX 6.0, sm_30
        .mode = { .ballot };
    """,
    types={"a": "pred"},
    converges="membermask",
)

match_sync = instruction(
    "match",
    anchor="parallel-synchronization-and-communication-instructions-match-sync",
    summary="d = the lanes of membermask with the same a; `.all`: those lanes if all agree, and p says whether.",
    syntax="""
        match.mode.sync.type   d, a, membermask;      // PTX 6.0, sm_70
        .mode = { .any };
        match.mode.sync.type   d[|p], a, membermask;  // PTX 6.0, sm_70
        .mode = { .all };
        .type = { .b32, .b64 };
    """,
    types={"d": "b32"},
    converges="membermask",
)

activemask = instruction(
    "activemask",
    anchor="parallel-synchronization-and-communication-instructions-activemask",
    summary="d = the active lanes of the warp.",
    syntax="""
        activemask.b32   d;   // PTX 6.2, sm_30
    """,
)

redux_sync = instruction(
    "redux",
    anchor="parallel-synchronization-and-communication-instructions-redux-sync",
    summary="dst = the reduction of src over the lanes of membermask.",
    syntax="""
        redux.sync.op.type            dst, src, membermask;   // PTX 7.0, sm_80
        .op   = { .add, .min, .max };
        .type = { .u32, .s32 };
        redux.sync.op.b32             dst, src, membermask;   // PTX 7.0, sm_80
        .op   = { .and, .or, .xor };
        redux.sync.op{.abs}{.NaN}.f32 dst, src, membermask;   // PTX 8.6, sm_100f
        .op   = { .min, .max };
    """,
    converges="membermask",
)

elect_sync = instruction(
    "elect",
    anchor="parallel-synchronization-and-communication-instructions-elect-sync",
    summary="p = whether this lane is the one elected out of membermask; d = the elected lane.",
    syntax="""
        elect.sync   d|p, membermask;   // PTX 8.0, sm_90
    """,
    types={"d": "b32"},
    converges="membermask",
)
