"""The contents of a tensor map except the address, and the hardware's rules for them (5.5.8, Table 33)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import NamedTuple

from openptx.errors import ArgumentError, Unsupported
from openptx.isa.semantics.tensor_map import (
    CHUNK,
    CONVERTED,
    ELEMENTS,
    INTERLEAVES,
    LARGEST,
    PACKED,
    SWIZZLES,
    swizzled_row,
    width_of,
)

MOST_AXES, MOST_STEP = 5, 8
MOST_SIZE, MOST_STRIDE = 1 << 32, 1 << 40
OTHER_ELEMENTS = ("b6p2x16",)
SLICE = 32
"""Addresses and strides are multiples of the larger slices of interleaved tensors."""


class Layout(NamedTuple):
    """The layout of elements: `bits` of shared memory each; addresses and strides are multiples of `alignment` bytes.

    The innermost size is a multiple of `whole` elements, and a box has `box` of them along that axis, or 0 for any
    number. `swizzles` are the possible ones, or () for all.
    """

    bits: int
    alignment: int = CHUNK
    whole: int = 1
    box: int = 0
    swizzles: tuple[str, ...] = ()


PACKED_LAYOUTS = {
    "b4x16": Layout(4, whole=2),
    "b4x16_p64": Layout(8, 32, 128, 128, ("none", "128B", "128B_ATOM_32B")),
    "b6x16_p32": Layout(8, 32, 128, 128, ("none", "128B", "128B_ATOM_32B", "128B_ATOM_64B")),
}
"""The requirements of the manual of `cuTensorMapEncodeTiled` for elements of 4 and 6 bits."""


def layout_of(element: str) -> Layout:
    """The layout of an element of Table 33."""
    return PACKED_LAYOUTS.get(element) or Layout(width_of(element))


def alignment_of(element: str, interleave: str) -> int:
    """The alignment of addresses and strides in bytes."""
    return max(layout_of(element).alignment, SLICE if interleave == "32B" else CHUNK)


class Parts(NamedTuple):
    """Axes are in the order of an array's shape. `strides` are those of all axes but the innermost, in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    element: str
    swizzle: str
    interleave: str
    fill: str


def parts(
    shape: Sequence[int], strides: Sequence[int], box: Sequence[int], steps: Sequence[int] | None, element: str,
    swizzle: str, interleave: str, fill: str,
) -> Parts:  # fmt: skip
    """Checked parts. Raises ArgumentError if a rule is violated, Unsupported if copies have no meaning for them."""
    try:
        sizes, between = tuple(index(n) for n in shape), tuple(index(n) for n in strides)
    except TypeError:
        raise ArgumentError(f"shape and strides are whole numbers, not {shape!r} and {strides!r}") from None
    try:
        boxes = tuple(index(n) for n in box)
        every = tuple(index(n) for n in steps) if steps is not None else (1,) * len(boxes)
    except TypeError:
        raise ArgumentError(f"the box and the steps are whole numbers, one for each axis, not {box!r}") from None
    made = Parts(sizes, between, boxes, every, element, swizzle, interleave, fill)
    require_known(made)
    require_axes(made)
    require_slices(made)
    require_row(made)
    return made


def require_known(tensor: Parts) -> None:
    """Raises ArgumentError unless the element, layouts and fill are in Table 33, Unsupported unless copies support
    them."""
    known = [*ELEMENTS.values(), *CONVERTED.values(), *PACKED.values()]
    if tensor.element not in known:
        if tensor.element in OTHER_ELEMENTS:
            raise Unsupported(f"tensor maps of .{tensor.element}")
        raise ArgumentError(f"elements of a tensor are {', '.join(known)}, not {tensor.element!r}")
    if tensor.interleave not in INTERLEAVES.values():
        raise ArgumentError(f"tensors are interleaved by {', '.join(INTERLEAVES.values())}, not {tensor.interleave!r}")
    if tensor.swizzle not in SWIZZLES.values():
        raise ArgumentError(f"boxes are swizzled by {', '.join(SWIZZLES.values())}, not {tensor.swizzle!r}")
    if tensor.fill not in ("zero", "nan"):
        raise ArgumentError(f"boxes are filled with `zero` or `nan`, not {tensor.fill!r}")


