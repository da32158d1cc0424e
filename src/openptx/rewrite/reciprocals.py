"""Reciprocals that ptxas does not compute: those of reciprocals, and of powers of two.

`rcp(rcp(a))` is `a`, and `rcp(ex2(a))` is `ex2(-a)` unless anything else reads the power: of f32, with `.approx.ftz`.
Of `div.approx.ftz.f32` a product is left. Found in machine code of ptxas 13.5 for sm_75 to sm_120.
"""

from __future__ import annotations

from openptx.program import Function, Op, Operand, Reg, temporary
from openptx.rewrite.algebra import algebra, copy, form_of, make_op, negated, negation
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import count_readers, find_dead
from openptx.rewrite.edit import Edit
from openptx.rewrite.rules import RECIPROCAL


def settle_reciprocals(function: Function) -> Function:
    """The function without such reciprocals; the same object if there are none."""
    for kind in ("reciprocal", "power of two"):
        if any(divides(op) for op in function.code) and any(algebra(op) == kind for op in function.code):
            function = without_reciprocals(function, kind)
    return function


def divides(op: Op) -> bool:
    """An approximate reciprocal, or a quotient that is made with one."""
    return algebra(op) == "reciprocal" or (algebra(op) == "quotient" and not op.m.full and bool(op.m.ftz))


def without_reciprocals(function: Function, kind: str) -> Function:
    """The function without the reciprocals of one kind of result."""
    constants, edit, changed = Constants(function, find_blocks(function)), Edit(function), False
    dead = find_dead(function)
    readers = count_readers(function, dead) if kind == "power of two" else None
    places = {id(op): position for position, op in enumerate(function.code)}
    for position, op in enumerate(function.code):
        inner = definition(op.operands[-1], constants, readers) if divides(op) and position not in dead else None
        if inner is None or algebra(inner) != kind:
            continue
        changed, place = True, places[id(inner)]
        if kind == "reciprocal":
            found = preserved(edit, constants, place, inner)
        else:
            found = op.operands[-1]
            invert(edit, place, inner)
        edit.code[position] = multiplied(op, found)
    return edit.finish() if changed else function


def definition(operand: Operand | None, constants: Constants, readers: dict[int, int] | None) -> Op | None:
    """The only definition of a register, through copies; if readers are given, of one that nothing else reads."""
    while isinstance(operand, Reg) and (readers is None or readers.get(operand.index) == 1):
        op = constants.definitions.get(operand.index)
        if op is None or algebra(op) != "copy" or op.operands[0] == op.operands[1]:
            return op
        operand = op.operands[1]
    return None


def preserved(edit: Edit, constants: Constants, place: int, inner: Op) -> Operand | None:
    """What a reciprocal is made of, at its later use: a copy if the register may have another value by then."""
    operand = inner.operands[1]
    if not isinstance(operand, Reg) or operand.index in constants.definitions:
        return operand
    to = temporary(edit.registers, operand.width)
    edit.insert(place, copy(to, operand, inner, RECIPROCAL))
    return to


def invert(edit: Edit, place: int, inner: Op) -> None:
    """Makes a power of two the one of the negative exponent."""
    operand = inner.operands[1]
    new: Operand | None = negated(operand, inner.m.type) if operand is not None else None
    if isinstance(operand, Reg):
        new = temporary(edit.registers, operand.width)
        edit.insert(place, negation(new, operand, inner.m.type, inner, RECIPROCAL))
    edit.code[place] = make_op((inner.form, inner.m), (inner.operands[0], new), inner, inner.guard, RECIPROCAL)


def multiplied(op: Op, factor: Operand | None) -> Op:
    """A reciprocal as the number that it is equal to, a quotient as a product with that."""
    kind, modifiers = ("copy", ("f32",)) if algebra(op) == "reciprocal" else ("product", ("ftz", "f32"))
    form = form_of(kind, *modifiers)
    assert form is not None
    return make_op(form, (*op.operands[:-1], factor), op, op.guard, RECIPROCAL)
