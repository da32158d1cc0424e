"""Clamps to 0 and 1 as ptxas compiles them: a minimum with 1 and a maximum with 0, in either order, are one `.SAT`.

It makes 0 of a NaN, of which the minimum makes 1 if it comes first; and +0 of what is below -0. Of f32 and f16, not of
pairs; found in machine code of ptxas 13.5 for sm_75 to sm_120.
"""

from __future__ import annotations

from openptx.control_flow import written_registers
from openptx.program import Function, Imm, Op, Operand, Reg, temporary
from openptx.rewrite.algebra import algebra, copy, flags, form_of, make_op
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.constants import Constants
from openptx.rewrite.edit import Edit
from openptx.rewrite.folding import ONES
from openptx.rewrite.rules import CLAMPED

OTHER = {"minimum": "maximum", "maximum": "minimum"}


def settle_clamps(function: Function) -> Function:
    """The function with such clamps saturated; the same object if there are none."""
    kinds = {algebra(op) for op in function.code}
    return saturate(function) if kinds >= OTHER.keys() else function


def saturate(function: Function) -> Function:
    constants, edit, changed = Constants(function, find_blocks(function)), Edit(function), False
    places = {id(op): position for position, op in enumerate(function.code)}
    bounded = {position: value for position in places.values() if (value := clamped(function, position, constants))}
    latest: dict[int, int] = {}  # positions of the block's last definitions, by register
    for position, op in enumerate(function.code):
        if position in constants.leaders:
            latest.clear()
        value = bounded.get(position)
        place = None if value is None else definition(value, constants, places, latest)
        if place is not None and place in bounded:
            inner = function.code[place]
            if algebra(inner) == OTHER[algebra(op)] and inner.m.type is op.m.type:
                edit.code[position], changed = saturated(op, preserved(edit, constants, place, bounded[place])), True
        for index in written_registers(op):
            latest.pop(index, None)
            if op.guard is None:
                latest[index] = position
    return edit.finish() if changed else function


def clamped(function: Function, position: int, constants: Constants) -> Reg | None:
    """What is compared with 1 for a minimum, or with a zero for a maximum. Called for one position after another."""
    op = function.code[position]
    constants.enter(position)
    found = None
    if algebra(op) in OTHER and len(op.operands) == 3:
        one = ONES[op.m.type.name]
        sign = 1 << op.m.type.width - 1
        bounds = (one,) if algebra(op) == "minimum" else (0, sign)
        for value, bound in (op.operands[1:], op.operands[:0:-1]):
            if isinstance(value, Reg) and constants.value(bound) in bounds:
                found = value
                break
    constants.step(op)
    return found


def definition(value: Reg, constants: Constants, places: dict[int, int], latest: dict[int, int]) -> int | None:
    """The position of the unguarded instruction that a register's value comes from, if there is only one."""
    operand: Operand | None = value
    while isinstance(operand, Reg):
        op = constants.definitions.get(operand.index)
        if op is None:
            return latest.get(operand.index) if operand is value else None
        if algebra(op) != "copy":
            return places[id(op)]
        operand = op.operands[1]
    return None


def preserved(edit: Edit, constants: Constants, place: int, value: Reg) -> Operand:
    """What is clamped, at the end of the clamp: a copy if the register may have another value by then."""
    if value.index in constants.definitions:
        return value
    to = temporary(edit.registers, value.width)
    edit.insert(place, copy(to, value, edit.function.code[place], CLAMPED))
    return to


def saturated(op: Op, value: Operand) -> Op:
    """The clamp as a sum with 0 that saturates."""
    form = form_of("sum", "rn", *flags(op.m, "ftz"), "sat", op.m.type.name)
    assert form is not None
    return make_op(form, (op.operands[0], value, Imm(0, op.m.type.width)), op, op.guard, CLAMPED)
