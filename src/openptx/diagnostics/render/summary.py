"""The line with the counts: `Found 2 errors and 1 warning in 1 file.`"""

from __future__ import annotations

from openptx.diagnostics import Diagnostic


def plural(count: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def summary(diagnostics: list[Diagnostic]) -> str:
    """The number of findings of each severity, and the number of files."""
    files = plural(len({diagnostic.filename for diagnostic in diagnostics}), "file")
    return f"Found {counted([diagnostic.severity for diagnostic in diagnostics])} in {files}."


def counted(severities: list[str]) -> str:
    """`2 errors and 1 warning`; "" for none."""
    return " and ".join(plural(severities.count(kind), kind) for kind in ("error", "warning") if kind in severities)
