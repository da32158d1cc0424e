"""Extents of grids, blocks and clusters, as callers write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openptx.errors import ArgumentError, Triple
from openptx.runtime.options import is_count

Extent = int | Sequence[int]

LARGEST = {"grid": (2**31 - 1, 65535, 65535), "block": (1024, 1024, 64)}


def extent(what: str, given: Any) -> Triple:
    """One to three positive integers as x, y, z."""
    if type(given) is int:
        x, y, z = given, 1, 1
    else:
        parts: tuple[Any, ...] = tuple(given) if hasattr(given, "__iter__") else (given,)
        if not 1 <= len(parts) <= 3 or not all(map(is_count, parts)):
            raise ArgumentError(f"the {what} is one to three integers, not {given!r}")
        x, y, z = map(int, (*parts, 1, 1)[:3])
    most_x, most_y, most_z = LARGEST.get(what, (16, 16, 16))
    if not (1 <= x <= most_x and 1 <= y <= most_y and 1 <= z <= most_z):
        for axis, size, most in ("x", x, most_x), ("y", y, most_y), ("z", z, most_z):
            if not 1 <= size <= most:
                raise ArgumentError(f"the {what}'s {axis} is 1 to {most}, not {size}")
    return x, y, z
