"""Tensor maps (`CUtensorMap`): the result of `cuTensorMapEncodeTiled` is what the machine's copies of boxes read."""

from __future__ import annotations

import ctypes
from math import prod

from openptx.driver.calls import Failure, get, initialized, invalid, put, unsupported, write
from openptx.isa.semantics.tensor_map import (
    CHUNK,
    CONVERTED,
    ELEMENTS,
    INTERLEAVES,
    LARGEST,
    PACKED,
    SWIZZLES,
    swizzled_row,
)
from openptx.isa.types import TYPES
from openptx.runtime.tensor_map import pack
from openptx.runtime.tensor_map_parts import Layout, alignment_of, layout_of

NAMES = ELEMENTS | CONVERTED | PACKED
CODES = {8: 9, 9: 10, 10: 8}
"""Codes of Table 33 in the PTX manual, by CUtensorMapDataType, where they differ: f64, bf16, f32 with .ftz."""
KINDS, MOST_SWIZZLE = 16, 6
"""The number of data types, and the last swizzle mode."""
MOST_STRIDE, MOST_SIZE, MOST_STEP, MOST_PROMOTION = 1 << 40, 1 << 32, 8, 3
MOST_BYTES = 227 << 10
"""The maximum size of a box: that of a block's shared memory. Driver 580 accepts 229,792 on an H200, and refuses
235,200 and more.

For this it divides sizes by steps without a remainder, and ignores interleaved layouts.
"""


def invalid_map(why: str) -> Failure:
    return invalid(f"a tensor map {why}")


@initialized("cuTensorMapEncodeTiled")
def encode(
    out: int, kind: int, rank: int, address: int, shape: int, strides: int, box: int, steps: int, interleave: int,
    swizzle: int, promotion: int, fill: int,
) -> None:  # fmt: skip
    # The manual requires `out` to be a multiple of 64. It is not checked: cuda.core keeps maps in Python objects, at
    # multiples of 16.
    write(out, tiled(kind, rank, address, shape, strides, box, steps, interleave, swizzle, promotion, fill))


