"""The limit on findings shown to people: the first of each severity, and a line that counts the rest."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic

MOST = 100
"""Errors that are shown by default: a user fixes the first ones first."""


def first(found: list[Diagnostic], most: int) -> list[Diagnostic]:
    """The first `most` errors and the first `most` warnings, in their order; all of them for 0."""
    if most == 0 or len(found) <= most:
        return found
    left = {"error": most, "warning": most}
    shown: list[Diagnostic] = []
    for diagnostic in found:
        if left[diagnostic.severity] > 0:
            left[diagnostic.severity] -= 1
            shown.append(diagnostic)
    return shown


def left_out(found: list[Diagnostic], shown: list[Diagnostic]) -> str:
    """`Not shown: 26,900 errors. ...`; "" if all are shown."""
    if len(shown) == len(found):
        return ""
    from openptx.diagnostics.render.summary import counted

    severities, seen = ([diagnostic.severity for diagnostic in each] for each in (found, shown))
    rest = [kind for kind in ("error", "warning") for _ in range(severities.count(kind) - seen.count(kind))]
    return f"Not shown: {counted(rest)} more. `--max-errors 0` shows all."
