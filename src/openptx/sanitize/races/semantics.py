"""The role of an instruction in the memory model: strong or weak, its scope, whether it releases or acquires (8.4,
8.5)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from openptx.isa.instructions import (
    async_copy,
    async_store,
    atomic,
    barrier,
    fence,
    load_store,
    mbarrier,
    mbarrier_reports,
    move,
    structured_sparsity,
    tensor_allocation,
    tensor_copy,
    tensor_memory,
    tensor_multiply,
    tensor_overrides,
    warp,
    wgmma,
)
from openptx.isa.memory_consistency import strong
from openptx.isa.types import Type
from openptx.program import Op
from openptx.sanitize.races.shadow import (
    CLUSTER,
    CTA,
    GPU,
    NON_COHERENT,
    PENDING,
    SCOPE,
    SIZE,
    UNNAMED_PROXY,
    VOLATILE,
)

SCOPES = {"cta": CTA, "cluster": CLUSTER, "gpu": GPU, "sys": GPU, "gl": GPU}
RELEASES, ACQUIRES = ("release", "acq_rel", "sc"), ("acquire", "acq_rel", "sc")

MBARRIER = frozenset(
    (
        mbarrier.init, mbarrier.inval, mbarrier.expect_tx, mbarrier.complete_tx, mbarrier.arrive, mbarrier.arrive_drop,
        mbarrier.test_wait, mbarrier.try_wait, mbarrier.cp_async_mbarrier_arrive, mbarrier_reports.init,
        mbarrier_reports.check_layout, mbarrier_reports.test_wait, mbarrier_reports.try_wait,
        mbarrier_reports.expect_tx, mbarrier_reports.complete_tx, mbarrier_reports.arrive,
        mbarrier_reports.arrive_drop,
    )
)  # fmt: skip
INITS = frozenset((mbarrier.init, mbarrier_reports.init))
WAITS = frozenset((mbarrier.test_wait, mbarrier.try_wait, mbarrier_reports.test_wait, mbarrier_reports.try_wait))
COMMITS = frozenset((tensor_memory.commit, tensor_memory.commit_more))
FENCES = frozenset((fence.fence, fence.membar))
PROXY_FENCES = frozenset((fence.fence_proxy, fence.membar_proxy))
BULK = frozenset(
    (
        async_copy.cp_async_bulk, async_copy.cp_reduce_async_bulk, async_store.st_async, async_store.red_async,
        tensor_copy.cp_async_bulk_tensor, tensor_copy.cp_reduce_async_bulk_tensor,
        tensor_overrides.cp_async_bulk, tensor_overrides.cp_async_bulk_tensor,
        tensor_overrides.cp_reduce_async_bulk_tensor,
    )
)  # fmt: skip
TENSOR = frozenset(
    (
        tensor_multiply.mma, tensor_multiply.mma_sp, tensor_multiply.mma_ws, tensor_multiply.mma_ws_sp,
        tensor_memory.cp, tensor_memory.shift, tensor_memory.commit, tensor_memory.commit_more,
    )
)  # fmt: skip
"""Operations on tensor memory whose completion an mbarrier signals, and those that make it do so."""
TRANSFERS = frozenset(
    (
        tensor_memory.ld, tensor_memory.ld_red, tensor_memory.st, structured_sparsity.ld_spcompress,
        structured_sparsity.ld_red_spcompress,
    )
)  # fmt: skip
"""Loads and stores of tensor memory, whose completion `tcgen05.wait` waits for."""
ASYNCHRONOUS = BULK | TENSOR | {wgmma.mma_async, wgmma.mma_async_sp}
"""Instructions whose accesses belong to an agent instead of their thread."""
GENERIC_PROXY = frozenset((async_store.st_async, async_store.red_async))
"""Asynchronous instructions whose accesses are not by the async proxy."""


@dataclass(frozen=True, slots=True)
class Access:
    """An instruction's accesses. `facts` are those of shadow cells, without the statement and the size."""

    scope: int
    releases: bool
    acquires: bool
    observes: bool
    facts: int
    pending: bool
    bulk: bool
    by_proxy: bool
    mbarrier: bool
    multicast: bool


