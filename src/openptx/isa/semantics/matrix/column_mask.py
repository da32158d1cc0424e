"""The descriptor of a mask of columns of b that count as zeros, for `tcgen05.mma.ws` (9.7.16.4.3, Table 45)."""

from __future__ import annotations

from openptx.isa.semantics.matrix.descriptors import Shape

MOST = {32: 16}
"""By the number of rows, the maximum shift of columns; 32 elsewhere."""


class ColumnMask:
    """Which columns of b a product takes, and which of them are zeros.

    According to the manual's text `skip span` counts the columns that are used, according to its examples `use span`
    does. The examples agree with each other, so runs of zeros in the mask have the length `use span`.
    """

    def __init__(self, code: int, shape: Shape) -> None:
        def field(low: int, width: int) -> int:
            return code >> low & (1 << width) - 1

        parts = 128 // shape.rows
        self.shift = field(56, 6)
        self.wrong = "" if self.shift <= MOST.get(shape.rows, 32) else f"shifts {self.shift} columns"
        self.zeros: list[bool] = []
        spans = field(48, 8) + 1, field(40, 8) + 1  # runs of used columns, runs of skipped columns
        for i in range(parts):
            start, first = field(8 * i, 8), bool(field(32 + i, 1))
            for column in range(start, start + shape.columns // parts):
                at = column % sum(spans)
                masked = at < spans[1] if first else at >= spans[0]
                self.zeros.append(masked and bool(field(39, 1)))
