"""Addresses: the space an address points to, and conversion to and from generic addresses (9.7.9.19, 9.7.9.20,
9.7.9.23, 9.7.9.24)."""

from __future__ import annotations

from openptx.isa.address_windows import CTA_SHIFT, FIRST, PARAM, RANK_0, SHIFT, SLOTS, window
from openptx.isa.notation import instruction, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_GATES = """
        .const             PTX 3.1
        .param             PTX 7.7, sm_70
        .param::entry      PTX 8.3, sm_70
        .shared::cta       PTX 7.8, sm_30
        .shared::cluster   PTX 7.8, sm_90
"""

isspacep = instruction(
    "isspacep",
    anchor="data-movement-and-conversion-instructions-isspacep",
    summary="p = whether the generic address a falls into the window of the space.",
    syntax="""
        isspacep.space   p, a;   // PTX 2.0, sm_20
        .space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} };
    """,
    types={"a": "u64"},
    gates=_GATES,
    operands="a   an address",
)


@meaning(isspacep)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    slot = a >> SHIFT[a.width]
    if m.space == "global":  # the window of kernel parameters is inside that of global memory
        return (slot >= FIRST) | (slot == PARAM)
    inside = slot == SLOTS[m.space]
    if m.space != "shared":
        return inside
    rank = x.resize(a >> CTA_SHIFT, 32) & 0xFF
    return inside & ((rank == 0) | (rank & RANK_0 - 1 == x.special("cluster_ctarank", 32)))


_CVTA = """
        {0}.space.type   p, a;   // PTX 2.0, sm_20
        .space = {{ .const, .global, .local, .shared{{::cta, ::cluster}}, .param{{::entry}} }};
        .type  = {{ .u32, .u64 }};
"""

cvta = instruction(
    "cvta",
    anchor="data-movement-and-conversion-instructions-cvta",
    summary="p = the generic address of a, which is an address or a variable in the state space.",
    syntax=_CVTA.format("cvta"),
    types={"p": "type"},
    gates=_GATES,
    operands="""
        *   no function, variable
        p   wide
    """,
)


@meaning(cvta)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return a + window(m.space, a.width)


cvta_to = instruction(
    "cvta.to",
    anchor="data-movement-and-conversion-instructions-cvta",
    summary="p = the address in the state space that corresponds to the generic address a.",
    syntax=_CVTA.format("cvta.to"),
    types={"p": "type"},
    gates=_GATES,
    operands="""
        *   no function
        p   wide
    """,
)


@meaning(cvta_to)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return a - window(m.space, a.width)


mapa = instruction(
    "mapa",
    anchor="data-movement-and-conversion-instructions-mapa",
    summary="d = the address of a in the shared memory of the CTA with rank b in the cluster.",
    syntax="""
        mapa{.space}.type   d, a, b;   // PTX 7.8, sm_90
        .type  = { .u32, .u64 };
        mapa{.space}.type   d, a, b;   // PTX 7.8, sm_90 (ptxas)
        .type  = { .s32, .s64 };
        .space = { .shared::cluster };
    """,
    types={"b": "u32"},
    defaults={"space": "generic"},
    operands="a   variable, in .shared",
)


@meaning(mapa)
def _(x: Machine, m: Modifiers, a: Bits, b: Bits) -> Bits:
    # The offset and the window are kept; the rank is inserted between them.
    keep = x.const(~(0xFF << CTA_SHIFT) & (1 << a.width) - 1, a.width)
    return (a & keep) | (x.resize(b + RANK_0, a.width) << CTA_SHIFT)


getctarank = instruction(
    "getctarank",
    anchor="data-movement-and-conversion-instructions-getctarank",
    summary="d = the rank of the CTA in the cluster whose shared memory contains address a.",
    syntax="""
        getctarank{.space}.type   d, a;   // PTX 7.8, sm_90
        .type  = { .u32, .u64 };
        getctarank{.space}.type   d, a;   // PTX 7.8, sm_90 (ptxas)
        .type  = { .s32, .s64 };
        .space = { .shared::cluster };
    """,
    types={"d": "u32"},
    defaults={"space": "generic"},
    operands="a   variable, in .shared",
)


@meaning(getctarank)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    rank = x.resize(a >> CTA_SHIFT, 32) & 0xFF
    return x.select(rank == 0, x.special("cluster_ctarank", 32), rank & RANK_0 - 1)
