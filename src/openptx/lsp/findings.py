"""Diagnostics of the checker in the editor's form, and their fixes as code actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lsprotocol import types

from openptx.diagnostics import SAFE, Diagnostic
from openptx.diagnostics.edits import applied, edits_of, is_fixable
from openptx.lsp.document import Document

MOST = 1000
"""The maximum number of diagnostics sent for one file."""

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.openptx"

_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
_TAGS = {
    "unused": [types.DiagnosticTag.Unnecessary],
    "unreachable": [types.DiagnosticTag.Unnecessary],
    "deprecated": [types.DiagnosticTag.Deprecated],
}


def diagnostics(document: Document) -> list[types.Diagnostic]:
    """All findings in a document. For a repeated error, each location."""
    places = ((each, span) for each in document.diagnostics for span in (each.span, *each.also))
    return [_to_lsp(document, each, span) for each, span in islice(places, MOST)]


def _to_lsp(document: Document, found: Diagnostic, span: tuple[int, int]) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(types.Location(document.uri, document.at.range(label.span)), label.text)
        for label in found.labels
    ]
    return types.Diagnostic(
        range=document.at.range(span),
        message=_message(found),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="openptx",
        tags=_TAGS.get(found.name),
        related_information=related or None,
    )


def _message(found: Diagnostic) -> str:
    """The finding with the notes that `openptx check` prints under it, a line each."""
    lines = [found.message + (f": {found.label}" if found.label else "")]
    if found.expected and found.actual:
        lines.append(f"expected {found.expected}, found {found.actual}")
    if found.help:
        lines.append(f"help: {found.help}")
    if found.rule:
        lines.append(found.rule)
    return "\n".join(lines)


def code_actions(document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of the findings in a range, and all safe fixes of the file at once."""
    only = params.context.only
    start, end = document.at.span(params.range)
    actions: list[types.CodeAction] = []
    if _requested(types.CodeActionKind.QuickFix.value, only):
        actions += [
            _quick_fix(document, found)
            for found in document.diagnostics
            if found.fix is not None and any(at <= end and start <= until for at, until in (found.span, *found.also))
        ]
    safe = [found for found in document.diagnostics if is_fixable(found)]
    if safe and _requested(FIX_ALL, only):
        actions.append(_fix_all(document, safe))
    return actions


def _requested(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a client requests actions of a kind: `source` also means `source.fixAll.openptx`."""
    wanted = [each.value if isinstance(each, types.CodeActionKind) else each for each in only or []]
    return not wanted or any(kind == each or kind.startswith(f"{each}.") or not each for each in wanted)


def _quick_fix(document: Document, found: Diagnostic) -> types.CodeAction:
    assert found.fix is not None
    return types.CodeAction(
        title=found.fix.text[:1].upper() + found.fix.text[1:],
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_to_lsp(document, found, found.span)],
        is_preferred=found.fix.applicability == SAFE,
        edit=_edit(document, [found]),
    )


def _fix_all(document: Document, safe: list[Diagnostic]) -> types.CodeAction:
    fixed = applied(document.file.text, safe)[1]
    return types.CodeAction(title=f"Apply all safe fixes ({len(fixed)})", kind=FIX_ALL, edit=_edit(document, fixed))


def _edit(document: Document, fixed: list[Diagnostic]) -> types.WorkspaceEdit:
    edits = [
        types.TextEdit(document.at.range(span), replacement) for found in fixed for span, replacement in edits_of(found)
    ]
    return types.WorkspaceEdit(changes={document.uri: edits})
