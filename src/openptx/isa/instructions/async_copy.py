"""Asynchronous copies: of a few bytes per thread, in bulk, and with reduction (9.7.9.25)."""

from __future__ import annotations

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.instructions.atomic import operate
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.clusters import in_cta, ranks_of_mask
from openptx.isa.semantics.mbarrier import complete, complete_where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

cp_async = instruction(
    "cp.async",
    anchor="data-movement-and-conversion-instructions-cp-async",
    summary="Copies cp-size bytes from global to shared memory, asynchronously; bytes beyond src-size are zero.",
    syntax="""
        cp.async.cop.dst.src{.level::cache_hint}{.level::prefetch_size}
                [dst], [src], cp-size{, src-size}{, cache-policy};     // PTX 7.0, sm_80
        cp.async.cop.dst.src{.level::cache_hint}{.level::prefetch_size}
                [dst], [src], cp-size{, ignore-src}{, cache-policy};   // PTX 7.5, sm_80

        .cop = { .ca, .cg };
        .dst = { .shared{::cta} };
        .src = { .global };
        .level::cache_hint    = { .L2::cache_hint };
        .level::prefetch_size = { .L2::64B, .L2::128B, .L2::256B };
    """,
    types={"cp-size": "u32", "src-size": "u32", "ignore-src": "pred"},
    immediates="cp-size",
    operands="ignore-src   negated",
    ranges="""
        .cg cp-size   16
        cp-size       4 or 8 or 16
        src-size      0 to 16, at most cp-size
    """,
    gates="""
        .L2::cache_hint|.L2::64B|.L2::128B|.L2::256B   PTX 7.4
    """,
)


@meaning(cp_async)
def _(
    x: Machine, m: Modifiers, dst: Bits, src: Bits, size: int, limit: Bits | None = None, policy: Bits | None = None
) -> None:
    """Completes immediately, which is one of the orders that the document allows. `limit` is src-size, or whether to
    ignore src."""
    words = size // 4
    if limit is None:
        x.store("shared", dst, x.load("global", src, 32, words))
        return
    if limit.width == 1:
        limit = x.pick(limit, 0, x.const(size, 32))
    x.store("shared", dst, [x.const(0, 32)] * words)
    x.copy("shared", dst, "global", src, limit)


cp_async_commit_group = instruction(
    "cp.async.commit_group",
    anchor="data-movement-and-conversion-instructions-cp-async-commit-group",
    summary="Commits the thread's asynchronous copies that are not in a group yet as a new group.",
    syntax="""
        cp.async.commit_group;   // PTX 7.0, sm_80
    """,
)

cp_async_wait_group = instruction(
    "cp.async.wait_group",
    anchor="data-movement-and-conversion-instructions-cp-async-wait-group",
    summary="Waits until at most the N newest groups of copies of the thread are pending.",
    syntax="""
        cp.async.wait_group   N;   // PTX 7.0, sm_80
    """,
    types={"N": "u32"},
    immediates="N",
)

cp_async_wait_all = instruction(
    "cp.async.wait_all",
    anchor="data-movement-and-conversion-instructions-cp-async-wait-group",
    summary="Waits for all of the thread's asynchronous copies.",
    syntax="""
        cp.async.wait_all;   // PTX 7.0, sm_80
    """,
)


@meaning(cp_async_commit_group, cp_async_wait_group, cp_async_wait_all)
def _(x: Machine, m: Modifiers, n: int | None = None) -> None:
    """Copies complete when they are issued, so there is nothing to wait for."""


BULK_SIZES = "size   0 to 1048560, a multiple of 16"
_MASKS = "\nctaMask   0 to 65535"
_IGNORED = """
        ignore-left    0 to 15
        ignore-right   0 to 15
"""
_BULK_TYPES = {"size": "u32", "ignore-left": "u32", "ignore-right": "u32", "ctaMask": "b16", "byteMask": "b16"}

