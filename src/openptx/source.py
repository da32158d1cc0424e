"""A source file as text, spans as pairs of offsets into it, and their rows and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

Span = tuple[int, int]
"""Offsets (start, end) into `File.text`, half open."""

_LINE_END = re.compile(r"\r\n|\n|\r")


class File:
    """A named text. The line table is computed when the first row is needed, never while lexing."""

    __slots__ = ("__weakref__", "_starts", "name", "text")

    def __init__(self, name: str, text: str, starts: list[int] | None = None) -> None:
        self.name = name
        self.text = text
        self._starts = starts

    @property
    def starts(self) -> list[int]:
        """Offsets at which lines start. A line ends with LF, CR LF or a lone CR."""
        if self._starts is None:
            if "\r" in self.text:
                self._starts = [0, *(end.end() for end in _LINE_END.finditer(self.text))]
            else:  # faster
                lines = map(len, self.text.split("\n")[:-1])
                self._starts = list(accumulate(lines, lambda start, length: start + length + 1, initial=0))
        return self._starts

    def location(self, offset: int) -> tuple[int, int]:
        """Row and column of an offset, both from 1; the column counts code points."""
        starts = self.starts
        row = bisect_right(starts, offset)
        return row, offset - starts[row - 1] + 1

    def line(self, row: int) -> str:
        """The text of a row (from 1) without its line end; "" beyond the file."""
        starts = self.starts
        if not 1 <= row <= len(starts):
            return ""
        end = starts[row] if row < len(starts) else len(self.text)
        return self.text[starts[row - 1] : end].rstrip("\r\n")

    def origin(self, span: Span) -> tuple[File, Span]:
        """The file that a span of this text was written in, and its position there: a linked file has several."""
        return self, span

    def __repr__(self) -> str:
        return f"File({self.name!r}, {len(self.text)} characters)"
