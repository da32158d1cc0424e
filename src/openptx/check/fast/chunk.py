"""Chunks: parts of a body that are read at once, as rows."""

from __future__ import annotations

import re
from itertools import islice

from openptx.patterns import pattern
from openptx.syntax.lexical import COMMENT, OPEN_STRING
from openptx.syntax.row_lexer import ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import File

    Row = tuple[str, ...]

_SIZE = 30_000
"""About how many characters are read in one go: rows take twenty times their memory."""
_CUT = pattern(r";\r?\n")
_HIDING = pattern(rf"{COMMENT}|{OPEN_STRING}")
"""What may contain a `;` that ends no statement."""


def chunk_end(text: str, offset: int, end: int) -> int:
    """Where a chunk ends that begins between two statements: after a `;` that ends one."""
    cut = _CUT.search(text, offset + _SIZE, min(end, offset + 2 * _SIZE))
    if cut is not None:
        return cut.end()
    stop = text.find(";", offset + _SIZE, end) + 1
    while stop:
        begun = max((match.span() for match in _HIDING.finditer(text, offset, stop)), default=(0, 0))
        if begun[1] < stop or (whole := _HIDING.match(text, begun[0], end)) is None:
            return stop
        offset = whole.end()
        stop = text.find(";", offset, end) + 1
    return end


class Chunk:
    """A part of a body that is read in one go, as rows. `inner`: it is the inside of a block."""

    __slots__ = ("begin", "end", "file", "inner", "last", "matched", "matches", "rows")

    def __init__(self, file: File, begin: int, end: int, *, inner: bool = False) -> None:
        self.file, self.begin, self.end, self.inner = file, begin, end, inner
        self.rows: list[Row] = ROWS.findall(file.text, begin, end)
        self.matches: Iterator[re.Match[str]] | None = None  # the rows with their places, once they are asked for
        self.matched = 0  # how many of them have been asked for
        self.last: re.Match[str] | None = None

    def match(self, number: int) -> re.Match[str]:
        """The row of this number with its place: found again, in the order of the text, since few are asked for."""
        if self.matches is None:
            self.matches = ROWS.finditer(self.file.text, self.begin, self.end)
        if self.last is None or number >= self.matched:
            self.last = next(islice(self.matches, number - self.matched, None))
            self.matched = number + 1
        return self.last
