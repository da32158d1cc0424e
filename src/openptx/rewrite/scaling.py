"""Products that ptxas scales: a product times 2, 4, 8 or their reciprocals is one multiplication, rounded once.

In machine code the factor is a modifier (`FMUL.M2`, `FMUL.D8`). The bits are the same if the first product is normal,
but not if it would overflow or be subnormal.
"""

from __future__ import annotations

from dataclasses import dataclass

from openptx.program import Function, Imm, Op, Operand, Reg, temporary
from openptx.rewrite.algebra import algebra, copy, leaves_rounding_open, make_op, scaled_form
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import count_readers, find_dead
from openptx.rewrite.edit import Edit
from openptx.rewrite.rules import SCALED

FACTORS = frozenset(127 + k << 23 for k in (-3, -2, -1, 1, 2, 3))
"""The codes of 1/8, 1/4, 1/2, 2, 4 and 8."""

SIGN = 1 << 31


@dataclass(frozen=True, slots=True)
class Found:
    """A product that only one other product uses, which scales it."""

    product: int  # positions
    scaling: int
    copies: tuple[int, ...]  # and negations between them
    factor: int


def scale(function: Function) -> Function:
    """The function with such products scaled; the same object if there are none."""
    if sum(is_product(op) for op in function.code) < 2:
        return function
    constants = Constants(function, find_blocks(function))
    found = find(function, constants)
    if not found:
        return function
    edit = Edit(function)
    for each in found:
        product, scaling = function.code[each.product], function.code[each.scaling]
        form = scaled_form(scaling.m)
        assert form is not None
        a, b = (preserved_factor(edit, constants, each.product, product.operands[i]) for i in (1, 2))
        operands = (scaling.operands[0], a, b, Imm(each.factor, 32))
        edit.code[each.scaling] = make_op(form, operands, scaling, scaling.guard, SCALED)
        for position in (each.product, *each.copies):
            edit.code[position] = None
    return edit.finish()


def is_product(op: Op) -> bool:
    """A product of two f32, rounded to nearest."""
    return algebra(op) == "product" and op.m.type.name == "f32" and (leaves_rounding_open(op) or op.m.rnd == "rn")


def find(function: Function, constants: Constants) -> list[Found]:
    """Scaled products in program order. The result of one is not itself a product that can be scaled again."""
    dead, found = find_dead(function), list[Found]()
    readers = count_readers(function, dead)
    places = {id(op): position for position, op in enumerate(function.code)}
    scaled = set[int]()
    for position, op in enumerate(function.code):
        constants.enter(position)
        for one, other in ((1, 2), (2, 1)) if is_product(op) and position not in dead else ():
            factor, copies = constants.value(op.operands[one]), list[int]()
            source = op.operands[other]
            while (product := sole(source, constants, readers)) is not None and carries(product):
                copies.append(places[id(product)])
                source = product.operands[1]
                if factor is not None and algebra(product) == "negation":
                    factor ^= SIGN
            if factor not in FACTORS or product is None or not can_be_scaled(product, constants):
                continue
            place = places[id(product)]
            if place < position and place not in scaled:
                found.append(Found(place, position, tuple(copies), factor))
                scaled.add(position)
                break
        constants.step(op)
    return found


def sole(operand: Operand | None, constants: Constants, readers: dict[int, int]) -> Op | None:
    """The definition of a register that has one definition and one reader."""
    if not isinstance(operand, Reg) or readers.get(operand.index) != 1:
        return None
    return constants.definitions.get(operand.index)


def carries(op: Op) -> bool:
    """A copy or a negation: the sign moves to the factor, which must end up positive."""
    signs = algebra(op) == "copy" or (algebra(op) == "negation" and op.m.type.name == "f32")
    return signs and op.guard is None and not op.m.ftz


def can_be_scaled(op: Op, constants: Constants) -> bool:
    """A product whose rounding is open. A product of two constants is folded instead."""
    literals = [constants.everywhere.get(o.index) if isinstance(o, Reg) else o for o in op.operands[1:3]]
    return is_product(op) and leaves_rounding_open(op) and not op.m.sat and None in literals


def preserved_factor(edit: Edit, constants: Constants, position: int, operand: Operand | None) -> Operand | None:
    """A factor of the product at its later use: a copy if its register may have another value by then."""
    if not isinstance(operand, Reg) or operand.index in constants.definitions:
        return operand
    to = temporary(edit.registers, operand.width)
    edit.insert(position, copy(to, operand, edit.function.code[position], SCALED))
    return to
