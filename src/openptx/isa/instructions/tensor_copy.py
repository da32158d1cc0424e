"""Asynchronous copies of tensors, and their reductions (9.7.9.27)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.instructions.atomic import update
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.boxes import Box, Chunks
from openptx.isa.semantics.clusters import in_cta, in_pair, ranks_of_mask
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.im2col import MODES, Column
from openptx.isa.semantics.mbarrier import complete, complete_where
from openptx.isa.semantics.overrides import overridden
from openptx.isa.semantics.reports import PATTERNS
from openptx.isa.semantics.tensor_elements import changes, convert_tf32, flushes, of_f32
from openptx.isa.semantics.tensor_map import ELEMENTS
from openptx.isa.types import TYPES
from openptx.numerics import Bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers

    Operand = Bits | tuple[Bits, ...]
    Place = tuple[Bits, *tuple[Operand, ...]]  # `[tensorMap, tensorCoords]`, with overrides of the map between them


ROWS = ("tile::gather4", "tile::scatter4")


def coordinates(m: Modifiers) -> int:
    """One coordinate per dimension; a gather or scatter of four rows has one column and four rows."""
    return 5 if m.load_mode in ROWS else int((m.dim or "1d")[0])


def offsets(m: Modifiers) -> int:
    """How many offsets an im2col copy takes: one for each spatial dimension, or the two of the `.w` modes (5.5.5)."""
    return 2 if (m.load_mode or "").startswith("im2col::w") else max(coordinates(m) - 2, 1)


_TYPES = {"tensorCoords": "s32", "im2colInfo": "u16", "ctaMask": "b16"}
_VECTORS = {"tensorCoords": coordinates, "im2colInfo": offsets}
ADDRESSES = """
        tensorMap            in .global, any register
        dstMem srcMem mbar   without brackets
"""
_CHOICES = """
        .dim = { .1d, .2d, .3d, .4d, .5d };
        .level::cache_hint = { .L2::cache_hint };
"""
_REJECTS = """
        .tile::gather4|.tile::scatter4 .1d|.3d|.4d|.5d   rows are gathered and scattered in two dimensions
        .im2col_no_offs .1d|.2d                          im2col modes need three dimensions or more
"""
_GATES = """
        .cta_group::1|.cta_group::2                             PTX 8.6, sm_100f sm_110f
        .shared::cta .tile::gather4|.im2col::w                  PTX 8.6, sm_100
        .shared::cluster .tile::gather4|.im2col::w              PTX 8.6, sm_100f sm_110f
        .tile::scatter4|.im2col::w::128                         PTX 8.6, sm_100f sm_110f
