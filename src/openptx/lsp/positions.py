"""Offsets of a file as positions of the protocol, which counts lines from 0 and columns in the client's code units."""

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


class Positions:
    """Converts positions of one file. `encoding` is the one negotiated by client and server."""

    def __init__(self, file: File, encoding: types.PositionEncodingKind) -> None:
        self.file = file
        self.codec, self.unit = _CODECS[encoding]
        self.plain = file.text.isascii()  # then a character is one code unit

    def position(self, offset: int) -> types.Position:
        """An offset as a position."""
        row = bisect_right(self.file.starts, offset) - 1
        start = self.file.starts[row]
        return types.Position(row, offset - start if self.plain else self._units(self.file.text[start:offset]))

    def range(self, span: Span) -> types.Range:
        """A span as a range."""
        return types.Range(self.position(span[0]), self.position(span[1]))

    def offset(self, position: types.Position) -> int:
        """A position as an offset; the nearest one if the file has no such position."""
        starts = self.file.starts
        if position.line >= len(starts):
            return len(self.file.text)
        start, line = starts[position.line], self.file.line(position.line + 1)
        return start + (
            min(position.character, len(line)) if self.plain else self._characters(line, position.character)
        )

    def span(self, range: types.Range) -> Span:
        """A range as a span."""
        return self.offset(range.start), self.offset(range.end)

    def _units(self, text: str) -> int:
        return len(text.encode(self.codec, "surrogatepass")) // self.unit

    def _characters(self, line: str, units: int) -> int:
        """The number of characters of a line that lie within this many code units."""
        for count, character in enumerate(line):
            units -= self._units(character)
            if units < 0:
                return count
        return len(line)
