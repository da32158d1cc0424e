"""Surfaces (9.7.11)."""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.atomic_ops import integer_update
from openptx.isa.semantics.elements import as_tuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

    Vector = Bits | tuple[Bits, ...]  # `{a}` is `a`
    Place = tuple[Bits, Vector]  # `[surface, coordinates]`

_COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4}


def coordinates(m: Modifiers) -> int:
    """The length of the coordinate vector: a power of two, with the array index first."""
    return _COORDINATES[m.geom or "1d"]


_TOO_WIDE = """
        .v4 .b64   vectors are of 128 bits at most
"""

_surface = partial(instruction, types={"a": "surfref", "b": "s32"}, may_be_longer="b")

suld = _surface(
    "suld.b",
    anchor="surface-instructions-suld",
    summary="d = the bytes of surface a at coordinates b.",
    syntax="""
        suld.b.geom{.cop}.vec.type.clamp   d, [a, b];   // PTX 1.5
        .geom  = { .1d, .2d, .3d, .a1d, .a2d };
        .cop   = { .ca, .cg, .cs, .cv };
        .vec   = { none, .v2, .v4 };
        .type  = { .b8, .b16, .b32, .b64 };
        .clamp = { .trap, .clamp, .zero };
    """,
    vectors={"d": "vec", "b": coordinates},
    allows_wider_registers=True,
    rejects=_TOO_WIDE,
    gates="""
        .3d|.a1d|.a2d          PTX 3.0, sm_20
        .ca|.cg|.cs|.cv        PTX 2.0, sm_20
        .clamp|.zero           PTX 2.0
    """,
    operands="""
        *   wider
        d   one of several, a list of one
    """,
)


@meaning(suld)
def _(x: Machine, m: Modifiers, place: Place) -> Vector:
    a, b = place
    count = int(m.vec[1:]) if m.vec else 1
    found = x.images.load(m.geom, a, as_tuple(b), m.clamp, m.type.width, count)
    return found if m.vec else found[0]


suld_p = _surface(
    "suld.p",
    anchor="surface-instructions-suld",
    summary="d = the element of surface a at coordinates b, converted; removed in sm_70 and from the manual.",
    syntax="""
        suld.p.geom.vec.type.clamp   d, [a, b];   // PTX 2.0, sm_20 to sm_62 (ptxas)
        .geom  = { .1d, .2d, .3d };
        .vec   = { none, .v2, .v4 };
        .type  = { .b32, .u32, .s32, .f32 };
        .clamp = { .trap, .clamp, .zero };
    """,
    vectors={"d": "vec", "b": coordinates},
    operands="""
        *   wider
        d   a list of one
    """,
)


@meaning(suld_p, fidelity=modelled("a guess: components that the surface lacks are 0, 0 and 1, as a texture's"))
def _(x: Machine, m: Modifiers, place: Place) -> Vector:
    a, b = place
    found = x.images.load_sample(m.geom, a, as_tuple(b), m.clamp)
    return found[: int(m.vec[1:])] if m.vec else found[0]


sust = _surface(
    "sust.b",
    anchor="surface-instructions-sust",
    summary="Stores c to the bytes of surface a at coordinates b.",
    syntax="""
        sust.b.geom{.cop}.vec.type.clamp   [a, b], c;   // PTX 1.5
        .geom  = { .1d, .2d, .3d, .a1d, .a2d };
        .cop   = { .wb, .cg, .cs, .wt };
        .vec   = { none, .v2, .v4 };
        .type  = { .b8, .b16, .b32, .b64 };
        .clamp = { .trap, .clamp, .zero };
    """,
    vectors={"c": "vec", "b": coordinates},
    allows_wider_registers=True,
    rejects=_TOO_WIDE,
    gates="""
        .3d|.a1d|.a2d          PTX 3.0, sm_20
        .wb|.cg|.cs|.wt        PTX 2.0, sm_20
        .clamp|.zero           PTX 2.0
    """,
    operands="""
        *   wider
        c   one of several, a list of one
    """,
)


@meaning(sust)
def _(x: Machine, m: Modifiers, place: Place, c: Vector) -> None:
    a, b = place
    x.images.store(m.geom, a, as_tuple(b), m.clamp, as_tuple(c))


