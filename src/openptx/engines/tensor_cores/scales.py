"""Scales of rows and columns in a routine: their codes, and their decoded exponents and significands.

Each of sixteen rows, and of eight columns, has words of 32 bits: the codes of its scales; the exponent of each scale,
`BROKEN` for NaN; the significand of each, with three bits below the point. Words of one kind are contiguous for all
lines.
"""

from __future__ import annotations

from openptx.engines.tensor_cores.text import LANES, QUADS, Text
from openptx.numerics.matrix_product import MatrixProduct

BROKEN = 1 << 12
POINT = 3

FOUR = f"<{QUADS} x i32>"
OF_ROWS, OF_COLUMNS = 64, 32
"""Bytes of the words of one kind: for sixteen rows, for eight columns."""


def words_of(p: MatrixProduct) -> int:
    """The number of 32-bit words per line."""
    return 1 + 2 * p.scales if p.scale is not None else 0


class Scales:
    """The scales of a vector: its four rows' words from `rows` on, its four columns' from `columns` on."""

    def __init__(self, x: Text, p: MatrixProduct, rows: str, columns: str) -> None:
        self.x, self.p, self.rows, self.columns = x, p, rows, columns
        self._exponents: dict[int, str] = {}
        self._factors: dict[int, str] = {}

    def pair(self, word: int) -> tuple[str, str]:
        """A word of each row, and of each column, for all lanes."""
        x = self.x
        of_rows, of_columns = (
            x.load_at(FOUR, self.rows, word * OF_ROWS),
            x.load_at(FOUR, self.columns, word * OF_COLUMNS),
        )
        return (
            x.shuffle(FOUR, of_rows, "poison", [i // QUADS for i in range(LANES)]),
            x.shuffle(FOUR, of_columns, "poison", [i % QUADS for i in range(LANES)]),
        )

    def codes(self) -> tuple[str, str]:
        return self.pair(0)

    def exponent(self, i: int) -> str:
        """The exponent of the product of scales number `i`: above `BROKEN` / 2 if one is NaN."""
        if i not in self._exponents:
            self._exponents[i] = self.x.int("add", *self.pair(1 + i))
        return self._exponents[i]

    def factor(self, i: int) -> str:
        """The product of their significands."""
        if i not in self._factors:
            self._factors[i] = self.x.int("mul", *self.pair(1 + self.p.scales + i))
        return self._factors[i]
