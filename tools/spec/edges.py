"""Edge-case operands: ends of ranges, carries, counts around the width, special floats."""

from __future__ import annotations

import random

COUNTS = (0, 1, 4, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 256, 0x0810, 0x7FFFFFFF, 0xFFFFFFFF)
"""Positions, lengths and shift amounts, as 32 bits."""

# fmt: off
FLOATS = {  # zeros, subnormals, around the smallest normal, one, ties, the largest, infinities, NaN quiet and not
    "f16": (
        0, 0x8000, 1, 0x8001, 0x03FF, 0x0400, 0x3555, 0x3C00, 0xBC00, 0x3C01, 0x3800, 0x4248, 0xC500, 0x7BFF, 0xFBFF,
        0x7C00, 0xFC00, 0x7FF7, 0xFD01,
    ),
    "bf16": (
        0, 0x8000, 1, 0x807F, 0x0080, 0x3EAB, 0x3F80, 0xBF80, 0x3F81, 0x3F00, 0x4049, 0xC0A0, 0x7F7F, 0xFF7F, 0x7F80,
        0xFF80, 0x7FF7, 0xFF81,
    ),
    "f32": (
        0, 0x80000000, 1, 0x807FFFFF, 0x00800000, 0x3EAAAAAB, 0x3F800000, 0xBF800000, 0x3F800001, 0x3F000000,
        0x40490FDB, 0xC0A00000, 0x4B800001, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001,
    ),
    "f64": (
        0, 1 << 63, 1, 0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x3FD5555555555555, 0x3FF0000000000000,
        0xBFF0000000000000, 0x3FF0000000000001, 0x3FE0000000000000, 0x400921FB54442D18, 0xC014000000000000,
        0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF1000000000001,
        0xFFFC0ABCDEF01234,
    ),
}
# fmt: on


def integers(width: int) -> list[int]:
    """Bit patterns of a width: small, extreme, alternating."""
    ones, top = (1 << width) - 1, 1 << width - 1
    pattern = 0x0123456789ABCDEF & ones
    found = [0, 1, 2, 7, top - 1, top, top + 1, ones, ones - 1, ones // 3, ones // 5 * 3, pattern, 0x80FF7F01 & ones]
    return [v & ones for v in found]


def rows(seed: str, columns: list[list[int]], count: int) -> list[tuple[int, ...]]:
    """So many operand lists: every value of each column once if they fit, in combinations that the seed fixes."""
    chance = random.Random(seed)
    shuffled = [column + [chance.choice(column) for _ in range(max(0, count - len(column)))] for column in columns]
    for column in shuffled:
        chance.shuffle(column)
    return [tuple(column[i] for column in shuffled) for i in range(count)]
