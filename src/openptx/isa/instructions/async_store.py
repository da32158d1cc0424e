"""Asynchronous stores and reductions, and bulk stores (9.7.9.12, 9.7.9.13, 9.7.13.7)."""

from __future__ import annotations

from functools import partial

from openptx.isa.instructions.atomic import operate
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.mbarrier import complete
from openptx.numerics import U

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

st_async = instruction(
    "st.async",
    anchor="data-movement-and-conversion-instructions-st-async",
    summary="Stores b to another CTA's shared memory and signals its mbarrier, or to global memory with release.",
    syntax="""
        st.async{.weak}{.space}.completion_mechanism{.vec}.type    [a], b, [mbar];   // PTX 8.1, sm_90
        st.async{.scope}{.space}.completion_mechanism{.vec}.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .scope = { .cluster };
        .space = { .shared::cluster };
        .type  = { .b32, .b64, .u32, .u64, .s32, .s64, .f32, .f64 };
        .vec   = { .v2, .v4 };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        st.async{.weak}{.space}.completion_mechanism.b128          [a], b, [mbar];   // PTX 9.2, sm_90 (ptxas)
        .space = { .shared::cta, .shared::cluster, .shared };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        st.async{.weak}.space.completion_mechanism{.vec}.type      [a], b, [mbar];   // PTX 8.1, sm_90 (ptxas)
        .space = { .shared::cta, .shared };
        .type  = { .b32, .b64, .u32, .u64, .s32, .s64, .f32, .f64 };
        .vec   = { .v2, .v4 };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
        st.async{.mmio}.sem.scope{.space}.type   [a], b;   // PTX 8.7, sm_100
        .sem   = { .release };
        .scope = { .gpu, .sys };
        .space = { .global };
        .type  = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
    """,
    vectors={"b": "vec"},
    defaults={"space": "generic"},
    rejects="""
        .v4 .b64|.u64|.s64|.f64   vectors are of 128 bits at most
        .mmio .gpu   `.mmio` needs the scope `.sys`
    """,
    access="store",
    operands="""
        a      element, 32 bits
        b      a list of one
        mbar   32 bits if .generic
    """,
)


@meaning(st_async)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits | tuple[Bits, ...], mbar: Bits | None = None) -> None:
    values = as_tuple(b)
    x.store(m.space, a, values)
    if mbar is not None:
        complete(x, m.space, mbar, x.const(sum(v.width for v in values) // 8, 32))


MOST_ZEROS = 1 << 24
"""The maximum number of bytes that one bulk store may fill."""
_BULK_SIZES = """
        size      0 to 16777216, a multiple of 8
        initval   0
"""

_st_bulk = partial(
    instruction,
    "st.bulk",
    anchor="data-movement-and-conversion-instructions-st-bulk",
    immediates="initval",
    ranges=_BULK_SIZES,
    defaults={"space": "generic"},
    access="store",
    operands="a   32 bits, no variable if .shared::cta",
)

st_bulk = _st_bulk(
    summary="Fills size bytes of shared memory with zeros.",
    syntax="""
        st.bulk{.weak}{.shared::cta}   [a], size, initval;   // PTX 8.6, sm_100
    """,
    types={"size": "u64", "initval": "u64"},
)

st_bulk_32 = _st_bulk(
    summary="Fills size bytes of shared memory with zeros; size has 32 bits.",
    syntax="""
        st.bulk{.weak}{.shared::cta}   [a], size, initval;   // PTX 9.0, sm_100
    """,
    types={"size": "u32", "initval": "u64"},
)


@meaning(st_bulk, st_bulk_32)
def _(x: Machine, m: Modifiers, a: Bits, size: Bits, initval: int) -> None:
    """The document forbids nonzero values and sizes that are not a multiple of 8."""
    fits = ((size & 7) == 0) & ~x.less(U, x.const(MOST_ZEROS, size.width), size)
    x.require(fits, "undefined-behavior", "a bulk store fills a multiple of 8 bytes, 16777216 at most")

    def clear(i: Bits, a: Bits) -> None:
        x.store(m.space, a + (x.resize(i, 64) << 3), [x.const(initval, 64)])

    x.repeat(x.resize(size >> 3, 32), clear, a)


red_async = instruction(
    "red.async",
    anchor="parallel-synchronization-and-communication-instructions-red-async",
    summary="Reduces b into another CTA's shared memory and signals its mbarrier, or into global memory with release.",
    syntax="""
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .inc, .dec };
        .type  = { .u32 };
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .min, .max };
        .type  = { .u32, .s32 };
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .and, .or, .xor };
        .type  = { .b32 };
        red.async.sem.scope{.space}.completion_mechanism.op.type   [a], b, [mbar];   // PTX 8.1, sm_90
        .op    = { .add };
        .type  = { .u32, .s32, .u64 };

        red.async{.mmio}.sem.scope{.space}.op.type   [a], b;   // PTX 8.7, sm_100
        .sem   = { .release };
        .scope = { .gpu, .sys };
        .space = { .global };
        .op    = { .add };
        .type  = { .u32, .s32, .u64, .s64 };

        red.async{.mmio}.sem.scope{.space}.op.type   [a], b;   // PTX 8.1, sm_90 (ptxas)
        .sem   = { .release, .relaxed };
        .scope = { .gpu, .sys };
        .space = { .global };
        .op    = { .add, .inc, .dec, .min, .max, .and, .or, .xor };
        .type  = { .b32, .u32, .s32, .u64, .s64 };

        .sem   = { .relaxed };
        .scope = { .cluster };
        .space = { .shared::cluster };
        .completion_mechanism = { .mbarrier::complete_tx::bytes };
    """,
    defaults={"space": "generic"},
    rejects="""
        .mmio .gpu   `.mmio` needs the scope `.sys`
        .mmio .relaxed   `.mmio` needs `.release`
        op=.add type=.b32                           sums are of numbers
        op=.inc|.dec type=.b32|.s32|.u64|.s64       `.inc` and `.dec` are of `.u32`
        op=.min|.max type=.b32|.u64|.s64            `.min` and `.max` are of `.u32` and `.s32`
        op=.and|.or|.xor type=.u32|.s32|.u64|.s64   operations on bits are of `.b32`
    """,
    gates="""
        .release|.global   PTX 8.7, sm_100
    """,
    access="update",
    reduces="one",
    operands="""
        a      32 bits
        mbar   32 bits if .generic
    """,
)


@meaning(red_async)
def _(x: Machine, m: Modifiers, a: Bits, b: Word, mbar: Bits | None = None) -> None:
    operate(x, m, a, b)
    if mbar is not None:
        complete(x, m.space, mbar, x.const(m.type.width // 8, 32))
