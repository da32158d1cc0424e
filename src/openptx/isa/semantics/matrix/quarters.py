"""The oldest `mma`, m8n8k4 of f16: four products at once, each by two groups of four lanes (9.7.14.5.1)."""

from __future__ import annotations

from openptx.isa.fidelity import modelled
from openptx.isa.semantics.matrix import generations, products
from openptx.isa.semantics.matrix.products import arranged, factors, fragment_of, multiply
from openptx.numerics.formats import F16, F32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.fidelity import Fidelity
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.semantics.matrix.products import Operand, Registers
    from openptx.numerics import Bits
    from openptx.numerics.dot import Tile

COMPILED = modelled("as ptxas compiles it for targets from sm_80 on: f32 products and sums, one after another")


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
    define = multiply if has_tensor_cores(m) else multiply_in_f32
    return fragment_of(x, define(x, m, rows, columns, addends), order)


def has_tensor_cores(m: Modifiers) -> bool:
    """Whether the target has tensor cores for this shape. For others ptxas calls a subroutine of its library."""
    return generations.of(m) in ("Volta", "Turing")


def fidelity(m: Modifiers) -> Fidelity:
    return products.fidelity(m) if has_tensor_cores(m) else COMPILED


def multiply_in_f32(x: Machine, m: Modifiers, rows: Tile, columns: Tile, addends: Tile) -> Tile:
    """d for every row and column, as ptxas's subroutines compute it: for f32 the products are added from zero and c at
    the end; for f16 two sums of two products are added to c."""
    k = factors(m.atype, m)

    def halves(line: Registers) -> list[Bits]:
        return [x.convert(F32, F16, e) for e in x.elements(k, line)]

    def element(a: list[Bits], b: list[Bits], c: Bits) -> Bits:
        if m.dtype.name == "f32":
            total = x.const(0, 32)
            for p, q in zip(a, b, strict=True):
                total = x.fma(F32, p, q, total)
            return x.fadd(F32, c, total)
        for i in (0, 2):
            pair = x.fma(F32, a[i + 1], b[i + 1], x.fmul(F32, a[i], b[i]))
            c = x.fadd(F32, c, pair)
        return x.convert(F16, F32, c)

    left, right = [halves(line) for line in rows], [halves(line) for line in columns]
    if m.ctype.name == "f16":
        addends = tuple(tuple(x.convert(F32, F16, c) for c in line) for line in addends)
    return tuple(
        tuple(element(a, b, c) for b, c in zip(right, line, strict=True)) for a, line in zip(left, addends, strict=True)
    )


def addend(x: Machine, halves: list[Bits], p: Bits, n: Bits) -> Bits:
    """Element n of row p of an f16 c, from the lane that holds the row."""
    at = (x.lane() & 12) + ((p & 4) << 2) + (p & 3)
    found = [x.shuffle(v, at) for v in halves]
    d = found[0]
    for i in range(1, 8):
        d = x.select(n == i, found[i], d)
    return d
