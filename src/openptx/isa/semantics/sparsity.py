"""Structured sparsity in registers: elements in words, their order, and the selection of two out of four."""

from __future__ import annotations

from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

_U = TYPES["u32"]
_LARGEST = {
    32: {0: 0x7F800000}, 16: {0: 0x7C00, 1: 0x7F80}, 8: {2: 0x7C, 3: 0x7E, 4: 0x7F, 5: 0x7F},
}  # fmt: skip
"""By size and by the type of a descriptor (`.f32`, `.f16` and `.bf16`, `.e5m2`, `.e4m3`, `.e3m2` and `.e2m3`) the
largest magnitude: larger codes are NaN."""
_SIGNS = {32: {0: 31}, 16: {0: 15, 1: 15}, 8: {2: 7, 3: 7, 4: 5, 5: 5}}


def unpacked(x: Machine, registers: Sequence[Bits], size: int) -> list[Bits]:
    """Unpacks elements of this many bits from words, the lowest first, each into a word of its own."""
    mask = (1 << size) - 1
    return [register >> at & mask for register in registers for at in range(0, 32, size)]


def packed(elements: Sequence[Bits], size: int) -> list[Bits]:
    """Packs elements of this many bits into words."""
    per = 32 // size
    words: list[Bits] = []
    for i in range(0, len(elements), per):
        word = elements[i]
        for k, element in enumerate(elements[i + 1 : i + per], 1):
            word = word | element << size * k
        words.append(word)
    return words


def order(x: Machine, elements: Sequence[Bits], size: int, descriptor: Bits) -> tuple[list[Bits], list[Bits]]:
    """For each element its priority, larger for elements that are kept first, and whether it is a NaN.

    A descriptor holds the criterion (0 the larger, 2 the smaller, plus 1 by magnitude) and from bit 2 on the type (PTX
    ISA 9.4, Table 38).
    """
    smaller, magnitudes = (descriptor & 2) != 0, (descriptor & 1) != 0
    keys: list[Bits] = []
    nans: list[Bits] = []
    for v in elements:
        key, nan = v, x.const(0, 1)  # unsigned integers
        if size == 8:
            signed = (descriptor >> 2) == 1
            magnitude = x.select((v & 0x80) != 0, 256 - v, v)
            key = x.select(signed, x.select(magnitudes, magnitude, v ^ 0x80), key)
        for type, sign in _SIGNS[size].items():
            selected = (descriptor >> 2) == type
            magnitude = v & ((1 << sign) - 1)
            negative = (v >> sign & 1) != 0
            value = x.select(negative, (1 << sign) - 1 - magnitude, magnitude | (1 << sign))
            key = x.select(selected, x.select(magnitudes, magnitude, value), key)
            nan = x.select(selected, x.less(_U, x.const(_LARGEST[size][type], 32), magnitude), nan)
        keys.append(x.select(smaller, ~key, key))
        nans.append(nan)
    return keys, nans


def two_of_four(
    x: Machine, elements: Sequence[Bits], keys: Sequence[Bits], nans: Sequence[Bits]
) -> tuple[list[Bits], list[Bits]]:
    """The two of each four elements with the largest keys, NaNs before others, and their positions in ascending
    order."""
    kept: list[Bits] = []
    places: list[Bits] = []
    for start in range(0, len(elements), 4):
        four = range(start, start + 4)
        better = {(i, j): _before(x, i, j, keys, nans) for i in four for j in four if i < j}
        chosen: list[Bits] = []
        for i in four:
            ahead = x.const(0, 32)
            for j in four:
                if j != i:
                    first = ~better[i, j] if i < j else better[j, i]
                    ahead = ahead + x.resize(first, 32)
            chosen.append(x.less(_U, ahead, x.const(2, 32)))
        for last_wins in (range(3, -1, -1), range(4)):  # the lower of the two, then the higher
            position, element = x.const(0, 32), elements[start]
            for i in last_wins:
                position = x.pick(chosen[i], i, position)
                element = x.select(chosen[i], elements[start + i], element)
            kept.append(element)
            places.append(position)
    return kept, places


def _before(x: Machine, i: int, j: int, keys: Sequence[Bits], nans: Sequence[Bits]) -> Bits:
    """Whether element i is kept in preference to element j, which comes after it."""
    same = (nans[i] == nans[j]) & ~x.less(_U, keys[i], keys[j])
    return (nans[i] & ~nans[j]) | same
