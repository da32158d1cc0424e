"""The oldest `mma`, m8n8k4 of f16: four products at once, each by two groups of four lanes (9.7.14.5.1)."""

from __future__ import annotations

from openptx.isa.semantics.matrix.products import arranged, fragment_of, multiply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.semantics.matrix.products import Operand, Registers
    from openptx.numerics import Bits


def line(x: Machine, fragment: Registers, p: Bits, along: bool) -> Registers:
    """Row (or column) p of the lane's product: in one lane if fragments lie `along` it, else spread over four lanes."""
    quad = (x.lane() & 12) + ((p & 4) << 2)
    if along:
        return tuple(x.shuffle(r, quad + (p & 3)) for r in fragment)
    found: list[Bits] = []
    for k in range(4):
        low, high = (x.shuffle(r, quad + k) for r in fragment)
        found.append(x.resize(x.select((p & 2) != 0, high, low) >> ((p & 1) << 4), 16))
    return tuple(found)


def positions(type: str) -> list[tuple[int, int]]:
    """For each of the eight elements of c or d, its row and its column, as indices into the lane's own."""
    if type == "f16":
        return [(0, i) for i in range(8)]
    return [((i >> 1) & 1, (i >> 2 << 1) + (i & 1)) for i in range(8)]


def lines(x: Machine, type: str) -> tuple[list[Bits], list[Bits]]:
    """The rows and columns that the lane's elements of c or d lie in."""
    lane = x.lane()
    upper = (lane & 16) >> 2
    if type == "f16":
        return [(lane & 3) + upper], [x.const(i, 32) for i in range(8)]
    return [(lane & 1) + upper + i for i in (0, 2)], [(lane & 2) + i for i in (0, 1, 4, 5)]


def product(x: Machine, m: Modifiers, a: Registers, b: Registers, c: Registers) -> Operand:
    """d = a * b + c; c is moved to the layout of d first if their types, and so their layouts, differ."""
    order = positions(m.dtype.name)
    of_rows, of_columns = lines(x, m.dtype.name)
    rows = tuple(line(x, a, p, m.alayout == "row") for p in of_rows)
    columns = tuple(line(x, b, n, m.blayout == "col") for n in of_columns)
    if m.ctype is m.dtype:
        addends = arranged(x, c, m.ctype.width, order)
    else:  # f16 to f32: element n of row p is in lane p mod 4 of its group
        halves = [v for r in c for v in x.split(r, 16)]
        addends = tuple(tuple(addend(x, halves, p, n) for n in of_columns) for p in of_rows)
    return fragment_of(x, multiply(x, m, rows, columns, addends), order)


def addend(x: Machine, halves: list[Bits], p: Bits, n: Bits) -> Bits:
    """Element n of row p of an f16 c, from the lane that holds the row."""
    at = (x.lane() & 12) + ((p & 4) << 2) + (p & 3)
    found = [x.shuffle(v, at) for v in halves]
    d = found[0]
    for i in range(1, 8):
        d = x.select(n == i, found[i], d)
    return d
