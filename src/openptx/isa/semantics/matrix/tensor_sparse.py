"""`tcgen05.mma` with a sparse a: half of it is stored, and metadata in tensor memory says which (9.7.16.10.8).

The manual shows where a row's metadata lies only in figures 262 to 267, which its text lacks. We use CUTLASS's layouts
for sm_100 (`tmem_e_frg` and `tmem_e_frg_ws` in cute/atom/mma_traits_sm100_frag.hpp), by rows m of 16:

    elements of 16 and 32 bits   lane m mod 8 has sixteen bits of row m, and lane m mod 8 + 8 the next sixteen: in its
                                 lower half for the first eight rows, in its upper half for the others. The column is
                                 that of the sparsity selector.
    smaller elements             lane m has the 64 bits of row m, in two columns.

CUTLASS covers 128 rows per CTA, and b kept (`.ws`). 64 rows are derived from these, with the lanes of d (layouts C, F).
"""

from __future__ import annotations

from openptx.isa.semantics.matrix.tensor import Product
from openptx.isa.semantics.tensor_memory import LANE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.numerics import Bits
    from openptx.numerics.dot import Tile

    Registers = tuple[Bits, ...]

HIGH_HALF = 8  # rows and lanes


class SparseProduct(Product):
    """A product in which each row uses only the elements of a column that its metadata names."""

    def sums(self, rows: Tile, columns: Tile, addends: Tile, rank: Bits | None) -> Tile:
        shape = self.shape
        of_rows, of_columns = self.scales_of_lines(rank)
        unit = max(self.g.width, 8)  # what an index selects: one element, or a pair of e2m1
        chunk = 2 if unit == 32 else 4
        per = shape.columns // shape.parts
        d: list[Registers] = []
        for i, row in enumerate(self.signed(rows)):
            line: list[Bits] = []
            for part in range(shape.parts):  # each has metadata of its own in its lanes
                own = slice(per * part, per * (part + 1))
                places = self.places(i, shape.lane(i) + shape.rows * part, rank)
                met = self.x.picked(columns[own], unit, places, chunk)
                scales = of_rows[i : i + 1], of_columns[own]
                line += self.products((row,), met, (addends[i][own],), scales)[0]
            d.append(tuple(line))
        return tuple(d)

    def places(self, row: int, lane: int, rank: Bits | None) -> list[Bits]:
        """The position of each kept unit of a row in its chunk of a column; `lane` is the row's own."""
        x, width = self.x, self.g.width
        if width < 16:
            words = self.metadata(lane, 0, 2, rank)
            return [word >> i & 3 for word in words for i in range(0, 32, 2)]
        first, high = lane - (row & HIGH_HALF), row & HIGH_HALF
        halves = [self.metadata(first + step, self.shape.selector, 1, rank)[0] for step in (0, HIGH_HALF)]
        words = [x.resize(half >> 16 if high else half, 16) for half in halves]
        if width == 16:
            return [word >> i & 3 for word in words for i in range(0, 16, 2)]
        return [word >> i + 1 & 1 for word in words for i in range(0, 16, 4)]  # 0b0100 is the first, 0b1110 the second

    def metadata(self, lane: int, column: int, count: int, rank: Bits | None) -> Registers:
        return self.x.tensor_memory.read(self.given["sp-meta-tmem"] + ((lane << LANE) + column), count, rank)
