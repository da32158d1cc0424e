"""Matrix products with block-scaled factors (9.7.14.3)."""

from __future__ import annotations

from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.matrix.fragments import shape
from openptx.isa.semantics.matrix.products import (
    Quads,
    arranged,
    columns_of,
    fragment_of,
    is_block_scaled_e2m1,
    multiply,
    places,
    rows_of,
)
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.semantics.matrix.products import Operand, Registers
    from openptx.numerics import Bits
    from openptx.numerics.dot import Tile

SCALE_COUNT = {"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4}


def scale_codes(x: Machine, m: Modifiers, data: Bits, selector: Registers, at: Bits) -> Registers:
    """The scales of a line: bytes of the value in lane `at`, from the selected one on."""
    count = SCALE_COUNT[m.scale_vec_size or ("scale_vec::2X" if is_block_scaled_e2m1(m) else "scale_vec::1X")]
    word = x.shuffle(data, at) >> ((x.resize(selector[0], 32) & 3) << 3)
    return tuple(x.resize(word >> 8 * i if i else word, 8) for i in range(count))


def scales_of(x: Machine, m: Modifiers, q: Quads, operands: Sequence[Operand]) -> tuple[Tile, Tile]:
    """The scales of the lane's two rows and of its two columns.

    Two lanes of a quad, selected by thread-id-a, have the scales of rows g and g + 8; one, by thread-id-b, of column g.
    """
    data_a, select_a, data_b, select_b = map(as_tuple, operands)
    pair = (x.resize(select_a[1], 32) & 1) << 1
    one = x.resize(select_b[1], 32) & 3
    return (
        tuple(scale_codes(x, m, data_a[0], select_a, q.own + pair + h) for h in (0, 1)),
        tuple(scale_codes(x, m, data_b[0], select_b, q.first + one + 4 * j) for j in (0, 1)),
    )


def multiply_scaled(
    x: Machine, m: Modifiers, rows: Tile, columns: Tile, addends: Tile, of_rows: Tile, of_columns: Tile
) -> Tile:
    s = FORMATS[m.stype.format or ""]
    if is_block_scaled_e2m1(m):
        return x.block_dots(rows, columns, addends, s, of_rows, of_columns)
    scales = s, tuple(codes[0] for codes in of_rows), tuple(codes[0] for codes in of_columns)
    return multiply(x, m, rows, columns, addends, scales)


def product(x: Machine, m: Modifiers, a: Registers, b: Registers, c: Registers, scaling: Sequence[Operand]) -> Operand:
    """d = (a * scales) * (b * scales) + c."""
    rows, columns, _ = shape(m)
    q, order = Quads(x), places(rows, columns)
    scales = scales_of(x, m, q, scaling)
    addends = arranged(x, c, m.ctype.width, order)
    d = multiply_scaled(x, m, rows_of(q, a, rows), columns_of(q, b, columns), addends, *scales)
    return fragment_of(x, d, order)
