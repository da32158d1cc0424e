"""GitHub Actions workflow commands: each diagnostic becomes an annotation of the pull request."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic


def render(diagnostics: list[Diagnostic], *, color: bool = False, width: int = 0) -> str:
    """`::error title=openptx (PTX0312),file=saxpy.ptx,line=3,col=26,...::message`, one line each."""
    return "".join(command(diagnostic) + "\n" for diagnostic in diagnostics)


def command(diagnostic: Diagnostic) -> str:
    """One workflow command."""
    (row, column), (end_row, end_column) = diagnostic.location, diagnostic.end_location
    facts = {
        "title": f"openptx ({diagnostic.code})",
        "file": diagnostic.filename,
        "line": str(row),
        "col": str(column),
        "endLine": str(end_row),
        "endColumn": str(end_column),
    }
    properties = ",".join(f"{key}={escape_property(value)}" for key, value in facts.items())
    about = f"{diagnostic.filename}:{row}:{column}: {diagnostic.code} {diagnostic.message}"
    help = f"\n{diagnostic.help}" if diagnostic.help else ""
    return f"::{diagnostic.severity} {properties}::{escape(about + help)}"


def escape(text: str) -> str:
    """Text after the `::`, where a line break would end the command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Text between commas."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")
