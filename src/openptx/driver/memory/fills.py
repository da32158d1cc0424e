"""Fills memory with a value of 8, 16 or 32 bits, in one row or several."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from openptx.driver.calls import in_context, invalid
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.places import of_device
from openptx.driver.streams.stream import submit

ELEMENTS = {8: np.dtype(np.uint8), 16: np.dtype(np.uint16), 32: np.dtype(np.uint32)}


def bytes_to_fill(address: int, pitch: int, size: int, width: int, height: int) -> int:
    """The bytes from the first row of a fill to its last. Fails if rows are not aligned, or overlap."""
    if address % size or (height > 1 and (pitch % size or pitch < width * size)):
        raise invalid(f"0x{address:x} and rows {pitch} bytes apart for elements of {size} bytes")
    return pitch * (height - 1) + width * size if width and height else 0


def fill(address: int, pitch: int, value: int, element: np.dtype[Any], width: int, height: int) -> None:
    """`height` rows of `width` elements, `pitch` bytes apart. Fails if they are not aligned, or overlap."""
    size = element.itemsize
    extent = bytes_to_fill(address, pitch, size, width, height)
    if not extent:
        return
    begin = of_device(address, extent, "write")
    data = np.frombuffer(memoryview((ctypes.c_uint8 * extent).from_address(begin)), np.uint8)
    strides = (pitch if height > 1 else extent, size)
    np.lib.stride_tricks.as_strided(data.view(np.uint8)[:size].view(element), (height, width), strides)[...] = value


def define(bits: int) -> None:
    """The four entry points for elements of this many bits."""
    element = ELEMENTS[bits]

    def row(context: Context, address: int, value: int, count: int) -> None:
        fill(address, 0, value, element, count, 1)

    def row_async(context: Context, address: int, value: int, count: int, stream: int) -> None:
        submit(context, stream, "fill", fill, address, 0, value, element, count, 1)

    def rows(context: Context, address: int, pitch: int, value: int, width: int, height: int) -> None:
        fill(address, pitch, value, element, width, height)

    def rows_async(
        context: Context, address: int, pitch: int, value: int, width: int, height: int, stream: int
    ) -> None:
        submit(context, stream, "fill", fill, address, pitch, value, element, width, height)

    in_context(f"cuMemsetD{bits}_v2")(row)
    in_context(f"cuMemsetD{bits}Async")(row_async)
    in_context(f"cuMemsetD2D{bits}_v2")(rows)
    in_context(f"cuMemsetD2D{bits}Async")(rows_async)


for _bits in ELEMENTS:
    define(_bits)
