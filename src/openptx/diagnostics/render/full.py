"""The renderer for people: source lines, carets, reasons, what to write instead."""

from __future__ import annotations

from openptx.diagnostics.render.cells import Cells
from openptx.diagnostics.render.snippet import Mark, edge, snippet
from openptx.diagnostics.render.summary import summary
from openptx.diagnostics.terminal import Style

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic, Fix
    from openptx.errors import Fault, Unsupported
    from openptx.source import File, Span

WIDTH = 140
PLACES = 5


def render(diagnostics: list[Diagnostic], *, color: bool = False, width: int = WIDTH) -> str:
    """Every diagnostic with its source, a blank line after each, and a line with the counts."""
    if not diagnostics:
        return ""
    style = Style(color)
    parts = [render_one(diagnostic, style, width) for diagnostic in diagnostics]
    return "\n".join([*parts, style("bold", summary(diagnostics)), ""])


def render_one(diagnostic: Diagnostic, style: Style, width: int) -> str:
    """One diagnostic, without the line with the counts."""
    marks = [Mark(diagnostic.span, diagnostic.label, diagnostic.severity)]
    marks += [Mark(label.span, label.text, "secondary") for label in diagnostic.labels]
    notes = [("rule", diagnostic.rule), ("help", diagnostic.help), ("also", places(diagnostic))]
    head = style(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    texts = [*diagnostic.facts, *(f"{k}: {v}" for k, v in notes if v)]
    lines = report(head, diagnostic.message, diagnostic.file, marks, texts, style, width)
    if diagnostic.fix:
        lines += fixed(diagnostic.file, diagnostic.fix, style, gutter_of(diagnostic.file, marks))
    return "\n".join(lines) + "\n"


def render_fault(fault: Fault, *, color: bool = False, width: int = WIDTH) -> str:
    """A fault: the instruction where it happened, then the thread and its position."""
    style = Style(color)
    head = style("fault", f"fault[{fault.code}]")
    return "\n".join(located(head, "fault", fault.message, fault.file, fault.span, fault.facts, style, width))


def render_unsupported(gap: Unsupported, *, color: bool = False) -> str:
    """A gap: the instruction without a meaning."""
    style = Style(color)
    notes = [f"help: {gap.help}"] if gap.help else []
    head = style("unsupported", "unsupported")
    return "\n".join(located(head, "unsupported", gap.summary, gap.file, gap.span, notes, style, WIDTH))


def located(
    head: str, kind: str, message: str, file: File | None, span: Span | None, notes: list[str], style: Style, width: int
) -> list[str]:
    """A report with one mark, or with none if the position is unknown."""
    if file is None or span is None:
        return [f"{head}{style('bold', ': ' + message)}", *(f"  {style('gutter', '=')} {note}" for note in notes)]
    return report(head, message, file, [Mark(span, "", kind)], notes, style, width)


def report(
    head: str, message: str, file: File, marks: list[Mark], notes: list[str], style: Style, width: int
) -> list[str]:
    """Head, location, snippet, notes. The location is that of the first mark."""
    gutter = gutter_of(file, marks)
    row, column = file.location(marks[0].span[0])
    lines = [
        f"{head}{style('bold', ': ' + Cells(message).text)}",
        f"{' ' * gutter}{style('gutter', '-->')} {Cells(file.name).text}:{row}:{column}",
        *snippet(file, marks, style, gutter, width),
    ]
    if notes:
        lines.append(edge(style, gutter))
    for note in notes:
        first, *more = (Cells(line).text for line in note.split("\n"))
        kind, colon, text = first.partition(": ")
        lines.append(f"{' ' * (gutter + 1)}{style('gutter', '=')} {style('bold', kind + colon)}{text}")
        lines += [f"{' ' * (gutter + 3)}{line}".rstrip() for line in more]
    return lines


def gutter_of(file: File, marks: list[Mark]) -> int:
    """The width of the widest displayed row number; at least two, so that short files look alike."""
    return max(2, len(str(max(file.location(mark.span[1])[0] for mark in marks))))


def places(diagnostic: Diagnostic) -> str:
    """The lines with the other locations of the same error."""
    if not diagnostic.also:
        return ""
    every = list(dict.fromkeys(str(diagnostic.file.location(start)[0]) for start, _ in diagnostic.also))
    rows, more = every[:PLACES], len(every[PLACES:])
    lines = "line" if len(rows) == 1 else "lines"
    return f"in {lines} {', '.join(rows)}" + (f" and {more} other{'s' if more > 1 else ''}" if more else "")


def fixed(file: File, fix: Fix, style: Style, gutter: int) -> list[str]:
    """The lines that the fix changes, as they will be."""
    start, end = fix.span
    first, last = file.location(start)[0], file.location(end)[0]
    at = file.starts[first - 1]
    until = file.starts[last - 1] + len(file.line(last))
    text = file.text[at:start] + fix.replacement + file.text[end:until]
    lines = [f"{' ' * (gutter + 1)}{style('gutter', '=')} {style('bold', 'fix: ')}{fix.text}"]
    for row, line in enumerate(text.splitlines(), first):
        shown = Cells(line).text
        lines.append(f"{style('gutter', f'{row:>{gutter}}')} {style('added', '+ ' + shown)}".rstrip())
    return lines
