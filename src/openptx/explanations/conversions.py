"""Explains the modifiers of a `cvt` between two types: the cell of Table 15, and which ones it requires or allows."""

from __future__ import annotations

from openptx.isa.conversions import needs, scalar
from openptx.isa.types import TYPES, Type

# fmt: off
CELLS = {
    "sext":  "sign-extends",
    "zext":  "zero-extends",
    "chop1": "keeps the lower bits; the result is extended again where the register is wider",
    "s2f":   "signed integer to float",
    "u2f":   "unsigned integer to float",
    "f2s":   "float to signed integer",
    "f2u":   "float to unsigned integer",
    "f2f":   "float to float",
    "":      "moves the bits",
}
# fmt: on


def conversion_lines(opcode: str) -> list[str]:
    """The needs of the pair of types in an opcode of `cvt`; empty for packed types and other instructions."""
    mnemonic, *modifiers = opcode.split(".")
    types = [TYPES[modifier] for modifier in modifiers if modifier in TYPES]
    if mnemonic != "cvt" or len(types) != 2 or any(not convertible(type) for type in types):
        return []
    d, a = types
    cell = scalar(d, a)
    if cell is None:
        return [f"table 15: there is no conversion from .{a.name} to .{d.name}"]
    if d.name == "tf32" or {"relu", "satfinite"} & set(modifiers):  # forms of their own, whose line says what they take
        return [f"table 15: {cell}, {CELLS[cell]}"]
    wanted = needs(d, a)
    rounding = "none: nothing is rounded"
    if wanted.rounding:
        choices = " ".join(f".{name}" for name in wanted.rounding)
        missing = "" if set(modifiers) & set(wanted.rounding) else ", and missing here"
        rounding = f"one of {choices} is needed{missing}" if wanted.required else f"{choices} may be given"
    return [
        f"table 15: {cell or '-'}, {CELLS[cell]}",
        f"rounding: {rounding}",
        f".sat:     {'may be given' if wanted.sat else 'has nothing to clamp'}",
        f".ftz:     {'may be given' if wanted.ftz else 'needs .f32 on one side'}",
    ]


def convertible(type: Type) -> bool:
    """Whether Table 15 has a row for a type."""
    return type.count == 1 and (type.kind in ("s", "u") or type.name in ("f16", "f32", "f64", "bf16", "tf32"))
