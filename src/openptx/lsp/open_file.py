"""A file that is open in an editor: its lines, of which a change replaces a few."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from lsprotocol import types

from openptx.lsp.document import Document
from openptx.lsp.known import Known
from openptx.lsp.positions import Columns
from openptx.source import File

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


class OpenFile:
    """The lines of a file with their ends, and the `Document` of its current version once it is asked for.

    There is always a last line, which has no end. Typing changes one line; the text as a whole is needed only for a
    check.
    """

    def __init__(
        self, uri: str, version: int | None, text: str, encoding: types.PositionEncodingKind, target: str | None = None
    ) -> None:
        self.uri, self.version, self.target = uri, version, target
        self.columns = Columns(encoding)
        self.known = Known()
        self.seconds = 0.0  # that the last check took
        self._lines = _split(text)
        self._document: Document | None = None

    @property
    def document(self) -> Document:
        """The current version."""
        if self._document is None:
            starts = [0, *accumulate(map(len, self._lines[:-1]))]
            file = File(self.uri, "".join(self._lines), starts)
            self._document = Document(file, self.version, self.columns, self.known, self.target)
        return self._document

    def is_current(self, document: Document) -> bool:
        """Whether this document is the current version."""
        return self._document is document

    def change(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int | None) -> None:
        """Makes an editor's changes, each relative to the result of the previous ones."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                self._replace(self._place(change.range.start), self._place(change.range.end), change.text)
            else:
                self._lines = _split(change.text)
        self.version, self._document = version, None

    def _place(self, position: types.Position) -> tuple[int, int]:
        """A position as a line and a character in it; the nearest one if the file has no such position."""
        last = len(self._lines) - 1
        if position.line > last:
            return last, len(self._lines[last])
        line = self._lines[position.line].rstrip("\r\n")
        return position.line, self.columns.characters(line, position.character)

    def _replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replaces what stands between two places. The lines beside them are split again, too: a CR may come before a
        LF, or between two, so that these end one line or no longer do."""
        (first, before), (last, after) = start, end
        above = max(first - 1, 0)
        head = "".join(self._lines[above:first]) + self._lines[first][:before]
        tail = self._lines[last][after:] + "".join(self._lines[last + 1 : last + 2])
        lines = _split(head + text + tail)
        if last + 2 < len(self._lines):
            del lines[-1]  # the empty one after a line end
        self._lines[above : last + 2] = lines


def _split(text: str) -> list[str]:
    """The lines of a text with their ends; the last one has none, and may be empty."""
    lines = _LINE.findall(text)
    if len(lines) > 1 and lines[-2][-1:] not in ("\r", "\n"):
        del lines[-1]  # the pattern matches once more where the text ends
    return lines
