"""Cache hints (9.7.9.15 to 9.7.9.18)."""

from __future__ import annotations

from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

prefetch = instruction(
    "prefetch",
    anchor="data-movement-and-conversion-instructions-prefetch-prefetchu",
    summary="Prefetches the cache line at a into a cache; `.tensormap` prefetches the tensor map at a.",
    syntax="""
        prefetch{.space}.level                   [a];   // PTX 2.0, sm_20
        .space = { .global, .local };
        .level = { .L1, .L2 };
        prefetch.global.level                    [a];   // PTX 7.4, sm_80
        .level = { .L2::evict_last, .L2::evict_normal };
        prefetch.level                           [a];   // PTX 7.4, sm_80 (ptxas)
        .level = { .L2::evict_last, .L2::evict_normal };
        prefetch{.global}.level.valid_addr       [a];   // PTX 9.4, sm_90 (ptxas)
        .level = { .L1::32B };
        prefetch{.space}.tensormap               [a];   // PTX 8.0, sm_90
        .space = { .const, .param };
    """,
    defaults={"space": "generic"},
    operands="a   32 bits if .tensormap",
)

prefetchu = instruction(
    "prefetchu",
    anchor="data-movement-and-conversion-instructions-prefetch-prefetchu",
    summary="Prefetches the cache line at a into the uniform cache.",
    syntax="""
        prefetchu.level   [a];   // PTX 2.0, sm_20
        .level = { .L1 };
    """,
    defaults={"space": "generic"},
    operands="a   in .global",
)

applypriority = instruction(
    "applypriority",
    anchor="data-movement-and-conversion-instructions-applypriority",
    summary="Sets the eviction priority of the cache lines that start at a.",
    syntax="""
        applypriority{.global}.level   [a], size;   // PTX 7.4, sm_80
        .level = { .L2::evict_normal };
    """,
    types={"size": "u64"},
    immediates="size",
    ranges="size   128",
    defaults={"space": "generic"},
)

discard = instruction(
    "discard",
    anchor="data-movement-and-conversion-instructions-discard",
    summary="Discards the cached data that starts at a, without writing it back.",
    syntax="""
        discard{.global}.level   [a], size;   // PTX 7.4, sm_80
        .level = { .L2 };
    """,
    types={"size": "u64"},
    immediates="size",
    ranges="size   128",
    defaults={"space": "generic"},
)


applypriority_async_bulk = instruction(
    "applypriority.async.bulk",
    anchor="data-movement-and-conversion-instructions-applypriority",
    summary="Sets the eviction priority of size bytes of cache lines that start at a, asynchronously.",
    syntax="""
        applypriority.async.bulk{.global}.completion_mechanism.level   [a], size;   // PTX 9.4, sm_107f (ptxas)
        .completion_mechanism = { .bulk_group };
        .level = { .L2::evict_normal };
    """,
    types={"size": "u32"},
    defaults={"space": "generic"},
)


@meaning(prefetch, prefetchu, applypriority, applypriority_async_bulk, discard)
def _(x: Machine, m: Modifiers, *operands: object) -> None:
    """Machines have no caches."""


_PRIORITIES = """
        .level::primary_priority   = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged };
        .level::secondary_priority = { .L2::evict_first, .L2::evict_unchanged };
"""

createpolicy_range = instruction(
    "createpolicy.range",
    anchor="data-movement-and-conversion-instructions-createpolicy",
    summary="Creates a cache policy with one priority for a range of addresses and another for the range after it.",
    syntax="""
        createpolicy.range{.global}.level::primary_priority{.level::secondary_priority}.b64
                cache-policy, [a], primary-size, total-size;   // PTX 7.4, sm_80
    """
    + _PRIORITIES,
    types={"primary-size": "u32", "total-size": "u32"},
    ranges="primary-size   at most total-size",
    writes="cache-policy",
    defaults={"space": "generic"},
    operands="a   32 bits",
)

createpolicy_fractional = instruction(
    "createpolicy.fractional",
    anchor="data-movement-and-conversion-instructions-createpolicy",
    summary="Creates a cache policy with one priority for a fraction of the accesses and another for the rest.",
    syntax="""
        createpolicy.fractional.level::primary_priority{.level::secondary_priority}.b64
                cache-policy{, fraction};   // PTX 7.4, sm_80
    """
    + _PRIORITIES,
    types={"fraction": "f32"},
    ranges="fraction   above 0, at most 1",
    writes="cache-policy",
)


createpolicy_cvt = instruction(
    "createpolicy.cvt",
    anchor="data-movement-and-conversion-instructions-createpolicy",
    summary="Creates a cache policy from an access property of the CUDA API.",
    syntax="""
        createpolicy.cvt.L2.b64   cache-policy, access-property;   // PTX 7.4, sm_80
    """,
    types={"access-property": "b64"},
    writes="cache-policy",
)


@meaning(createpolicy_range, createpolicy_fractional, createpolicy_cvt)
def _(x: Machine, m: Modifiers, *operands: object) -> Bits:
    """Policies are opaque, and no engine reads them."""
    return x.const(0, 64)
