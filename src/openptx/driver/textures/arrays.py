"""CUDA arrays: elements in one to three dimensions, layers or faces of cubes, which textures and surfaces show."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openptx.driver.calls import in_context, invalid, put, read, unsupported, write
from openptx.driver.devices.attributes import FIXED
from openptx.driver.devices.contexts import Context
from openptx.driver.objects import Object

LAYERED, SURFACE, CUBE, GATHER = 1, 2, 4, 8
"""CUDA_ARRAY3D_*: flags of the array. Others are not supported."""
DESCRIPTOR = struct.Struct("<QQII")
DESCRIPTOR_3D = struct.Struct("<QQQIII4x")


class Format(NamedTuple):
    """The format of an array's components. `channels` is 0 where the program chooses the number; `normalized` integers
    are read as floats only."""

    dtype: str
    channels: int = 0
    normalized: bool = False


# fmt: off
FORMATS = {  # CUarray_format
    0x01: Format("uint8"),  0x02: Format("uint16"),  0x03: Format("uint32"),
    0x08: Format("int8"),   0x09: Format("int16"),   0x0A: Format("int32"),
    0x10: Format("float16"), 0x20: Format("float32"),
    0xC0: Format("uint8", 1, True),  0xC1: Format("uint8", 2, True),  0xC2: Format("uint8", 4, True),
    0xC3: Format("uint16", 1, True), 0xC4: Format("uint16", 2, True), 0xC5: Format("uint16", 4, True),
    0xC6: Format("int8", 1, True),   0xC7: Format("int8", 2, True),   0xC8: Format("int8", 4, True),
    0xC9: Format("int16", 1, True),  0xCA: Format("int16", 2, True),  0xCB: Format("int16", 4, True),
}
# fmt: on


class Description(NamedTuple):
    """CUDA_ARRAY3D_DESCRIPTOR: an extent of 0 is a dimension that the array does not have."""

    width: int
    height: int
    depth: int
    format: int
    channels: int
    flags: int = 0


def known_format(number: int, channels: int) -> Format:
    """Fails for a format that the machine does not support, and for invalid numbers of channels."""
    found = FORMATS.get(number)
    if found is None:
        raise unsupported(f"elements of format 0x{number:x}")
    if channels not in (1, 2, 4) or found.channels not in (0, channels):
        raise invalid(f"elements of {channels} channels of format 0x{number:x}")
    return found


class Array(Object):
    """`data` has the axes depth (or layer), height, width in bytes, whatever the dimensions."""

    what = "CUDA array"

    def __init__(self, description: Description) -> None:
        super().__init__()
        self.description = description
        self.format = known_format(description.format, description.channels)
        require_extent(description)
        self.element = description.channels * np.dtype(self.format.dtype).itemsize
        shape = (max(description.depth, 1), max(description.height, 1), description.width * self.element)
        self.data = np.zeros(shape, np.uint8)

    @property
    def layered(self) -> bool:
        return self.description.flags & LAYERED != 0

    @property
    def cube(self) -> bool:
        return self.description.flags & CUBE != 0

    def elements(self) -> NDArray[Any]:
        """The array's memory as a NumPy array with an axis for each dimension, and one for the channels if there are
        several."""
        width, height, depth, _, channels, _ = self.description
        shape = (*(n for n in (depth, height) if n), width, *((channels,) if channels > 1 else ()))
        return self.data.reshape(-1).view(self.format.dtype).reshape(shape)


def largest(description: Description) -> tuple[int, int, int]:
    """The largest width, height and depth (or layers) of an array with these dimensions, as the device's attributes say
    (those that begin with MAXIMUM_TEXTURE)."""
    _, height, depth, _, _, flags = description
    if flags & LAYERED or flags & CUBE:
        first = 27 if height else 42
        return FIXED[first], FIXED[first], FIXED[29]
    return (FIXED[24], FIXED[25], FIXED[26]) if depth else (FIXED[22], FIXED[23], 0)


def require_extent(description: Description) -> None:
    """Fails for invalid combinations of extents and flags."""
    width, height, depth, _, _, flags = description
    if flags & ~(LAYERED | SURFACE | CUBE | GATHER):
        raise unsupported(f"an array with flags 0x{flags:x}")
    faces = flags & CUBE and (width != height or depth % 6 or not depth or (depth != 6 and not flags & LAYERED))
    gathered = flags & GATHER and (not height or (depth and not flags & LAYERED))  # of two dimensions only
    large = any(extent > most for extent, most in zip((width, height, depth), largest(description), strict=True))
    dimensions = (depth and not height and not flags & LAYERED) or (flags & LAYERED and not depth)
    if not width or faces or gathered or large or dimensions:
        raise invalid(f"an array of {width} x {height} x {depth} with flags 0x{flags:x}")


def create(context: Context, out: int, description: Description) -> None:
    put(out, 0)
    put(out, context.own(Array(description)).handle)


@in_context("cuArrayCreate_v2")
def create_2d(context: Context, out: int, description: int) -> None:
    width, height, number, channels = DESCRIPTOR.unpack(read(description, DESCRIPTOR.size))
    create(context, out, Description(width, height, 0, number, channels))


@in_context("cuArray3DCreate_v2")
def create_3d(context: Context, out: int, description: int) -> None:
    create(context, out, Description(*DESCRIPTOR_3D.unpack(read(description, DESCRIPTOR_3D.size))))


@in_context("cuArrayGetDescriptor_v2")
def describe(context: Context, out: int, array: Array) -> None:
    found = array.description
    write(out, DESCRIPTOR.pack(found.width, found.height, found.format, found.channels))


@in_context("cuArray3DGetDescriptor_v2")
def describe_3d(context: Context, out: int, array: Array) -> None:
    write(out, DESCRIPTOR_3D.pack(*array.description))


@in_context("cuArrayDestroy")
def destroy(context: Context, array: Array) -> None:
    context.disown(array)
