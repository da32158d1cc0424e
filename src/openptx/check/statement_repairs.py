"""Looks for the fix of a syntax error in an instruction: the first edit of its neighbourhood that makes it correct."""

from __future__ import annotations

import re

from openptx.check.names.undeclared import LABEL_SLIP
from openptx.check.proof import works
from openptx.diagnostics import SAFE, Diagnostic, Fix
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import IDENTIFIER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.checked_function import CheckedFunction
    from openptx.check.names.scopes import Scope
    from openptx.check.problems import Problem
    from openptx.source import File

_COST = 20_000
"""What one attempt takes from the file's budget of suggestions: about as long as so many character comparisons."""
_LONGEST = 1000
"""Characters of a statement that is repaired."""
_FIRST_BLANK = pattern(rf"(?:@!?{IDENTIFIER}\s+)?[a-z]\w*(?:\.[\w:]+)*([ \t]+)(?=[a-z])", re.A)
_STARTS = pattern(r"(?<=[,\s])(?=[%$\w])")
_PAIRS = {"(": ")", "<": ">", "[": "]", "{": "}"}
_COMMAS = pattern(r"\s*[,;]")
_CLOSING = ("]", "}", ")")


def repaired(found: Diagnostic, statement: Span, checked: CheckedFunction, scope: Scope) -> Diagnostic:
    """The diagnostic of a syntax error with a fix, if it has none and one edit makes the statement correct."""
    text, suggestions = found.file.text, checked.module.suggestions
    if found.fix is not None or statement[1] - statement[0] > _LONGEST or not text.endswith(";", *statement):
        return found
    for fix in _edits(text, found.span, statement, removes=found.help is None):
        if not suggestions.spend(_COST):
            return found
        if works(fix, text, statement, set(), checked, scope):
            return found.advising(found.help, fix)
    return found


def _edits(text: str, error: Span, statement: Span, *, removes: bool) -> Iterator[Fix]:
    """Edits near an error, the likeliest first. `removes`: also those that leave something out."""
    start, end = error
    word, before = text[start:end], text[statement[0] : start].rstrip()
    last, tail = statement[0] + len(before), statement[1] - 1
    if joined := _FIRST_BLANK.match(text, *statement):
        yield Fix(joined.span(1), ".", "write a dot")
    yield from _brackets(text, error, statement)
    if word not in _CLOSING:
        yield Fix((last, last), ",", "write a comma")
    yield Fix((last, end), ",", "write a comma")
    if not removes:
        return
    yield Fix((last if text[end : end + 1] in (",", ";") else start, end), "", f"remove `{word}`")
    if before.endswith(","):
        yield Fix((last - 1, end), "", f"remove `, {word}`")
    if end < tail:
        yield Fix((last, tail), "", f"remove `{text[start:tail].strip()}`")


def _brackets(text: str, error: Span, statement: Span) -> Iterator[Fix]:
    """Edits that give an operand brackets of another kind, or the one that it lacks."""
    start, end = error
    opened = start if text[start] in _PAIRS else _unclosed(text, (statement[0], start))
    closed = text.find(_PAIRS[text[opened]], opened, statement[1]) if opened >= 0 else -1
    if closed >= 0:
        inner = text[opened + 1 : closed].strip()
        others = [f"{left}{inner}{_PAIRS[left]}" for left in "[{" if left != text[opened]]
        for meant in (*others, inner):
            yield Fix((opened, closed + 1), meant, f"write `{meant}`")
    if (unclosed := _unclosed(text, statement)) >= 0:
        right = _PAIRS[text[unclosed]]
        for comma in _COMMAS.finditer(text, unclosed, statement[1]):
            yield Fix((comma.start(), comma.start()), right, f"write `{right}`")
    if (word := text[start:end]) in _CLOSING:
        left = next(left for left, right in _PAIRS.items() if right == word)
        yield Fix(error, "", f"remove `{word}`")
        for match in reversed(list(_STARTS.finditer(text, statement[0], start))):
            yield Fix((match.start(), match.start()), left, f"write `{left}` before the first element")


def _unclosed(text: str, span: Span) -> int:
    """The last bracket that is open at the end of a span; -1 if there is none."""
    opened: list[int] = []
    for at in range(*span):
        if text[at] in _PAIRS:
            opened.append(at)
        elif opened and text[at] == _PAIRS[text[opened[-1]]]:
            opened.pop()
    return opened[-1] if opened else -1


_CONTINUED = pattern(r"[ \t]*(?=[%\[{0-9-])[^;\n]*;")


def ended_early(
    problem: Problem, instruction: Span, file: File, checked: CheckedFunction, scope: Scope
) -> tuple[Diagnostic, int] | None:
    """The error that a `;` stands where a comma belongs, and where the whole statement ends; `problem` is of its first
    part. None if the rest of the line does not complete the statement."""
    end = instruction[1]
    rest = _CONTINUED.match(file.text, end) if problem.about == "operand-count" else None
    if rest is None or not checked.module.suggestions.spend(_COST):
        return None
    span = end - 1, end
    fix = Fix(span, ",", "write a comma", SAFE)
    if not works(fix, file.text, (instruction[0], rest.end()), set(), checked, scope):
        return None
    message = "expected `,` after the operand, found `;`"
    return Diagnostic("syntax", message, file, span, "expected `,`", fix=fix), rest.end()


def label_slip(found: Diagnostic, function: Span) -> Diagnostic | None:
    """The error of a word alone in its line that should be a label, because the function uses it elsewhere; `found` is
    the syntax error there."""
    text = found.file.text
    line = LABEL_SLIP.match(text, text.rfind("\n", 0, found.span[0]) + 1)
    if line is None or line["written"] == line["name"]:
        return None
    branch = pattern(rf"\bbra(?:\.\w+)*\s+{re.escape(line['name'])}\s*;", re.A)
    if branch.search(text, *function) is None:
        return None
    meant, written = f"{line['name']}:", line["written"]
    return Diagnostic(
        "syntax", f"expected the label `{meant}`, found `{written}`", found.file, line.span("written"),
        "a label is a name and a colon", rule="PTX ISA, Statements (4.3)",
        fix=Fix(line.span("written"), meant, f"write `{meant}`"),
    )  # fmt: skip
