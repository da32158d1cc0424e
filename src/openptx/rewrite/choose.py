"""Which products ptxas contracts into which sums: two passes in program order."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.rewrite.values import Product, Sum, Values


def choose(values: Values, *, shared: bool = True) -> list[Sum]:
    """Sets `fused` of sums, and gives those.

    First every sum that has an operand which nothing else uses. Then of the others those whose operand is used by
    sums alone that can each take it in: the product is computed once for each of them. The operand with the fewest
    uses is taken; of equal ones the first. Not `shared` leaves that out.
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
    """The operands of a sum that are products, and that sums alone use."""
    found = (values.products.get(value.number) for value in sum.values)
    return [p for p in found if p is not None and not p.other and sum in p.sums]


def takes(sum: Sum, product: Product) -> bool:
    """Whether a sum has taken a product in, or still may."""
    return sum.fused is product or sum.fused is None
