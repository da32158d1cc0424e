"""The renderer for tools: a list of objects, rows and columns from 1, absent facts null."""

from __future__ import annotations

import json
from typing import Any

from openptx.diagnostics import Diagnostic
from openptx.diagnostics.edits import edits_of
from openptx.patterns import pattern

_SURROGATE = pattern("[\ud800-\udfff]")


def scalars(data: Any) -> Any:
    """Lists, dictionaries and strings unchanged, except surrogates, which are not Unicode scalar values."""
    match data:
        case str(text):
            return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
        case [*items]:
            return [scalars(item) for item in items]
        case {**items}:
            return {key: scalars(value) for key, value in items.items()}
        case _:
            return data


def render(diagnostics: list[Diagnostic], *, color: bool = False, width: int = 0) -> str:
    """A JSON list, even if it is empty."""
    return json.dumps(scalars([as_json(diagnostic) for diagnostic in diagnostics]), indent=2) + "\n"


def as_json(diagnostic: Diagnostic) -> dict[str, object]:
    """One diagnostic. `end_location` is just after its last character, `also` are further places of the error."""
    (row, column), (end_row, end_column) = diagnostic.location, diagnostic.end_location
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "filename": diagnostic.filename,
        "location": {"row": row, "column": column},
        "end_location": {"row": end_row, "column": end_column},
        "operand": diagnostic.operand,
        "expected": diagnostic.expected,
        "actual": diagnostic.actual,
        "rule": diagnostic.rule,
        "help": diagnostic.help,
        "fix": fix_as_json(diagnostic),
        "also": [dict(zip(("row", "column"), diagnostic.file.location(at), strict=True)) for at, _ in diagnostic.also],
        **diagnostic.more(),
    }


def fix_as_json(diagnostic: Diagnostic) -> dict[str, object] | None:
    """The fix with an edit for each location of the error, as in ruff's output; None if there is none."""
    if diagnostic.fix is None:
        return None
    edits: list[dict[str, object]] = []
    for span, replacement in edits_of(diagnostic):
        (row, column), (end_row, end_column) = map(diagnostic.file.location, span)
        location, end = {"row": row, "column": column}, {"row": end_row, "column": end_column}
        edits.append({"content": replacement, "location": location, "end_location": end})
    return {"applicability": diagnostic.fix.applicability, "message": diagnostic.fix.text, "edits": edits}
