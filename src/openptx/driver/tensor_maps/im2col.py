"""Tensor maps for columns of pixels: `cuTensorMapEncodeIm2col`, `cuTensorMapEncodeIm2colWide`."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import get, initialized, write
from openptx.driver.tensor_maps.tiled import invalid, read_common_fields, require_row
from openptx.isa.semantics.im2col import CORNER_BITS, MODES, PIXELS
from openptx.isa.semantics.tensor_map import LARGEST
from openptx.runtime.tensor_map import pack

WIDE = "im2col::w", "im2col::w::128"


@initialized("cuTensorMapEncodeIm2col")
def encode(
    out: int, kind: int, rank: int, address: int, shape: int, strides: int, lower: int, upper: int, channels: int,
    pixels: int, steps: int, interleave: int, swizzle: int, promotion: int, fill: int,
) -> None:  # fmt: skip
    """Corners are in the order W, H, D, as CUTLASS passes them."""
    require_rank(rank)
    corners = [(get(lower + 4 * i, ctypes.c_int32), get(upper + 4 * i, ctypes.c_int32)) for i in range(rank - 2)]
    column = corners, channels, pixels, "im2col"
    make(out, (kind, rank, address, shape, strides, steps, interleave, swizzle, fill), column)


@initialized("cuTensorMapEncodeIm2colWide")
def encode_wide(
    out: int, kind: int, rank: int, address: int, shape: int, strides: int, lower: int, upper: int, channels: int,
    pixels: int, steps: int, interleave: int, mode: int, swizzle: int, promotion: int, fill: int,
) -> None:  # fmt: skip
    if mode not in (0, 1):
        raise invalid(f"of wide mode {mode}")
    column = [(lower, upper)], channels, pixels, WIDE[mode]
    make(out, (kind, rank, address, shape, strides, steps, interleave, swizzle, fill), column)


def require_rank(rank: int) -> None:
    if not 3 <= rank <= 5:
        raise invalid(f"of {rank} dimensions for columns of pixels, which have 3 to 5")


def make(out: int, common: tuple[int, ...], column: tuple[list[tuple[int, int]], int, int, str]) -> None:
    """Writes a tensor map for columns of pixels. Fails if its parts do not fit each other."""
    corners, channels, pixels, mode = column
    require_rank(common[1])
    address, (interleave, swizzle, fill) = common[2], common[-3:]
    if interleave and mode != "im2col":
        raise invalid(f"that is interleaved, for `{mode}`")
    element, sizes, between, every = read_common_fields(*common)
    most = 1 << CORNER_BITS[len(corners)] - 1
    if not all(-most <= n < most for pair in corners for n in pair):
        raise invalid(f"with corners {corners}; they are {-most} to {most - 1}")
    if any(size - 1 + last < first for size, (first, last) in zip(sizes[1:], corners, strict=False)):
        raise invalid(f"with corners {corners}, between which there is no pixel")
    if not 1 <= channels <= LARGEST or not 1 <= pixels <= PIXELS[mode]:
        raise invalid(f"with {pixels} pixels of {channels} elements; there are 1 to {PIXELS[mode]}, and 1 to {LARGEST}")
    require_row(element, channels, interleave, swizzle)
    packed = [low & 0xFFFF | (high & 0xFFFF) << 16 for low, high in corners]
    data = pack(
        address, element=element, shape=sizes[::-1], strides=between[::-1], box=[*packed[::-1], pixels, channels],
        steps=every[::-1], swizzle=swizzle, nan=fill == 1, interleave=interleave,
        mode=MODES[mode],
    )  # fmt: skip
    write(out, data)
