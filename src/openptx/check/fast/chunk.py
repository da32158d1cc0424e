"""A part of a body as rows of texts."""

from __future__ import annotations

import re
from itertools import islice

from openptx.syntax.row_lexer import ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import File

    Row = tuple[str, ...]

SIZE = 30_000
"""About how many characters are read in one go: rows take twenty times their memory."""


class Chunk:
    """A part of a body that is read in one go, as rows. `inner`: it is the inside of a block."""

    __slots__ = ("begin", "end", "file", "inner", "matched", "matches", "rows")

    def __init__(self, file: File, begin: int, end: int, *, inner: bool = False) -> None:
        self.file, self.begin, self.end, self.inner = file, begin, end, inner
        self.rows: list[Row] = ROWS.findall(file.text, begin, end)
        self.matches: Iterator[re.Match[str]] | None = None  # the rows with their places, once they are asked for
        self.matched = 0  # how many of them have been asked for

    def match(self, number: int) -> re.Match[str]:
        """The row of this number with its place: found again, in the order of the text, since few are asked for."""
        if self.matches is None:
            self.matches = ROWS.finditer(self.file.text, self.begin, self.end)
        match = next(islice(self.matches, number - self.matched, None))
        self.matched = number + 1
        return match
