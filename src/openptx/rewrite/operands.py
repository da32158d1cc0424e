"""The registers that an instruction reads and writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from openptx.control_flow import is_read, is_written, registers
from openptx.isa.notation import Form
from openptx.program import Address, Arguments, Imm, Op, Reg, Vector

_READS: dict[Form, tuple[int, ...]] = {}
_WRITES: dict[Form, tuple[int, ...]] = {}


def read(op: Op) -> list[int]:
    """The registers that an instruction reads, its guard first."""
    guard = op.guard
    found = [] if guard is None else [guard.index]
    places = _READS.get(op.form)
    operands = op.operands
    for i in reads(op) if places is None else places:
        operand = operands[i]
        if isinstance(operand, Reg):
            found.append(operand.index)
        elif operand is not None and not isinstance(operand, Imm):
            found += (register.index for register in registers(operand))
    return found


def written(op: Op) -> list[int]:
    """The registers that an instruction writes."""
    found: list[int] = []
    places = _WRITES.get(op.form)
    operands = op.operands
    for i in writes(op) if places is None else places:
        operand = operands[i]
        if isinstance(operand, Reg):
            found.append(operand.index)
        elif operand is not None:
            found += (register.index for register in registers(operand))
    return found


def definitely_written(op: Op) -> list[int]:
    """The registers that an instruction writes whatever its guard is."""
    return written(op) if op.guard is None else []


def reads(op: Op) -> tuple[int, ...]:
    """The indices of operands that an instruction reads."""
    found = _READS.get(op.form)
    if found is None:
        found = _READS[op.form] = tuple(i for i in range(len(op.form.operands)) if is_read(op, i))
    return found


def writes(op: Op) -> tuple[int, ...]:
    """The indices of operands that an instruction writes."""
    found = _WRITES.get(op.form)
    if found is None:
        found = _WRITES[op.form] = tuple(i for i in range(len(op.form.operands)) if is_written(op, i))
    return found


def renamed(op: Op, names: dict[int, Reg]) -> Op:
    """The instruction with some of the registers that it reads replaced."""
    operands = tuple(renamed_in(operand, names) if is_read(op, i) else operand for i, operand in enumerate(op.operands))
    guard = op.guard
    if guard is not None and guard.index in names:
        guard = replace(names[guard.index], negated=guard.negated)
    return replace(op, operands=operands, guard=guard)


def renamed_in(operand: Any, names: dict[int, Reg]) -> Any:
    """An operand with some of its registers replaced."""
    match operand:
        case Reg():
            new = names.get(operand.index)
            return operand if new is None else replace(new, width=operand.width, negated=operand.negated)
        case Address():
            return replace(
                operand,
                base=renamed_in(operand.base, names),
                parts=tuple(renamed_in(part, names) for part in operand.parts),
            )
        case Vector():
            return replace(operand, elements=tuple(renamed_in(each, names) for each in operand.elements))
        case Arguments():
            return replace(operand, values=tuple(renamed_in(each, names) for each in operand.values))
        case _:
            return operand