@lru_cache(maxsize=1 << 14)
def access(op: Op) -> Access:
    """How the accesses of an instruction take part in the memory model."""
    m, instruction = op.m, op.form.instruction
    own = instruction in MBARRIER
    sem = m.values.get("sem")
    volatile = m.values.get("volatile") is True
    scope = 0
    if own or (instruction is load_store.ld and m.values.get("mmio") is True):
        # An mbarrier is created by a plain store, which must precede its uses.
        scope = 0 if instruction in INITS else GPU
    elif strong(m):
        scope = GPU if volatile else SCOPES.get(str(m.values.get("scope")), GPU)
    pending = instruction is async_copy.cp_async
    facts = scope << SCOPE | (VOLATILE if volatile else 0) | (PENDING if pending else 0)
    if instruction is load_store.ld_global_nc:
        facts |= NON_COHERENT
    if instruction in tensor_allocation.ALLOCATIONS:
        facts |= UNNAMED_PROXY
    observes = instruction not in (atomic.red, async_store.red_async)
    releases, acquires = (not own and sem in RELEASES), (not own and sem in ACQUIRES)
    bulk, by_proxy = instruction in ASYNCHRONOUS, instruction in ASYNCHRONOUS - GENERIC_PROXY
    # With `.cta_group` the mbarrier may be in another CTA than the written data.
    multicast = instruction in BULK and bool(m.values.get("multicast")) and not m.values.get("cta_group")
    return Access(scope, releases, acquires, observes, facts, pending, bulk, by_proxy, own, multicast)


def sized(facts: int, width: int) -> int:
    """Facts with the size of an element in bytes."""
    return facts | min(width.bit_length() - 1, 3) << SIZE


def elements(op: Op) -> int:
    """How many operations an atomic represents: on a packed type, one per element (8.2.5)."""
    type = op.m.values.get("type")
    return type.count if isinstance(type, Type) else 1


def synchronizes(op: Op) -> bool:
    """Whether the instruction takes part in release and acquire patterns."""
    found = access(op)
    return op.form.instruction in FENCES or found.releases or found.acquires


def is_narrow(op: Op) -> bool:
    """Whether the instruction is a strong access or a `fence.sc` of scope CTA."""
    if op.form.instruction in FENCES:
        scope, _, _, sequential = fence_of(op)
        return sequential and scope == CTA
    return access(op).scope == CTA


def fence_of(op: Op) -> tuple[int, bool, bool, bool]:
    """A fence's scope, and whether it releases, acquires, and is sequentially consistent."""
    sem = "sc" if op.form.instruction is fence.membar else str(op.m.values.get("sem"))
    scope = SCOPES.get(str(op.m.values.get("level") or op.m.values.get("scope")), GPU)
    return scope, sem in RELEASES, sem in ACQUIRES, sem == "sc"


def spaces_of(op: Op) -> tuple[str, ...]:
    """The state spaces in which a proxy fence orders the generic and the async proxy."""
    kind = str(op.m.values.get("proxykind") or op.m.values.get("to_proxykind_from_proxykind"))
    name, _, space = kind.partition(".")
    if not name.startswith("async"):
        return ()
    if space == "global":
        return ("global",)
    return ("shared",) if space or op.m.values.get("sync_restrict") else ("shared", "global")


TAKE_LOCKS = frozenset(("cas", "exch"))
"""The operations of atomics that programs take locks with."""
DRAW_TICKETS = frozenset(("add", "inc"))
"""Those that draw a ticket for one."""
SHUFFLES = frozenset((move.shfl_sync,))
VOTES = frozenset((warp.vote, warp.vote_sync, warp.match_any, warp.match_all))
WARP_BARRIER = barrier.bar_warp_sync
