"""Surfaces (9.7.11)."""

from __future__ import annotations

from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction

_COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4}


def coordinates(m: Modifiers) -> int:
    """The length of the coordinate vector: a power of two, with the array index first."""
    return _COORDINATES[m.geom or "1d"]


_TOO_WIDE = """
        .v4 .b64   vectors are of 128 bits at most
"""

suld = instruction(
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
    types={"b": "s32"},
    vectors={"d": "vec", "b": coordinates},
    relaxed=True,
    refuses=_TOO_WIDE,
    gates="""
        .3d|.a1d|.a2d          PTX 3.0, sm_20
        .ca|.cg|.cs|.cv        PTX 2.0, sm_20
        .clamp|.zero           PTX 2.0, sm_20
    """,
)

sust = instruction(
    "sust.b",
    anchor="surface-instructions-sust",
    summary="The bytes of surface a at coordinates b = c.",
    syntax="""
        sust.b.geom{.cop}.vec.type.clamp   [a, b], c;   // PTX 1.5
        .geom  = { .1d, .2d, .3d, .a1d, .a2d };
        .cop   = { .wb, .cg, .cs, .wt };
        .vec   = { none, .v2, .v4 };
        .type  = { .b8, .b16, .b32, .b64 };
        .clamp = { .trap, .clamp, .zero };
    """,
    types={"b": "s32"},
    vectors={"c": "vec", "b": coordinates},
    relaxed=True,
    refuses=_TOO_WIDE,
    gates="""
        .3d|.a1d|.a2d          PTX 3.0, sm_20
        .wb|.cg|.cs|.wt        PTX 2.0, sm_20
        .clamp|.zero           PTX 2.0, sm_20
    """,
)

sust_p = instruction(
    "sust.p",
    anchor="surface-instructions-sust",
    summary="The element of surface a at coordinates b = c, converted to the surface's format.",
    syntax="""
        sust.p.geom.vec.b32.clamp   [a, b], c;   // PTX 2.0, sm_20
        .geom  = { .1d, .2d, .3d, .a1d, .a2d };
        .vec   = { none, .v2, .v4 };
        .clamp = { .trap, .clamp, .zero };
    """,
    types={"b": "s32"},
    vectors={"c": "vec", "b": coordinates},
)

sured = instruction(
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
    types={"b": "s32"},
    vectors={"b": coordinates},
    gates="""
        .u64|.s64 .min|.max   PTX 8.1, sm_50
    """,
)

sured_p = instruction(
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
    types={"b": "s32"},
    vectors={"b": coordinates},
)

suq = instruction(
    "suq",
    anchor="surface-instructions-suq",
    summary="d = an attribute of surface a.",
    syntax="""
        suq.query.b32   d, [a];   // PTX 1.5
        .query = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size, .memory_layout };
    """,
    gates="""
        .channel_data_type|.channel_order   PTX 2.1
        .array_size                         PTX 4.1
        .memory_layout                      PTX 4.2
    """,
)
