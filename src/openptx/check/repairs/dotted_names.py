"""Names with dots, as LLVM and other assemblers have them: all places of one are one error, whose fix renames it."""

from __future__ import annotations

import re
from bisect import bisect_right

from openptx.diagnostics import Diagnostic
from openptx.diagnostics.kinds import DOTTED_NAME
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.lexical import IDENTIFIER, LETTER

_DOTTED = pattern(rf"(?<!{LETTER})(?<![%.]){IDENTIFIER}(?:\.{LETTER}++)++", re.A)
_OF_PARAMETER = "_param_"
"""What compilers append to the name of a function for those of its parameters."""


def with_uses(file: File, found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings; each declared name with dots has one, with all its places, whose other errors are left out."""
    declared: dict[str, Diagnostic] = {}
    for each in sorted(found, key=lambda each: each.span):
        if each.kind == DOTTED_NAME:
            declared.setdefault(file.text[slice(*each.span)], each)
    if not declared:
        return found
    places: dict[str, list[Span]] = {}
    for match in _DOTTED.finditer(file.text):
        function = match[0].rpartition(_OF_PARAMETER)[0]
        name = function if function in declared else match[0]
        if name in declared:
            places.setdefault(name, []).append((match.start(), match.start() + len(name)))
    joined = {
        id(error): error.with_locations(tuple(span for span in places[name] if span != error.span))
        for name, error in declared.items()
        if name in places
    }
    spans = sorted(span for each in places.values() for span in each)
    starts = [start for start, _ in spans]

    def is_use(error: Diagnostic) -> bool:
        number = bisect_right(starts, error.span[1]) - 1
        return number >= 0 and error.severity == "error" and error.span[0] <= spans[number][1]

    return [joined.get(id(each), each) for each in found if id(each) in joined or not is_use(each)]
