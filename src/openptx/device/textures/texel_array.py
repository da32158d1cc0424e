"""Arrays as texels: what textures and surfaces have in common."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.lib.stride_tricks import as_strided

from openptx.array_types import Array
from openptx.device.arrays import from_array_interface
from openptx.device.textures.handles import Opaque
from openptx.errors import ArgumentError, require_flags

FORMATS = ("uint8", "uint16", "uint32", "int8", "int16", "int32", "float16", "float32")
"""Types of components, as in CUDA."""


class TexelArray(Opaque):
    """An array as texels. `texels` has the axes (layer,) (z,) (y,) x, (sample,) component.

    `shape` is the extent in x, y, z, as far as these axes exist; `layers` is None if it is not layered. The layers of a
    cube are its faces. `samples` is 0 where a texel has no samples.
    """

    formats = FORMATS
    cube = False
    seamless = False
    samples = 0
    srgb = False

    def __init__(self, array: object, channels: int | None, layered: bool) -> None:
        super().__init__()
        require_flags(layered=layered)
        self.array = checked(array)
        self.texels = components(self.array, channels)
        if self.texels.dtype.name not in self.formats or not self.texels.dtype.isnative:
            raise ArgumentError(f"elements of {self.name} are {', '.join(self.formats)}, not {self.texels.dtype}")
        *outer, self.channels = self.texels.shape
        if self.texels.size == 0:
            raise ArgumentError(f"{self.name} has texels, not the shape {self.array.shape}")
        self.arrange(outer, bool(layered))

    def arrange(self, axes: list[int], layered: bool) -> None:
        """Interprets the axes before the components; raises ArgumentError if there are too many or too few."""
        if not 1 + layered <= len(axes) <= 3:
            most = "two or three axes (the first is the layer)" if layered else "one to three axes"
            raise ArgumentError(f"{self.name} has {most} of texels, not the shape {tuple(axes)}")
        self.layers = axes.pop(0) if layered else None
        self.shape = tuple(reversed(axes))

    @property
    def name(self) -> str:
        """The name of this kind of image in messages."""
        return f"a {type(self).__name__.lower()}"

    @property
    def geometry(self) -> str:
        """The geometry as instructions name it."""
        return f"{'a' if self.layers is not None else ''}{len(self.shape)}d"

    def as_line(self) -> Self | None:
        """A plane of one row as an image of one dimension, which a GPU's instructions take it for; None for others.
        (Dr.Jit's textures of one dimension are arrays of height 1.)"""
        if self.geometry != "2d" or self.shape[1] != 1:
            return None
        line = copy.copy(self)
        line.texels, line.shape = self.texels[0], self.shape[:1]
        return line

    @property
    def described(self) -> str:
        """Its kind and size, for messages."""
        shape = " x ".join(map(str, (*self.shape, *([] if self.layers is None else [self.layers]))))
        return f"{self.name} of {shape} elements of {self.channels * self.texels.itemsize} bytes"

    @property
    def floating(self) -> bool:
        return self.texels.dtype.kind == "f"

    @property
    def real(self) -> bool:
        """Whether components read as floats."""
        return self.floating

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.geometry} of {self.channels} {self.texels.dtype}>"


def checked(array: Any) -> Array:
    """The argument as an array; raises ArgumentError if it is not one."""
    if not hasattr(array, "__array_interface__"):
        raise ArgumentError(f"a texture or surface is made of an array, not of {type(array).__name__}")
    return from_array_interface("a texture or surface", array)


def components(array: Array, channels: int | None) -> Array:
    """The array with an axis of components at its end. Raises ArgumentError unless there are 1, 2 or 4 of one type,
    `channels` if given."""
    if channels is not None and (not hasattr(channels, "__index__") or np.ndim(channels)):
        raise ArgumentError(f"`channels` is 1, 2 or 4, not {channels!r}")
    fields = array.dtype.fields
    if fields:
        parts = [dtype for dtype, *_ in fields.values()]
        if len({*parts}) != 1 or parts[0].itemsize * len(parts) != array.dtype.itemsize:
            raise ArgumentError(f"an element has like components side by side, not {array.dtype}")
        if channels not in (None, len(parts)):
            raise ArgumentError(f"the elements have {len(parts)} fields, not {channels}")
        first: Array = array[next(iter(fields))]
        apart = as_strided(first, (*array.shape, len(parts)), (*array.strides, first.itemsize))
    elif channels is None:
        apart = array[..., np.newaxis]
    elif array.ndim and array.shape[-1] == channels:
        apart = array
    else:
        raise ArgumentError(f"the last axis holds the {channels} channels, and has another length: {array.shape}")
    if apart.shape[-1] not in (1, 2, 4):
        raise ArgumentError(f"an element has 1, 2 or 4 channels, not {apart.shape[-1]}")
    return apart
