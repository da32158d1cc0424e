"""Marks of a statement that are too many, or stand in another one's place; a second check proves these edits."""

from __future__ import annotations

import re

from openptx.check.repairs.line_shapes import Rewritten
from openptx.patterns import pattern
from openptx.syntax.lexical import IDENTIFIER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import Span

_MARK = pattern(r"[;,:.\[\](){}<>|@%!\"'`#$&*=+?\\~^-]")
_LABEL = pattern(rf"\s*{IDENTIFIER}", re.A)
_REACH = 40
"""Characters before and after an error whose marks are edited."""
_MOST = 8
"""The most marks that are edited, the nearest to the error."""


def mark_edits(text: str, error: Span, line: Span) -> Iterator[Rewritten]:
    """A mark near an error removed, or written as another one, the nearest first."""
    near = max(line[0], error[0] - _REACH), min(line[1], error[1] + _REACH)
    comment = text.find("//", *line)
    end = comment if comment >= 0 else line[1]
    stripped = line[0] + len(text[line[0] : end].rstrip())
    found = [match.start() for match in _MARK.finditer(text, near[0], min(near[1], end))]
    for at in sorted(found, key=lambda at: max(error[0] - at, at - error[1], 0))[:_MOST]:
        mark = text[at]
        ends = (":",) if _LABEL.fullmatch(text, line[0], at) else (";",)
        for meant in ends if at + 1 == stripped else (",", "", " ", "."):
            if meant != mark:
                cause = f"`{mark}` stands where `{meant}` belongs" if meant.strip() else f"this `{mark}` is too many"
                yield Rewritten((at, at + 1), meant, cause)