"""

_tensor = partial(
    instruction,
    types=_TYPES,
    operands=ADDRESSES,
    vectors=_VECTORS,
    defaults={"load_mode": "tile"},
    rejects=_REJECTS,
)

cp_async_bulk_tensor = _tensor(
    "cp.async.bulk.tensor",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-tensor",
    summary="Copies a box of a tensor between global and shared memory, asynchronously.",
    steps=200,
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
    ranges="ctaMask   0 to 65535",
    when={"ctaMask": "multicast"},
    gates=_GATES,
)


WIDE = modelled("PTX ISA, 5.5.5.3, which shows halos in figures: the pixels that the traversal comes to next")


def fidelity(m: Modifiers) -> Fidelity:
    """Exact for ordinary elements and layouts; `TensorMap.fidelity` lists what the document leaves open for others."""
    return WIDE if (m.load_mode or "").startswith("im2col::w") else EXACT


def chunks(x: Machine, m: Modifiers, place: Place, info: Operand | None = None) -> Chunks:
    """The chunks that the copy moves."""
    address, *given, at = place
    coordinates, overrides = as_tuple(at), overridden(x, given)
    if m.load_mode in MODES:
        offsets = () if info is None else as_tuple(info)
        return Column(x, address, coordinates, m.load_mode or "", offsets, overrides)
    if overrides is not None and overrides.sizes:
        for coordinate in coordinates:
            x.require(
                coordinate == 0, "undefined-behavior", "sizes are overridden, and a coordinate is {value}", coordinate
            )
    rows = 4 if m.load_mode in ROWS else 0
    return Box(x, address, coordinates, rows, overrides)


@meaning(cp_async_bulk_tensor, fidelity=fidelity)
def _(x: Machine, m: Modifiers, first: Bits | Place, second: Bits | Place, *more: Operand | None) -> None:
    copy_tensor(x, m, first, second, *more)


def copy_tensor(x: Machine, m: Modifiers, first: Bits | Place, second: Bits | Place, *more: Operand | None) -> None:
    """Completes immediately, which is one of the orders that the document allows."""
    if isinstance(first, tuple):
        assert not isinstance(second, tuple)
        send(x, m, chunks(x, m, first), second)
        return
    assert isinstance(second, tuple)
    barrier, *rest = more
    info = rest.pop(0) if m.load_mode in MODES else None
    mask = rest[0] if m.multicast else None
    source = chunks(x, m, second, info)
    assert isinstance(barrier, Bits)
    assert not isinstance(mask, tuple)
    if mask is None:
        receive(x, m, source, first, barrier)
        return
    for rank in ranks_of_mask(m):
        chosen = x.resize(mask >> rank, 1)
        own = in_cta(x, barrier, rank) if m.cta_group != "cta_group::2" else in_pair(x, barrier, rank)
        receive(x, m, source, in_cta(x, first, rank), own, chosen)


def receive(x: Machine, m: Modifiers, source: Chunks, shared: Bits, barrier: Bits, chosen: Bits | None = None) -> None:
    """Copies the tensor's chunks to shared memory, reports their contents, and counts their bytes at the mbarrier; does
    all of this only in `chosen` lanes."""
    to, pattern = m.dst or "", PATTERNS.get(str(m.values.get("report")))

    def move(
        place: Bits, skipped: Bits, address: Bits, size: Bits, even: Bits, odd: Bits, code: Bits, barrier: Bits
    ) -> None:  # fmt: skip
        x.store(to, place, [even, odd, even, odd])
        x.copy(to, place + skipped, "global", address, size)
        x.repeat(x.pick(changes(code), size >> 2, 0), change, place + skipped)
        if pattern is not None:
            pattern.inspect(x, address, size, barrier)

    def change(i: Bits, place: Bits) -> None:
        at = place + x.resize(i << 2, 64)
        x.store(to, at, [convert_tf32(x, *x.load(to, at, 32))])

    source.each(shared, move, *source.fill(), source.code, barrier, chosen=chosen)
    if chosen is None:
        complete(x, "shared::cluster", barrier, source.bytes)
    else:
        complete_where(x, chosen, barrier, source.bytes)


def send(x: Machine, m: Modifiers, target: Chunks, shared: Bits) -> None:
    """Copies from shared memory to the tensor. Elements of 6 bits lose the two padding bits that they have in shared
    memory (5.5.1.1)."""
    x.require(target.code != 14, "undefined-behavior", "`.b4x16_p64` elements are not copied to global memory")
    target.round_rows_up()

    def back(place: Bits, skipped: Bits, address: Bits, size: Bits, packs: Bits) -> None:
        x.copy("global", address, m.src or "", place + skipped, x.pick(packs, 0, size))
        x.repeat(x.pick(packs & (size != 0), 1, x.const(0, 32)), pack, place, address)

    def pack(i: Bits, place: Bits, address: Bits) -> None:
        words = x.load(m.src or "", place, 32, 4)
        parts = [sum((word >> 2 * k & 63 << 6 * k for k in range(1, 4)), word & 63) for word in words]
        for k in range(3):
            low, high = parts[k] >> 8 * k if k else parts[k], parts[k + 1] << 24 - 8 * k
            x.store("global", address + 4 * k, [low | high])

    target.each(shared, back, target.code == 15)


cp_reduce_async_bulk_tensor = _tensor(
    "cp.reduce.async.bulk.tensor",
    anchor="data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor",
    summary="Reduces a box of shared memory into a tensor in global memory, asynchronously.",
    steps=500,
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
    reduces="many",
)

_REDUCED = {
    **dict.fromkeys(("min", "max"), ("u32", "s32", "u64", "s64", "f16", "bf16")),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
    **dict.fromkeys(("and", "or", "xor"), ("u32", "s32", "u64")),
    "add": ("u32", "s32", "u64", "f32", "f64", "f16", "bf16"),
}
"""The element types that each operation accepts; an H200 executes no others."""
F32_ELEMENT = 7


@meaning(cp_reduce_async_bulk_tensor)
def _(x: Machine, m: Modifiers, place: Place, shared: Bits, policy: Bits | None = None) -> None:
    reduce_tensor(x, m, place, shared)


def reduce_tensor(x: Machine, m: Modifiers, place: Place, shared: Bits) -> None:
    """Reduces one element after another, each atomically. The tensor map gives their type; tf32 elements are added as
    f32.

    Sums of f32 keep subnormal numbers, unlike `red` in global memory, except for `.ftz` elements (H200).
    """
    target, operation = chunks(x, m, place), str(m.op)
    target.round_rows_up()
    codes = {code: TYPES[name] for code, name in ELEMENTS.items() if name in _REDUCED[operation]}
    elements = x.pick(of_f32(target.code), F32_ELEMENT, target.code)
    exact = x.resize(~flushes(target.code), 32)
    known = x.const(0, 1)
    for code in codes:
        known = known | (elements == code)
    x.require(known, "undefined-behavior", f"`.{operation}` of a tensor with elements of another type")

    def move(place: Bits, skipped: Bits, address: Bits, size: Bits, code: Bits, exact: Bits) -> None:
        for number, type in codes.items():
            step, destination = type.width // 8, m.with_(space="global", type=type)

            def element(
                i: Bits, place: Bits, address: Bits, exact: Bits, step: int = step, destination: Modifiers = destination
            ) -> None:
                at = x.resize(i, 64) * step
                more = [exact] if destination.type.name == "f32" else []
                values = x.load(m.src or "", place + at, step * 8)
                x.atomic("global", address + at, step * 8, update(destination), *values, *more)

            count = x.pick(code == number, size >> step.bit_length() - 1, 0)
            x.repeat(count, element, place + skipped, address, exact)

    target.each(shared, move, elements, exact)


cp_async_bulk_prefetch_tensor = _tensor(
    "cp.async.bulk.prefetch.tensor",
    anchor="data-movement-and-conversion-instructions-cp-async-bulk-prefetch-tensor",
    summary="Prefetches a box of a tensor into the L2 cache, asynchronously.",
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
    gates="""
        .tile::gather4|.im2col::w|.im2col::w::128   PTX 8.6, sm_100f sm_110f
    """,
)


@meaning(cp_async_bulk_prefetch_tensor)
def _(x: Machine, m: Modifiers, *operands: object) -> None:
    """There are no caches to prefetch into."""
