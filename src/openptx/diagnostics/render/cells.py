"""The width of a source line in terminal columns, and the column of each of its characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import category, combining, east_asian_width

TAB = 4
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
JOINERS = "\u200c\u200d"


class Cells:
    """A line as displayed: `text`, and `columns[i]`, the column (from 0) at which character `i` starts."""

    __slots__ = ("columns", "shown")

    def __init__(self, line: str) -> None:
        self.shown: Sequence[str] = line
        self.columns: Sequence[int] = range(len(line) + 1)
        if line.isascii() and line.isprintable():
            return
        self.shown, self.columns = [], [0]
        at = 0
        for character in line:
            text, width = _cell(character, at)
            at += width
            self.shown.append(text)
            self.columns.append(at)

    @property
    def text(self) -> str:
        """The line, with tabs expanded and without anything that would move the cursor."""
        return "".join(self.shown)

    @property
    def width(self) -> int:
        """Columns in all."""
        return self.columns[-1]

    def column(self, index: int) -> int:
        """Where character `index` starts; beyond the end, one column per missing character."""
        beyond = index - len(self.shown)
        return self.columns[index] if beyond <= 0 else self.columns[-1] + beyond

    def slice(self, left: int, right: int) -> str:
        """The text in the columns from `left` up to `right`."""
        return "".join(self.shown[bisect_left(self.columns, left) : bisect_right(self.columns, right) - 1])

    def next(self, column: int) -> int:
        """The first column, from this one on, at which a character starts or the line ends; 0 if the line is
        shorter."""
        at = bisect_left(self.columns, column)
        return self.columns[at] if at < len(self.columns) else 0


cells = lru_cache(maxsize=4)(Cells)
"""A line as displayed; memoised, because a long line may have many errors."""


def _cell(character: str, at: int) -> tuple[str, int]:
    """The displayed form of one character at column `at`, and its width."""
    if " " <= character < "\x7f":
        return character, 1
    if character == "\t":
        width = TAB - at % TAB
        return " " * width, width
    if character < " ":
        return chr(0x2400 + ord(character)), 1
    if combining(character) or character in JOINERS or category(character) in ("Mn", "Me"):
        return character, 0
    if category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return REPLACEMENT, 1
    return character, 2 if east_asian_width(character) in "WF" else 1