def tiled(
    kind: int, rank: int, address: int, shape: int, strides: int, box: int, steps: int, interleave: int, swizzle: int,
    promotion: int, fill: int,
) -> bytes:  # fmt: skip
    """The bytes of a map. Sizes start with the innermost dimension, whose step is ignored."""
    if not 1 <= rank <= 5:
        raise invalid_map(f"of {rank} dimensions")
    boxes = [get(box + 4 * i, ctypes.c_uint32) for i in range(rank)]
    if not all(1 <= n <= LARGEST for n in boxes):
        raise invalid_map(f"with a box of {boxes} elements; there are 1 to {LARGEST} in a dimension")
    if not 0 <= promotion <= MOST_PROMOTION:
        raise invalid_map(f"with promotion {promotion} to the L2 cache")
    element, sizes, between, every = read_common_fields(
        kind, rank, address, shape, strides, steps, interleave, swizzle, fill
    )
    require_row(element, boxes[0], interleave, swizzle)
    element_strides = [get(steps + 4 * i, ctypes.c_uint32) for i in range(rank)]
    size = prod(n // step for n, step in zip(boxes, element_strides, strict=True)) * layout_of(NAMES[element]).bits // 8
    if size > MOST_BYTES:
        raise invalid_map(f"with a box of {size} bytes; shared memory has {MOST_BYTES}")
    return pack(
        address, element=element, shape=sizes[::-1], strides=between[::-1], box=boxes[::-1], steps=every[::-1],
        swizzle=swizzle, nan=fill == 1, interleave=interleave,
    )  # fmt: skip


def read_common_fields(
    kind: int, rank: int, address: int, shape: int, strides: int, steps: int, interleave: int, swizzle: int, fill: int
) -> tuple[int, list[int], list[int], list[int]]:
    """The common part of every tensor map: the element, sizes, strides and steps. Fails for invalid values."""
    require_layout(rank, interleave, swizzle)
    sizes = [get(shape + 8 * i) for i in range(rank)]
    between = [get(strides + 8 * i) for i in range(rank - 1)]
    every = [get(steps + 4 * i, ctypes.c_uint32) for i in range(rank)]
    if not 1 <= every[0] <= MOST_STEP:
        raise invalid_map(f"with element strides {every}; they are 1 to {MOST_STEP}")
    if not interleave:  # the first one is not used
        every[0] = 1
    element = element_of(kind)
    name = NAMES[element]
    if interleave and element in PACKED:
        raise unsupported(f"an interleaved tensor map of `.{name}`")
    layout = layout_of(name)._replace(alignment=alignment_of(name, INTERLEAVES[interleave]))
    if address % layout.alignment:
        raise invalid_map(f"of memory at 0x{address:x}, which begins at a multiple of {layout.alignment}")
    require_sizes(sizes, between, every, layout)
    if fill not in (0, 1) or (fill and not is_float(element)):
        raise invalid_map(f"with fill mode {fill} for elements of `.{name}`")
    return element, sizes, between, every


def is_float(element: int) -> bool:
    return element in CONVERTED or (element in ELEMENTS and TYPES[ELEMENTS[element]].kind == "f")


def element_of(kind: int) -> int:
    """The code of the elements."""
    if not 0 <= kind < KINDS:
        raise invalid_map(f"of elements of type {kind}")
    return CODES.get(kind, kind)


def require_layout(rank: int, interleave: int, swizzle: int) -> None:
    """Fails for a combination that CUDA refuses, and for those that the machine does not support."""
    if interleave not in INTERLEAVES or not 0 <= swizzle <= MOST_SWIZZLE:
        raise invalid_map(f"with interleave layout {interleave} and swizzle mode {swizzle}")
    if interleave and rank < 3:
        raise invalid_map(f"of {rank} dimensions; interleaved ones have 3 or more")
    if swizzle not in SWIZZLES:
        raise unsupported(f"a tensor map with swizzle mode {swizzle}")


def require_sizes(sizes: list[int], strides: list[int], steps: list[int], layout: Layout) -> None:
    """Fails unless sizes, strides and steps are in range, and multiples of what the layout requires."""
    if not all(1 <= n <= MOST_SIZE for n in sizes) or sizes[0] % layout.whole:
        raise invalid_map(f"of {sizes} elements, where rows have a multiple of {layout.whole}")
    if not all(n % layout.alignment == 0 and 0 <= n < MOST_STRIDE for n in strides):
        raise invalid_map(f"with strides {strides}; they are multiples of {layout.alignment} below {MOST_STRIDE}")
    if not all(1 <= n <= MOST_STEP for n in steps):
        raise invalid_map(f"with element strides {steps}; they are 1 to {MOST_STEP}")


def require_row(element: int, count: int, interleave: int, swizzle: int) -> None:
    """Checks the rows of a box, which have `count` elements."""
    layout = layout_of(NAMES[element])
    row = count * layout.bits // 8
    if row % CHUNK:
        raise invalid_map(f"with boxes whose rows take {row} bytes, not a multiple of {CHUNK}")
    if layout.box and (count != layout.box or SWIZZLES[swizzle] not in layout.swizzles):
        raise invalid_map(f"with rows of {count} padded elements and swizzling by {SWIZZLES[swizzle]}")
    if swizzle and not interleave and row > swizzled_row(SWIZZLES[swizzle]):
        raise invalid_map(f"with boxes whose rows take {row} bytes, more than swizzling by {SWIZZLES[swizzle]} allows")


@initialized("cuTensorMapReplaceAddress")
def replace_address(place: int, address: int) -> None:
    if address % CHUNK:
        raise invalid_map(f"whose memory begins at 0x{address:x}, which is not a multiple of {CHUNK}")
    put(place, address)
