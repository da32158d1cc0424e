"""Patterns of lanes that are no base plus known offsets: rows of some lanes, each with a base of its own.

In blocks of 16 by some rows a warp has two, with known offsets in `a[y * n + x]` and none in `a[y * n + i]`. Patterns
are hints: who uses one tests at run time that it holds, so none of these functions minds whether sums wrap.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

ZEROS: tuple[int, ...] = (0,) * 32


class Pattern(NamedTuple):
    length: int
    """The number of lanes in a row, a power of two; 1: nothing is known; 0: not even that it is computed from the
    thread's number, as indices in memory are not."""
    offsets: tuple[int, ...]
    """Of each lane from the first of its row."""


ALIKE, VARYING, LOADED = Pattern(32, ZEROS), Pattern(1, ZEROS), Pattern(0, ZEROS)


@lru_cache(4096)
def pattern_of(lanes: tuple[int, ...]) -> Pattern:
    """That of a base plus these offsets."""
    return Pattern(32, tuple(v - lanes[0] for v in lanes))


@lru_cache(4096)
def divided(p: Pattern, length: int) -> Pattern:
    """The pattern by rows of this length, which is at most its own."""
    return Pattern(length, tuple(v - p.offsets[i // length * length] for i, v in enumerate(p.offsets)))


@lru_cache(4096)
def common(p: Pattern, q: Pattern) -> Pattern:
    """What holds for both."""
    length = min(p.length, q.length)
    if not length:
        return LOADED
    while (found := divided(p, length)) != divided(q, length):
        length //= 2
    return found


@lru_cache(4096)
def alike(p: Pattern) -> Pattern:
    """By rows whose lanes are alike, as those of any function of such values are."""
    return common(p, ALIKE)


@lru_cache(4096)
def combined(op: str, p: Pattern, q: Pattern, known: int | None) -> Pattern:
    """The pattern of the result of an operator; `known`: the second operand, if it is a known number."""
    if known is not None and op in ("mul", "shl"):
        factor = known if op == "mul" else 1 << min(known, 64)
        return Pattern(p.length, tuple(v * factor for v in p.offsets))
    if op not in ("add", "sub"):
        return common(alike(p), alike(q))
    length, sign = min(p.length, q.length), 1 if op == "add" else -1
    if not length:
        return LOADED
    pairs = zip(divided(p, length).offsets, divided(q, length).offsets, strict=True)
    return Pattern(length, tuple(v + sign * w for v, w in pairs))
