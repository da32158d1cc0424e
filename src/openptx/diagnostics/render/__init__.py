"""Renderers: each turns a list of diagnostics into text. No other module knows how a diagnostic looks."""

from __future__ import annotations

from importlib import import_module

from openptx.diagnostics import Diagnostic

FORMATS = ("full", "concise", "json", "sarif", "github")


def render(diagnostics: list[Diagnostic], format: str = "full", *, color: bool = False, width: int = 140) -> str:
    """The diagnostics as text in one of `FORMATS`, ending with a newline unless it is empty.

    `color` and `width` (columns of the terminal) apply only to formats for people: those for machines ignore them.
    """
    if format not in FORMATS:
        raise ValueError(f"no output format `{format}`: one of {', '.join(FORMATS)}")
    return import_module(f"openptx.diagnostics.render.{format}").render(diagnostics, color=color, width=width)
