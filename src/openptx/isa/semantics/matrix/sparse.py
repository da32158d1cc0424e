"""Matrix products whose first factor is sparse: half of its elements are stored, and metadata says which (9.7.14.6)."""

from __future__ import annotations

from openptx.isa.semantics.matrix.products import (
    Quads,
    arranged,
    columns_of,
    factors,
    fragment_of,
    multiply,
    places,
    rows_of,
)
from openptx.isa.semantics.matrix.scaled import multiply_scaled, scales_of
from openptx.numerics.dot import FRACTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.semantics.matrix.products import Operand, Registers
    from openptx.isa.types import Type
    from openptx.numerics import Bits
    from openptx.numerics.dot import Tile


def unit(t: Type, m: Modifiers) -> int:
    """The number of bits of b that a metadata index selects: one element, or two if smaller than a byte."""
    return max(factors(t, m).width, 8)


def chosen_places(x: Machine, m: Modifiers, q: Quads, e: Bits, f: int, h: int, count: int) -> list[Bits]:
    """For each of the `count` kept units of the lane's row g + 8h, its place in its chunk of b.

    The metadata of a row has two bits for each unit (four for tf32, of which one is enough). For elements of 16 bits
    and more, a word holds row g below row g + 8; for smaller elements a word belongs to one row, and row g + 8 uses the
    next lane's.
    """
    width = 4 if m.atype.name == "tf32" else 2
    small = factors(m.atype, m).width <= 8
    per = (32 if small else 16) // width
    words = count // per
    found: list[Bits] = []
    for i in range(words):
        at = q.own + (2 * (f + i) + h if small else f * words + i)
        word = x.shuffle(e, at)
        first = 0 if small else 16 * h
        if width == 4:  # 0b0100 is the first of two, 0b1110 the second
            found += [(word >> first + 4 * k + 1) & 1 for k in range(per)]
        else:
            found += [(word >> first + 2 * k) & 3 for k in range(per)]
    return found


def multiply_sparse(
    x: Machine, m: Modifiers, q: Quads, rows: Tile, columns: Tile, addends: Tile, e: Bits, f: int,
    fraction: int = FRACTION, scales: tuple[Tile, Tile] | None = None,
) -> Tile:  # fmt: skip
    """d for each of the lane's two rows: in every column, only the elements that meet kept elements of the row
    contribute."""
    w, chunk = unit(m.btype, m), 2 if m.atype.name == "tf32" else 4
    count = len(rows[0]) * 32 // unit(m.atype, m)
    d: list[Registers] = []
    for h, row in enumerate(rows):
        where = chosen_places(x, m, q, e, f, h, count)
        met = x.picked(columns, w, where, chunk)
        if scales is None:
            d += multiply(x, m, (row,), met, (addends[h],), fraction=fraction)
        else:
            d += multiply_scaled(x, m, (row,), met, (addends[h],), (scales[0][h],), scales[1])
    return tuple(d)


def product(
    x: Machine, m: Modifiers, a: Registers, b: Registers, c: Registers, e: Bits, f: int, scaling: Sequence[Operand]
) -> Operand:
    """d = a * b + c."""
    q, order = Quads(x), places(16, 8)
    addends = arranged(x, c, m.ctype.width, order)
    scales = scales_of(x, m, q, scaling) if scaling else None
    d = multiply_sparse(x, m, q, rows_of(q, a, 16), columns_of(q, b, 8), addends, e, f, scales=scales)
    return fragment_of(x, d, order)
