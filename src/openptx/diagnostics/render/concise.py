"""One line per diagnostic, for editors and grep."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic
from openptx.diagnostics.render.cells import Cells
from openptx.diagnostics.render.summary import summary
from openptx.diagnostics.terminal import Style


def render(diagnostics: list[Diagnostic], *, color: bool = False, width: int = 0) -> str:
    """`saxpy.ptx:3:26: error[PTX0312] message`, and a last line with the counts."""
    if not diagnostics:
        return ""
    style = Style(color)
    return "\n".join([*(line(diagnostic, style) for diagnostic in diagnostics), summary(diagnostics), ""])


def line(diagnostic: Diagnostic, style: Style) -> str:
    """One diagnostic."""
    row, column = diagnostic.location
    head = style(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    more = f" (and {len(diagnostic.also)} more)" if diagnostic.also else ""
    name, message = Cells(diagnostic.filename).text, Cells(diagnostic.message).text
    return f"{style('bold', name)}:{row}:{column}: {head} {message}{more}"
