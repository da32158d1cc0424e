"""Sets of small numbers as the bits of one number: with many pairs of waiting blocks, frozensets took minutes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FEW = 16
"""If fewer than one bit in so many is set, `numbers_of` removes bits one by one: most sets have few members, while
numbers go into the thousands."""


def bits_of(numbers: Iterable[int]) -> int:
    """The set as bits."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def numbers_of(bits: int) -> list[int]:
    """The numbers in the set, in order."""
    if bits.bit_count() * FEW >= bits.bit_length():
        return [i for i, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]
    found: list[int] = []
    while bits:
        found.append(bits.bit_length() - 1)
        bits ^= 1 << found[-1]
    return found[::-1]


def set_of(bits: int) -> frozenset[int]:
    return frozenset(numbers_of(bits))
