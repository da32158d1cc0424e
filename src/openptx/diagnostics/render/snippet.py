"""Draws lines of a file with marks under them: gutter, carets, labels."""

from __future__ import annotations

from openptx.diagnostics.render.cells import Cells, cells
from openptx.diagnostics.terminal import Style
from openptx.source import File, Span

CUT = "..."


class Mark:
    """A span to underline: `kind` is the style of a primary mark (`error`) or `secondary`."""

    __slots__ = ("kind", "span", "text")

    def __init__(self, span: Span, text: str, kind: str) -> None:
        self.span = span
        self.text = Cells(text).text
        self.kind = kind


class Stroke:
    """The part of a mark that lies on one row, in columns from 0."""

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, start: int, end: int, text: str, kind: str) -> None:
        self.start = start
        self.end = max(end, start + 1)
        self.text = text
        self.kind = kind


def snippet(file: File, marks: list[Mark], style: Style, gutter: int, width: int) -> list[str]:
    """The marked rows of a file. `gutter` is the width of the row numbers, `width` that of the terminal."""
    rows = strokes_by_row(file, marks)
    lines = [edge(style, gutter)]
    before = min(rows)
    for row in sorted(rows):
        if row - before > 2:
            lines.append(style("gutter", CUT))
        elif row - before == 2:
            lines += source_row(file, before + 1, [], style, gutter, width)
        lines += source_row(file, row, rows[row], style, gutter, width)
        before = row
    return lines


def edge(style: Style, gutter: int, text: str = "") -> str:
    """A line of the frame without source text."""
    return f"{' ' * (gutter + 1)}{style('gutter', '|')}{' ' + text if text else ''}"


def strokes_by_row(file: File, marks: list[Mark]) -> dict[int, list[Stroke]]:
    """Each mark as strokes: one on its row, or one on its first and one on its last row."""
    rows: dict[int, list[Stroke]] = {}

    def add(row: int, start: int, end: int, text: str, kind: str) -> None:
        line = cells(file.line(row))
        rows.setdefault(row, []).append(Stroke(line.column(start), line.column(end), text, kind))

    for mark in marks:
        (first, start), (last, end) = (file.location(offset) for offset in mark.span)
        line = file.line(first)
        if first == last:
            add(first, start - 1, end - 1, mark.text, mark.kind)
            continue
        tail = file.line(last)[: end - 1]
        blank = len(tail) - len(tail.lstrip())
        add(first, start - 1, len(line.rstrip()), "" if tail.strip() else mark.text, mark.kind)
        if tail.strip():
            add(last, blank, len(tail), mark.text, mark.kind)
    return rows


def source_row(file: File, row: int, strokes: list[Stroke], style: Style, gutter: int, width: int) -> list[str]:
    """One row of source and the lines of marks under it."""
    text, strokes = clip(cells(file.line(row)), strokes, max(width - gutter - 3, 40))
    lines = [f"{style('gutter', f'{row:>{gutter}} |')} {text}".rstrip()]
    return lines + [edge(style, gutter, under) for under in underline(strokes, style)]


def clip(line: Cells, strokes: list[Stroke], width: int) -> tuple[str, list[Stroke]]:
    """The part of a long line that contains its strokes, with dots where it was cut."""
    if line.width <= width:
        return line.text.rstrip(), strokes
    width -= 2 * len(CUT)
    start = min((s.start for s in strokes), default=0)
    need = max((s.end + len(s.text) + 1 for s in strokes), default=0)
    left = 0 if need <= width else max(0, min(start - width // 4, line.width - width))
    left = line.next(left)
    right = left + width
    lead = CUT if left else ""
    shift = len(lead) - left
    text = lead + line.slice(left, right) + (CUT if right < line.width else "")
    inside = [Stroke(s.start + shift, min(s.end, right) + shift, s.text, s.kind) for s in strokes if s.start < right]
    outside = [Stroke(len(text) - len(CUT), len(text), s.text, s.kind) for s in strokes if s.start >= right]
    return text.rstrip(), inside + outside


def underline(strokes: list[Stroke], style: Style) -> list[str]:
    """Carets and dashes, with the rightmost label on the same line and the others on lines below."""
    if not strokes:
        return []
    strokes = sorted(strokes, key=lambda s: (s.start, s.kind != "secondary"))
    last = rightmost(strokes)
    lines = [paint_marks(strokes, style) + (" " + style(last.kind, last.text) if last.text else "")]
    hanging = [s for s in strokes if s is not last and s.text]
    if hanging:
        lines.append(hang(hanging, None, style))
    while hanging:
        lines.append(hang(hanging[:-1], hanging[-1], style))
        hanging.pop()
    return lines


def rightmost(strokes: list[Stroke]) -> Stroke:
    """The stroke whose label is on the line of the marks: the last one, or a labelled one inside it."""
    last = max(strokes, key=lambda s: (s.end, s.start))
    inside = [s for s in strokes if s.text and s.end > last.start]
    return last if last.text or not inside else max(inside, key=lambda s: s.end)


def paint_marks(strokes: list[Stroke], style: Style) -> str:
    """One line with every stroke; where two overlap, the primary one is shown."""
    kinds: dict[int, str] = {}
    for stroke in sorted(strokes, key=lambda s: s.kind != "secondary"):
        kinds.update(dict.fromkeys(range(stroke.start, stroke.end), stroke.kind))
    text, run, kind = "", "", ""
    for column in range(max(kinds) + 1):
        wanted = kinds.get(column, "")
        if wanted != kind:
            text += style(kind, run) if kind else run
            run, kind = "", wanted
        run += " " if not wanted else "-" if wanted == "secondary" else "^"
    return text + style(kind, run)


def hang(bars: list[Stroke], label: Stroke | None, style: Style) -> str:
    """One line of bars under their strokes, and at most one label at the right end."""
    text, at = "", 0
    for stroke in bars:
        if stroke.start >= at:
            text += " " * (stroke.start - at) + style(stroke.kind, "|")
            at = stroke.start + 1
    if label is not None:
        text += " " * (label.start - at) + style(label.kind, label.text)
    return text
