"""Edits of lost, doubled and mistaken braces; a second check proves them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from openptx.check.repairs.line_shapes import Rewritten, line_end
from openptx.diagnostics import SUGGESTION, Diagnostic, Fix, Label
from openptx.diagnostics.kinds import BLOCK, FOLLOWING, LOST_BRACE
from openptx.patterns import pattern

_AFTER_OPERAND = pattern(r"[ \t]*\}(?=[ \t]*(?://[^\n]*)?$)", re.M)
_DECLARATIONS = pattern(r"(?:^[ \t]*\.(?:reg|param|shared|local)\b[^;\n]*;[^\n]*\n)+", re.M)
_OPENING = pattern(r"\{\s*\Z")
_OF_MODULE = pattern(r"^\.(?:extern|visible|weak|common|func|alias)\b", re.M)
_MOST = 3
"""Declarations before which a brace is tried."""
_DOUBLED = pattern(r"(?:\A|\n)([ \t]*)\}\s*\Z")
_BRACES = pattern(r"[ \t]*\}(?:[ \t]*\})+[ \t]*")
_ENDED = pattern(r"\)[^;{}()\"]*(;)")
"""The end of a header, at its last mark."""
_NEAR = 200
_REACH = 1 << 14
"""Characters before a `}` among which the beginning of its block is looked for."""


def brace_edits(error: Diagnostic) -> Iterator[Fix]:
    """Edits for a brace that is too many or too few, the likeliest first."""
    text, (start, end) = error.file.text, error.span
    if error.name == "missing-semicolon":
        if (brace := _AFTER_OPERAND.match(text, start) or _AFTER_OPERAND.match(text, end)) is not None:
            yield Fix(brace.span(), ";", "write `;`", SUGGESTION)
    elif error.name == "unclosed-brace":
        yield from _closings(error)
    else:
        line = text.rfind("\n", 0, start) + 1
        whole = (line, end + 1) if text[line:end].strip() == "}" and text[end : end + 1] == "\n" else (start, end)
        remove = Fix(whole, "", "remove this `}`", SUGGESTION)
        if text[line:end].strip() == "}}":
            yield Fix((start, end), "", "remove one `}`", SUGGESTION)
        if (braces := _BRACES.fullmatch(text, line, line_end(text, end))) is not None:
            yield Fix(braces.span(), "", f"remove `{braces[0].strip()}`", SUGGESTION)
        doubled = _DOUBLED.search(text, max(0, start - _NEAR), start)
        if doubled is not None and doubled[1] == text[line:start]:
            yield remove
        yield from _openings(text, error)
        yield remove


def _closings(error: Diagnostic) -> Iterator[Fix]:
    """A `}` before what can't be inside a body; the block's `{` removed."""
    text = error.file.text
    places = [label.span[0] for label in error.labels if label.kind == FOLLOWING]
    for label in error.labels[:1]:  # where the body begins; declarations of functions may stand before what follows
        declared = _OF_MODULE.finditer(text, label.span[0], places[0] if places else len(text))
        places += [match.start() for match in islice(declared, _MOST)]
    for place in (*places, len(text)):
        last = len(text[:place].rstrip())
        yield Fix((last, last), "\n}", "close it", SUGGESTION)
    for label in error.labels:
        if label.kind == BLOCK:
            yield Rewritten(label.span, "(", "`{` stands where `(` belongs")
            yield Fix(label.span, "", "remove this `{`", SUGGESTION)


def _openings(text: str, error: Diagnostic) -> Iterator[Fix]:
    """A `{` where a block may begin: where the indentation tells, and before the last declarations that do not begin
    the body."""
    for label in error.labels:
        if label.kind == LOST_BRACE:
            yield Fix((label.span[0], label.span[0]), "{ ", "write `{`", SUGGESTION)
    end = error.span[0]
    first = max(0, end - _REACH, text.rfind("}", 0, end))
    runs = [match.start() for match in _DECLARATIONS.finditer(text, first, end)]
    start = next((each for each in runs if _OPENING.search(text, max(0, each - _NEAR), each) is None), None)
    if start is not None:
        yield Fix((start, start), "{\n", "write `{`", SUGGESTION)


def body_opened(text: str, start: int) -> Iterator[Rewritten]:
    """The `;` of the header before `start` as the `{` of a body."""
    for match in deque(_ENDED.finditer(text, max(0, start - _REACH), start), 1):
        yield Rewritten(match.span(1), "{", "`;` stands where the `{` of this body belongs")


def move_to_fix(error: Diagnostic, fix: Fix | None) -> Diagnostic:
    """The error of a brace that is missing, at the place where its fix writes it."""
    brace = fix.replacement.strip() if fix is not None and error.name in ("unclosed-brace", "unmatched-brace") else ""
    if fix is None or brace not in ("{", "}"):
        return error
    start, text = fix.span[0], error.file.text
    if brace == "}":
        place, message = (max(start - 1, 0), start), error.message.replace("a block in", "a block, or")
        return Diagnostic(
            error.name, message, error.file, place, "expected `}` after this", labels=error.labels, help=error.help
        )
    start += len(text[start:]) - len(text[start:].lstrip())
    message = "the `{` of this block is missing"
    return Diagnostic(
        error.name, message, error.file, (start, start + 1), "expected `{` before this",
        labels=(Label(error.span, "its `}`"),),
    )  # fmt: skip
