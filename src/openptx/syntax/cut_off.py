"""Files that end in the middle of a statement outside of bodies: they were probably cut off."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic
from openptx.diagnostics.kinds import CUT_OFF
from openptx.source import File

_UNFINISHED = frozenset(("invalid-declaration", "invalid-directive", "unknown-directive"))
_HELP = "the file ends in the middle of a statement: it may have been cut off"


def cut_off(file: File, problems: list[Diagnostic]) -> list[Diagnostic]:
    """The errors of syntax in a file, where those at its end are one, of an unfinished statement."""
    end = len(file.text.rstrip())
    last = [each for each in problems if each.span[1] >= end]
    if not last or any(each.name not in _UNFINISHED or each.kind == CUT_OFF for each in last):
        return problems
    first = last[0]
    one = Diagnostic(
        first.name, first.message, file, first.span, first.label or "the file ends here", labels=first.labels,
        rule=first.rule, help=_HELP, kind=CUT_OFF,
    )  # fmt: skip
    return [one if each is first else each for each in problems if each is first or each not in last]
