"""Replaces sums by fused instructions, and removes products that are no longer needed."""

from __future__ import annotations

from bisect import bisect

from openptx.control_flow import written_registers
from openptx.dataflow import live_before
from openptx.isa.types import Type
from openptx.program import Operand, Reg, temporary
from openptx.rewrite.algebra import algebra, copy, fused_form, make_op, negated, negation
from openptx.rewrite.blocks import Block
from openptx.rewrite.constants import Constants
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import definitely_written, read
from openptx.rewrite.rules import AMONG_BLOCKS, CONTRACTED
from openptx.rewrite.values import Product, Sum


class Fusion:
    """Changes of one function."""

    def __init__(self, edit: Edit, blocks: list[Block], constants: Constants) -> None:
        self.edit, self.blocks, self.constants = edit, blocks, constants
        self.starts = [block.start for block in blocks]
        self.writes: dict[int, list[int]] = {}  # positions, by register
        for position, op in enumerate(edit.function.code):
            for index in written_registers(op):
                self.writes.setdefault(index, []).append(position)
        self.kept: dict[tuple[int, int], Reg] = {}
        self.rule = CONTRACTED if len(blocks) == 1 else AMONG_BLOCKS

    def fuse(self, sum: Sum) -> None:
        """The sum as one instruction that multiplies and adds."""
        product = sum.fused
        assert product is not None
        side = 0 if sum.values[0].number == product.number else 1
        form = fused_form(product.kind, product.op.m, sum.op.m)
        assert form is not None
        type = sum.op.m.type
        a, b = (self.factor(product, i, sum) for i in (1, 2))
        if sum.values[side].negative:
            literal = negated(b, type) if product.kind == "product" and b is not None else None
            a, b = (a, literal) if literal is not None else (self.negated(a, type, sum), b)
        addend = sum.op.operands[2 - side]
        if side == 0 and algebra(sum.op) == "difference":
            addend = self.negated(addend, type, sum)
        operands = (sum.op.operands[0], a, b, addend)
        self.edit.code[sum.position] = make_op(form, operands, sum.op, sum.op.guard, self.rule)

    def factor(self, product: Product, i: int, sum: Sum) -> Operand | None:
        """A factor of the product at the position of the sum: a copy if its register may have another value by then."""
        operand = product.op.operands[i]
        if not isinstance(operand, Reg) or self.still_holds(operand, product.position, sum.position):
            return operand
        key = product.position, i
        if key not in self.kept:
            self.kept[key] = to = temporary(self.edit.registers, operand.width)
            self.edit.insert(product.position, copy(to, operand, product.op, self.rule))
        return self.kept[key]

    def still_holds(self, register: Reg, before: int, position: int) -> bool:
        """Whether a register has the same value at two positions."""
        if register.index in self.constants.definitions:
            return True
        if bisect(self.starts, before) != bisect(self.starts, position):
            return False
        return not any(before <= write < position for write in self.writes.get(register.index, ()))

    def negated(self, operand: Operand | None, type: Type, sum: Sum) -> Operand:
        """The operand with its sign changed, before the sum."""
        assert operand is not None
        literal = negated(operand, type)
        if literal is not None:
            return literal
        to = temporary(self.edit.registers, type.width)
        self.edit.insert(sum.position, negation(to, operand, type, sum.op, self.rule))
        return to

    def remove(self, removable: set[int]) -> None:
        """Products, copies and negations that are not read, neither in their block nor after it."""
        code = self.edit.code
        for block in self.blocks:
            live = block.live_out
            for position in range(block.stop - 1, block.start - 1, -1):
                op = code[position]
                if (
                    op is not None
                    and position in removable
                    and not any(live >> index & 1 for index in written_registers(op))
                ):
                    code[position] = op = None
                for each in (*self.edit.before.get(position, ()), op)[::-1]:
                    live = live if each is None else live_before(live, read(each), definitely_written(each))
