"""Numbers in commands."""

from __future__ import annotations

from openptx.errors import InputError


def number(text: str, default: int | None = None) -> int:
    """An integer from 0; `default` for empty text. Raises InputError for any other text."""
    if not text and default is not None:
        return default
    if not text.isdecimal():
        raise InputError(f"write a number, not `{text}`")
    return int(text)
