"""Where the `}` of a block that is never closed was probably lost."""

from __future__ import annotations

import re

from openptx.patterns import pattern
from openptx.syntax.lexical import IDENTIFIER, LETTER

_DECLARED = pattern(rf"\.(?:reg|param|local|shared)\b[^;{{}}]*?\s({IDENTIFIER}[^;{{}}]*);", re.A)
_NAME = pattern(rf"({IDENTIFIER})(<)?", re.A)


def lost_end(text: str, opened: int, end: int) -> int | None:
    """The end of the last statement of the block whose `{` is at `opened`; None if nothing tells where it is. What it
    declares is used in it only; else its indentation tells."""
    by_names = _end_of_use(text, opened + 1, end)
    return by_names if by_names is not None else _end_of_indented(text, opened, end)


def _end_of_use(text: str, start: int, end: int) -> int | None:
    """The end of the last statement that uses a name declared at a block's beginning, before another declares it."""
    declarations = list(_first_declarations(text, start, end))
    names = [_NAME.match(part.strip()) for each in declarations for part in each[1].split(",")]
    words = "|".join(re.escape(name[1]) + ("[0-9]+" if name[2] else "") for name in names if name is not None)
    if not words:
        return None
    at = declarations[-1].end()
    uses = re.compile(rf"(?<!{LETTER})(?:{words})(?!{LETTER})", re.A)
    declares = re.compile(rf"\.(?:reg|param|local|shared)\b[^;{{}}]*?\s(?:{words})(?!{LETTER})", re.A)
    again = declares.search(text, at, end)
    last = max((use.end() for use in uses.finditer(text, at, again.start() if again else end)), default=at)
    stop = text.find(";", last - 1, end)
    return stop + 1 if stop >= 0 else None


def _first_declarations(text: str, start: int, end: int) -> list[re.Match[str]]:
    """The declarations that a block begins with."""
    found: list[re.Match[str]] = []
    for match in _DECLARED.finditer(text, start, end):
        if text[found[-1].end() if found else start : match.start()].strip() and found:
            break
        found.append(match)
        if len(found) == _MOST:
            break
    return found


_MOST = 50
"""Declarations of a block that are looked at."""


def _end_of_indented(text: str, opened: int, end: int) -> int | None:
    """The end of the lines after a `{` that are indented deeper than its line."""
    line = text.rfind("\n", 0, opened) + 1
    margin = _column(text[line : opened + 1])
    at, last = text.find("\n", opened, end), None
    while 0 <= at < end:
        following = text.find("\n", at + 1, end)
        content = text[at + 1 : following if following >= 0 else end]
        if content.strip():
            if _column(content) <= margin:
                return last
            last = following if following >= 0 else end
        at = following
    return None


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())
