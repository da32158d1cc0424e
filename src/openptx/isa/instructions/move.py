"""Moves between registers and lanes (9.7.9.3 to 9.7.9.7)."""

from __future__ import annotations

from openptx.isa.forms import Modifiers
from openptx.isa.notation import instruction

mov = instruction(
    "mov",
    anchor="data-movement-and-conversion-instructions-mov",
    summary="d = a: a register, an immediate, a special register, or the address of a variable or function.",
    syntax="""
        mov.type   d, a;   // PTX 1.0
        .type = { .pred, .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        mov.b128   d, a;   // PTX 8.3, sm_70
    """,
    gates="""
        .f64   sm_13
    """,
)


def mov_elements(m: Modifiers) -> int:
    """The most elements that a packed type holds; two and four are allowed wherever they are whole bytes."""
    return 2 if m.type.width in (16, 128) else 4


mov_pack = instruction(
    "mov",
    anchor="data-movement-and-conversion-instructions-mov-2",
    summary="d = the elements of a, packed from the lowest bits on, or unpacked.",
    syntax="""
        mov.type   d, a;   // PTX 1.0
        .type = { .b16, .b32, .b64 };
        mov.b128   d, a;   // PTX 8.3, sm_70
    """,
    vectors={"d": mov_elements, "a": mov_elements},
)

_SHUFFLE_TYPES = {"b": "u32", "c": "u32"}

shfl = instruction(
    "shfl",
    anchor="data-movement-and-conversion-instructions-shfl",
    summary="d = a of another lane of the warp; p = whether that lane is in range. Deprecated: use `shfl.sync`.",
    syntax="""
        shfl.mode.b32   d[|p], a, b, c;   // PTX 3.0 to 6.3, sm_30 or PTX 3.0, sm_30 to sm_62
        .mode = { .up, .down, .bfly, .idx };
    """,
    types=_SHUFFLE_TYPES,
)

shfl_sync = instruction(
    "shfl",
    anchor="data-movement-and-conversion-instructions-shfl-sync",
    summary="d = a of another lane of the warp, for the lanes in membermask; p = whether that lane is in range.",
    syntax="""
        shfl.sync.mode.b32   d[|p], a, b, c, membermask;   // PTX 6.0, sm_30
        .mode = { .up, .down, .bfly, .idx };
    """,
    types=_SHUFFLE_TYPES,
    converges="membermask",
)

prmt = instruction(
    "prmt",
    anchor="data-movement-and-conversion-instructions-prmt",
    summary="d = four bytes picked by c out of the eight of b:a.",
    syntax="""
        prmt.b32{.mode}   d, a, b, c;   // PTX 2.0, sm_20
        .mode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 };
    """,
)
