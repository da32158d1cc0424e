"""Contraction: products and sums whose rounding PTX leaves open become fused multiply-adds, as ptxas makes them.

The manual allows it for `mul`, `add` and `sub` without a rounding modifier (9.7.3.3 to 9.7.3.5). Which ones ptxas
contracts is measured: docs/contraction.md.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.program import Function, Reg
from openptx.rewrite.algebra import algebra, leaves_rounding_open
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.branches import straighten
from openptx.rewrite.constants import Constants, single_constants
from openptx.rewrite.copies import propagate_copies
from openptx.rewrite.dead_code import find_dead, find_overwritten, find_unread, without
from openptx.rewrite.edit import Edit
from openptx.rewrite.equal_values import find_equal, merge_equal
from openptx.rewrite.fusion import Fusion
from openptx.rewrite.rules import AMONG_BLOCKS, CONTRACTED, LEFT_OPEN, OF_PAIRS
from openptx.rewrite.runtime_unrolling import unroll_by_four
from openptx.rewrite.sinking import sink
from openptx.rewrite.unrolling import unroll
from openptx.rewrite.values import Product, Sum, Values
from openptx.rewrite.webs import separate_webs

COMPUTED = frozenset(("product", "quotient", "sum", "difference", "fused"))


def settle_guards(function: Function) -> Function:
    """The function without constant guards; the same object if it has none."""
    known = single_constants(function)
    edit, changed = Edit(function), False
    for position, op in enumerate(function.code):
        if op.guard is not None and op.guard.index in known:
            holds = bool(known[op.guard.index]) != op.guard.negated
            edit.code[position] = replace(op, guard=None) if holds else None
            changed = True
    return edit.finish() if changed else function


def choose(values: Values, *, shared: bool = True) -> list[Sum]:
    """Sets `fused` of sums, and returns these sums.

    First every sum with a product that nothing else uses. Then every sum whose product is used only by sums that can
    all absorb it: the product is computed once for each of them. The operand with the fewest uses is chosen; of equal
    ones the first. `shared=False` omits the second step.
    """
    for sum in values.sums:
        alone = [p for p in candidates(values, sum) if len(p.sums) == 1]
        if alone:
            sum.fused = alone[0]
    for sum in values.sums if shared else ():
        if sum.fused is None:
            several = [p for p in candidates(values, sum) if all(takes(other, p) for other in p.sums)]
            sum.fused = min(several, key=lambda p: len(p.sums), default=None)
    return [sum for sum in values.sums if sum.fused is not None]


def candidates(values: Values, sum: Sum) -> list[Product]:
    """The operands of a sum that are products, and that only sums use."""
    found = (values.products.get(value.number) for value in sum.values)
    return [p for p in found if p is not None and not p.other and sum in p.sums]


def takes(sum: Sum, product: Product) -> bool:
    """Whether a sum has absorbed a product, or still may."""
    return sum.fused is product or sum.fused is None


def contract(function: Function) -> Function:
    """The function as ptxas contracts it; the same object if nothing can be contracted."""
    kinds = {algebra(op) for op in function.code if leaves_rounding_open(op)}
    if not kinds & {"product", "quotient"} or not kinds & {"sum", "difference"}:
        return function
    function = simplify(function)
    left = contract_best(function)
    separate = separate_webs(function)
    repeated = unroll(separate)
    repeated = unroll_by_four(repeated if repeated is separate else simplify(separate_webs(repeated)))
    if repeated is function:
        return left
    found = contract_best(simplify(separate_webs(repeated)))
    return left if alike(left, found) else found


def simplify(function: Function) -> Function:
    """The function without constant guards, branches that machine code does not have, and dead code."""
    function = settle_guards(function)
    function = straighten(without(function, find_dead(function)))
    while overwritten := find_overwritten(function, find_blocks(function)):
        function = without(function, overwritten)
    return function


def contract_best(function: Function) -> Function:
    """The contracted function, after code motion if that changes the result."""
    plain = Contraction(function)
    left = plain.finish()
    if not plain.may_change():
        return left
    moved = contracted_after_sinking(function)
    return left if fused(left) == fused(moved) else moved


def alike(a: Function, b: Function) -> bool:
    """Whether every copy of an instruction, and both functions, contract the same."""
    first, second = statuses(a), statuses(b)
    return first.keys() == second.keys() and all(in_proportion(first[span], second[span]) for span in first)


def statuses(function: Function) -> dict[tuple[int, int], tuple[int, int]]:
    """How many of the arithmetic instructions at each position in the text are fused, and how many are not."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for op in function.code:
        if algebra(op) in COMPUTED:
            is_fused = op.rule in (CONTRACTED, AMONG_BLOCKS)
            yes, no = found.get(op.span, (0, 0))
            found[op.span] = yes + is_fused, no + (not is_fused)
    return found


