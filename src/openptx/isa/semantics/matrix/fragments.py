"""How a matrix is distributed over the registers of a warp: their number per thread, and their type (9.7.14,
9.7.15)."""

from __future__ import annotations

from openptx.isa.notation.forms import Modifiers
from openptx.isa.types import TYPES, Type
from openptx.patterns import pattern

_SHAPE = pattern(r"m(\d+)n(\d+)k(\d+)")


def shape(m: Modifiers) -> tuple[int, int, int]:
    """Rows, columns and depth of `.m16n8k8`."""
    match = _SHAPE.fullmatch(m.shape or "")
    assert match is not None, m
    rows, columns, depth = match.groups()
    return int(rows), int(columns), int(depth)


def registers(elements: int, type: Type | str, lanes: int = 32) -> int:
    """The number of registers that hold a lane's elements of a matrix: 64-bit registers for f64, 32-bit ones
    otherwise."""
    width = TYPES[type].width if isinstance(type, str) else type.width
    return max(elements * width // lanes // max(width, 32), 1)


def fragment(type: Type) -> Type:
    """The type of a register of a fragment: pairs of halves, whole f32, tf32, f64 and s32, other elements as bits."""
    names = {"f16": "f16x2", "bf16": "bf16x2", "f32": "f32", "tf32": "tf32", "f64": "f64", "s32": "s32"}
    return TYPES[names.get(type.name, "b32")]
