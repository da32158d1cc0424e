"""What a call of a definition depends on, for those that emission makes functions of."""

from __future__ import annotations

from typing import Any, cast

from openptx.numerics import Bits


def signature(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[object, ...], list[Bits]]:
    """What a function made of the definition `name` depends on, and the values among its arguments."""
    operands: list[Bits] = []

    def scan(a: Any) -> Any:
        if isinstance(a, Bits):
            operands.append(a)
            return ("bits", a.width)
        if isinstance(a, tuple):
            return tuple([scan(e) for e in cast("tuple[Any, ...]", a)])
        return getattr(a, "signed", a) if hasattr(a, "signed") and not hasattr(a, "man") else a

    key = [name, *[scan(a) for a in arguments], *[(k, scan(a)) for k, a in sorted(keywords.items())]]
    return tuple(key), operands
