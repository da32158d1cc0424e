"""The products of `tcgen05.mma`: its matrices as lines of registers, its scales, its result (9.7.16.2, 9.7.16.10)."""

from __future__ import annotations

from openptx.errors import Unsupported
from openptx.isa.semantics.matrix.descriptors import Shape, SharedMatrix
from openptx.isa.semantics.matrix.shared import CHUNK, DEPTH
from openptx.isa.semantics.matrix.tensor_operations import Tiles
from openptx.isa.semantics.tensor_memory import LANE
from openptx.numerics import Bits
from openptx.numerics.matrix_product import MatrixProduct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.column_mask import ColumnMask
    from openptx.numerics.dot import Factors, Tile

    Line = TypeVar("Line", int, Bits)
    Registers = tuple[Bits, ...]


def lines(x: Machine, matrix: SharedMatrix, count: int, f: Factors, *, across: bool, deep: int = DEPTH) -> Tile:
    """The registers of every line of a matrix in shared memory, each `deep` bytes long."""
    if across:
        per, depth = 8 * CHUNK // f.width, 8 * deep // f.width
        found: list[list[Bits]] = [[] for _ in range(count)]
        for first in range(0, count, per):
            for k in range(depth):
                elements = neighbours(x, matrix, first // per, k, f)
                for line, element in zip(found[first:], elements, strict=False):
                    line.append(element)
        return tuple(map(tuple, found))
    return tuple(contiguous(x, matrix, line, f, deep) for line in range(count))


def neighbours(x: Machine, matrix: SharedMatrix, number: Line, k: Line, f: Factors) -> Registers:
    """Element `k` of each of the lines whose elements are in chunk `number`, if lines lie side by side."""
    words = matrix.across(number, k)
    return words if f.width == 32 else tuple(e for word in words for e in x.split(word, f.width))


def contiguous(x: Machine, matrix: SharedMatrix, line: Line, f: Factors, deep: int = DEPTH) -> Registers:
    """The registers of a line, if lines are contiguous."""
    width = f.format.width if f.format is not None else f.width
    return tuple(
        register
        for k in range(deep // CHUNK)
        for register in (
            unpack_elements(x, matrix.along(line, k), width, f.low) if width < f.width == 8 else matrix.along(line, k)
        )
    )


def unpack_elements(x: Machine, words: Registers, width: int, low: int) -> Registers:
    """Unpacks sixteen 4-bit or 6-bit elements from the beginning of a chunk, one per byte."""
    wide = [x.resize(words[i], 64) | x.resize(words[i + 1], 64) << 32 for i in (0, 1)]
    found: list[Bits] = []
    for at in range(0, 16 * width, width):
        element = wide[0] >> at if at + width <= 64 else wide[1] >> at - 32
        found.append((x.resize(element, 8) & (1 << width) - 1) << low)
    return tuple(found)


def load_row(x: Machine, shape: Shape, a: Bits, row: Line, rank: Bits | None = None) -> Registers:
    """The registers of a row of a in tensor memory."""
    return x.tensor_memory.read(a + (shape.lane(row) << LANE), DEPTH // 4, rank)


def shift_rows(x: Machine, at: Bits, warps: range, rank: Bits | None) -> None:
    """Shifts rows in the lanes of each warp, in eight columns from `at` on: every row but the last takes the next one's
    content."""
    for warp in warps:
        first = at + (32 * warp << LANE)
        rows = [x.tensor_memory.read(first + (i << LANE), DEPTH // 4, rank) for i in range(1, 32)]
        for i, row in enumerate(rows):
            x.tensor_memory.write(first + (i << LANE), row, rank)


def negated(tile: Tile, f: Factors) -> Tile:
    """The tile with the signs of all elements changed."""
    return tuple(negated_line(line, f) for line in tile)


def negated_line(line: Registers, f: Factors) -> Registers:
    assert f.format is not None
    sign = f.low + f.format.low + f.format.width - 1
    return tuple(a ^ sum(1 << at + sign for at in range(0, a.width, f.width)) for a in line)


def scales_of(
    x: Machine, base: Bits, count: int, per: int, first: int, rank: Bits | None, *, own: bool, parts: int = 1
) -> Tile:
    """The codes of each line's scales: bytes of one word, from byte `first` on.

    Line 32 i + j has its word in column i, in lane j of each warp; rows take it from their `own` warp's lanes. If d
    keeps `parts` of its columns in separate lanes, each part counts from its first column, in its lanes.
    """
    starts = [base, *(base + (128 // parts * i << LANE) for i in range(1, parts))]
    of_part = count // parts
    return tuple(
        scales_of_line(x, starts[line // of_part], line % of_part, per, first, rank, own=own) for line in range(count)
    )


def scales_of_line(
    x: Machine, base: Bits, line: Line, per: int, first: int, rank: Bits | None = None, *, own: bool
) -> Registers:
    """The codes of a line's scales."""
    word = x.tensor_memory.read(base + ((line if own else line & 31) << LANE) + (line >> 5), 1, rank)[0]
    return tuple(x.resize(word >> 8 * (first + i) if first + i else word, 8) for i in range(per))


def ranks(x: Machine, ctas: int) -> list[Bits | None]:
    """The participating CTAs: the executing thread's, or its pair, even CTA first."""
    if ctas == 1:
        return [None]
    own = x.special("cluster_ctarank", 32)
    return [own & 0xFFFFFFFE, own | 1]


class Result:
    """Matrix d of one CTA in tensor memory. `kept`, if any, are the masks of the lanes to leave unchanged."""

    def __init__(self, x: Machine, shape: Shape, at: Bits, rank: Bits | None, kept: Sequence[Bits]) -> None:
        self.x, self.shape, self.at, self.rank, self.kept = x, shape, at, rank, kept

    def line(self, row: int) -> Registers:
        """The words of a row."""
        return tuple(
            word
            for lane, columns in self.shape.pieces(row)
            for word in self.x.tensor_memory.read(self.at + (lane << LANE), len(columns), self.rank)
        )

    def read(self, divisor: int, *, adds: bool) -> Tile:
        """The addends, divided by two to the power of `divisor`; zeros if d is not added."""
        x, shape, f = self.x, self.shape, self.shape.format
        if not adds:
            return ((x.const(0, 32 if shape.result else 16),) * shape.columns,) * shape.rows
        tile = tuple(self.line(row) for row in range(shape.rows))
        if not shape.result:
            tile = tuple(tuple(x.resize(word, 16) for word in line) for line in tile)
        if not divisor:
            return tile
        power, nothing = x.const(f.bias - divisor << f.man, f.storage), x.const(1 << f.storage - 1, f.storage)
        return tuple(tuple(x.fma(f, c, power, nothing) for c in line) for line in tile)

    def write(self, tile: Tile) -> None:
        """Writes the new rows."""
        x = self.x
        for row, line in enumerate(tile):
            for lane, columns in self.shape.pieces(row):
                at, words = self.at + (lane << LANE), [x.resize(v, 32) for v in line[columns.start : columns.stop]]
                if self.kept:
                    same = x.resize(self.kept[lane // 32] >> (self.at >> LANE) + lane % 32 & 31, 1)
                    old = x.tensor_memory.read(at, len(words), self.rank)
                    words = [x.select(same, o, v) for o, v in zip(old, words, strict=True)]
                x.tensor_memory.write(at, words, self.rank)


class Product:
    """One product: its shape, the swizzling of its matrices in shared memory, its operands by the manual's names.

    `scales` is the number of scales per line, `masks` mark the lanes that d keeps, four words for each CTA, and `zeros`
    is the mask of columns, if any.
    """

    def __init__(
        self, x: Machine, shape: Shape, modes: Mapping[str, int], given: Mapping[str, Bits], scales: int,
        masks: Sequence[Bits], zeros: ColumnMask | None = None,
    ) -> None:  # fmt: skip
        self.x, self.shape, self.modes, self.given, self.scales, self.masks = x, shape, modes, given, scales, masks
        self.zeros = zeros
        self.f, self.g = shape.factors(shape.a or ""), shape.factors(shape.b or "")

    def multiply(self, divisor: int, *, adds: bool, shifts: bool = False) -> None:
        """Every participating CTA has its rows of a and d, and its share of the columns of b; afterwards a `shifts`."""
        p = self.plain_product()
        if p is None or divisor or shifts:
            self.by_lines(divisor, adds=adds, shifts=shifts)
            return
        given = [self.given[name] for name in ("a-desc", "b-desc", "d-tmem")]
        self.x.tile_product(p, self.tiles, given, adds, lambda: self.by_lines(0, adds=adds))

    def plain_product(self) -> MatrixProduct | None:
        """The product of two matrices in shared memory, if each of their lines is eight contiguous words."""
        shape = self.shape
        special = shape.ctas > 1 or shape.parts > 1 or shape.scaled or shape.negated or shape.sparse
        if special or self.zeros or self.masks or "a-desc" not in self.modes or shape.across_a or shape.across_b:
            return None
        if any(f.format is not None and f.format.width < 8 for f in (self.f, self.g)):  # those lie closer together
            return None
        return shape.matrix_product(DEPTH // 4)

    def tiles(self, a: Bits, b: Bits, d: Bits) -> Tiles:
        """The lines of a plain product, for other values of its operands."""
        x, shape = self.x, self.shape

        def lines_of(code: Bits, mode: int) -> Callable[[Bits], Registers]:
            matrix = SharedMatrix(x, code, mode)
            return lambda line: matrix.along(line, 0) + matrix.along(line, 1)

        def place(line: Bits) -> Bits:
            return d + x.resize(shape.lane(line) << LANE, d.width)

        row, column = lines_of(a, self.modes["a-desc"]), lines_of(b, self.modes["b-desc"])
        return Tiles(shape.rows, shape.columns, row, column, place)

    def by_lines(self, divisor: int, *, adds: bool, shifts: bool = False) -> None:
        shape, peers = self.shape, ranks(self.x, self.shape.ctas)
        columns = tuple(line for rank in peers for line in self.columns(rank))
        for i, rank in enumerate(peers):
            d = Result(self.x, shape, self.given["d-tmem"], rank, self.masks[4 * i : 4 * i + 4])
            d.write(self.sums(self.rows(rank), columns, d.read(divisor, adds=adds), rank))
            if shifts:
                shift_rows(self.x, self.given["a-tmem"], range(4), rank)

    def shared(self, name: str, rank: Bits | None = None) -> SharedMatrix:
        """A matrix in shared memory."""
        return SharedMatrix(self.x, self.given[name], self.modes[name], rank)

    def columns(self, rank: Bits | None) -> Tile:
        b = self.shared("b-desc", rank)
        count, across = self.shape.columns // self.shape.ctas, self.shape.across_b
        if not across and b.mode and CHUNK * b.chunks < self.shape.deep:
            raise Unsupported("a sparse product whose b is swizzled by 32 bytes along its depth")
        if self.zeros is None:
            return lines(self.x, b, count, self.g, across=across, deep=self.shape.deep)
        found = lines(self.x, b, count + self.zeros.shift, self.g, across=across, deep=self.shape.deep)
        return tuple(
            tuple(self.x.const(0, each.width) for each in line) if masked else line
            for line, masked in zip(found[self.zeros.shift :], self.zeros.zeros, strict=True)
        )

    def rows(self, rank: Bits | None) -> Tile:
        if "a-desc" not in self.modes:
            if self.shape.kept and self.shape.parts > 1:
                raise Unsupported(f"a in tensor memory, M = {self.shape.rows}")
            return tuple(load_row(self.x, self.shape, self.given["a-tmem"], i, rank) for i in range(self.shape.rows))
        a = self.shared("a-desc", rank)
        return lines(self.x, a, self.shape.rows, self.f, across=self.shape.across_a)

    def sums(self, rows: Tile, columns: Tile, addends: Tile, rank: Bits | None) -> Tile:
        """d for every row and column."""
        return self.products(self.signed(rows), columns, addends, self.scales_of_lines(rank))

    def signed(self, rows: Tile) -> Tile:
        """The rows of a, negated if a or b is."""
        return negated(rows, self.f) if self.shape.negated and self.f.format is not None else rows

    def scales_of_lines(self, rank: Bits | None) -> tuple[Tile, Tile]:
        """The scales of the rows and of the columns; empty if the kind has none."""
        x, shape, given = self.x, self.shape, self.given
        if not shape.scaled:
            return (), ()
        return (
            scales_of(x, given["scale-A-tmem"], shape.rows, self.scales, shape.scale_a, rank, own=True),
            scales_of(
                x, given["scale-B-tmem"], shape.columns, self.scales, shape.scale_b, rank, own=False, parts=shape.parts
            ),
        )

    def products(self, rows: Tile, columns: Tile, addends: Tile, scales: tuple[Tile, Tile]) -> Tile:
        """d for some rows and columns, in the kind's arithmetic."""
        p = self.shape.matrix_product(DEPTH // 4, self.scales)
        return p.definition(self.x, rows, columns, addends, scales)
