"""Which register types an instruction type accepts: Tables 26, 27 and 28 as rules (9.4, 9.4.1, 5.2.3, 5.2.5)."""

from __future__ import annotations

from functools import lru_cache

from openptx.isa.types import FUNDAMENTAL, TYPES, Type

# Table 26: for each basic type of an instruction, the basic operand types that agree with it at equal size.
_AGREES = {"b": "bsuf", "s": "bsu", "u": "bsu", "f": "bf"}


def basic(instruction: Type, operand: Type) -> bool:
    """Table 26: whether the basic types agree, assuming equal sizes."""
    return operand.kind in _AGREES.get(instruction.kind, ())


def _relaxed(instruction: Type, operand: Type) -> bool | None:
    """Whether the operand is wider than the instruction's type; None if the pair is invalid.

    Note 4 of both tables: a floating-point type needs a register of exactly that type, or of untyped bits.
    """
    if operand.width < instruction.width or not basic(instruction, operand):
        return None
    if instruction.kind == operand.kind == "f" and instruction.name != operand.name:
        return None
    return operand.width > instruction.width


def agrees(wanted: Type, declared: Type, *, relaxed: bool = False) -> bool:
    """Whether a register declared `declared` may be used where the instruction wants `wanted`.

    `relaxed`: the instruction is one of those that Tables 27 and 28 cover (ld, st, cvt).
    """
    if wanted.kind == "pred" or declared.kind == "pred":
        return wanted.kind == declared.kind
    if wanted.name not in FUNDAMENTAL:
        return declared.name in wanted.registers
    wider = _relaxed(wanted, declared)
    return wider is False or (relaxed and wider is True)


@lru_cache(1024)
def registers_for(wanted: Type, *, relaxed: bool = False) -> tuple[str, ...]:
    """The register types that agree with `wanted`: those it names first, then the others by width."""
    fitting = [t for t in TYPES.values() if t.fundamental and agrees(wanted, t, relaxed=relaxed)]
    own = wanted.registers
    first = {name: i for i, name in enumerate(own)}
    return tuple(t.name for t in sorted(fitting, key=lambda t: (first.get(t.name, len(own)), t.width, t.kind, t.name)))


def takes_integer(wanted: Type) -> bool:
    """Whether an integer constant may be used for `wanted`: integers, bits and predicates accept one, packed types do
    not (4.5)."""
    return wanted.kind == "pred" or (wanted.kind in "bsu" and wanted.count == 1)


def takes_float(wanted: Type, width: int) -> bool:
    """Whether a floating-point constant may be used for `wanted`: `width` is 32 for `0f...`, 64 for `0d...` and
    decimals.

    f32 and f64 accept all of them, the half and packed formats none; bits of the same width take it unchanged
    (measured).
    """
    if wanted.kind == "f":
        return wanted.name in ("f32", "f64")
    return wanted.kind == "b" and wanted.width == width
