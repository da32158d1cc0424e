"""Copies of boxes, in two and three dimensions, between the host, device memory and arrays."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from openptx.device.allocation import Bytes
from openptx.driver.calls import in_context, invalid, read, unsupported
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.places import of_device, of_either, of_host
from openptx.driver.objects import driver
from openptx.driver.streams.stream import submit
from openptx.driver.textures.arrays import Array

SIDE_2D, SIDE_3D = 7, 11
COPY_2D, COPY_3D = struct.Struct("<16Q"), struct.Struct("<25Q")
"""CUDA_MEMCPY2D and CUDA_MEMCPY3D: the source, the target, the extent."""
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
"""CUmemorytype."""
KIND = (1 << 32) - 1  # a memory type has four bytes; the next four are padding
PLACES: dict[int, Callable[[int, int, str], int]] = {HOST: of_host, DEVICE: of_device, UNIFIED: of_either}


class Extent(NamedTuple):
    """The size of a box: `width` in bytes, `height` in rows, `depth` in slices."""

    width: int
    height: int
    depth: int


class Side(NamedTuple):
    """Where a box begins: in an array, or in memory with rows `pitch` bytes and slices `rows` rows apart, 0 for as many
    as are copied."""

    x: int
    y: int
    z: int
    kind: int
    address: int
    array: Array | None
    pitch: int
    rows: int

    def rows_apart(self, extent: Extent) -> int:
        """The distance of slices in rows."""
        return self.rows or self.y + extent.height  # as slang-rhi has it

    def span(self, extent: Extent) -> tuple[int, int]:
        """The address of a box in memory, and its bytes up to the last one. Fails if rows or slices overlap."""
        pitch, rows = self.pitch, self.rows_apart(extent)
        if extent.height > 1 or extent.depth > 1:
            self.require(pitch, self.x + extent.width, "rows", "bytes")
        if extent.depth > 1:
            self.require(rows, self.y + extent.height, "slices", "rows")
        size = pitch * (rows * (extent.depth - 1) + extent.height - 1) + extent.width
        return self.address + pitch * (rows * self.z + self.y) + self.x, size

    def view(self, extent: Extent, action: str) -> Bytes:
        """The bytes of a box, with the axes depth, height, width. Fails if it is not entirely within bounds."""
        if self.array is not None:
            return self.part(self.array, extent)
        address, size = self.span(extent)
        pitch, rows = self.pitch, self.rows_apart(extent)
        begin = PLACES[self.kind](address, size, action)
        data = np.frombuffer(memoryview((ctypes.c_uint8 * size).from_address(begin)), np.uint8)
        strides = (pitch * rows if extent.depth > 1 else size, pitch if extent.height > 1 else size, 1)
        return np.lib.stride_tricks.as_strided(data, (extent.depth, extent.height, extent.width), strides)

    def part(self, array: Array, extent: Extent) -> Bytes:
        begin, size = (self.z, self.y, self.x), (extent.depth, extent.height, extent.width)
        if any(at + n > most for at, n, most in zip(begin, size, array.data.shape, strict=True)):
            what = f"a box of {size} slices, rows and bytes at {begin} in an array of {array.data.shape}"
            raise invalid(what)
        z, y, x = begin
        return array.data[z : z + extent.depth, y : y + extent.height, x : x + extent.width]

    @staticmethod
    def require(distance: int, needed: int, what: str, unit: str) -> None:
        if distance < needed:
            raise invalid(f"{what} are {distance} {unit} apart, and {needed} are copied of each")


class Copy(NamedTuple):
    source: Side
    target: Side
    extent: Extent

    def run(self) -> None:
        """Copies. A box without extent is empty, wherever it is."""
        if all(self.extent):
            self.target.view(self.extent, "write")[...] = self.source.view(self.extent, "read")


def side(x: int, y: int, z: int, level: int, kind: int, places: tuple[int, int, int], pitch: int, rows: int) -> Side:
    """One side of a description; `places` are a host pointer, a device address, and an array. Fails for an unknown type
    of memory and for levels of detail."""
    host, device, array = places
    kind &= KIND
    if kind not in (*PLACES, ARRAY):
        raise invalid(f"memory type {kind} of a copy")
    if level:
        raise unsupported("a copy of a level of detail")
    found = driver().find(array, Array) if kind == ARRAY else None
    return Side(x, y, z, kind, host if kind == HOST else device, found, pitch, rows)


def copy_2d(pointer: int) -> Copy:
    """The copy that a CUDA_MEMCPY2D describes."""
    words = COPY_2D.unpack(read(pointer, COPY_2D.size))
    sides: list[Side] = []
    for i in (0, SIDE_2D):
        x, y, kind, host, device, array, pitch = words[i : i + SIDE_2D]
        sides.append(side(x, y, 0, 0, kind, (host, device, array), pitch, 0))
    return Copy(sides[0], sides[1], Extent(words[-2], words[-1], 1))


def copy_3d(pointer: int) -> Copy:
    """The copy that a CUDA_MEMCPY3D or a CUDA_MEMCPY3D_PEER describes: there is one device, and no other context's
    memory."""
    words = COPY_3D.unpack(read(pointer, COPY_3D.size))
    sides: list[Side] = []
    for i in (0, SIDE_3D):
        x, y, z, level, kind, host, device, array, _, pitch, rows = words[i : i + SIDE_3D]
        sides.append(side(x, y, z, level, kind, (host, device, array), pitch, rows))
    return Copy(sides[0], sides[1], Extent(*words[-3:]))


def in_array(handle: int, offset: int) -> Side:
    """Bytes of an array of one dimension. Fails for one of more dimensions."""
    found = driver().find(handle, Array)
    if found.data.shape[:2] != (1, 1):
        raise invalid("a copy of one dimension, and the array has more")
    return Side(offset, 0, 0, ARRAY, 0, found, 0, 0)


def in_place(kind: int, handle: int, offset: int = 0) -> Side:
    """A place in memory by its address, or in an array by its handle and an offset."""
    return in_array(handle, offset) if kind == ARRAY else Side(0, 0, 0, kind, handle, None, 0, 0)


def row(target: int, source: int) -> Callable[..., Copy]:
    """Makes copies of one dimension between places of two kinds, of the words of the target and the source, and the
    size."""

    def copy(*words: int) -> Copy:
        split = 2 if target == ARRAY else 1
        return Copy(in_place(source, *words[split:-1]), in_place(target, *words[:split]), Extent(words[-1], 1, 1))

    return copy


def declare(copy: Callable[..., Copy], symbols: Sequence[str], symbols_of_async: Sequence[str] = ()) -> None:
    """Declares entry points for the copies that `copy` makes of their arguments."""

    def run(context: Context, *words: int) -> None:
        copy(*words).run()

    def run_async(context: Context, *words: int) -> None:
        *described, stream = words
        submit(context, stream, "copy", copy(*described).run)

    in_context(*symbols)(run)
    in_context(*symbols_of_async)(run_async)


declare(copy_2d, ["cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2"], ["cuMemcpy2DAsync_v2"])
declare(copy_3d, ["cuMemcpy3D_v2", "cuMemcpy3DPeer"], ["cuMemcpy3DAsync_v2", "cuMemcpy3DPeerAsync"])
declare(row(ARRAY, HOST), ["cuMemcpyHtoA_v2"], ["cuMemcpyHtoAAsync_v2"])
declare(row(HOST, ARRAY), ["cuMemcpyAtoH_v2"], ["cuMemcpyAtoHAsync_v2"])
declare(row(ARRAY, DEVICE), ["cuMemcpyDtoA_v2"])
declare(row(DEVICE, ARRAY), ["cuMemcpyAtoD_v2"])
declare(row(ARRAY, ARRAY), ["cuMemcpyAtoA_v2"])