def in_proportion(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] * b[1] == a[1] * b[0]


def contracted_after_sinking(function: Function) -> Function:
    """The function contracted after sinking arithmetic to later blocks, and again after merging equal values.

    The original of an instruction copied to a later block still exists when products are first chosen, and counts as a
    use. Then only instructions without any reader are removed, so an instruction whose reader was removed remains;
    liveness between blocks is not recomputed.
    """
    function = propagate_copies(function, blocks := find_blocks(function), Constants(function, blocks))
    function = sink(function, blocks := find_blocks(function), Constants(function, blocks))
    function = Contraction(function).contracted()
    found = Contraction(function, unread=find_unread(function)).finish()
    merged = merge_equal(found, blocks := find_blocks(found), Constants(found, blocks))
    return found if merged is found else Contraction(merged, shared=False).finish()


def fused(function: Function) -> list[tuple[tuple[int, int], bool]]:
    """The positions in the text of the remaining arithmetic, repeated if it was copied, and whether it is fused."""
    return sorted((op.span, op.rule in (CONTRACTED, AMONG_BLOCKS)) for op in function.code if algebra(op))


class Contraction:
    """The choices for a function, block by block. Not `shared` leaves out products that several sums use; `unread`
    instructions use nothing in their block and are removed, but their operands stay live between blocks."""

    def __init__(self, function: Function, *, shared: bool = True, unread: frozenset[int] = frozenset()) -> None:
        self.function, self.unread, self.blocks = function, unread, find_blocks(function)
        self.constants = Constants(function, self.blocks)
        several = len(self.blocks) > 1
        equal = find_equal(function, self.blocks, self.constants, nested=False) if several else {}
        self.values = Values(self.constants, equal)
        for block in self.blocks:
            for position in range(block.start, block.stop):
                self.constants.enter(position)
                if position not in unread:
                    self.values.add(position, function.code[position])
                self.constants.step(function.code[position])
            self.values.end(block.live_out)
        self.chosen = choose(self.values, shared=shared)
        left = [sum for sum in self.values.sums if sum.fused is None and takes_product(sum, self.values)]
        self.doubtful = left if several else [sum for sum in self.values.sums if is_of_pairs(sum, self.values)]

    def may_change(self) -> bool:
        """Whether code motion between blocks may make a difference: a sum remains, or could absorb another product."""
        several = (s for s in self.chosen if all(value.number in self.values.products for value in s.values))
        return bool(self.doubtful) or (len(self.blocks) > 1 and any(several))

    def finish(self) -> Function:
        """The function with the choices applied and without dead code; the same object if there are none."""
        found = self.contracted()
        return without(found, find_dead(found))

    def contracted(self) -> Function:
        """The function with the choices applied; the same object if there are none."""
        if not self.chosen and not self.doubtful and not self.unread:
            return self.function
        edit = Edit(self.function)
        for position in self.unread:
            edit.code[position] = None
        for sum in self.doubtful:
            edit.code[sum.position] = replace(sum.op, rule=LEFT_OPEN if len(self.blocks) > 1 else OF_PAIRS)
        fusion = Fusion(edit, self.blocks, self.constants)
        for sum in self.chosen:
            fusion.fuse(sum)
        products = (sum.fused.position for sum in self.chosen if sum.fused is not None)
        fusion.remove({*self.values.carriers, *products})
        return edit.finish()


def is_of_pairs(sum: Sum, values: Values) -> bool:
    """Whether a sum of packed numbers remains that has products among its operands."""
    products = any(value.number in values.products for value in sum.values)
    return sum.fused is None and products and sum.op.m.type.count > 1


def takes_product(sum: Sum, values: Values) -> bool:
    """Whether an operand of the sum is a product that could be contracted, in this block or another."""
    crosses = any(isinstance(operand, Reg) and operand.index in values.crossing for operand in sum.op.operands[1:3])
    found = any(value.number in values.products or value.number in values.crossed for value in sum.values)
    return sum.able and (crosses or found)
