"""Contraction: products and sums whose rounding PTX leaves open become fused multiply-adds, as ptxas makes them.

The manual allows it for `mul`, `add` and `sub` without a rounding modifier (9.7.3.3 to 9.7.3.5). Which ones ptxas takes
is measured: docs/decisions/contraction.md.
"""

from __future__ import annotations

from openptx.program import Reg
from openptx.rewrite.algebra import algebra, copy, fused_form, leaves_rounding_open, made, negated, negation
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.choose import choose
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import find_dead
from openptx.rewrite.edit import Edit
from openptx.rewrite.guards import settle_guards
from openptx.rewrite.operands import read, written
from openptx.rewrite.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.types import Type
    from openptx.program import Function, Op, Operand
    from openptx.rewrite.blocks import Block
    from openptx.rewrite.values import Product, Sum

CONTRACTED = "contracted"


def contract(function: Function) -> Function:
    """The function as ptxas contracts it; the same object where there is nothing to contract."""
    kinds = {algebra(op) for op in function.code if leaves_rounding_open(op)}
    if not kinds & {"product", "quotient"} or not kinds & {"sum", "difference"}:
        return function
    function = settle_guards(function)
    edit, constants, dead = Edit(function), Constants(function), find_dead(function)
    for position in dead:
        edit.code[position] = None  # it may read what will be gone
    changed = False
    for block in find_blocks(function, dead):
        values = Values(constants)
        for position in range(block.start, block.stop):
            constants.enter(position)
            op = function.code[position]
            if position not in dead:
                values.add(position, op)
            constants.step(op)
        values.end(block.live_out)
        chosen = choose(values)
        if chosen:
            BlockEdit(edit, block).apply(chosen, values)
            changed = True
    return edit.finish() if changed else function


class BlockEdit:
    """Puts fused instructions in the place of the sums of one block."""

    def __init__(self, edit: Edit, block: Block) -> None:
        self.edit, self.block = edit, block
        self.writes: dict[int, list[int]] = {}  # positions, by register
        for position in range(block.start, block.stop):
            for index in written(edit.function.code[position]):
                self.writes.setdefault(index, []).append(position)
        self.kept: dict[tuple[int, int], Reg] = {}

    def apply(self, chosen: list[Sum], values: Values) -> None:
        """Fuse, and remove what nothing needs any more."""
        for sum in chosen:
            assert sum.fused is not None
            self.fuse(sum, sum.fused)
        removable = {sum.fused.position for sum in chosen if sum.fused is not None} | set(values.carriers)
        self.remove(removable)

    def fuse(self, sum: Sum, product: Product) -> None:
        """The sum as one instruction that multiplies and adds."""
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
        self.edit.code[sum.position] = made(form, operands, sum.op, sum.op.guard, CONTRACTED)

    def factor(self, product: Product, i: int, sum: Sum) -> Operand | None:
        """A factor of the product where the sum stands: a copy where its register has another value by then."""
        operand = product.op.operands[i]
        if not isinstance(operand, Reg):
            return operand
        later = self.writes.get(operand.index, ())
        if not any(product.position <= position < sum.position for position in later):
            return operand
        key = product.position, i
        if key not in self.kept:
            self.kept[key] = to = self.edit.temporary(operand.width)
            self.edit.insert(product.position, copy(to, operand, product.op, CONTRACTED))
        return self.kept[key]

    def negated(self, operand: Operand | None, type: Type, sum: Sum) -> Operand:
        """The operand with its sign changed, before the sum."""
        assert operand is not None
        literal = negated(operand, type)
        if literal is not None:
            return literal
        to = self.edit.temporary(type.width)
        self.edit.insert(sum.position, negation(to, operand, type, sum.op, CONTRACTED))
        return to

    def remove(self, removable: set[int]) -> None:
        """Products, copies and negations that nothing reads, from the end of the block on."""
        live, code = self.block.live_out, self.edit.code
        for position in range(self.block.stop - 1, self.block.start - 1, -1):
            op = code[position]
            if op is not None and position in removable and not any(live >> index & 1 for index in written(op)):
                code[position] = op = None
            for each in (*self.edit.before.get(position, ()), op)[::-1]:
                live = live if each is None else live_before(each, live)


def live_before(op: Op, live: int) -> int:
    """Liveness across one instruction: a bit for each register."""
    if op.guard is None:
        for index in written(op):
            live &= ~(1 << index)
    for index in read(op):
        live |= 1 << index
    return live
