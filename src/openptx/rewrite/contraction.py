"""Contraction: products and sums whose rounding PTX leaves open become fused multiply-adds, as ptxas makes them.

The manual allows it for `mul`, `add` and `sub` without a rounding modifier (9.7.3.3 to 9.7.3.5). Which ones ptxas takes
is measured: docs/decisions/contraction.md.
"""

from __future__ import annotations

from openptx.rewrite.algebra import algebra, leaves_rounding_open
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.choose import choose
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import find_dead, without
from openptx.rewrite.edit import Edit
from openptx.rewrite.fusion import Fusion
from openptx.rewrite.guards import settle_guards
from openptx.rewrite.operands import read_early
from openptx.rewrite.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Function


def contract(function: Function) -> Function:
    """The function as ptxas contracts it; the same object where there is nothing to contract."""
    kinds = {algebra(op) for op in function.code if leaves_rounding_open(op)}
    if not kinds & {"product", "quotient"} or not kinds & {"sum", "difference"}:
        return function
    function = settle_guards(function)
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
    if not chosen:
        return function
    edit = Edit(function)
    for position in dead:
        edit.code[position] = None  # it may read what will be gone
    fusion = Fusion(edit, blocks, constants)
    for sum in chosen:
        fusion.fuse(sum)
    fusion.remove({*values.carriers, *(sum.fused.position for sum in chosen if sum.fused is not None)})
    found = edit.finish()
    return without(found, find_dead(found))
