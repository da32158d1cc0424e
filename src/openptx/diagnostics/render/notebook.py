"""The renderer for notebooks: the terminal output, escaped, in the notebook's own colours."""

from __future__ import annotations

from html import escape

from openptx.diagnostics import Diagnostic
from openptx.diagnostics.render.full import render as render_full
from openptx.diagnostics.render.summary import summary

MOST = 20


def render(diagnostics: list[Diagnostic]) -> str:
    """The first of them with their source, and how many there are."""
    if not diagnostics:
        return "<em>no findings</em>"
    shown = render_full(diagnostics[:MOST], width=100)
    more = "" if len(diagnostics) <= MOST else f"<em>the first {MOST}; of all: {escape(summary(diagnostics))}</em>"
    return f"<pre>{escape(shown)}</pre>{more}"
