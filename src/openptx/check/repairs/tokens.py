"""Tokens of a line that stand in each other's place, and the number that a range of registers lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import IDENTIFIER, LETTER

PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
"""Brackets, the likeliest first."""
_TOKEN = pattern(rf"{IDENTIFIER}|\.?\w+|::|[^\s\w]", re.A)
_REACH = 400
"""Characters before and after an error whose tokens are exchanged."""
_RANGE = pattern(rf"({IDENTIFIER})<[^0-9<>;]*+>", re.A)

_ARRAY = pattern(rf"\.reg\s[^;\n]*?\s({IDENTIFIER})[\[({{]([0-9]++)[\])}}]", re.A)


def exchanged(text: str, error: Span, line: Span) -> Iterator[tuple[Span, str]]:
    """Neighbouring tokens at an error exchanged, the nearest to it first."""
    near = max(line[0], error[0] - _REACH), min(line[1], error[1] + _REACH)
    tokens = [match.span() for match in _TOKEN.finditer(text, *near)]
    at = next((i for i, (_, end) in enumerate(tokens) if end > error[0]), len(tokens))
    for i in (at, at - 1, at + 1, at - 2):
        if 0 <= i < len(tokens) - 1:
            (start, a), (b, end) = tokens[i : i + 2]
            if text[start:a] != text[b:end]:
                yield (start, end), text[b:end] + text[a:b] + text[start:a]


def lacking_count(text: str, line: Span) -> Iterator[tuple[Span, str]]:
    """The number of registers of a range, between its brackets: that before them, or one for all that are used."""
    if (match := _RANGE.search(text, *line)) is not None:
        name = match[1].rstrip("0123456789")
        if name != match[1]:
            yield match.span(), f"{name}<{match[1][len(name) :]}>"
        used = re.findall(rf"(?<!{LETTER}){re.escape(name)}([0-9]{{1,9}})(?!{LETTER})", text[line[1] :], re.A)
        yield match.span(), f"{name}<{max(map(int, used), default=0) + 1}>"
    if (match := _ARRAY.search(text, *line)) is not None:
        yield (match.start(1), match.end()), f"{match[1]}<{match[2]}>"
