"""Dependent grids, fences for tensor maps, cancelling clusters (9.7.13.13, 9.7.13.16 to 9.7.13.18)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.clusters import in_cta
from openptx.isa.semantics.mbarrier import complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

griddepcontrol = instruction(
    "griddepcontrol",
    anchor="parallel-synchronization-and-communication-instructions-griddepcontrol",
    summary="Lets dependent grids launch, or waits for the grids that this one depends on.",
    syntax="""
        griddepcontrol.action;   // PTX 7.8, sm_90
        .action = { .launch_dependents, .wait };
    """,
)


@meaning(griddepcontrol)
def _(x: Machine, m: Modifiers) -> None:
    """Grids run one after another."""


tensormap_cp_fenceproxy = instruction(
    "tensormap.cp_fenceproxy",
    anchor="parallel-synchronization-and-communication-instructions-tensormap-cp-fenceproxy",
    summary="Copies a tensor map from shared to global memory, and makes it visible to the tensor map proxy.",
    syntax="""
        tensormap.cp_fenceproxy.dst.src.to_proxy::from_proxy.sem.scope.sync.aligned
                [dst], [src], size;   // PTX 8.3, sm_90
        .dst   = { .global };
        .src   = { .shared::cta };
        .to_proxy::from_proxy = { .tensormap::generic };
        .sem   = { .release };
        .scope = { .cta, .cluster, .gpu, .sys };
    """,
    types={"size": "u32"},
    immediates="size",
    ranges="size   128",
)


@meaning(tensormap_cp_fenceproxy)
def _(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: int) -> None:
    """A copy of the 128 bytes of a tensor map; every thread of the warp makes the same copy."""
    x.copy("global", dst, "shared", src, x.const(size, 32))


try_cancel = instruction(
    "clusterlaunchcontrol.try_cancel",
    anchor="parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel",
    summary="Requests to cancel a cluster that is not launched yet; the response goes to shared memory.",
    syntax="""
        clusterlaunchcontrol.try_cancel.async{.space}.completion_mechanism{.multicast::cluster::all}.b128
                [addr], [mbar];   // PTX 8.6, sm_100
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        .space = { .shared::cta };
    """,
    defaults={"space": "generic"},
    gates="""
        .multicast::cluster::all   sm_100f sm_110f sm_120f
    """,
    ordered_prefix=1,
)


@meaning(try_cancel)
def _(x: Machine, m: Modifiers, addr: Bits, mbar: Bits) -> None:
    """No cluster is ever waiting to be launched, so none can be cancelled: the answer is always no."""
    if not m.multicast_cluster_all:
        refuse(x, m.space, addr, mbar)
        return

    def in_each(rank: Bits, addr: Bits, mbar: Bits) -> None:
        refuse(x, "shared::cluster", in_cta(x, addr, rank), in_cta(x, mbar, rank))

    x.repeat(x.special("cluster_nctarank", 32), in_each, addr, mbar)


def refuse(x: Machine, space: str, addr: Bits, mbar: Bits) -> None:
    """Writes the response that no cluster was cancelled, and completes its 16 bytes."""
    x.store(space, addr, [x.const(0, 64)] * 2)
    complete(x, space, mbar, x.const(16, 32))


query_cancel_is_canceled = instruction(
    "clusterlaunchcontrol.query_cancel",
    anchor="parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-query-cancel",
    summary="pred = whether a cluster was cancelled.",
    syntax="""
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128   pred, try_cancel_response;   // PTX 8.6, sm_100
    """,
    types={"pred": "pred", "try_cancel_response": "b128"},
    writes="pred",
)


@meaning(query_cancel_is_canceled)
def _(x: Machine, m: Modifiers, response: Word) -> Bits:
    assert isinstance(response, tuple)
    return x.resize(response[0], 1)


query_cancel_get_first_ctaid = instruction(
    "clusterlaunchcontrol.query_cancel",
    anchor="parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-query-cancel",
    summary="d = the coordinates of the first CTA of the cancelled cluster.",
    syntax="""
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128
                xdim, try_cancel_response;   // PTX 8.6, sm_100
        clusterlaunchcontrol.query_cancel.dimension.b32.b128
                reg, try_cancel_response;    // PTX 8.6, sm_100
        .dimension = { .get_first_ctaid::x, .get_first_ctaid::y, .get_first_ctaid::z };
    """,
    types={"xdim": "b32", "reg": "b32", "try_cancel_response": "b128"},
    vectors={"xdim": 4},
    operands="reg xdim   as .b32",
    writes="xdim reg",
)


@meaning(query_cancel_get_first_ctaid)
def _(x: Machine, m: Modifiers, response: Word) -> Bits | tuple[Bits, ...]:
    """Undefined unless a cluster was cancelled, which never happens here."""
    return (x.const(0, 32),) * 4 if m.get_first_ctaid else x.const(0, 32)
