"""`openptx check --statistics`: how often each code occurs."""

from __future__ import annotations

from openptx.diagnostics import SAFE
from openptx.errors import InputError

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic
    from openptx.diagnostics.codes import Code

    Counts = list[tuple[Code, int, int]]  # a code, the number of its findings, how many of those have a safe fix


def statistics(found: list[Diagnostic], format: str) -> str:
    """A line for each code, the most frequent first, in ruff's layout; JSON is a list of objects. Raises InputError for
    any other format.

    A finding counts once, even if its error occurs at several locations.
    """
    rows = counts(found)
    if format == "json":
        return as_json(rows)
    if format not in ("full", "concise"):
        raise InputError(f"--statistics has no output format `{format}`: full, concise or json")
    return as_lines(rows)


def counts(found: list[Diagnostic]) -> Counts:
    """The codes that occur, the most frequent first."""
    from collections import Counter

    times = Counter(diagnostic.about for diagnostic in found)
    fixable = Counter(
        diagnostic.about for diagnostic in found if diagnostic.fix and diagnostic.fix.applicability == SAFE
    )
    rows = [(code, count, fixable[code]) for code, count in times.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0].code))


def as_lines(rows: Counts) -> str:
    """`3<tab>PTX0105<tab>[*] missing-semicolon`; `[*]` if all have a safe fix, `[-]` if some have one."""
    if not rows:
        return ""
    width = len(str(rows[0][1]))
    marks = {row[0]: "[*]" if row[2] == row[1] else "[-]" if row[2] else "[ ]" for row in rows}
    lines = [f"{count:>{width}}\t{code.code}\t{marks[code]} {code.name}" for code, count, _ in rows]
    return "\n".join([*lines, ""])


def as_json(rows: Counts) -> str:
    """The statistics in JSON."""
    import json

    facts = [
        {
            "code": code.code,
            "name": code.name,
            "severity": code.severity,
            "count": count,
            "fixable": fixable == count,
            "fixable_count": fixable,
        }
        for code, count, fixable in rows
    ]
    return json.dumps(facts, indent=2) + "\n"
