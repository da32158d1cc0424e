"""Contraction: products and sums whose rounding PTX leaves open become fused multiply-adds, as ptxas makes them.

The manual allows it for `mul`, `add` and `sub` without a rounding modifier (9.7.3.3 to 9.7.3.5). Which ones ptxas takes
is measured: docs/decisions/contraction.md.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.program import Reg
from openptx.rewrite.algebra import algebra, leaves_rounding_open
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.branches import straighten
from openptx.rewrite.choose import choose
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import find_dead, without
from openptx.rewrite.edit import Edit
from openptx.rewrite.fusion import Fusion
from openptx.rewrite.guards import settle_guards
from openptx.rewrite.operands import read_early
from openptx.rewrite.rules import LEFT_OPEN
from openptx.rewrite.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Function
    from openptx.rewrite.values import Sum


def contract(function: Function) -> Function:
    """The function as ptxas contracts it; the same object where there is nothing to contract."""
    kinds = {algebra(op) for op in function.code if leaves_rounding_open(op)}
    if not kinds & {"product", "quotient"} or not kinds & {"sum", "difference"}:
        return function
    function = straighten(settle_guards(function))
    constants, dead = Constants(function), find_dead(function)
    values, blocks = Values(constants, read_early(function)), find_blocks(function, dead)
    for block in blocks:
        for position in range(block.start, block.stop):
            constants.enter(position)
            op = function.code[position]
            if position not in dead:
                values.add(position, op)
            constants.step(op)
        values.end(block.live_out)
    chosen = choose(values)
    doubtful = [] if len(blocks) == 1 else [s for s in values.sums if s.fused is None and takes_product(s, values)]
    if not chosen and not doubtful:
        return function
    edit = Edit(function)
    for sum in doubtful:
        edit.code[sum.position] = replace(sum.op, rule=LEFT_OPEN)
    for position in dead:
        edit.code[position] = None  # it may read what will be gone
    fusion = Fusion(edit, blocks, constants)
    for sum in chosen:
        fusion.fuse(sum)
    fusion.remove({*values.carriers, *(sum.fused.position for sum in chosen if sum.fused is not None)})
    found = edit.finish()
    return without(found, find_dead(found))


def takes_product(sum: Sum, values: Values) -> bool:
    """Whether an operand of the sum is a product that could be contracted, of this block or of another."""
    crosses = any(isinstance(operand, Reg) and operand.index in values.crossing for operand in sum.op.operands[1:3])
    return sum.able and (crosses or any(value.number in values.products for value in sum.values))
