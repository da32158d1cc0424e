"""The type of the value that a statement stores: its own or, if that is only bits, that of the instruction that
computed it."""

from __future__ import annotations

from functools import lru_cache

from openptx.control_flow import is_read, is_written, registers, written_registers
from openptx.isa.types import Type, find_type
from openptx.program import Address, Function, Op, Operand, Reg, Vector

BYTE = find_type("b8")
DEPTH = 8
"""The maximum number of moves, selections and exchanges between the computing instruction and the store."""


def stored_part(op: Op, offset: int) -> tuple[Operand, Type] | None:
    """The register or constant that provides byte `offset` of what `op` writes to memory, and its type in the
    statement."""
    for i, (operand, type) in enumerate(zip(op.operands, op.types, strict=True)):
        if type is None or is_written(op, i) or isinstance(operand, Address) or operand is None:
            continue
        parts = operand.elements if isinstance(operand, Vector) else (operand,)
        return parts[min(offset * 8 // type.width, len(parts) - 1)], type
    return None


def stored_type(function: Function, op: Op, offset: int) -> Type:
    """The type of the element that contains byte `offset` of what `op` writes to memory; `.b8` if unknown."""
    found = stored_part(op, offset)
    return BYTE if found is None else (meant(function, *found) or found[1]).element


def meant(function: Function, operand: Operand, type: Type) -> Type | None:
    """The type of the value in an operand that an instruction reads as `type`; None if only its width is known."""
    if type.kind != "b":
        return type
    return value_type(function, operand.index, DEPTH) if isinstance(operand, Reg) else None


def value_type(function: Function, register: int, depth: int) -> Type | None:
    """The type that the instructions that write a register give it: a float type if any does, else an integer type."""
    found = [t for op in definitions(function).get(register, ()) if (t := type_made_by(function, op, register, depth))]
    return next((t for t in found if t.format is not None), found[0] if found else None)


def type_made_by(function: Function, op: Op, register: int, depth: int) -> Type | None:
    """The type that one instruction gives a register."""
    type = next(
        (t for i, t in enumerate(op.types) if is_written(op, i) and holds(op.operands[i], register) and t is not None),
        None,
    )
    if type is None or type.kind == "pred":
        return None
    if type.kind != "b":
        return type
    sources = [r for i, operand in enumerate(op.operands) if is_read(op, i) for r in registers_of(operand)]
    for r in sources if depth else ():
        if r.width > 1 and (t := value_type(function, r.index, depth - 1)) is not None and t.width <= type.width:
            return t
    return None


def registers_of(operand: Operand | None) -> list[Reg]:
    """The registers whose values an operand uses, except those of an address."""
    return [] if isinstance(operand, Address) else list(registers(operand))


def holds(operand: Operand | None, register: int) -> bool:
    return any(r.index == register for r in registers(operand))


@lru_cache(maxsize=64)
def definitions(function: Function) -> dict[int, list[Op]]:
    """The instructions that write each register."""
    found: dict[int, list[Op]] = {}
    for op in function.code:
        for i in written_registers(op):
            found.setdefault(i, []).append(op)
    return found
