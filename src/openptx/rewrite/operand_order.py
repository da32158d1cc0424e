"""The order of f64 operands in machine code, which shows where two of them are NaN: the second one is the result.

ptxas orders the operands of sums and products by where they are defined: what it has moved to a later block follows all
else, parameters and constants come last. Found in machine code of ptxas 13.5: docs/contraction.md.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import written_registers
from openptx.isa.contracted import reverse_difference
from openptx.program import Function, Imm, Op, Operand, Reg, is_temporary
from openptx.rewrite.algebra import SIGNS, algebra, form_in, make_op
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.constants import Constants
from openptx.rewrite.edit import Edit
from openptx.rewrite.sinking import Sinking

ORDERED = frozenset(("product", "sum", "difference", "fused"))
"""Operations by their algebra. A difference is the sum with the negated operand."""

IN_PLACE, MOVED, SEVERAL, PARAMETER, CONSTANT = range(5)
"""Ranks of operands: one definition, in its place or moved to a later block; several definitions."""

MAGNITUDE, INFINITY = (1 << 63) - 1, 0x7FF << 52

Rank = tuple[int, int]
"""The rank of an operand, and the position of its definition; of registers with several definitions the last one that
is defined comes first."""


def order_operands(function: Function) -> Function:
    """The function with the operands of f64 sums and products in the order of machine code; the same object if they
    are."""
    if not any(is_ordered(op) and may_both_be_nan(op) for op in function.code):
        return function
    edit, definitions, changed = Edit(function), Definitions(function), False
    for position, op in enumerate(function.code):
        definitions.constants.enter(position)
        if is_ordered(op) and definitions.rank(op, op.operands[1]) > definitions.rank(op, op.operands[2]):
            edit.code[position], changed = exchanged(op), True
        definitions.constants.step(op)
    return edit.finish() if changed else function


class Definitions:
    """Where machine code computes the values of a function."""

    def __init__(self, function: Function) -> None:
        blocks = find_blocks(function)
        self.registers, self.constants = function.registers, Constants(function, blocks)
        self.places = dict[int, int]()
        """The position of each register's first definition."""
        for position, op in enumerate(function.code):
            for index in written_registers(op):
                self.places.setdefault(index, position)
        self.sinking = Sinking(function, blocks, self.constants)
        if len(blocks) > 1:
            self.sinking.walk()

    def rank(self, op: Op, operand: Operand | None) -> Rank:
        """The operands of `op` are in ascending order."""
        if self.constants.value(operand) is not None:
            return CONSTANT, 0
        if not isinstance(operand, Reg):
            return PARAMETER, 0
        operand = self.origin(operand)
        if self.constants.is_parameter(operand):
            return PARAMETER, self.places[operand.index]
        if operand.index not in self.constants.definitions:
            return SEVERAL, -self.places.get(operand.index, 0)
        return MOVED if self.has_moved(op, operand) else IN_PLACE, self.places[operand.index]

    def origin(self, operand: Reg) -> Reg:
        """The register that copies and changes of sign begin with: they are no instructions in machine code."""
        definitions = self.constants.definitions
        while (op := definitions.get(operand.index)) is not None and algebra(op) in SIGNS:
            source = op.operands[1]
            if not isinstance(source, Reg) or source.index not in definitions:
                break
            operand = source
        return operand

    def has_moved(self, op: Op, operand: Reg) -> bool:
        """Whether `op` reads what is computed in another block than in the text."""
        if operand.index in self.sinking.renamed or is_temporary(self.registers[operand.index]):
            return True
        to = op.operands[0]
        return isinstance(to, Reg) and any(
            to.index in copied and operand.index in copied for copied in self.sinking.copies.values()
        )


def is_ordered(op: Op) -> bool:
    """Whether ptxas orders the first two operands, and a NaN shows it."""
    return algebra(op) in ORDERED and op.m.type.name == "f64"


def may_both_be_nan(op: Op) -> bool:
    """Whether the order of the operands has an effect: not of a number, nor of one register twice."""
    a, b = op.operands[1:3]
    return a != b and not any(isinstance(each, Imm) and each.value & MAGNITUDE <= INFINITY for each in (a, b))


def exchanged(op: Op) -> Op:
    """The operation with its first two operands exchanged."""
    to, a, b, *rest = op.operands
    if algebra(op) != "difference":
        return replace(op, operands=(to, b, a, *rest))
    form = form_in(reverse_difference, op.m.rnd, "f64")
    assert form is not None
    return make_op(form, (to, b, a), op, op.guard, op.rule)