cp_async_bulk = instruction(
    "cp.async.bulk",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk",
    summary="Copies size bytes between global and shared memory, asynchronously.",
    syntax="""
        cp.async.bulk.dst.src.completion_mechanism{.level::cache_hint}
                [dstMem], [srcMem], size, [mbar]{, cache-policy};              // PTX 8.6, sm_90
        .dst = { .shared::cta };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.dst.src.completion_mechanism.ignore_oob{.level::cache_hint}
                [dstMem], [srcMem], size, ignore-left, ignore-right, [mbar]{, cache-policy};   // PTX 9.2, sm_90 (ptxas)
        .dst = { .shared::cta };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.dst.src.completion_mechanism{.multicast}{.level::cache_hint}
                [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};   // PTX 8.0, sm_90
        .dst = { .shared::cluster };
        .src = { .global };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        .multicast = { .multicast::cluster };
        cp.async.bulk.dst.src.completion_mechanism
                [dstMem], [srcMem], size, [mbar];                              // PTX 8.0, sm_90
        .dst = { .shared::cluster };
        .src = { .shared::cta };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        cp.async.bulk.dst.src.completion_mechanism{.level::cache_hint}{.cp_mask}
                [dstMem], [srcMem], size{, cache-policy}{, byteMask};          // PTX 8.0, sm_90
        .dst = { .global };
        .src = { .shared::cta };
        .completion_mechanism = { .bulk_group };

        .level::cache_hint = { .L2::cache_hint };
    """,
    types=_BULK_TYPES,
    ranges=BULK_SIZES + _MASKS + _IGNORED,
    when={"ctaMask": "multicast", "byteMask": "cp_mask"},
    gates="""
        .cp_mask   PTX 8.6, sm_100
    """,
)


def fidelity_of_bulk(m: Modifiers) -> Fidelity:
    """The ISA since 9.2 says that the bytes ignored at the ends are indeterminate; here they keep their values."""
    return modelled("PTX ISA 9.2; bytes that are ignored stay") if m.ignore_oob else EXACT


@meaning(cp_async_bulk, fidelity=fidelity_of_bulk)
def _(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits, *more: Bits | None) -> None:
    given = [q for q in more if q is not None]
    to, source = m.dst or "", m.src or ""
    if to == "global":
        copy_out(x, m, dst, src, size, given[-1] if m.cp_mask else None)
        return
    check(x, dst, src, size)
    if m.ignore_oob:
        left, right, barrier = given[:3]
        fits = (left < 16) & (right < 16) & (left + right <= size)
        x.require(
            fits, "undefined-behavior", "a bulk copy ignores up to 15 bytes at each end, and no more than it copies"
        )
        skipped = x.resize(left, 64)
        x.copy(to, dst + skipped, source, src + skipped, size - left - right)
        complete(x, "shared::cluster", barrier, size)
        return
    barrier = given[0]
    if not m.multicast:
        x.copy(to, dst, source, src, size)
        complete(x, "shared::cluster", barrier, size)
        return
    for rank in ranks_of_mask(m):
        chosen = x.resize(given[1] >> rank, 1)
        bytes_there = x.pick(chosen, size, 0)
        x.copy(to, in_cta(x, dst, rank), source, src, bytes_there)
        complete_where(x, chosen, in_cta(x, barrier, rank), size)


def copy_out(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits, mask: Bits | None = None) -> None:
    """A bulk copy from shared to global memory; with a mask, of the selected bytes of every 16."""
    check(x, dst, src, size)
    if mask is not None:
        copy_masked(x, dst, m.src or "", src, size, mask)
    else:
        x.copy("global", dst, m.src or "", src, size)


def check(x: Machine, dst: Bits, src: Bits, size: Bits) -> None:
    """Faults unless both addresses and the size are multiples of 16, as every bulk copy requires."""
    aligned = ((dst | src | x.resize(size, 64)) & 15) == 0
    x.require(aligned, "misaligned-access", "a bulk copy whose addresses or size are not multiples of 16")


def copy_masked(x: Machine, dst: Bits, source: str, src: Bits, size: Bits, mask: Bits) -> None:
    """Copies the bytes of every 16 that the mask selects to global memory."""

    def chunk(i: Bits, dst: Bits, src: Bits, mask: Bits) -> None:
        for byte in range(16):
            at = (x.resize(i, 64) << 4) + byte
            x.copy("global", dst + at, source, src + at, x.resize(x.resize(mask >> byte, 1), 32))

    x.repeat(size >> 4, chunk, dst, src, mask)


