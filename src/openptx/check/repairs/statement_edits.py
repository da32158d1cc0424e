"""Looks for the fix of a syntax error in an instruction: the first edit of its neighbourhood that makes it correct."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.check.checked import CheckedFunction
from openptx.check.names.scopes import Scope
from openptx.check.proof import works
from openptx.check.repairs.tokens import PAIRS, exchanged
from openptx.diagnostics import Diagnostic, Fix
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import IDENTIFIER, LETTER

COST = 20_000
"""What one attempt takes from the file's budget of suggestions: about as long as so many character comparisons."""
_LONGEST = 1000
"""Characters of a statement that is repaired."""
_FIRST_BLANK = pattern(rf"(?:@!?{IDENTIFIER}\s+)?[a-z]\w*(?:\.[\w:]+)*([ \t]+)(?=[a-z])", re.A)
_NESTED = pattern(
    rf"(?:@!?{IDENTIFIER}\s+)?call[.\w]*\s+(?:\([^()]*\)\s*,\s*)?({IDENTIFIER})\s*,?\s*\(\s*\(([^()]*)\)\s*\)", re.A
)
"""A call with two pairs of parentheses around its arguments."""
_STARTS = pattern(r"(?<=[,\s])(?=[%$\w])")
_COMMAS = pattern(r"\s*[,;]")
_PREFIX = pattern(rf"%{LETTER}+(?<![0-9])\Z", re.A)
_NEGATED = pattern(rf"@(?:not|~|-|!!)\s*{IDENTIFIER}\Z", re.A)
_CLOSING = ("]", "}", ")")


def repaired(found: Diagnostic, statement: Span, checked: CheckedFunction, scope: Scope) -> Diagnostic:
    """The diagnostic of a syntax error with a fix, if it has none and one edit makes the statement correct."""
    text, suggestions = found.file.text, checked.module.suggestions
    if found.fix is not None or statement[1] - statement[0] > _LONGEST or not text.endswith(";", *statement):
        return found
    for fix in _edits(text, found, statement, removes=found.help is None):
        if not suggestions.spend(COST):
            return found
        if works(fix, text, statement, set(), checked, scope):
            return found.advising(found.help, fix)
    return found


def _edits(text: str, found: Diagnostic, statement: Span, *, removes: bool) -> Iterator[Fix]:
    """Edits near an error, the likeliest first. `removes`: also those that leave something out."""
    error = start, end = found.span
    word, before = text[start:end], text[statement[0] : start].rstrip()
    last, tail = statement[0] + len(before), statement[1] - 1
    if joined := _FIRST_BLANK.match(text, *statement):
        yield Fix(joined.span(1), ".", "write a dot")
    if (nested := _NESTED.match(text, *statement)) is not None:
        yield Fix((nested.start(1), nested.end()), f"{nested[1]}, ({nested[2].strip()})", "write the arguments once")
    if word.isdecimal() and _PREFIX.search(before):
        yield Fix((last, start), "", "remove the blank")
    if word == "@@":
        yield Fix(error, "@", "write `@`")
    if (guard := _NEGATED.search(text, statement[0], end)) is not None:
        yield Fix(guard.span(), f"@!{word}", f"write `@!{word}`")
    if before.endswith(_CLOSING):
        yield Fix((last - 1, last), ",", "write a comma")
    if text[start] in PAIRS and text[start - 1] == text[start]:
        yield Fix((start, start + 1), "", f"remove one `{text[start]}`")
    yield from _brackets(text, error, statement)
    if found.name in ("unclosed-bracket", "missing-semicolon"):
        yield Fix((end, end), ",", "write a comma")
        return
    if removes:
        for span, meant in exchanged(text, error, (statement[0], tail)):
            yield Fix(span, meant, f"write `{meant}`")
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
    if text[end : end + 1] in _CLOSING and (lacking := _unclosed(text, (statement[0], end))) >= 0:
        right = PAIRS[text[lacking]]
        yield Fix((end, end + 1), right, f"write `{right}`")
    opened = start if text[start] in PAIRS else _unclosed(text, (statement[0], start))
    closed = text.find(PAIRS[text[opened]], opened, statement[1]) if opened >= 0 else -1
    if closed >= 0:
        inner = text[opened + 1 : closed].strip()
        others = [f"{left}{inner}{PAIRS[left]}" for left in "[{" if left != text[opened]]
        for meant in (*others, inner):
            yield Fix((opened, closed + 1), meant, f"write `{meant}`")
    if (unclosed := _unclosed(text, statement)) >= 0:
        right = PAIRS[text[unclosed]]
        for comma in _COMMAS.finditer(text, unclosed, statement[1]):
            yield Fix((comma.start(), comma.start()), right, f"write `{right}`")
    if (word := text[start:end]) in _CLOSING:
        left = next(left for left, right in PAIRS.items() if right == word)
        yield Fix(error, "", f"remove `{word}`")
        for match in reversed(list(_STARTS.finditer(text, statement[0], start))):
            yield Fix((match.start(), match.start()), left, f"write `{left}` before the first element")


def _unclosed(text: str, span: Span) -> int:
    """The last bracket that is open at the end of a span; -1 if there is none."""
    opened: list[int] = []
    for at in range(*span):
        if text[at] in PAIRS:
            opened.append(at)
        elif opened and text[at] == PAIRS[text[opened[-1]]]:
            opened.pop()
    return opened[-1] if opened else -1
