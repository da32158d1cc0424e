"""The capabilities of a stream: whether it is a terminal, and has colours."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at the stream."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_color(stream: TextIO) -> bool:
    """Colours on terminals only, and never with `NO_COLOR` (https://no-color.org); anywhere with `FORCE_COLOR`."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(stream)


def paint(kind: str, text: str, stream: TextIO | None = None) -> str:
    """Text in the colour of a kind of message (`error`, `warning`, `bold`), for stderr by default."""
    from openptx.diagnostics.render.style import Style

    return Style(has_color(stream or sys.stderr))(kind, text)


def title(text: str) -> str:
    """A title on stdout: bold if it has colours."""
    return paint("bold", text, sys.stdout)