sust_p = _surface(
    "sust.p",
    anchor="surface-instructions-sust",
    summary="Stores c, converted to the surface's format, to the element of surface a at coordinates b.",
    syntax="""
        sust.p.geom.vec.b32.clamp        [a, b], c;   // PTX 2.0, sm_20
        sust.p.geom.cop.vec.b32.clamp    [a, b], c;   // PTX 2.0, sm_20 (ptxas)
        .geom  = { .1d, .2d, .3d, .a1d, .a2d };
        .cop   = { .wb, .cg, .cs, .wt };
        .vec   = { none, .v2, .v4 };
        .clamp = { .trap, .clamp, .zero };
    """,
    vectors={"c": "vec", "b": coordinates},
    operands="""
        *   wider
        c   one of several, a list of one
    """,
    gates="""
        .3d         PTX 3.0
        .a1d|.a2d   PTX 4.1, sm_30
    """,
)


@meaning(sust_p, fidelity=modelled("a guess: conversions of `cvt`; components that are not given become 0"))
def _(x: Machine, m: Modifiers, place: Place, c: Vector) -> None:
    a, b = place
    x.images.store(m.geom, a, as_tuple(b), m.clamp, as_tuple(c), sample=True)


sured = _surface(
    "sured.b",
    anchor="surface-instructions-sured",
    summary="Reduces c into the bytes of surface a at coordinates b.",
    syntax="""
        sured.b.op.geom.type.clamp   [a, b], c;   // PTX 2.0, sm_20
        .op    = { .add };
        .type  = { .u32, .u64, .s32 };
        sured.b.op.geom.type.clamp   [a, b], c;   // PTX 2.0, sm_20
        .op    = { .min, .max };
        .type  = { .u32, .u64, .s32, .s64 };
        sured.b.op.geom.type.clamp   [a, b], c;   // PTX 2.0, sm_20
        .op    = { .and, .or };
        .type  = { .b32 };

        .geom  = { .1d, .2d, .3d };
        .clamp = { .trap, .clamp, .zero };
    """,
    vectors={"b": coordinates},
    gates="""
        .3d                   PTX 3.0
        .u64|.s64 .min|.max   PTX 8.1, sm_50
    """,
    operands="c   wider",
)


@meaning(sured)
def _(x: Machine, m: Modifiers, place: Place, c: Bits) -> None:
    a, b = place
    x.images.reduce(m.geom, a, as_tuple(b), m.clamp, integer_update(m.op, m.type.signed), c)


sured_p = _surface(
    "sured.p",
    anchor="surface-instructions-sured",
    summary="Reduces c into the element of surface a at coordinates b.",
    syntax="""
        sured.p.op.geom.type.clamp   [a, b], c;   // PTX 2.0, sm_20
        .op    = { .add, .min, .max, .and, .or };
        .type  = { .b32 };
        sured.p.op.geom.type.clamp   [a, b], c;   // PTX 8.1, sm_50
        .op    = { .min, .max };
        .type  = { .b64 };

        .geom  = { .1d, .2d, .3d };
        .clamp = { .trap, .clamp, .zero };
    """,
    vectors={"b": coordinates},
    gates=".3d   PTX 3.0",
    operands="c   wider",
)


@meaning(sured_p)
def _(x: Machine, m: Modifiers, place: Place, c: Bits) -> None:
    a, b = place
    unsigned, signed = (integer_update(m.op, signed) for signed in (False, True))
    x.images.reduce(m.geom, a, as_tuple(b), m.clamp, unsigned, c, signed=signed)


suq = instruction(
    "suq",
    anchor="surface-instructions-suq",
    summary="d = an attribute of surface a.",
    syntax="""
        suq.query.b32   d, [a];   // PTX 1.5
        .query = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size, .memory_layout };
    """,
    types={"a": "surfref"},
    gates="""
        .channel_data_type|.channel_order   PTX 2.1
        .array_size                         PTX 4.1
        .memory_layout                      PTX 4.2
    """,
)


@meaning(suq)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.images.query(a, "surfref", m.query)
