"""Common subexpression elimination: a value that an earlier block has computed on every path is not computed again.

ptxas merges such instructions after it has contracted, and then contracts products that only a single sum still uses;
it never contracts the sum of two equal products.
"""

from __future__ import annotations

from openptx.control_flow import is_read, written_registers
from openptx.program import Function, Imm, Op, Reg
from openptx.rewrite.algebra import algebra
from openptx.rewrite.blocks import Block
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import computes
from openptx.rewrite.dominators import Dominators, walk
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import read, renamed

COMMUTING = {"product": 2, "sum": 2, "fused": 2}
"""The number of leading operands that commute."""


def merge_equal(function: Function, blocks: list[Block], constants: Constants) -> Function:
    """The function without such instructions; the same object if it has none."""
    equal, edit = find_equal(function, blocks, constants), Edit(function)
    if not equal:
        return function
    for position, op in enumerate(function.code):
        if any(index in equal for index in written_registers(op)):
            edit.code[position] = None
        elif any(index in equal for index in read(op)):
            edit.code[position] = renamed(op, equal)
    return edit.finish()


def find_equal(function: Function, blocks: list[Block], constants: Constants, *, nested: bool = True) -> dict[int, Reg]:
    """The registers whose value an earlier block already has in another one, and that one.

    Without `nested`, only identical operand registers match, not registers that are found to be equal.
    """
    equal = dict[int, Reg]()
    found: dict[object, Reg] = {}  # on the way from the first block to this
    values_of: dict[int, dict[object, Reg]] = {}
    for i, done in walk(Dominators(blocks).children):
        if done:
            for value in values_of.pop(i):
                del found[value]
            continue
        made: dict[object, Reg] = {}
        for position in range(blocks[i].start, blocks[i].stop):
            op = function.code[position]
            value = value_of(op, constants, equal if nested else {})
            if value is None:
                continue
            to = op.operands[0]
            assert isinstance(to, Reg)
            same = found.get(value)
            if same is None:
                made.setdefault(value, to)
            else:
                equal[to.index] = same
        found |= made
        values_of[i] = made
    return equal


def value_of(op: Op, constants: Constants, equal: dict[int, Reg]) -> object:
    """The value that an instruction computes; None if it may change or is not arithmetic."""
    to = op.operands[0] if op.operands else None
    if op.guard is not None or not isinstance(to, Reg) or to.index not in constants.definitions or not computes(op):
        return None
    sources: list[object] = []
    for i, operand in enumerate(op.operands[1:], 1):
        if isinstance(operand, Reg) and operand.index in constants.definitions and is_read(op, i):
            known = None if operand.negated else constants.everywhere.get(operand.index)
            sources.append((equal.get(operand.index, operand).index, operand.negated) if known is None else known)
        elif isinstance(operand, Imm):
            sources.append(operand.value)
        elif operand is not None:
            return None
    commuting = COMMUTING.get(algebra(op), 0)
    sources[:commuting] = sorted(sources[:commuting], key=repr)
    return (op.form, op.m, to.width, tuple(sources))
