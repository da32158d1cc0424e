"""A file that is open in an editor, and the analysis of its current text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from lsprotocol import types

from openptx.check import resolve
from openptx.check.checked import CheckedModule
from openptx.check.symbols import Symbols
from openptx.diagnostics import Diagnostic
from openptx.source import File, Span
from openptx.syntax import tree

ROOM = 100_000
"""Characters that are checked again where a file is wrong: a quarter of what `openptx check` takes, since a person
waits."""
_CODECS = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
"""Of each encoding: Python's name, and the bytes of a code unit."""


class Positions:
    """Offsets of a file as positions of the protocol, which counts lines from 0 and columns in code units of the
    `encoding` that client and server have negotiated."""

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


class Document:
    """One version of a text. It is parsed and checked on the first request, and later requests use the results.

    A whole file is checked again at every change: 5,000 lines take the checker about 15 ms.
    """

    def __init__(
        self, uri: str, version: int | None, text: str, encoding: types.PositionEncodingKind, target: str | None = None
    ) -> None:
        self.uri = uri
        self.version = version
        self.file = File(uri, text)
        self.target = target
        self.encoding = encoding
        self.at = Positions(self.file, encoding)
        self._bodies: dict[Span, list[tree.Statement]] = {}

    def apply_changes(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int | None) -> Document:
        """The document after an editor's changes, each relative to the result of the previous ones."""
        document = self
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = document.at.span(change.range)
                text = document.file.text[:start] + text + document.file.text[end:]
            document = Document(self.uri, version, text, self.encoding, self.target)
        return document

    @cached_property
    def _checked(self) -> tuple[CheckedModule, list[Diagnostic]]:
        return resolve(self.file, self.target, room=ROOM)

    @property
    def module(self) -> CheckedModule:
        """The file as the checker represents it: its tree, its names."""
        return self._checked[0]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every finding, in text order."""
        return self._checked[1]

    @cached_property
    def symbols(self) -> Symbols:
        """The declarations and uses of names."""
        return Symbols(self.module)

    def body(self, function: tree.Function) -> list[tree.Statement]:
        """The statements of a function, which is parsed once."""
        known = self._bodies.get(function.span)
        if known is None:
            known = self._bodies[function.span] = function.statements
        return known
