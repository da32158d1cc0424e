"""Copies of several boxes by one call, or with attributes, which concern the order and locations of memory."""

from __future__ import annotations

import struct

from openptx.driver.calls import counted, get, in_context, invalid, put_size, read
from openptx.driver.devices.contexts import Context
from openptx.driver.memory.boxes import ARRAY, UNIFIED, Copy, Extent, Side
from openptx.driver.memory.copies import asynchronous
from openptx.driver.memory.places import of_either
from openptx.driver.objects import driver
from openptx.driver.streams.stream import submit
from openptx.driver.textures.arrays import Array

BATCH_OP = struct.Struct("<i4x4Qi4x4Q3QiI")
"""CUDA_MEMCPY3D_BATCH_OP: two operands, each a type and four words; the extent, the order, flags."""
ORDERS = (1, 2, 3)
"""CUmemcpySrcAccessOrder."""
POINTER, IN_ARRAY = 1, 2
"""CUmemcpy3DOperandType."""
NONE = (1 << 64) - 1


def element_of(kind: int, words: tuple[int, ...]) -> int:
    """The bytes of an element of an array; 0 for memory, which uses those of the other operand."""
    if kind not in (POINTER, IN_ARRAY):
        raise invalid(f"operand type {kind} of a copy")
    return driver().find(words[0], Array).element if kind == IN_ARRAY else 0


def side(kind: int, words: tuple[int, ...], element: int, extent: Extent) -> Side:
    """One operand. Rows and layers of memory are packed if their lengths are 0."""
    if kind == IN_ARRAY:
        handle, x, y, z = words
        return Side(x * element, y, z, ARRAY, 0, driver().find(handle, Array), 0, 0)
    address, row, layer, _ = words
    if (row and row * element < extent.width) or (layer and layer < extent.height):
        raise invalid(f"rows of {row} elements, layers of {layer} rows, and the copy is larger")
    return Side(0, 0, 0, UNIFIED, address, None, row * element or extent.width, layer or extent.height)


def operation(pointer: int) -> Copy:
    """The copy that a CUDA_MEMCPY3D_BATCH_OP describes."""
    words = BATCH_OP.unpack(read(pointer, BATCH_OP.size))
    (source_kind, *source), (target_kind, *target) = words[:5], words[5:10]
    width, height, depth, order, _ = words[10:]
    if not width or not height or not depth or order not in ORDERS:
        raise invalid(f"a copy of {width} x {height} x {depth} elements, in the order {order}")
    sizes = {element_of(source_kind, (*source,)), element_of(target_kind, (*target,))} - {0} or {1}
    if len(sizes) > 1:
        raise invalid(f"a copy between arrays with elements of {sorted(sizes)} bytes")
    (element,) = sizes
    extent = Extent(width * element, height, depth)
    return Copy(side(source_kind, (*source,), element, extent), side(target_kind, (*target,), element, extent), extent)


@in_context("cuMemcpy3DBatchAsync_v2")
def batch(context: Context, count: int, operations: int, flags: int, stream: int) -> None:
    batch_12(context, count, operations, 0, flags, stream)


@in_context("cuMemcpy3DBatchAsync")
def batch_12(context: Context, count: int, operations: int, wrong: int, flags: int, stream: int) -> None:
    """All copies are checked before the first one is done."""
    if flags or not count:
        raise invalid(f"{count} copies, with flags {flags}")
    copies: list[Copy] = []
    for i in counted(count, "copies"):
        put_size(wrong, i)
        copies.append(operation(operations + BATCH_OP.size * i))
    put_size(wrong, NONE)
    for copy in copies:
        submit(context, stream, "copy", copy.run)


@in_context("cuMemcpy3DWithAttributesAsync")
def copy_with_attributes(context: Context, described: int, flags: int, stream: int) -> None:
    batch(context, 1, described, flags, stream)


@in_context("cuMemcpyWithAttributesAsync")
def row_with_attributes(context: Context, target: int, source: int, size: int, attributes: int, stream: int) -> None:
    if get(attributes) & 0xFFFFFFFF not in ORDERS:
        raise invalid("a copy with an unknown order of accesses")
    asynchronous(context, stream, target, of_either, source, of_either, size)
