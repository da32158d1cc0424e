"""Matrix products of a warp: the layout of fragments, and the exchange between lanes (9.7.14).

All fragments but those of the oldest `mma` follow one rule (9.7.14.5.2 to 9.7.14.5.13). Lane 4g + t, register r,
element e of the `per` ones that a register holds, tiles of 16 rows (8 where there are no more) and of 8 columns:

    a      row g + 8 (r mod 2)       column (4 (r / 2) + t) per + e       r / 2 and r mod 2: r and 0 for 8 rows
    b      row (4 r + t) per + e     column g
    c, d   row g + 8 (i / 2)         column 2t + i mod 2                  i: element of the fragment

So for every row and column the same registers of the same four lanes hold elements that meet in a product.
`wmma` leaves the layout open (9.7.14.4.1): its fragments are those of `mma`, tile after tile; m8n32 is m32n8 with rows
and columns exchanged, but for integers of Turing.
"""

from __future__ import annotations

from functools import partial

from openptx.isa.fidelity import EXACT, modelled
from openptx.isa.semantics.elements import one_or_tuple
from openptx.isa.semantics.matrix import generations
from openptx.isa.semantics.matrix.fragments import shape
from openptx.numerics import FORMATS, Bits
from openptx.numerics.dot import FRACTION, Factors
from openptx.numerics.formats import F32
from openptx.numerics.matrix_product import MatrixProduct, multiply_halves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.fidelity import Fidelity
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.isa.types import Type
    from openptx.numerics import Format
    from openptx.numerics.dot import Scales, Tile

    Registers = tuple[Bits, ...]
    Operand = Bits | Registers

TENSOR_CORE = modelled("MMA-Sim and H100: terms cut 25 bits below the largest exponent, exact sum")
IN_HALVES = modelled("as ptxas compiles it for sm_90 and sm_100: two sums of f16 products from zero, then c is added")
BLOCKS = modelled("MMA-Sim, Blackwell: sixteen products exactly, then cut 35 bits below the largest exponent")
CHAIN = modelled("MMA-Sim: fused multiply-adds in the order of k")


def fidelity(m: Modifiers) -> Fidelity:
    """Integers are exact. For floats the document leaves the order and the rounding of the sum open."""
    t = m.values.get("atype")
    if t is not None and t.format is None:
        return EXACT
    if t is not None and t.format == "f64":
        return CHAIN
    return BLOCKS if is_block_scaled_e2m1(m) else IN_HALVES if in_halves(m) else generations.fidelity(m)


def is_block_scaled_e2m1(m: Modifiers) -> bool:
    """Whether this is a product of packed e2m1 with block scales."""
    return m.kind in ("kind::mxf4", "kind::mxf4nvf4")


def in_halves(m: Modifiers) -> bool:
    """Whether a warp multiplies bytes as halves, because the target has tensor cores for them in other instructions
    only."""
    t = m.values.get("atype")
    if t is None or t.format not in ("e4m3", "e5m2") or m.block_scale or shape(m)[0] != 16:
        return False
    return generations.of(m) in generations.BYTES_IN_HALVES


def whole_warp(x: Machine, name: str) -> None:
    """Faults if threads of the warp are missing, because the instruction's behaviour is then undefined."""
    active = x.ballot(x.const(1, 1))
    x.require(active == 0xFFFFFFFF, "undefined-behavior", f"`{name}` is not executed by all 32 threads of the warp")


def factors(t: Type, m: Modifiers) -> Factors:
    """How elements lie in registers: one per byte, e2m1 in its middle, for kinds that mix formats (9.7.14.5.14)."""
    f = FORMATS[t.format] if t.format is not None else None
    if m.kind in ("kind::f8f6f4", "kind::mxf8f6f4"):
        return Factors(8, f, low=2 if t.name == "e2m1" else 0)
    return Factors(t.width, f, t.signed)


# Lines: rows of a and columns of b, as the registers of four lanes


