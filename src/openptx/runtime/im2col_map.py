"""Tensor maps for copies of columns of pixels, which CUDA's driver makes with `cuTensorMapEncodeIm2col` (5.5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from openptx.device.arrays import array_of
from openptx.errors import ArgumentError, is_choice
from openptx.isa.semantics.im2col import CORNER_BITS, MODES, PIXELS
from openptx.isa.semantics.tensor_map import LARGEST
from openptx.runtime.tensor_map import TensorMap


class Im2colMap(TensorMap):
    """Images in the 128-byte form from which a kernel copies columns of pixels, for convolutions.

    The array has axes N, W, C or N, H, W, C or N, D, H, W, C. `lower` and `upper`, with one number for each axis
    between N and C, bound the positions of the filter's first element: from the first pixel plus `lower` to the last
    one plus `upper`. A copy takes `pixels` pixels with `channels` elements each. `steps`, one for each of these axes,
    is the distance between pixels. `mode` is that of the copies: `im2col`, or, with bounds for W alone, `im2col::w` or
    `im2col::w::128`. `swizzle` and `fill` are as for `TensorMap`. Raises ArgumentError if the hardware's rules are
    violated.
    """

    def __init__(
        self, array: object, lower: Sequence[int], upper: Sequence[int], *, channels: int, pixels: int = 128,
        steps: Sequence[int] | None = None, mode: str = "im2col", swizzle: str = "none", fill: str = "zero",
    ) -> None:  # fmt: skip
        self.array = array_of("a tensor map", array)
        try:
            self.lower, self.upper = tuple(map(index, lower)), tuple(map(index, upper))
            between = tuple(map(index, steps)) if steps is not None else (1,) * (self.array.ndim - 2)
            self.box = index(pixels), index(channels)
        except TypeError:
            raise ArgumentError("corners, steps, pixels and channels are whole numbers") from None
        self.mode, self.swizzle, self.fill = mode, swizzle, fill
        self.steps = 1, *between, 1
        self._check()

    def _check(self) -> None:
        spatial = self.array.ndim - 2
        if not is_choice(self.mode, PIXELS):
            raise ArgumentError(f"columns are copied by {', '.join(PIXELS)}, not {self.mode!r}")
        if not 1 <= spatial <= 3:
            raise ArgumentError(f"images have 3 to 5 axes, N first and C last, and the array has {self.array.ndim}")
        self._check_array()
        if len(self.steps) != self.array.ndim or not all(1 <= n <= 8 for n in self.steps):
            raise ArgumentError(f"there is a step of 1 to 8 for each axis between N and C, not {self.steps[1:-1]}")
        wanted = spatial if self.mode == "im2col" else 1
        if {len(self.lower), len(self.upper)} != {wanted}:
            raise ArgumentError(f"there are {wanted} corners, not {self.lower} and {self.upper}")
        most = 1 << CORNER_BITS[wanted] - 1
        if not all(-most <= n < most for n in (*self.lower, *self.upper)):
            raise ArgumentError(f"corners are {-most} to {most - 1}, not {self.lower} and {self.upper}")
        sizes = self.array.shape[-1 - wanted : -1]
        if any(n + last <= first for n, first, last in zip(sizes, self.lower, self.upper, strict=True)):
            raise ArgumentError(f"no pixel lies between the corners {self.lower} and {self.upper}")
        pixels, channels = self.box
        if not 1 <= pixels <= PIXELS[self.mode]:
            raise ArgumentError(f"a column has 1 to {PIXELS[self.mode]} pixels, not {pixels}")
        if not 1 <= channels <= LARGEST:
            raise ArgumentError(f"a pixel has 1 to {LARGEST} elements, not {channels}")
        self._check_rows(channels)

    def _box(self) -> Sequence[int]:
        corners = [low & 0xFFFF | (high & 0xFFFF) << 16 for low, high in zip(self.lower, self.upper, strict=True)]
        return [*corners, *self.box]

    def _mode(self) -> int:
        return MODES[self.mode]

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.array.shape))
        return f"<tensor map of {shape} {self.array.dtype}, {self.mode}, {self.box[0]} pixels of {self.box[1]}>"
