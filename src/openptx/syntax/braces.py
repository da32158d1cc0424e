"""Finds where the body of a function ends, also where braces were forgotten."""

from __future__ import annotations

import re

from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.source import File, Span
from openptx.syntax.statements import BRACE, DIRECTIVE, HEADER, INSTRUCTION, LABEL, STATEMENT

# A group that holds no other is stepped over whole, like comments and strings.
_BRACES = re.compile(r'(?>[^{}"/]++|\{[^{}"/]*+\}|//[^\n]*+|/\*(?>[^*]+|\*(?!/))*\*/|"[^"\n]*+"?|/)*+([{}]?)')
_DECLARED = re.compile(r"\.func\b.*;", re.S)  # a function can be declared inside a body, but not have one
_NEXT = re.compile(r"\.(?:entry|func|section)\b")


class Body:
    """Where a body ends: `span` is what it holds, `end` is behind its closing brace, `problem` why it is `broken`."""

    __slots__ = ("end", "problem", "span")

    def __init__(self, span: Span, end: int, problem: Diagnostic | None = None) -> None:
        self.span, self.end, self.problem = span, end, problem


def body(file: File, name: str, opened: Span) -> Body:
    """The body whose `{` is at `opened` (an empty span where it was forgotten)."""
    text, start = file.text, opened[1]
    close = closing(text, start)
    if close is None or _NEXT.search(text, start, close):
        following = _following(text, start, len(text) if close is None else close)
        if following is not None or close is None:
            return _unclosed(file, name, opened, following)
    if (again := _goes_on(text, close + 1)) is None:
        return Body((start, close), close + 1)
    return _closed_early(file, name, opened, close, again)


def closing(text: str, start: int) -> int | None:
    """The offset of the `}` that closes what is open at `start`."""
    depth = 1
    for match in _BRACES.finditer(text, start):
        brace = match[1]
        if not brace:
            return None
        depth += 1 if brace == "{" else -1
        if not depth:
            return match.start(1)
    return None


def _following(text: str, start: int, end: int) -> int | None:
    """Where between these offsets the next function or section begins: neither can stand inside a body."""
    for match in STATEMENT.finditer(text, start, end):
        if match.lastindex == HEADER and not _DECLARED.search(match[11]):
            return match.end(1)
        if match.lastindex == DIRECTIVE and match[12].startswith(".section"):
            return match.end(1)
    return None


def _goes_on(text: str, start: int) -> int | None:
    """Where an instruction or a label stands right behind a body: it can't stand outside of one."""
    match = STATEMENT.match(text, start)
    return match.end(1) if match and match.lastindex in (INSTRUCTION, LABEL) else None


def _unclosed(file: File, name: str, opened: Span, following: int | None) -> Body:
    end = len(file.text) if following is None else following
    labels = () if following is None else (Label((following, following + 1), "what follows can't be inside a body"),)
    message = f"the body of `{name}` is never closed"
    place = opened if opened[0] < opened[1] else (max(opened[0] - 1, 0), opened[0])
    fix = Fix((end, end), "}\n", "close the body")
    problem = Diagnostic("unclosed-brace", message, file, place, "opened here", labels=labels, fix=fix)
    return Body((opened[1], end), end, problem)


def _closed_early(file: File, name: str, opened: Span, close: int, again: int) -> Body:
    """More statements follow the brace that ends the body: a `{` was forgotten inside, or that `}` is too many."""
    message = f"this `}}` ends the body of `{name}`, but statements follow"
    label = Label((again, again + 1), "this is outside of every function")
    problem = Diagnostic("unmatched-brace", message, file, (close, close + 1), "one `}` too many", labels=(label,))
    limit = _following(file.text, again, len(file.text))
    end = len(file.text) if limit is None else limit
    last = again
    for match in STATEMENT.finditer(file.text, again, end):
        if match.lastindex == BRACE and match[6] == "}":
            last = match.end()
    return Body((opened[1], last), last, problem)
