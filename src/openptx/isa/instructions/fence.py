"""Memory fences (9.7.13.4)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers

_ANCHOR = "parallel-synchronization-and-communication-instructions-membar-fence"
_PROXY_GATES = """
        .async|.async.global|.async.shared::cta|.async.shared::cluster   PTX 8.0, sm_90
"""

fence = instruction(
    "fence",
    anchor=_ANCHOR,
    summary="Orders the memory accesses before and after it, for the threads of the scope.",
    syntax="""
        fence{.sem}.scope;                   // PTX 6.0, sm_70
        .sem   = { .sc, .acq_rel, .acquire, .release };
        .scope = { .cta, .cluster, .gpu, .sys };
        fence.sem.sync_restrict.scope;       // PTX 8.6, sm_90
        .sem           = { .acquire };
        .sync_restrict = { .sync_restrict::shared::cluster };
        .scope         = { .cluster };
        fence.sem.sync_restrict.scope;       // PTX 8.6, sm_90
        .sem           = { .release };
        .sync_restrict = { .sync_restrict::shared::cta };
        .scope         = { .cluster };
        fence.op_restrict.sem.scope;         // PTX 8.0, sm_90
        .op_restrict = { .mbarrier_init };
        .sem         = { .release };
        .scope       = { .cluster };
        fence.alias.sync_restrict.sem.scope;   // PTX 9.5, sm_90 (ptxas)
        .sync_restrict = { .sync_restrict::read };
        .sem           = { .release };
        .scope         = { .sys };
    """,
    defaults={"sem": "acq_rel"},
    gates="""
        .cluster            PTX 7.8, sm_90
        .acquire            PTX 8.6, sm_90
        .release op_restrict=none sync_restrict=none   PTX 8.6, sm_90
    """,
    splits_block=lambda m: not m.op_restrict,
)

fence_proxy = instruction(
    "fence.proxy",
    anchor=_ANCHOR,
    summary="Orders memory accesses that use different proxies, such as the generic and the async proxy.",
    syntax="""
        fence.proxy.proxykind;                                                // PTX 7.5, sm_70
        .proxykind = { .alias, .async, .async.global, .async.shared::{cta, cluster} };
        fence.proxy.to_proxykind::from_proxykind.sem.scope;                   // PTX 8.3, sm_90
        .to_proxykind::from_proxykind = { .tensormap::generic };
        .sem   = { .release };
        .scope = { .cta, .cluster, .gpu, .sys };
        fence.proxy.to_proxykind::from_proxykind.sem.scope   [addr], size;    // PTX 8.3, sm_90
        .to_proxykind::from_proxykind = { .tensormap::generic };
        .sem   = { .acquire };
        .scope = { .cta, .cluster, .gpu, .sys };
        fence.proxy.to_proxykind::from_proxykind.sem.sync_restrict.scope;     // PTX 8.6, sm_90
        .to_proxykind::from_proxykind = { .async::generic };
        .sem           = { .acquire };
        .sync_restrict = { .sync_restrict::shared::cluster };
        .scope         = { .cluster };
        fence.proxy.to_proxykind::from_proxykind.sem.sync_restrict.scope;     // PTX 8.6, sm_90
        .to_proxykind::from_proxykind = { .async::generic };
        .sem           = { .release };
        .sync_restrict = { .sync_restrict::shared::cta };
        .scope         = { .cluster };
        fence.proxy.to_proxykind::from_proxykind.sem.sync_restrict.scope;     // PTX 9.4, sm_90 (ptxas)
        .to_proxykind::from_proxykind = { .async::generic };
        .sem           = { .release };
        .sync_restrict = { .sync_restrict::shared::cluster::read };
        .scope         = { .cta, .cluster };
        fence.proxy.alias.sem.scope;                                          // PTX 9.4, sm_90 (ptxas)
        .sem   = { .acquire, .release };
        .scope = { .sys };
        fence.proxy.to_proxykind::from_proxykind.alias.sem.scope;             // PTX 9.3, sm_100 (ptxas)
        .to_proxykind::from_proxykind = { .generic::fabric, .fabric::generic, .fabric::fabric };
        .sem   = { .acquire, .release, .acq_rel };
        .scope = { .sys };
    """,
    types={"size": "u32"},
    immediates="size",
    ranges="size   128",
    operands="addr   any register, constant",
    gates=_PROXY_GATES,
)

membar = instruction(
    "membar",
    anchor=_ANCHOR,
    summary="Orders the memory accesses before and after it, for the threads of the level.",
    syntax="""
        membar.level;   // PTX 1.4
        .level = { .cta, .gl, .sys };
    """,
    gates="""
        .sys   PTX 2.0, sm_20
    """,
    splits_block=True,
)

membar_proxy = instruction(
    "membar.proxy",
    anchor=_ANCHOR,
    summary="The same as `fence.proxy`.",
    syntax="""
        membar.proxy.proxykind;   // PTX 7.5, sm_60
        .proxykind = { .alias, .async };
        membar.proxy.proxykind;   // PTX 8.0, sm_90 (manual)
        .proxykind = { .async.global, .async.shared::{cta, cluster} };
    """,
    gates=_PROXY_GATES,
)


@meaning(fence, membar)
def _(x: Machine, m: Modifiers) -> None:
    x.fence(m.scope or m.level or "", m.sem in (None, "sc"))


@meaning(fence_proxy, membar_proxy)
def _(x: Machine, m: Modifiers, *operands: object) -> None:
    """No machine has proxies: those of a thread access memory in program order."""
