"""Bulk copies that report, reach 32 CTAs, or override fields of a tensor map (PTX ISA 9.4, 9.7.10.28)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import Fidelity, modelled
from openptx.isa.instructions.async_copy import BULK_SIZES, check
from openptx.isa.instructions.tensor_copy import (
    ADDRESSES,
    coordinates,
    copy_tensor,
    fidelity,
    offsets,
    reduce_tensor,
)
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.clusters import in_cta, ranks_of_mask
from openptx.isa.semantics.mbarrier import complete_where
from openptx.isa.semantics.reports import PATTERNS
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.types import Type
    from openptx.numerics import Bits

_ANCHOR = "data-movement-and-conversion-instructions-"
_SINCE = "// PTX 9.4, sm_107f (ptxas)"
_CHOICES = """
        .dim = { .1d, .2d, .3d, .4d, .5d };
        .level::cache_hint = { .L2::cache_hint };
        .cta_group = { .cta_group::1, .cta_group::2 };
        .report = { .mbarrier::report::disabled, .mbarrier::report::validity::per_16bytes::8,
                    .mbarrier::report::validity::per_16bytes::80,
                    .mbarrier::report::validity::per_16bytes::8000, .mbarrier::report::validity::per_16bytes::80000000,
                    .mbarrier::report::validity::per_element::ff };
"""
_OF_SIXTEEN, _OF_32 = "{ .multicast::cluster }", "{ .multicast::cluster::32b }"
_INTO = ".src = { .global };\n.completion_mechanism = { .mbarrier::complete_tx::bytes };"
_OUT = ".dst = { .global };\n.src = { .shared::cta };\n.completion_mechanism = { .bulk_group };"
_COORDINATES = "tensorMap, tensorCoords"
_AT = "tensorMap, gAddr, tensorCoords"
_OVERRIDES = (
    (".override::global_address", _AT, ".dim = { .1d, .2d, .3d, .4d, .5d };"),
    (".override::global_address.override::global_dim", "tensorMap, gAddr, sizes, tensorCoords", ".dim = { .1d };"),
    (
        ".override::global_address.override::global_dim_stride",
        "tensorMap, gAddr, sizes, lowerStrides, upperStride, tensorCoords",
        ".dim = { .2d, .3d, .4d, .5d };",
    ),
)
"""Modifiers, the bracket operands that go with them, and the number of dimensions."""


def _strides(m: Modifiers) -> int:
    return max(coordinates(m) - 1, 1)


def _mask(m: Modifiers) -> Type:
    return TYPES["b32" if m.multicast == "multicast::cluster::32b" else "b16"]


_TYPES = {
    "tensorCoords": "s32",
    "im2colInfo": "u16",
    "ctaMask": _mask,
    "gAddr": "b64",
    "sizes": "u16",
    "lowerStrides": "u32",
    "upperStride": "u16",
    "size": "u32",
}
_MASKS = """
    .multicast::cluster        ctaMask   0 to 65535
    .multicast::cluster::32b   ctaMask   0 to 4294967295
"""
_VECTORS = {"tensorCoords": coordinates, "im2colInfo": offsets, "sizes": coordinates, "lowerStrides": _strides}
_REJECTS = """
        .tile::gather4|.tile::scatter4 .1d|.3d|.4d|.5d   rows are gathered and scattered in two dimensions
        .im2col_no_offs .1d|.2d                          im2col modes need three dimensions or more
        .override::global_dim_stride .tile::gather4|.tile::scatter4|.im2col_no_offs   strides are replaced in `.tile`
        .multicast::cluster .override::global_dim|.override::global_dim_stride   sizes are replaced with 32-bit masks
