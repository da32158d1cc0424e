"""What a tensor map says of a tensor, but for its address, and the hardware's rules for it (5.5.8, Table 33)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import NamedTuple

from openptx.errors import ArgumentError, Unsupported
from openptx.isa.semantics.tensor_map import CHUNK, ELEMENTS, LARGEST, SWIZZLES
from openptx.isa.types import TYPES

MOST_AXES, MOST_STEP = 5, 8
MOST_SIZE, MOST_STRIDE = 1 << 32, 1 << 40
OTHER_ELEMENTS = ("f32.ftz", "tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32", "b6p2x16")
OTHER_SWIZZLES = ("96B",)
INTERLEAVES = ("none", "16B", "32B")


class Parts(NamedTuple):
    """Axes are in the order of an array's shape. `strides` are those of all axes but the innermost, in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    element: str
    swizzle: str
    fill: str


def parts(
    shape: Sequence[int], strides: Sequence[int], box: Sequence[int], steps: Sequence[int] | None, element: str,
    swizzle: str, interleave: str, fill: str,
) -> Parts:  # fmt: skip
    """Checked parts. Raises ArgumentError where a rule is broken, Unsupported for what copies have no meaning for."""
    try:
        sizes, between = tuple(index(n) for n in shape), tuple(index(n) for n in strides)
    except TypeError:
        raise ArgumentError(f"shape and strides are whole numbers, not {shape!r} and {strides!r}") from None
    try:
        boxes = tuple(index(n) for n in box)
        every = tuple(index(n) for n in steps) if steps is not None else (1,) * len(boxes)
    except TypeError:
        raise ArgumentError(f"the box and the steps are whole numbers, one for each axis, not {box!r}") from None
    made = Parts(sizes, between, boxes, every, element, swizzle, fill)
    require_known(made, interleave)
    require_axes(made)
    require_row(made)
    return made


def require_known(one: Parts, interleave: str) -> None:
    """What is named is in Table 33, and in our copies."""
    if one.element not in ELEMENTS.values():
        if one.element in OTHER_ELEMENTS:
            raise Unsupported(f"tensor maps of .{one.element}")
        known = ", ".join(ELEMENTS.values())
        raise ArgumentError(f"elements of a tensor are {known}, not {one.element!r}")
    if interleave not in INTERLEAVES:
        raise ArgumentError(f"tensors are interleaved by {', '.join(INTERLEAVES)}, not {interleave!r}")
    if interleave != "none":
        raise Unsupported(f"tensor maps with interleave layout {interleave}")
    if one.swizzle not in SWIZZLES.values():
        raise ArgumentError(f"boxes are swizzled by {', '.join(SWIZZLES.values())}, not {one.swizzle!r}")
    if one.fill not in ("zero", "nan"):
        raise ArgumentError(f"boxes are filled with `zero` or `nan`, not {one.fill!r}")


def require_axes(one: Parts) -> None:
    """Numbers are as many as there are axes, and within their ranges."""
    rank = len(one.shape)
    if not 1 <= rank <= MOST_AXES:
        raise ArgumentError(f"a tensor map is of 1 to {MOST_AXES} axes, not {rank}")
    if {len(one.box), len(one.steps)} != {rank}:
        raise ArgumentError(f"the array has {rank} axes: give the box and the steps one number for each")
    if len(one.strides) != rank - 1:
        raise ArgumentError(f"a tensor of {rank} axes has {rank - 1} strides, of all but the innermost, in bytes, not "
                            f"{len(one.strides)}")  # fmt: skip
    if not all(1 <= n < MOST_SIZE for n in one.shape):
        raise ArgumentError(f"a tensor has 1 to {MOST_SIZE - 1} elements along each axis, not {one.shape}")
    if not all(1 <= n <= LARGEST for n in one.box):
        raise ArgumentError(f"a box has 1 to {LARGEST} elements along each axis, not {one.box}")
    if not all(1 <= n <= MOST_STEP for n in one.steps) or one.steps[-1] != 1:
        raise ArgumentError(f"steps are 1 to {MOST_STEP}, and 1 along the last axis, not {one.steps}")


def require_row(one: Parts) -> None:
    """Rows of the box and of the tensor are multiples of what the hardware moves."""
    row = one.box[-1] * TYPES[one.element].width // 8
    if row % CHUNK:
        raise ArgumentError(f"a row of the box takes {row} bytes; it must be a multiple of {CHUNK}")
    if one.swizzle != "none" and row > int(one.swizzle[:-1]):
        raise ArgumentError(f"a row of the box takes {row} bytes, more than swizzling by {one.swizzle} allows")
    wrong = [n for n in one.strides if n % CHUNK or not 0 < n < MOST_STRIDE]
    if wrong:
        raise ArgumentError(f"rows of the array are {wrong[-1]} bytes apart; that must be a multiple of {CHUNK}")
