"""Matrix products of fragments: registers are stored in the layout of a routine, and its results loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.scope import Scope
from openptx.engines.tensor_cores.library import PREFIX
from openptx.engines.tensor_cores.routine import COLUMNS, ELEMENTS
from openptx.engines.tensor_cores.staging import WORDS
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct

ALIGN = 64
REGISTER = 4 * N
"""Bytes of one register of all lanes."""

WORD = vector_type(32)
HALVES = 2
"""Rows g and g + 8 of sixteen."""


class MatrixProducts:
    def __init__(self, scope: Scope) -> None:
        self.scope, self.x, self.ir = scope, scope.x, scope.x.ir
        self._rooms: dict[tuple[str, int], str] = {}

    def call(self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile) -> Tile:
        keys = self.scope.tables.products
        if p.key not in keys:
            keys.append(p.key)
        chunks = p.words // WORDS
        groups = len(b) // chunks
        at_b = self.store_fragment("b", b)
        d: list[tuple[Bits, ...]] = []
        for i in range(0, len(addends), HALVES):
            first = i * chunks
            d += self.sixteen_rows(p, a[first : first + HALVES * chunks], at_b, addends[i : i + HALVES], groups)
        return tuple(d)

    def sixteen_rows(self, p: MatrixProduct, a: Sequence[Bits], b: str, addends: Tile, groups: int) -> Tile:
        order = [
            (h, group * 2 + j) for group in range(groups) for h in range(HALVES) for j in range(ELEMENTS // HALVES)
        ]
        at_a = self.store_fragment("a", a)
        at_c = self.store_fragment("c", [addends[h][j] for h, j in order])
        self.ir.line(f"call void @{PREFIX}{p.key}(ptr {at_a}, ptr {b}, ptr {at_c}, ptr {at_c}, i64 {groups})")
        d: list[list[Bits]] = [[*line] for line in addends]
        for i, (h, j) in enumerate(order):
            found = self.x.bits(self.ir.load(WORD, self.ir.field(at_c, i * REGISTER), ALIGN), 32)
            d[h][j] = self.x.resize(found, p.width)
        return tuple(tuple(line) for line in d)

    def store_fragment(self, what: str, registers: Sequence[Bits]) -> str:
        """The pointer to a stored fragment."""
        room = self.room(what, len(registers))
        for i, register in enumerate(self.words(registers)):
            self.ir.store(WORD, register, self.ir.field(room, i * REGISTER), ALIGN)
        return room

    def words(self, registers: Iterable[Bits]) -> list[str]:
        return [self.x.vector(self.x.resize(register, 32)) for register in registers]

    def room(self, what: str, count: int) -> str:
        """Memory in the function's frame. All products with matrices of this size share it."""
        found = self._rooms.get((what, count))
        if found is None:
            text = f"alloca [{count} x {WORD}], align {ALIGN}"
            found = self._rooms[what, count] = self.ir.first(text)
        return found


assert COLUMNS * 16 == ELEMENTS * N
