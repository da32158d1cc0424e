"""Memory fences (9.7.13.4)."""

from __future__ import annotations

from openptx.isa.notation import instruction

fence = instruction(
    "fence",
    anchor="parallel-synchronization-and-communication-instructions-membar-fence",
    summary="Orders the memory accesses around it, for the threads of the scope; `.proxy` between proxies.",
    syntax="""
        fence{.sem}.scope;   // PTX 6.0, sm_70
        .sem   = { .sc, .acq_rel, .acquire, .release };
        .scope = { .cta, .cluster, .gpu, .sys };
        fence.sem.sync_restrict.scope;   // PTX 8.6, sm_90
        .sem           = { .acquire };
        .sync_restrict = { .sync_restrict::shared::cluster };
        .scope         = { .cluster };
        fence.sem.sync_restrict.scope;   // PTX 8.6, sm_90
        .sem           = { .release };
        .sync_restrict = { .sync_restrict::shared::cta };
        .scope         = { .cluster };
        fence.op_restrict.sem.scope;   // PTX 8.0, sm_90
        .op_restrict = { .mbarrier_init };
        .sem         = { .release };
        .scope       = { .cluster };
        fence.proxy.proxykind;   // PTX 7.5, sm_70
        .proxykind = { .alias, .async, .async.global, .async.shared::{cta, cluster} };
        fence.proxy.to_proxykind::from_proxykind.sem.scope;   // PTX 8.3, sm_90
        .sem   = { .release };
        .scope = { .cta, .cluster, .gpu, .sys };
        fence.proxy.to_proxykind::from_proxykind.sem.scope   [addr], size;   // PTX 8.3, sm_90
        .sem   = { .acquire };
        .scope = { .cta, .cluster, .gpu, .sys };
        .to_proxykind::from_proxykind = { .tensormap::generic };
        fence.proxy.async::generic.sem.sync_restrict.scope;   // PTX 8.6, sm_90
        .sem           = { .acquire };
        .sync_restrict = { .sync_restrict::shared::cluster };
        .scope         = { .cluster };
        fence.proxy.async::generic.sem.sync_restrict.scope;   // PTX 8.6, sm_90
        .sem           = { .release };
        .sync_restrict = { .sync_restrict::shared::cta };
        .scope         = { .cluster };
    """,
    types={"size": "u32"},
    immediates="size",
    gates="""
        .cluster                                             PTX 7.8, sm_90
        .acquire|.release                                    PTX 8.6, sm_90
        .async|.async.global|.async.shared::cta|.async.shared::cluster   PTX 8.0, sm_90
    """,
)

membar = instruction(
    "membar",
    anchor="parallel-synchronization-and-communication-instructions-membar-fence",
    summary="Orders the memory accesses around it, for the threads of the level.",
    syntax="""
        membar.level;   // PTX 1.4
        .level = { .cta, .gl, .sys };
        membar.proxy.proxykind;   // PTX 7.5, sm_60
        .proxykind = { .alias, .async, .async.global, .async.shared::{cta, cluster} };
    """,
    gates="""
        .sys   PTX 2.0, sm_20
        .async|.async.global|.async.shared::cta|.async.shared::cluster   PTX 8.0, sm_90
    """,
)
