"""The names of declarations with a syntax error: their uses are no further errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openptx.diagnostics import Diagnostic
from openptx.patterns import pattern
from openptx.syntax.lexical import WORD

MOST = 100
"""Syntax errors of a file that are looked at."""
_DECLARATION = pattern(
    r"(?:^|(?<=[;{}]))\s*(?:\.(?:visible|extern|weak|common|entry|func|align|register|[busf](?:8|16|32|64)|pred)\b"
    r"|\.?(?:reg|local|shared|param|global|const)\s*[.\s]"
    r"|\.\w+[ \t]+(?:\.align[ \t]+\w*[ \t]*)?\.(?:[busf](?:8|16|32|64)|pred)\b)",
    re.MULTILINE,
)
_OPENED = pattern(r"\)\s*\{")
_WORDS = pattern(rf"{WORD}<?", re.A)


def words(problems: Sequence[Diagnostic], text: str, end: int) -> set[str]:
    """The words of declarations before `end` that have one of these syntax errors; ranges with their `<`."""
    found: set[str] = set()
    for problem in problems[:MOST]:
        place = problem.span[0]
        if place < end:
            first = max(text.rfind(mark, 0, place) for mark in ";}") + 1
            last = min(at for mark in ";{" if (at := text.find(mark, problem.span[1])) >= 0 or (at := len(text)))
            starts = [each.start() for each in _DECLARATION.finditer(text, first, last) if each.start() <= place]
            if starts and _OPENED.search(text, starts[-1], place) is None:
                found.update(_WORDS.findall(text, starts[-1], last))
    return found