cp_reduce_async_bulk = instruction(
    "cp.reduce.async.bulk",
    anchor="data-movement-and-conversion-instructions-cp-reduce-async-bulk",
    summary="Reduces size bytes of shared memory into global or another CTA's shared memory, asynchronously.",
    syntax="""
        cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size, [mbar];           // PTX 8.0, sm_90
        .dst  = { .shared::cluster };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        .op   = { .and, .or, .xor };
        .type = { .b32 };
        cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size, [mbar];           // PTX 8.0, sm_90
        .dst  = { .shared::cluster };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        .op   = { .add };
        .type = { .u32, .s32, .u64 };
        cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size, [mbar];           // PTX 8.0, sm_90
        .dst  = { .shared::cluster };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        .op   = { .inc, .dec };
        .type = { .u32 };
        cp.reduce.async.bulk.dst.src.completion_mechanism.op.type
                [dstMem], [srcMem], size, [mbar];           // PTX 8.0, sm_90
        .dst  = { .shared::cluster };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        .op   = { .min, .max };
        .type = { .u32, .s32 };
        cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type
                [dstMem], [srcMem], size{, cache-policy};   // PTX 8.0, sm_90
        .op   = { .and, .or, .xor };
        .type = { .b32, .b64 };
        cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type
                [dstMem], [srcMem], size{, cache-policy};   // PTX 8.0, sm_90
        .op   = { .add };
        .type = { .u32, .s32, .u64, .f32, .f64 };
        cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type
                [dstMem], [srcMem], size{, cache-policy};   // PTX 8.0, sm_90
        .op   = { .inc, .dec };
        .type = { .u32 };
        cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type
                [dstMem], [srcMem], size{, cache-policy};   // PTX 8.0, sm_90
        .op   = { .min, .max };
        .type = { .u32, .s32, .u64, .s64, .f16, .bf16 };
        cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.noftz.type
                [dstMem], [srcMem], size{, cache-policy};   // PTX 8.0, sm_90
        .op   = { .add };
        .type = { .f16, .bf16 };

        .dst = { .global };
        .src = { .shared::cta };
        .completion_mechanism = { .bulk_group };
        .level::cache_hint    = { .L2::cache_hint };
    """,
    types=_BULK_TYPES,
    ranges=BULK_SIZES,
    reduces="many",
)


@meaning(cp_reduce_async_bulk)
def _(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits, *more: Bits | None) -> None:
    reduce_out(x, m, dst, src, size)
    if m.dst != "global" and more[0] is not None:
        complete(x, "shared::cluster", more[0], size)


def reduce_out(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits) -> None:
    """Reduces one element after another, each atomically."""
    check(x, dst, src, size)
    target, width = m.with_(space=m.dst), m.type.width

    def element(i: Bits, dst: Bits, src: Bits) -> None:
        at = x.resize(i, 64) * (width >> 3)
        (b,) = x.load(m.src or "", src + at, width)
        operate(x, target, dst + at, b)

    x.repeat(size >> (width >> 3).bit_length() - 1, element, dst, src)


cp_async_bulk_prefetch = instruction(
    "cp.async.bulk.prefetch",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-prefetch",
    summary="Prefetches size bytes of global memory into the L2 cache, asynchronously.",
    syntax="""
        cp.async.bulk.prefetch.L2.src{.level::cache_hint}   [srcMem], size{, cache-policy};   // PTX 8.0, sm_90
        cp.async.bulk.prefetch.L2.src.level::eviction_priority   [srcMem], size;   // PTX 9.4, sm_107f (ptxas)
        .level::eviction_priority = { .L2::evict_last };
        .src = { .global };
        .level::cache_hint = { .L2::cache_hint };
    """,
    types=_BULK_TYPES,
    ranges=BULK_SIZES,
)


@meaning(cp_async_bulk_prefetch)
def _(x: Machine, m: Modifiers, *operands: object) -> None:
    """There are no caches to prefetch into."""


cp_async_bulk_commit_group = instruction(
    "cp.async.bulk.commit_group",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-commit-group",
    summary="Commits the thread's bulk copies that are not in a group yet as a new group.",
    syntax="""
        cp.async.bulk.commit_group;   // PTX 8.0, sm_90
    """,
)

cp_async_bulk_wait_group = instruction(
    "cp.async.bulk.wait_group",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
    summary="Waits until at most the N newest groups of bulk copies of the thread are pending, or still have to read.",
    syntax="""
        cp.async.bulk.wait_group{.read}   N;           // PTX 8.0, sm_90
        cp.async.bulk.wait_group.sync_restrict   N;    // PTX 9.5, sm_90 (ptxas)
        .sync_restrict = { .sync_restrict::proxy::async };
    """,
    types={"N": "u32"},
    immediates="N",
)


@meaning(cp_async_bulk_commit_group, cp_async_bulk_wait_group)
def _(x: Machine, m: Modifiers, n: int | None = None) -> None:
    """Copies complete when they are issued, so there is nothing to wait for."""
