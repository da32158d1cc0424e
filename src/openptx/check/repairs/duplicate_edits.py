"""Edits of what is declared twice: another name, or one declaration left out; a second check proves them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from openptx.check.repairs.line_shapes import Rewritten
from openptx.diagnostics import SUGGESTION, Diagnostic, Fix
from openptx.source import Span

DUPLICATES = frozenset(("duplicate-name", "duplicate-label"))
_DIGITS = "0123456789"


def duplicate_edits(error: Diagnostic, absent: Collection[str]) -> Iterator[Fix]:
    """One of two declarations of a name with another one, which is used but not declared (`absent`), by its number the
    first or the second; or the second one left out, if both are equal."""
    text = error.file.text
    for name in absent:
        places = [error.labels[0].span, error.span] if error.labels else []
        if error.name == "duplicate-label" and _number(name) > _number(text[slice(*error.span)]):
            places.reverse()
        for span in places:
            repeated, ranged, _ = text[span[0] : span[1] + 1].partition("<")
            repeated, meant = (repeated, name.rstrip(_DIGITS)) if ranged else (text[slice(*span)], name)
            cause = f"`{repeated}` is declared twice, and `{meant}` is not declared"
            yield Rewritten((span[0], span[0] + len(repeated)), meant, cause)
    if error.name == "duplicate-name" and error.labels:
        first, second = (_statement(text, at) for at in (error.labels[0].span[0], error.span[0]))
        repeated = text[slice(*second)].strip()
        if text[slice(*first)].strip() == repeated:
            yield Fix(second, "", f"remove `{repeated}`", SUGGESTION)


def _number(name: str) -> int:
    """The number at the end of a name: compilers number their labels in the order of the text."""
    return int(name[len(name.rstrip(_DIGITS)) :] or 0)


def _statement(text: str, at: int) -> Span:
    """The declaration around a place, up to its semicolon."""
    start = max(text.rfind(mark, 0, at) for mark in ";{}\n") + 1
    return start, text.find(";", at) + 1
