"""The registers that an instruction reads and writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from openptx.control_flow import is_read, read_registers, written_registers
from openptx.program import Address, Arguments, Op, Reg, Vector


def read(op: Op) -> tuple[int, ...]:
    """The registers that an instruction reads, its guard first."""
    found = read_registers(op)
    return found if op.guard is None else (op.guard.index, *found)


def definitely_written(op: Op) -> tuple[int, ...]:
    """The registers that an instruction writes whatever its guard is."""
    return written_registers(op) if op.guard is None else ()


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
