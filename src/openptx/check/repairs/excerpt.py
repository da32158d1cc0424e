"""A file without the instructions that are correct, for checking it again and again: what is left keeps its place."""

from __future__ import annotations

import re
from collections.abc import Collection

from openptx.patterns import pattern
from openptx.syntax.lexical import IDENTIFIER

_GROUP = r"\{[^{}\n;\"/]*+\}"
_INSTRUCTION = (
    rf"(?:@!?{IDENTIFIER}[ \t]++)?[a-z]\w*+(?:\.[\w:]++)*+(?:[ \t]++[^:;{{}}\n\"/]*+(?:{_GROUP}[^:;{{}}\n\"/]*+)*+)?;"
)
_PLAIN = pattern(
    rf"[ \t]*+(?:{_INSTRUCTION}|\.loc\b[^;{{}}\n\"/]*+|\.b8 [\w,+. \t]*+|(?=//))[ \t]*+(?://[^\n]*+)?\r?", re.A
)
"""A line that is an instruction, a position in another file, debug information or a comment."""
_NEAR = 1
"""Lines before and after an error that are kept."""


def excerpt(text: str, rows: Collection[int]) -> str:
    """The text with blanks in the place of lines that hold an instruction, and are not near one of these rows (counted
    from 1): a mistake there has no consequences in them, and they take the most time of a check."""
    lines = text.split("\n")
    kept = {row + by for row in rows for by in range(-_NEAR - 1, _NEAR)}
    return "\n".join(
        line if number in kept or _PLAIN.fullmatch(line) is None else " " * len(line)
        for number, line in enumerate(lines)
    )
