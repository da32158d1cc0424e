"""Recognises conflicts that a merge left in a file: what stands on their two sides is not checked together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.diagnostics import Diagnostic, Label
from openptx.patterns import pattern
from openptx.source import File

_MARK = pattern(r"^(?:(<{7})|(={7})|(>{7}))(?:[ \t][^\r\n]*)?\r?$", re.MULTILINE)
_HELP = "keep one of the two sides, or both, and remove the three lines of marks"


def find_conflicts(file: File) -> Iterator[Diagnostic]:
    """One diagnostic for each conflict; lone marks are none."""
    opened: list[re.Match[str]] = []
    for mark in _MARK.finditer(file.text):
        if mark[1]:
            opened = [mark]
        elif len(opened) == (1 if mark[2] else 2):
            opened.append(mark)
        else:
            opened = []
        if len(opened) == 3:
            first, middle, last = ((each.start(), each.start() + len(each[0].rstrip())) for each in opened)
            labels = Label(middle, "the other side begins"), Label(last, "and ends")
            yield Diagnostic(
                "syntax", "a merge left a conflict here", file, first, "one side begins", labels=labels, help=_HELP
            )
