"""The edits that diagnostics propose, and the application of those that do not overlap."""

from __future__ import annotations

from openptx.diagnostics.diagnostic import SAFE, Diagnostic
from openptx.source import Span

Edit = tuple[Span, str]
"""What is replaced, and its replacement."""


def edits_of(diagnostic: Diagnostic) -> list[Edit]:
    """The edits of a diagnostic's fix: at its own location, and wherever else the same text repeats the error."""
    fix = diagnostic.fix
    if fix is None:
        return []
    edits = [(fix.span, fix.replacement)]
    (start, end), text = diagnostic.span, diagnostic.file.text
    if start <= fix.span[0] and fix.span[1] <= end:
        for at, until in diagnostic.also:
            if text[at:until] == text[start:end]:
                edits.append(((fix.span[0] - start + at, fix.span[1] - start + at), fix.replacement))
    return edits


def is_fixable(diagnostic: Diagnostic, unsafe: bool = False) -> bool:
    """Whether a tool may apply the fix of a diagnostic: a safe one, or with `unsafe` also a suggestion."""
    return diagnostic.fix is not None and (unsafe or diagnostic.fix.applicability == SAFE)


def applied(text: str, diagnostics: list[Diagnostic]) -> tuple[str, list[Diagnostic]]:
    """The text with the fixes of the diagnostics, and the diagnostics whose fixes were applied, in text order.

    Fixes that overlap an earlier one are omitted entirely: after the first is applied they may be wrong.
    """
    taken: list[Edit] = []
    fixed: list[Diagnostic] = []
    occupied: set[int] = set()
    for diagnostic in diagnostics:
        edits = edits_of(diagnostic)
        wanted = {place for span, _ in edits for place in _places(span)}
        if edits and occupied.isdisjoint(wanted):
            occupied |= wanted
            taken += edits
            fixed.append(diagnostic)
    parts: list[str] = []
    at = 0
    for (start, end), replacement in sorted(taken):
        parts += text[at:start], replacement
        at = end
    return "".join([*parts, text[at:]]), fixed


def _places(span: Span) -> range:
    """The range of an edit, where character i is 2i + 1 and the gap before it 2i: an insertion is one gap."""
    start, end = span
    return range(2 * start + 1, 2 * end) if start < end else range(2 * start, 2 * start + 1)
