"""What textures show: the data of a resource, and views of it (CUDA_RESOURCE_VIEW_DESC)."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openptx.driver.calls import Failure, invalid
from openptx.driver.results import Result
from openptx.driver.textures.arrays import Format

VIEW = struct.Struct("<I4xQQQIIII64x")
KINDS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32")
CHANNELS = (1, 2, 4)
VIEW_FORMATS = {1 + i: Format(KINDS[i // 3], CHANNELS[i % 3]) for i in range(len(KINDS) * len(CHANNELS))}
"""CUresourceViewFormat without the compressed formats, which follow."""
LAST_FORMAT = 0x22


class Texels(NamedTuple):
    """The data of a resource; `levels` are the arrays of a mipmapped one except the first."""

    array: NDArray[Any]
    channels: int
    format: Format
    layered: bool = False
    cube: bool = False
    levels: tuple[NDArray[Any], ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the first level, x last."""
        return self.array.shape[:-1] if self.channels > 1 else self.array.shape


def viewed(texels: Texels, view: bytes) -> Texels:
    """The levels and layers of an array that a view names, in its format. Fails for compressed formats, and for extents
    other than the array's; an extent that the array does not have may be 0 or 1."""
    number, width, height, depth, level, last_level, layer, last_layer = VIEW.unpack(view)
    format, levels = view_format(number, texels), (texels.array, *texels.levels)
    layered = texels.layered or texels.cube
    extents = (*reversed(texels.shape[1:] if layered else texels.shape), 1, 1)[: 2 if layered else 3]
    if tuple(max(n, 1) for n in (width, height, depth))[: len(extents)] != extents:
        raise invalid(f"a view of {width} x {height} x {depth} of an array of {extents}")
    if not level <= last_level < len(levels):
        raise invalid(f"levels {level} to {last_level} of an array that has {len(levels)}")
    layers = texels.shape[0] if texels.layered else 1
    if not layer <= last_layer < layers or (texels.cube and texels.layered and (last_layer + 1 - layer) % 6):
        raise invalid(f"layers {layer} to {last_layer} of an array that has {layers}")
    chosen = [in_format(each, texels, format) for each in levels[level : last_level + 1]]
    if texels.layered:
        chosen = [each[layer : last_layer + 1] for each in chosen]
    channels = format.channels or texels.channels
    return Texels(chosen[0], channels, format, texels.layered, texels.cube, tuple(chosen[1:]))


def view_format(number: int, texels: Texels) -> Format:
    """The format that a view gives the elements of an array, whose size it may not change."""
    if number == 0:
        return texels.format
    found = VIEW_FORMATS.get(number)
    if found is None:
        result = Result.NOT_SUPPORTED if number <= LAST_FORMAT else Result.INVALID_VALUE
        raise Failure(result, f"a texture with a view of format 0x{number:x}")
    given = np.dtype(texels.format.dtype).itemsize * texels.channels
    if np.dtype(found.dtype).itemsize * found.channels != given:
        raise invalid(f"a view of format 0x{number:x} of an array with elements of {given} bytes")
    return found


def in_format(level: NDArray[Any], texels: Texels, format: Format) -> NDArray[Any]:
    """The memory of a level in a format with elements of the same size."""
    channels = format.channels or texels.channels
    shape = level.shape[:-1] if texels.channels > 1 else level.shape
    return level.reshape(-1).view(format.dtype).reshape(*shape, *((channels,) if channels > 1 else ()))
