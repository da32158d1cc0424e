"""Which register types may stand for an instruction type: Tables 26, 27 and 28 as rules (9.4, 9.4.1, 5.2.3, 5.2.5)."""

from __future__ import annotations

from openptx.isa.types import FUNDAMENTAL, TYPES, Type

# Table 26: for each basic type of an instruction, those of operands that agree with it at equal size.
_AGREES = {"b": "bsuf", "s": "bsu", "u": "bsu", "f": "bf"}


def basic(instruction: Type, operand: Type) -> bool:
    """Table 26: whether the basic types agree, sizes being equal."""
    return operand.kind in _AGREES.get(instruction.kind, ())


def _relaxed(instruction: Type, operand: Type) -> bool | None:
    """Whether the operand is wider than the instruction's type; None where the pair is invalid.

    Note 4 of both tables: a floating-point type needs the register to be of the very same type, or untyped bits.
    """
    if operand.width < instruction.width or not basic(instruction, operand):
        return None
    if instruction.kind == operand.kind == "f" and instruction.name != operand.name:
        return None
    return operand.width > instruction.width


def agrees(wanted: Type, declared: Type, *, relaxed: bool = False) -> bool:
    """Whether a register declared `declared` may stand where the instruction wants `wanted`.

    `relaxed`: the instruction is one of those for which Tables 27 and 28 hold (ld, st, cvt).
    """
    if wanted.kind == "pred" or declared.kind == "pred":
        return wanted.kind == declared.kind
    if wanted.name not in FUNDAMENTAL:
        return declared.name in wanted.registers
    wider = _relaxed(wanted, declared)
    return wider is False or (relaxed and wider is True)


def registers_for(wanted: Type, *, relaxed: bool = False) -> tuple[str, ...]:
    """The register types that agree with `wanted`: what it names first, then by width."""
    fitting = [t for t in TYPES.values() if t.fundamental and agrees(wanted, t, relaxed=relaxed)]
    own = wanted.registers
    first = {name: i for i, name in enumerate(own)}
    return tuple(t.name for t in sorted(fitting, key=lambda t: (first.get(t.name, len(own)), t.width, t.kind, t.name)))


def takes_integer(wanted: Type) -> bool:
    """Whether an integer constant may stand for `wanted`: integers, bits, predicates; packed types take none (4.5)."""
    return wanted.kind == "pred" or (wanted.kind in "bsu" and wanted.count == 1)


def takes_float(wanted: Type, width: int) -> bool:
    """Whether a floating-point constant may: `width` is 32 for `0f...`, 64 for `0d...` and decimals.

    f32 and f64 take all of them, the half and packed formats none; bits of the same width take it as it is (measured).
    """
    if wanted.kind == "f":
        return wanted.name in ("f32", "f64")
    return wanted.kind == "b" and wanted.width == width
