"""Surfaces: arrays that kernels read and write by coordinates, through `suld` and `sust`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openptx.device.textures.texel_array import FORMATS, TexelArray
from openptx.errors import ArgumentError

Bytes = NDArray[np.uint8]

WIDE = ("uint64", "int64")
"""Types of surfaces only, which `sured` instructions use."""


class Surface(TexelArray):
    """An array that kernels read and write by coordinates, in place.

        openptx.Surface(image)

    Axes, elements, `channels` and `layered` are as for a Texture; the array must be contiguous. Pass it to a kernel
    like a texture: as an argument (`cudaSurfaceObject_t`), by `module.bind(name, surface)`, or as `surface.handle`.
    Raises ArgumentError for any other array.
    """

    kind = "surfref"
    formats = (*FORMATS, *WIDE)

    def __init__(self, array: object, *, channels: int | None = None, layered: bool = False) -> None:
        super().__init__(array, channels, layered)
        if not self.array.flags.c_contiguous:
            raise ArgumentError("a surface is written in place and needs a contiguous array")
        self.bytes: Bytes = self.texels.reshape(-1).view(np.uint8)

    @property
    def element(self) -> int:
        """The bytes of an element."""
        return self.channels * self.texels.itemsize
