"""The copy of `tcgen05.cp`: rows of chunks, described by a matrix descriptor, to lanes of tensor memory (9.7.16.9)."""

from __future__ import annotations

from functools import partial

from openptx.isa.semantics.matrix.descriptors import Keyed, Shared
from openptx.isa.semantics.matrix.shared import CHUNK
from openptx.isa.semantics.matrix.tensor import ranks, unpack_elements
from openptx.isa.semantics.tensor_memory import LANE, LANES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

    Line = TypeVar("Line", int, Bits)

MODE = 61  # first bit of the swizzling mode in a matrix descriptor


class Copied(Keyed):
    """`rows` rows of `chunks` chunks each; elements of `width` bits are widened to bytes, unless it is 0. `paired`:
    both warps of a pair get a row; `apart`: each row goes to one warp."""

    __slots__ = ("apart", "chunks", "ctas", "paired", "rows", "width")

    def __init__(self, rows: int, chunks: int, width: int, ctas: int, *, paired: bool, apart: bool) -> None:
        self.rows, self.chunks, self.width, self.ctas = rows, chunks, width, ctas
        self.paired, self.apart = paired, apart

    def lanes_of(self, row: Line) -> list[Line]:
        """The lanes that a row is copied to: in every warp that the document names or, for four rows, in one warp
        each."""
        if self.apart:
            return [row << 5]
        if self.paired:
            first = (row & 31) + (row >> 5 << 6)
            return [first, first + 32]
        return [row + at for at in range(0, LANES, self.rows)]

    def words(self, x: Machine, matrix: Shared, row: Line) -> tuple[Bits, ...]:
        """The words that a row becomes."""
        found: list[Bits] = []
        for k in range(self.chunks):
            words = matrix.along(row, k)
            if self.width:
                bytes = unpack_elements(x, words, self.width, 2 if self.width == 4 else 0)
                words = tuple(x.join(bytes[i : i + 4]) for i in range(0, CHUNK, 4))
            found += words
        return tuple(found)

    def copy(self, x: Machine, mode: int, address: Bits, code: Bits) -> None:
        """Copies one chunk after another; every CTA of a pair gets the data of its own shared memory."""
        for rank in ranks(x, self.ctas):
            matrix = Shared(x, code, mode, rank)
            for row in range(self.rows):
                words = self.words(x, matrix, row)
                for lane in self.lanes_of(row):
                    x.tensor_memory.write(address + (lane << LANE), words, rank)

    def by_cases(self, x: Machine, address: Bits, code: Bits) -> None:
        """Performs the copies of all executing lanes."""
        x.cases(x.resize(code >> MODE, 32), partial(self.copy, x), x.resize(address, 32), code)
