"""The capabilities of a stream, whether it is a terminal and has colours; and text in colours, or in none."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import TextIO

CODES = {
    "error": "1;31", "fault": "1;31", "unsupported": "1;33", "warning": "1;33",
    "gutter": "1;34", "secondary": "1;34", "bold": "1", "added": "32",
}  # fmt: skip


class Style:
    """Colours text, or leaves it unchanged if colour is off."""

    __slots__ = ("color",)

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{CODES[kind]}m{text}\x1b[0m" if self.color and text else text


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
    return Style(has_color(stream or sys.stderr))(kind, text)


def title(text: str) -> str:
    """A title on stdout: bold if it has colours."""
    return paint("bold", text, sys.stdout)