class Quads:
    """The lanes that hold a lane's row g (the same for all rows), and those that hold its columns 2t and 2t + 1."""

    def __init__(self, x: Machine) -> None:
        self.x = x
        lane = x.lane()
        self.own = lane & 0x1C
        self.first = (lane & 3) << 3
        self.rows = [self.own + t for t in range(4)]
        self.columns = [[self.first + (4 * j + t) for t in range(4)] for j in (0, 1)]

    def row(self, fragment: Sequence[Bits]) -> Registers:
        return tuple(self.x.shuffle(r, at) for r in fragment for at in self.rows)

    def column(self, fragment: Sequence[Bits], j: int) -> Registers:
        return tuple(self.x.shuffle(r, at) for r in fragment for at in self.columns[j])


def rows_of(q: Quads, a: Registers, rows: int) -> Tile:
    """The rows of a lane's results, `rows / 8` of them."""
    tiles, halves = max(rows // 16, 1), min(rows // 8, 2)
    per = len(a) // tiles
    return tuple(q.row(a[i * per : (i + 1) * per][h::halves]) for i in range(tiles) for h in range(halves))


def columns_of(q: Quads, b: Registers, columns: int) -> Tile:
    """The columns of a lane's results, `columns / 4` of them."""
    per = len(b) // (columns // 8)
    return tuple(q.column(b[i : i + per], j) for i in range(0, len(b), per) for j in (0, 1))


# Results


def places(rows: int, columns: int) -> list[tuple[int, int]]:
    """For each element of a fragment of c or d, its row and its column, as indices into the lane's own."""
    tiles, halves = max(rows // 16, 1), min(rows // 8, 2)
    return [
        (i * halves + h, 2 * k + j)
        for i in range(tiles)
        for k in range(columns // 8)
        for h in range(halves)
        for j in (0, 1)
    ]


def arranged(x: Machine, c: Registers, w: int, order: list[tuple[int, int]]) -> Tile:
    """The elements of c, `w` bits each, as lines; `order` gives the row and the column of each."""
    elements = [v for r in c for v in (x.split(r, w) if w < r.width else [r])]
    lines: list[list[Bits]] = [[] for _ in range(1 + max(i for i, _ in order))]
    for element, (i, _) in sorted(zip(elements, order, strict=True), key=lambda pair: pair[1]):
        lines[i].append(element)
    return tuple(tuple(line) for line in lines)


def fragment_of(x: Machine, tile: Tile, order: list[tuple[int, int]]) -> Operand:
    """The registers of d for results given by row and column; 16-bit results are packed in pairs."""
    elements = [tile[i][j] for i, j in order]
    if elements[0].width == 16:
        elements = [x.join(elements[i : i + 2]) for i in range(0, len(elements), 2)]
    return one_or_tuple(elements)


def multiply(
    x: Machine, m: Modifiers, rows: Tile, columns: Tile, addends: Tile, scales: Scales | None = None,
    fraction: int | None = None,
) -> Tile:  # fmt: skip
    """d for every row and column, in the arithmetic of the types; with scales or a `fraction`, in a single sum instead
    of the generation's steps."""
    a, b = m.atype, m.btype
    if a.name == "b1":
        return x.bit_dots(m.op, rows, columns, addends)
    if a.format == "f64":
        return x.fma_dots(rows, columns, addends, m.rnd or "rn")
    f, g = factors(a, m), factors(b, m)
    if a.format is None:
        return x.integer_dots(f, g, rows, columns, addends, bool(m.satfinite))
    h, d = formats(m)
    if in_halves(m):
        return multiply_halves(x, f, g, rows, columns, addends, d)
    if scales is not None or fraction is not None:
        return x.dots(f, g, rows, columns, addends, h, d, scales, fraction or FRACTION)
    sums = generations.sums(m)
    per = sums.together * 8 // rows[0][0].width
    for at in range(0, len(rows[0]), per):
        left, right = (tuple(line[at : at + per] for line in tile) for tile in (rows, columns))
        found = x.dots(f, g, left, right, addends, d if at else h, d, None, sums.fraction)
        addends = kept_bits(x, d, found, sums.kept)
    return addends


def kept_bits(x: Machine, d: Format, tile: Tile, kept: int) -> Tile:
    """f32 results with the lowest bits of their significands cleared, except in a NaN."""
    if d is not F32 or kept >= F32.man:
        return tile
    mask = (1 << 32) - (1 << F32.man - kept)
    return tuple(tuple(x.select(x.isnan(F32, v), v, v & mask) for v in line) for line in tile)


def formats(m: Modifiers) -> tuple[Format, Format]:
    """The formats of c and d."""
    return FORMATS[m.ctype.format or ""], FORMATS[m.dtype.format or ""]


def multiply_fragments(
    x: Machine, m: Modifiers, a: Registers, b: Registers, addends: Tile, rows: int, columns: int,
    fraction: int | None = None,
) -> Tile:  # fmt: skip
    """d for every row and column of the lane's results, if fragments follow the rule above."""

    def by_lanes() -> Tile:
        q = Quads(x)
        return multiply(x, m, rows_of(q, a, rows), columns_of(q, b, columns), addends, fraction=fraction)

    t, f, g = m.atype, factors(m.atype, m), factors(m.btype, m)
    if rows % 16 or t.name == "b1" or t.format == "f64":
        return by_lanes()
    words = len(b) // (columns // 8) * 4
    if t.format is None:
        p = MatrixProduct(f, g, words, satfinite=bool(m.satfinite))
        return x.matrix_product(p, a, b, addends, by_lanes)
    if fraction is not None or in_halves(m):
        p = MatrixProduct(f, g, words, *formats(m), fraction or FRACTION, halves=in_halves(m))
        return x.matrix_product(p, a, b, addends, by_lanes)
    sums, (h, d) = generations.sums(m), formats(m)
    if sums.together % QUAD:
        return by_lanes()
    for at in range(0, words * 4, sums.together):
        blocks = slice(at // QUAD, min(at + sums.together, words * 4) // QUAD)
        left, right = of_depth(a, rows // 16, 2, blocks), of_depth(b, columns // 8, 1, blocks)
        p = MatrixProduct(f, g, (blocks.stop - blocks.start) * 4, d if at else h, d, sums.fraction)
        lanes = partial(lines_at_once, x, left, right, addends, (rows, columns), p)
        addends = kept_bits(x, d, x.matrix_product(p, left, right, addends, lanes), sums.kept)
    return addends


QUAD = 16  # bytes of a line that four lanes hold in one register each


def of_depth(fragment: Registers, tiles: int, each: int, blocks: slice) -> Registers:
    """The registers of some `blocks` of the depth; a block has `each` registers of every tile."""
    per = len(fragment) // tiles
    return tuple(r for i in range(tiles) for r in fragment[i * per :][each * blocks.start : each * blocks.stop])


def lines_at_once(
    x: Machine, a: Registers, b: Registers, addends: Tile, extent: tuple[int, int], p: MatrixProduct
) -> Tile:
    """The product of fragments in terms of a machine's primitive operations."""
    q = Quads(x)
    return p.definition(x, rows_of(q, a, extent[0]), columns_of(q, b, extent[1]), addends)


def exchanged(m: Modifiers) -> bool:
    """Whether the transposed product is computed, from fragments of the transposed matrices. Integers of Turing have
    tiles of 8 rows, so ptxas does without."""
    integers = (m.ctype or m.type).name in ("s32", "s8", "u8")
    return m.shape == "m8n32k16" and not (integers and generations.of(m) in ("Volta", "Turing"))


def product(x: Machine, m: Modifiers, a: Registers, b: Registers, c: Registers) -> Operand:
    """d = a * b + c for fragments that follow the rule above."""
    rows, columns, _ = shape(m)
    if exchanged(m):
        a, b, rows, columns = b, a, columns, rows
    order = places(rows, columns)
    addends = arranged(x, c, m.ctype.width, order)
    d = multiply_fragments(x, m, a, b, addends, rows, columns)
    return fragment_of(x, d, order)
