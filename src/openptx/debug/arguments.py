"""Numbers and positions in commands."""

from __future__ import annotations

from openptx.errors import InputError, Triple


def number(text: str, default: int | None = None) -> int:
    """An integer from 0; `default` for empty text. Raises InputError for any other text."""
    if not text and default is not None:
        return default
    if not text.isdecimal():
        raise InputError(f"write a number, not `{text}`")
    return int(text)


def position(text: str, size: Triple, what: str) -> Triple:
    """`X`, `X,Y` or `X,Y,Z` of a block or a thread, within the extent. Raises InputError for any other text, and for a
    position outside of the extent."""
    parts = text.replace(" ", "").removeprefix("(").removesuffix(")").split(",")
    if not 1 <= len(parts) <= 3 or not all(part.isdecimal() for part in parts):
        raise InputError(f"{what} {text}: write X, X,Y or X,Y,Z")
    x, y, z = (*map(int, parts), 0, 0)[:3]
    if any(i >= n for i, n in zip((x, y, z), size, strict=True)):
        raise InputError(f"no {what} {(x, y, z)}: there are {size[0]} x {size[1]} x {size[2]}")
    return x, y, z


def linear(text: str, size: Triple, what: str) -> int:
    """The linear index of a position; a single number may be one already."""
    if text.strip().isdecimal() and int(text) < size[0] * size[1] * size[2]:
        return int(text)
    x, y, z = position(text, size, what)
    return x + size[0] * (y + size[1] * z)
