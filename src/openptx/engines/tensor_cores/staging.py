"""Decoded fragments of a and b, laid out so that a vector of products needs no shuffle.

A vector has the results of lanes 4g + t in the layout of the fragment of d: rows `g` of a quarter of the sixteen, and
of eight columns those with number 2t + `parity`. So a row's element is in four lanes, and the four columns' elements
are stored contiguously once, and loaded by all groups of lanes.
"""

from __future__ import annotations

from openptx.engines.tensor_cores.elements import PAIRS, Exponents, doubled, integers, value
from openptx.engines.tensor_cores.text import INT, LANES, QUADS, Text
from openptx.numerics.matrix_product import MatrixProduct

QUARTERS = 4
"""Vectors per sixteen rows of four lanes: eight rows in each register of a fragment."""

WORDS = 4
"""Words of a line per register of a fragment."""

VECTOR, QUAD = 64, 16
"""Bytes of a vector, and of what four lanes have."""


class StagedWords:
    """Layers of words: an array for a, [layer][word][quarter], and one for b, [layer][word][parity][t].

    `groups` is the number of groups of eight columns that fit, one after another; `b` points to one of them.
    """

    def __init__(self, x: Text, p: MatrixProduct, groups: int = 1) -> None:
        self.x, self.p = x, p
        self.exponents = Exponents(p.f.width) if p.d is not None and not p.blocked else None
        self.layers = p.elements + 1 if self.exponents is not None else PAIRS if p.blocked else 2
        self.a = x.array(self.layers * p.words * QUARTERS)
        self.size_of_b = self.layers * p.words * 2 * QUAD
        self.b = self.all_b = x.array(groups * self.size_of_b // VECTOR)

    def of_group(self, group: str) -> str:
        """The position at which the columns of a group are staged."""
        return self.x.field(self.all_b, self.x.emit(f"mul i64 {group}, {self.size_of_b}"))

    def decode(self, words: str, left: bool) -> list[str]:
        """The layers of words: exponents and one per element, or pairs of 16-bit integers."""
        x, p = self.x, self.p
        f = p.f if left else p.g
        if p.blocked:
            return [doubled(x, words, i) for i in range(PAIRS)]
        if self.exponents is None:
            return [*integers(x, f, words)]
        values = [x.bits(value(x, f, words, i)) for i in range(p.elements)]
        return [self.exponents.of(x, f, words), *values]

    def stage_rows(self, a: str) -> None:
        """Stages the rows, once for all columns."""
        x = self.x
        with x.loop(self.p.words // WORDS * QUARTERS) as i:  # for each four words of a line, each quarter of the rows
            words = x.load_at(INT, a, x.emit(f"mul i64 {i}, {VECTOR}"))
            chunk, quarter = x.emit(f"lshr i64 {i}, 2"), x.emit(f"and i64 {i}, {QUARTERS - 1}")
            to = x.field(self.a, x.emit(f"mul i64 {chunk}, {self.place_of_a(0, WORDS)}"))
            to = x.field(to, x.emit(f"mul i64 {quarter}, {VECTOR}"))
            for layer, found in enumerate(self.decode(words, True)):
                for t in range(WORDS):
                    x.store_at(INT, x.replicated(found, t), to, self.place_of_a(layer, t), VECTOR)

    def right(self, b: str) -> None:
        """Stages eight columns."""
        x, p = self.x, self.p
        for chunk in range(p.words // WORDS):
            halves = [self.decode(x.load_at(INT, b, (2 * chunk + h) * VECTOR), False) for h in (0, 1)]
            for layer, (low, high) in enumerate(zip(*halves, strict=True)):
                for t in range(0, WORDS, 2):
                    order = [
                        WORDS * (2 * k + parity) + t + i for i in (0, 1) for parity in (0, 1) for k in range(QUADS)
                    ]
                    where = self.place_of_b(layer, chunk * WORDS + t)
                    x.store_at(INT, x.shuffle(INT, low, high, order), self.b, where, VECTOR)

    def place_of_a(self, layer: int, word: int) -> int:
        return (layer * self.p.words + word) * QUARTERS * VECTOR

    def place_of_b(self, layer: int, word: int) -> int:
        return (layer * self.p.words + word) * 2 * QUAD

    def pair(self, layer: int, word: int, rows: str, columns: str, t: str = INT) -> tuple[str, str]:
        """A word of each row and of each column. `rows` points to a quarter of a, `columns` to a parity of b."""
        x, one = self.x, t.rpartition(" ")[2][:-1]
        a = x.load_at(t, rows, self.place_of_a(layer, word), VECTOR)
        b = x.load_at(f"<{QUADS} x {one}>", columns, self.place_of_b(layer, word), QUAD)
        everywhere = x.shuffle(f"<{QUADS} x {one}>", b, "poison", [i % QUADS for i in range(LANES)])
        return a, everywhere
