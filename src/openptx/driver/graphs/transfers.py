"""Copies and fills as the work of graph nodes: checked when a program describes them, as on a GPU."""

from __future__ import annotations

import struct

from openptx.driver.calls import invalid, read
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.allocations import owned_by_graph
from openptx.driver.graphs.graph import Work
from openptx.driver.memory.boxes import DEVICE, HOST, PLACES, UNIFIED, Copy, Extent, Side, copy_3d
from openptx.driver.memory.copies import move
from openptx.driver.memory.fills import ELEMENTS, bytes_to_fill, fill
from openptx.driver.memory.places import is_of_device, of_device, of_either, of_host

FILL = struct.Struct("<QQIIQQ")
"""CUDA_MEMSET_NODE_PARAMS."""
CHECK = "access"


def copy_work(context: Context, pointer: int) -> Work:
    """The content of a CUDA_MEMCPY3D. Fails if the copy is not possible now."""
    copy = copy_3d(pointer)
    if all(copy.extent):
        for side in (copy.source, copy.target):
            require_box(side, copy.extent)
    return Work(copy.run)


def require_box(side: Side, extent: Extent) -> None:
    """Fails for a box outside of its array or memory. Memory of graphs is accessible only while they run."""
    if side.array is not None:
        side.part(side.array, extent)
        return
    address, size = side.span(extent)
    if owned_by_graph(address) is None:
        PLACES[side.kind](address, size, CHECK)


def fill_work(context: Context, pointer: int) -> Work:
    """The content of a CUDA_MEMSET_NODE_PARAMS. Fails if the fill is not possible now."""
    address, pitch, value, size, width, height = FILL.unpack(read(pointer, FILL.size))
    if 8 * size not in ELEMENTS:
        raise invalid(f"elements of {size} bytes that are set to a value")
    extent = bytes_to_fill(address, pitch, size, width, height)
    if owned_by_graph(address) is None:
        of_device(address, extent, CHECK)
    mask = (1 << 8 * size) - 1
    return Work(fill, (address, pitch, value & mask, ELEMENTS[8 * size], width, height))


def copy_of(work: Work) -> Copy:
    """The copy that is a node's work, which may be a plain one of a stream."""
    if work.function is not move:
        found = getattr(work.function, "__self__", None)
        assert isinstance(found, Copy)
        return found
    kinds = {of_host: HOST, of_device: DEVICE, of_either: UNIFIED}
    target, to, source, of, size = work.arguments
    sides = [Side(0, 0, 0, kinds[place], address, None, 0, 0) for place, address in ((of, source), (to, target))]
    return Copy(sides[0], sides[1], Extent(size, 1, 1))


def require_same_memory(old: Copy, new: Copy) -> None:
    """Fails if a copy would go between other kinds of memory (manual of `cuGraphExecMemcpyNodeSetParams`)."""
    before, after = ([kind_of_memory(side) for side in (copy.source, copy.target)] for copy in (old, new))
    if before != after:
        raise invalid(f"a copy from {after[0]} to {after[1]} memory instead of one from {before[0]} to {before[1]}")


def kind_of_memory(side: Side) -> str:
    if side.array is not None:
        return "array"
    on_device = is_of_device(side.address) or owned_by_graph(side.address) is not None
    return "device" if on_device else "host"
