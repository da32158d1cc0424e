"""Lines of a body that are no statement, with the cause: comments of other assemblers, labels with a word before them,
guards in other places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.diagnostics import SUGGESTION, Fix
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import IDENTIFIER

_COMMENT = "a comment begins with `//`"
_LABEL = "a label is a name and a colon"
_GUARD = "a guard stands directly before the opcode of its instruction"
_CONFLICT = "this is the mark of a conflict that a merge left"
_PATCH = "this is a line of a patch"
_OPERANDS = r"[^;{}\n]*?"

_NO_OPCODE = r"(?![a-z]\w*\.)"
LONGEST = 300
"""Characters of a line that is compared: the patterns may take quadratic time."""

_SHAPES = {
    # what a line holds                                                    how it is written  why
    pattern(r"(?:<{5,}|>{5,}|={5,}|\|{5,})(?:\s.*)?"):                       (r"",              _CONFLICT),
    pattern(r"@@ -[0-9,]+ \+[0-9,]+ @@.*"):                                 (r"",              _PATCH),
    pattern(rf"(?:label|\.label|lbl|\.)\s+({IDENTIFIER})\s*:?;?", re.I | re.A):  (r"\1:",           _LABEL),
    pattern(rf"({IDENTIFIER})\s+\1\s*:", re.A):                            (r"\1:",           _LABEL),
    pattern(rf"([a-z]{_OPERANDS})\s*,?\s*(@!?{IDENTIFIER})\s*;", re.A):    (r"\2 \1;",        _GUARD),
    pattern(rf"([a-z][\w.:]*)\s*(@!?{IDENTIFIER})\s*,?\s*({_OPERANDS};)", re.A): (r"\2 \1 \3",  _GUARD),
    pattern(rf"(@!?{IDENTIFIER})\s*[;:,.]\s*([a-z].*)", re.A):             (r"\1 \2",         _GUARD),
    pattern(rf"@(!?)\s*[({{\[]\s*(!?{IDENTIFIER})\s*[)}}\]]\s*(.*)", re.A): (r"@\1\2 \3",     _GUARD),
    pattern(r"(?:;+|--+|\*+|/|%+(?=\s)|\\)\s*" + _NO_OPCODE + "(.+)"):      (r"// \1",         _COMMENT),
    pattern(rf"({IDENTIFIER}\s*:)\s*;+\s*" + _NO_OPCODE + "(.*)", re.A):     (r"\1 // \2",      _COMMENT),
    pattern(r"(.*?;)[\s;]*" + _NO_OPCODE + "([^;@]*[A-Za-z][^;@]*)"):           (r"\1 // \2",      _COMMENT),
}  # fmt: skip


def prototype_last(text: str, line: Span) -> Iterator[Rewritten]:
    """The prototype or targets of an indirect call after its arguments."""
    if (match := _EARLY.search(text, *line)) is not None:
        meant = f"{match[2]}, {match[1]}"
        yield Rewritten(
            (match.start(1), match.end()),
            meant,
            f"`{match[1]}` stands before the arguments of the call, not after them",
        )


_EARLY = pattern(rf"(?<=,)\s*+({IDENTIFIER})\s*,\s*(\([^();]*\))(?=\s*;)", re.A)


def nested_comment(text: str, start: int) -> Iterator[Rewritten]:
    """The end of a comment inside of another one, before an error that stands between the two ends."""
    end = text.rfind("*/", 0, start + 1)
    inner = text.rfind("/*", 0, max(end, 0))
    outer = text.rfind("/*", 0, max(inner, 0))
    if outer >= 0 and text.find("*/", outer) == end and text.find("*/", end + 2) >= 0:
        cause = "the comment ends at this `*/`: comments are not nested"
        yield Rewritten((end, end + 2), "", cause)


def line_end(text: str, start: int) -> int:
    """The end of the line that holds a place."""
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


class Rewritten(Fix):
    """A line as it is written, and the cause of its error, which says more than what the parser expected."""

    __slots__ = ("cause",)

    def __init__(self, span: Span, meant: str, cause: str) -> None:
        super().__init__(span, meant, f"write `{meant.strip()}`" if meant.strip() else "remove it", SUGGESTION)
        self.cause = cause


def in_body(text: str, line: Span) -> Iterator[tuple[Span, str, str]]:
    """The line of an error as what it resembles, and why it is written so."""
    if line[1] - line[0] > LONGEST:
        return
    words = text[slice(*line)]
    stripped = words.strip()
    start = line[0] + len(words) - len(words.lstrip())
    for shape, (meant, why) in _SHAPES.items():
        if (match := shape.fullmatch(stripped)) is not None:
            yield (start, start + len(stripped)), match.expand(meant), why
