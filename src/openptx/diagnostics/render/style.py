"""Colours for a terminal, or none."""

from __future__ import annotations

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
