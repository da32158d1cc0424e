"""Positions of the protocol: lines from 0, and columns in code units of the encoding that was negotiated."""

from __future__ import annotations

from bisect import bisect_right

from lsprotocol import types

from openptx.source import File, Span

_CODECS = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
"""Of each encoding: Python's name, and the bytes of a code unit."""


class Columns:
    """Columns of a line as characters, and as code units of an encoding."""

    def __init__(self, encoding: types.PositionEncodingKind) -> None:
        self.codec, self.unit = _CODECS[encoding]

    def units(self, text: str) -> int:
        """The number of code units of a text."""
        return len(text) if text.isascii() else len(text.encode(self.codec, "surrogatepass")) // self.unit

    def characters(self, line: str, units: int) -> int:
        """The number of characters of a line that lie within this many code units."""
        if line.isascii():
            return min(units, len(line))
        for count, character in enumerate(line):
            units -= self.units(character)
            if units < 0:
                return count
        return len(line)


class Positions:
    """Offsets of a file as positions."""

    def __init__(self, file: File, columns: Columns) -> None:
        self.file, self.columns = file, columns

    def position(self, offset: int) -> types.Position:
        """An offset as a position."""
        row = bisect_right(self.file.starts, offset) - 1
        return types.Position(row, self.columns.units(self.file.text[self.file.starts[row] : offset]))

    def range(self, span: Span) -> types.Range:
        """A span as a range."""
        return types.Range(self.position(span[0]), self.position(span[1]))

    def offset(self, position: types.Position) -> int:
        """A position as an offset; the nearest one if the file has no such position."""
        starts = self.file.starts
        if position.line >= len(starts):
            return len(self.file.text)
        line = self.file.line(position.line + 1)
        return starts[position.line] + self.columns.characters(line, position.character)

    def span(self, range: types.Range) -> Span:
        """A range as a span."""
        return self.offset(range.start), self.offset(range.end)
