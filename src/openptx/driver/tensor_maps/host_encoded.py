"""Tensor maps that a program's own code encodes, in the hardware's layout, and passes as parameters, as CuTe DSL does.

Such code differs from the driver of runtime/driver_tensor_map.py: it leaves the second half undefined, where all fields
follow from the others, and sets bits 65 and 85, whose meaning is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from openptx.errors import ArgumentError, Unsupported
from openptx.runtime.driver_tensor_map import LEAST_ALIGNMENT, SIZE
from openptx.runtime.tensor_map import TensorMap

KEPT = (1 << SIZE * 4) - 1 & ~(1 << 65 | 1 << 85)
"""The bits that are read: of the first half, without those two."""
ODD = 55
"""A byte that is odd in every such map, and never in ours: the size of a box's rows in elements, minus one. Rows are
multiples of 16 bytes, thus an even number of elements."""


def put_our_maps(parameters: bytearray, places: Iterable[tuple[int, int]]) -> None:
    """Replaces parameters that are such maps by the machine's encoding. `places` are (offset, bytes)."""
    for offset, size in places:
        if size == SIZE and offset % LEAST_ALIGNMENT == 0 and parameters[offset + ODD] & 1:
            content = bytes(parameters[offset : offset + SIZE])
            parameters[offset : offset + SIZE] = our_map(content) or content


def our_map(content: bytes) -> bytes | None:
    """Our encoding of such a map; None if the bytes are none, or one that no copy supports."""
    number = int.from_bytes(content, "little") & KEPT
    try:
        found = TensorMap.from_bytes(number.to_bytes(SIZE, "little"))
        return found.encoded(number & (1 << 57) - 1)
    except (ArgumentError, Unsupported):
        return None
