"""Rows of tests: a mistake, the one text that is marked, and the cure: the fixed text, or what `help` says."""

from __future__ import annotations

from typing import NamedTuple

from findings import HEAD, module

import openptx


class Row(NamedTuple):
    """One mistake. `cure` is the example after its fix, or a part of the help where there is no fix."""

    example: str
    marked: str
    cure: str


_OF_MODULES = (".entry", ".visible", ".func", ".global", ".const", ".pragma", ".public", "visible")
"""How examples begin that are no statements of a body."""


def given(row: Row) -> tuple[str, str]:
    """The text that the one error of an example marks, and its cure."""
    text = HEAD + row.example if row.example.startswith(_OF_MODULES) else module(row.example)
    errors = [found for found in openptx.check(text) if found.severity == "error"]
    assert len(errors) == 1, [str(found) for found in errors]
    (found,) = errors
    marked = text[slice(*found.span)]
    if found.fix is None:
        return marked, row.cure if row.cure in (found.help or "") else found.help or ""
    (start, end), new = found.fix.span, found.fix.replacement
    fixed = text[:start] + new + text[end:]
    before = text.index(row.example)
    return marked, fixed[before : before + len(row.example) + len(fixed) - len(text)]