def require_axes(tensor: Parts) -> None:
    """Raises ArgumentError unless there are as many numbers as axes, all in range."""
    rank = len(tensor.shape)
    if not 1 <= rank <= MOST_AXES:
        raise ArgumentError(f"a tensor map is of 1 to {MOST_AXES} axes, not {rank}")
    if {len(tensor.box), len(tensor.steps)} != {rank}:
        raise ArgumentError(f"the array has {rank} axes: give the box and the steps one number for each")
    if len(tensor.strides) != rank - 1:
        raise ArgumentError(f"a tensor of {rank} axes has {rank - 1} strides, of all but the innermost, in bytes, not "
                            f"{len(tensor.strides)}")  # fmt: skip
    if not all(1 <= n <= MOST_SIZE for n in tensor.shape):
        raise ArgumentError(f"a tensor has 1 to {MOST_SIZE} elements along each axis, not {tensor.shape}")
    if not all(1 <= n <= LARGEST for n in tensor.box):
        raise ArgumentError(f"a box has 1 to {LARGEST} elements along each axis, not {tensor.box}")
    if not all(1 <= n <= MOST_STEP for n in tensor.steps) or (tensor.steps[-1] != 1 and tensor.interleave == "none"):
        raise ArgumentError(f"steps are 1 to {MOST_STEP}, and 1 along the last axis, not {tensor.steps}")


def require_slices(tensor: Parts) -> None:
    """Rules for interleaved tensors only. Raises ArgumentError, and Unsupported for those of 4 and 6 bits."""
    if tensor.interleave == "none":
        return
    if len(tensor.shape) < 3:
        raise ArgumentError(f"an interleaved tensor has 3 to {MOST_AXES} axes, not {len(tensor.shape)}")
    if tensor.element in PACKED.values():
        raise Unsupported(f"tensor maps of .{tensor.element} that are interleaved")


def require_row(tensor: Parts) -> None:
    """Raises ArgumentError unless rows of the box and of the tensor are multiples of the hardware's unit of
    transfer."""
    layout, alignment = layout_of(tensor.element), alignment_of(tensor.element, tensor.interleave)
    row = tensor.box[-1] * layout.bits // 8
    if row % CHUNK:
        raise ArgumentError(f"a row of the box takes {row} bytes; it must be a multiple of {CHUNK}")
    require_packed(tensor, layout)
    if tensor.swizzle != "none" and tensor.interleave == "none" and row > swizzled_row(tensor.swizzle):
        raise ArgumentError(f"a row of the box takes {row} bytes, more than swizzling by {tensor.swizzle} allows")
    wrong = [n for n in tensor.strides if n % alignment or not 0 <= n < MOST_STRIDE]
    if wrong:
        must = f"that must be a multiple of {alignment}"
        raise ArgumentError(f"rows of the array are {wrong[-1]} bytes apart; {must}")


def require_packed(tensor: Parts, layout: Layout) -> None:
    """Rules for elements of 4 and 6 bits only. Raises ArgumentError."""
    if tensor.shape[-1] % layout.whole:
        raise ArgumentError(
            f"a row of `.{tensor.element}` has a multiple of {layout.whole} elements, not {tensor.shape[-1]}"
        )
    if layout.box and tensor.box[-1] != layout.box:
        raise ArgumentError(f"a box of `.{tensor.element}` has {layout.box} elements in a row, not {tensor.box[-1]}")
    if layout.swizzles and tensor.swizzle not in layout.swizzles:
        raise ArgumentError(
            f"boxes of `.{tensor.element}` are swizzled by {' or '.join(layout.swizzles)}, not {tensor.swizzle}"
        )
    if tensor.fill == "nan" and tensor.element in PACKED_LAYOUTS:
        raise ArgumentError(f"elements of `.{tensor.element}` have no NaN to fill boxes with")