"""

cp_async_bulk = instruction(
    "cp.async.bulk",
    anchor=_ANCHOR + "cp-async-bulk",
    summary="Copies size bytes to shared memory, asynchronously, for up to 32 CTAs or with a report.",
    syntax=f"""
        cp.async.bulk.dst.src.completion_mechanism.report{{.level::cache_hint}}
                [dstMem], [srcMem], size, [mbar]{{, cache-policy}};            {_SINCE}
        .dst = {{ .shared::cta, .shared::cluster }};
        cp.async.bulk.dst.src.completion_mechanism.multicast.report{{.level::cache_hint}}
                [dstMem], [srcMem], size, [mbar], ctaMask{{, cache-policy}};   {_SINCE}
        .dst = {{ .shared::cluster }};
        .multicast = {_OF_SIXTEEN};
        cp.async.bulk.dst.src.completion_mechanism.multicast{{.report}}{{.level::cache_hint}}
                [dstMem], [srcMem], size, [mbar], ctaMask{{, cache-policy}};   {_SINCE}
        .dst = {{ .shared::cluster }};
        .multicast = {_OF_32};
        {_INTO}
    """
    + _CHOICES,
    types=_TYPES,
    ranges=_MASKS + BULK_SIZES,
    operands="ctaMask   strictly",
)

SAMPLED = modelled("PTX ISA 9.4, Table 33; a guess: of the elements in 16 bytes the first is sampled")
SIZES = modelled("PTX ISA 9.4, Table 35: the lower 8 bits of a size; 0 is invalid")


def reporting(m: Modifiers) -> Fidelity:
    """The fidelity of the copy, unless its report samples elements or it overrides sizes."""
    pattern = PATTERNS.get(str(m.values.get("report")))
    if pattern is not None and pattern.sampled:
        return SAMPLED
    return SIZES if m.override_global_dim or m.override_global_dim_stride else fidelity(m)


@meaning(cp_async_bulk, fidelity=reporting)
def _(x: Machine, m: Modifiers, dst: Bits, src: Bits, size: Bits, barrier: Bits, *more: Bits | None) -> None:
    """Completes immediately."""
    check(x, dst, src, size)
    pattern = PATTERNS.get(str(m.values.get("report")))

    def into(dst: Bits, barrier: Bits, size: Bits, chosen: Bits) -> None:
        def inspect(i: Bits, src: Bits, barrier: Bits) -> None:
            assert pattern is not None
            pattern.inspect(x, src + (x.resize(i, 64) << 4), x.const(16, 32), barrier)

        x.copy(m.dst or "", dst, "global", src, size)
        if pattern is not None:
            x.repeat(size >> 4, inspect, src, barrier)
        complete_where(x, chosen, barrier, size)

    if not m.multicast:
        into(dst, barrier, size, x.const(1, 1))
        return
    (mask, *_) = [operand for operand in more if operand is not None]
    for rank in ranks_of_mask(m):
        chosen = x.resize(mask >> rank, 1)
        into(in_cta(x, dst, rank), in_cta(x, barrier, rank), x.pick(~chosen, 0, size), chosen)


def _into(modifiers: str, inside: str, choices: str, mode: str, more: str = "", multicast: str = "") -> str:
    """A form of copies to shared memory; `more` are the operands after the mbarrier."""
    to = ".shared::cluster" if multicast else ".shared::cta, .shared::cluster"
    chosen = f".multicast = {multicast};" if multicast else ""
    return f"""
        cp.async.bulk.tensor.dim.dst.src{mode}.completion_mechanism{modifiers}{{.cta_group}}{{.level::cache_hint}}
                [dstMem], [{inside}], [mbar]{more}{{, cache-policy}};   {_SINCE}
        .dst = {{ {to} }};
        {choices}
        {chosen}
    """


_TILE = ".load_mode = { .tile, .tile::gather4 };"
_IM2COL = ".load_mode = { .im2col, .im2col::w, .im2col::w::128 };\n.dim = { .3d, .4d, .5d };"

_tensor = partial(instruction, types=_TYPES, vectors=_VECTORS, defaults={"load_mode": "tile"})

cp_async_bulk_tensor = _tensor(
    "cp.async.bulk.tensor",
    anchor=_ANCHOR + "cp-async-bulk-tensor",
    summary="Copies a box of a tensor, for up to 32 CTAs, with a report, or with replaced fields of its map.",
    syntax="".join(
        (
            _into(".report", _COORDINATES, _TILE, "{.load_mode}"),
            _into(".multicast.report", _COORDINATES, _TILE, "{.load_mode}", ", ctaMask", _OF_SIXTEEN),
            _into(".multicast{.report}", _COORDINATES, _TILE, "{.load_mode}", ", ctaMask", _OF_32),
            _into(".report", _COORDINATES, _IM2COL, ".load_mode", ", im2colInfo"),
            _into(".multicast.report", _COORDINATES, _IM2COL, ".load_mode", ", im2colInfo, ctaMask", _OF_SIXTEEN),
            _into(".multicast{.report}", _COORDINATES, _IM2COL, ".load_mode", ", im2colInfo, ctaMask", _OF_32),
            _into("{.report}.override::global_address", _AT, _IM2COL, ".load_mode", ", im2colInfo"),
            _into(
                ".multicast{.report}.override::global_address",
                _AT,
                _IM2COL,
                ".load_mode",
                ", im2colInfo, ctaMask",
                _OF_SIXTEEN,
            ),
            _into(
                ".multicast{.report}.override::global_address",
                _AT,
                _IM2COL,
                ".load_mode",
                ", im2colInfo, ctaMask",
                _OF_32,
            ),
            *(
                form
                for names, inside, dim in _OVERRIDES
                for form in (
                    _into(f"{{.report}}{names}", inside, f"{_TILE}\n{dim}", "{.load_mode}"),
                    _into(
                        f".multicast{{.report}}{names}",
                        inside,
                        f"{_TILE}\n{dim}",
                        "{.load_mode}",
                        ", ctaMask",
                        _OF_SIXTEEN,
                    ),
                    _into(
                        f".multicast{{.report}}{names}", inside, f"{_TILE}\n{dim}", "{.load_mode}", ", ctaMask", _OF_32
                    ),
                    f"""
        cp.async.bulk.tensor.dim.dst.src{{.load_mode}}.completion_mechanism{names}{{.level::cache_hint}}
                [{inside}], [srcMem]{{, cache-policy}};   {_SINCE}
        .load_mode = {{ .tile, .tile::scatter4, .im2col_no_offs }};
        {dim}
        {_OUT}
                    """,
                )
            ),
        )
    )
    + _INTO
    + _CHOICES,
    ranges=_MASKS,
    operands=ADDRESSES + "ctaMask   strictly",
    rejects=_REJECTS,
)

cp_reduce_async_bulk_tensor = _tensor(
    "cp.reduce.async.bulk.tensor",
    anchor=_ANCHOR + "cp-reduce-async-bulk-tensor",
    summary="Reduces a box of shared memory into a tensor, asynchronously, with replaced fields of its map.",
    syntax="".join(
        f"""
        cp.reduce.async.bulk.tensor.dim.dst.src.op{{.load_mode}}.completion_mechanism{names}{{.level::cache_hint}}
                [{inside}], [srcMem]{{, cache-policy}};   {_SINCE}
        .load_mode = {{ .tile, .im2col_no_offs }};
        .op = {{ .add, .min, .max, .inc, .dec, .and, .or, .xor }};
        {dim}
        """
        for names, inside, dim in _OVERRIDES
    )
    + _OUT
    + _CHOICES,
    operands=ADDRESSES,
    rejects=_REJECTS,
    reduces="many",
)

cp_async_bulk_prefetch_tensor = _tensor(
    "cp.async.bulk.prefetch.tensor",
    anchor=_ANCHOR + "cp-async-bulk-prefetch-tensor",
    summary="Prefetches a box of a tensor into the L2 cache, with a priority or replaced fields of its map.",
    syntax=f"""
        cp.async.bulk.prefetch.tensor.dim.L2.src{{.load_mode}}.level::eviction_priority
                [{_COORDINATES}];               {_SINCE}
        .load_mode = {{ .tile, .tile::gather4 }};
        cp.async.bulk.prefetch.tensor.dim.L2.src.load_mode.level::eviction_priority
                [{_COORDINATES}], im2colInfo;   {_SINCE}
        {_IM2COL}
        cp.async.bulk.prefetch.tensor.dim.L2.src.load_mode{{.level::cache_hint}}.override::global_address
                [{_AT}], im2colInfo{{, cache-policy}};   {_SINCE}
        {_IM2COL}
        cp.async.bulk.prefetch.tensor.dim.L2.src.load_mode.level::eviction_priority.override::global_address
                [{_AT}], im2colInfo;   {_SINCE}
        {_IM2COL}
    """
    + "".join(
        f"""
        cp.async.bulk.prefetch.tensor.dim.L2.src{{.load_mode}}{{.level::cache_hint}}{names}
                [{inside}]{{, cache-policy}};   {_SINCE}
        {_TILE}
        {dim}
        cp.async.bulk.prefetch.tensor.dim.L2.src{{.load_mode}}.level::eviction_priority{names}   [{inside}];   {_SINCE}
        {_TILE}
        {dim}
        """
        for names, inside, dim in _OVERRIDES
    )
    + """
        .src = { .global };
        .level::eviction_priority = { .L2::evict_last };
    """
    + _CHOICES,
    operands=ADDRESSES,
    rejects=_REJECTS,
)

applypriority_async_bulk_tensor = _tensor(
    "applypriority.async.bulk.tensor",
    anchor=_ANCHOR + "applypriority",
    summary="Sets the eviction priority of the cache lines of a box of a tensor, asynchronously.",
    syntax=f"""
        applypriority.async.bulk.tensor.dim{{.src}}{{.load_mode}}.completion_mechanism.level
                [{_COORDINATES}];   {_SINCE}
    """
    + "".join(
        f"""
        applypriority.async.bulk.tensor.dim{{.src}}{{.load_mode}}.completion_mechanism.level{names}
                [{inside}];   {_SINCE}
        {dim}
        """
        for names, inside, dim in _OVERRIDES
    )
    + """
        .src = { .global };
        .load_mode = { .tile };
        .completion_mechanism = { .bulk_group };
        .level = { .L2::evict_normal };
    """
    + _CHOICES,
    operands=ADDRESSES,
)


@meaning(cp_async_bulk_tensor, fidelity=reporting)
def _(x: Machine, m: Modifiers, *operands: Any) -> None:
    copy_tensor(x, m, *operands)


@meaning(cp_reduce_async_bulk_tensor, fidelity=reporting)
def _(x: Machine, m: Modifiers, place: Any, shared: Bits, policy: Bits | None = None) -> None:
    reduce_tensor(x, m, place, shared)


@meaning(cp_async_bulk_prefetch_tensor, applypriority_async_bulk_tensor)
def _(x: Machine, m: Modifiers, *operands: object) -> None:
    """There are no caches to prefetch into."""
