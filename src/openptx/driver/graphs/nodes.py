"""Nodes that programs add to graphs explicitly: kernels, copies, fills, host functions, child graphs, events."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import partial

from openptx.driver.calls import get, in_context, invalid, put, read, unsupported
from openptx.driver.devices.contexts import Context, read_handles
from openptx.driver.execution import launches
from openptx.driver.execution.launches import Shape
from openptx.driver.graphs.allocations import GraphMemory, graph_memory
from openptx.driver.graphs.graph import NODE_TYPES, Graph, Node, Work, child_of, child_work, require_nodes_of
from openptx.driver.graphs.transfers import copy_work, fill_work
from openptx.driver.memory.allocations import obtain
from openptx.driver.memory.virtual import PINNED
from openptx.driver.modules.module import Function
from openptx.driver.objects import driver
from openptx.driver.streams.events import Event

KERNEL, KERNEL_V2 = struct.Struct("<Q7I4xQQ"), struct.Struct("<Q7I4xQQQQ")
HOST = struct.Struct("<QQ")
ALLOCATION = struct.Struct("<QQ"), 104
"""The size and the address in CUDA_MEM_ALLOC_NODE_PARAMS, and their offset."""
CHILD = struct.Struct("<Qi")
CLONE, MOVE = range(2)
"""CUgraphChildGraphNodeOwnership."""
PARAMETERS = 16
"""The offset in CUgraphNodeParams of the structure for its type."""
COPY = 16
"""The offset in CUDA_MEMCPY_NODE_PARAMS of the copy."""


def kernel_work(context: Context, pointer: int, layout: struct.Struct = KERNEL) -> Work:
    """The content of a CUDA_KERNEL_NODE_PARAMS. Parameters are copied now."""
    words = layout.unpack(read(pointer, layout.size))
    function = driver().find(words[0] or (words[10] if layout is KERNEL_V2 else 0), Function)
    gx, gy, gz, bx, by, bz, shared, pointers, extra = words[1:10]
    shape = Shape((gx, gy, gz), (bx, by, bz), shared)
    return Work(launches.run, (context, *launches.prepared(function, shape, pointers, extra)))


kernel_work_v2 = partial(kernel_work, layout=KERNEL_V2)


def host_work(context: Context, pointer: int) -> Work:
    """The content of a CUDA_HOST_NODE_PARAMS."""
    function, data = HOST.unpack(read(pointer, HOST.size))
    if not function:
        raise invalid("the function is null")
    return Work(ctypes.CFUNCTYPE(None, ctypes.c_uint64)(function), (data,))


def record_work(context: Context, handle: int) -> Work:
    return Work(Event.record, (driver().find(handle, Event),))


def wait_work(context: Context, handle: int) -> Work:
    return Work(Event.wait, (driver().find(handle, Event),))


def cloned(context: Context, handle: int) -> Work:
    """The work of a node that runs a copy of a graph."""
    found = driver().find(handle, Graph)
    if found.moved:
        raise invalid(f"{found!r} was moved to a node, and cannot be the child of another one")
    return child_work(found.clone())


def adopt_child(handle: int, parent: int) -> Work:
    """The work of a node that owns a graph from now on. Fails for a graph that has an owner, or that contains the
    node."""
    found, outer = driver().find(handle, Graph), driver().find(parent, Graph)
    if found.outer is not None or outer in found.every():
        raise invalid(f"{found!r} belongs to a node, or the node is to be in the graph itself")
    if any(node.kind == "conditional" for graph in found.every() for node in graph.nodes):
        raise unsupported("a child graph with conditional nodes")
    found.moved = True
    return child_work(found)


def nothing() -> None:
    """The work of an empty node."""


def empty_work(context: Context, pointer: int) -> Work:
    return Work(nothing)


def add(out: int, graph: int, after: int, count: int, kind: str, make: Callable[[], Work]) -> Node:
    """A new node of a graph, with dependencies."""
    put(out, 0)
    found = driver().find(graph, Graph)
    before = require_nodes_of(found, read_handles(after, count))
    if len({*before}) < len(before):
        raise invalid("a dependency of the new node is named twice")
    made = found.add(kind, *make(), before)
    if (child := child_of(made)) is not None:
        child.outer = found
    put(out, made.handle)
    return made


def adds(symbol: str, kind: str, work: Callable[[Context, int], Work]) -> None:
    """Declares an entry point that adds a node of a kind, with the work that a structure or a handle describes; copies
    and fills name a context as well, and there is one."""

    def add_of_kind(
        context: Context, out: int, graph: int, after: int, count: int, described: int = 0, owner: int = 0
    ) -> None:
        add(out, graph, after, count, kind, lambda: work(context, described))

    in_context(symbol)(add_of_kind)


adds("cuGraphAddKernelNode", "kernel", kernel_work)
adds("cuGraphAddKernelNode_v2", "kernel", kernel_work_v2)
adds("cuGraphAddMemcpyNode", "copy", copy_work)
adds("cuGraphAddMemsetNode", "fill", fill_work)
adds("cuGraphAddHostNode", "host", host_work)
adds("cuGraphAddEmptyNode", "empty", empty_work)
adds("cuGraphAddChildGraphNode", "graph", cloned)
adds("cuGraphAddEventRecordNode", "event", record_work)
adds("cuGraphAddEventWaitNode", "wait", wait_work)


def require_no_owner(graph: Graph) -> None:
    """Fails for a node's child graph, to which memory nodes cannot be added (manual of
    `cuGraphChildGraphNodeGetGraph`)."""
    if graph.outer is not None:
        raise invalid(f"{graph!r} belongs to a node, and gets no nodes for memory")


def require_pool(pointer: int) -> None:
    """Fails unless the properties of a pool (CUmemPoolProps) say that its memory is pinned, and where it is."""
    kind, _, place = struct.unpack("<3i", read(pointer, 12))
    if kind != PINNED or not place:
        raise invalid(f"memory of type {kind} in a place of type {place}")


@in_context("cuGraphAddMemAllocNode")
def add_allocation(context: Context, out: int, graph: int, after: int, count: int, pointer: int) -> None:
    """Assigns the address now: it is part of the graph."""
    layout, begin = ALLOCATION
    require_no_owner(driver().find(graph, Graph))
    size, _ = layout.unpack(read(pointer, begin + layout.size)[begin:])
    require_pool(pointer)

    def allocation_work() -> Work:
        obtain(context, pointer + begin + 8, size)
        return Work(GraphMemory(get(pointer + begin + 8)).allocate)

    made = add(out, graph, after, count, "allocation", allocation_work)
    made.description, made.address = read(pointer, begin + layout.size), get(pointer + begin + 8)


@in_context("cuGraphAddMemFreeNode")
def add_free(context: Context, out: int, graph: int, after: int, count: int, address: int) -> None:
    found, freed = driver().find(graph, Graph), graph_memory(address)
    require_no_owner(found)
    if freed is None or any(node.kind == "free" and node.address == address for node in found.nodes):
        why = "which no node allocates" if freed is None else "which another node of the graph frees"
        raise invalid(f"a node that frees memory at 0x{address:x}, {why}")
    add(out, graph, after, count, "free", lambda: Work(freed.free)).address = address


DESCRIBED: dict[str, Callable[[Context, int], Work]] = {
    "kernel": kernel_work_v2,
    "copy": lambda context, place: copy_work(context, place + COPY),
    "fill": fill_work,
    "host": host_work,
    "graph": lambda context, place: cloned(context, get(place)),
    "empty": empty_work,
    "wait": lambda context, place: wait_work(context, get(place)),
    "event": lambda context, place: record_work(context, get(place)),
}
"""The work of a node from the structure that describes it, by the node's kind."""
KINDS = {number: kind for kind, number in NODE_TYPES.items()}


def kind_at(pointer: int) -> str:
    """The kind of node that a CUgraphNodeParams describes; empty for types that the machine does not support."""
    return KINDS.get(get(pointer, ctypes.c_int), "")


def work_of(context: Context, pointer: int) -> tuple[str, Callable[[], Work]]:
    """The content of a CUgraphNodeParams. Fails for types that the machine does not support."""
    kind = kind_at(pointer)
    if kind not in DESCRIBED:
        raise unsupported(f"a graph node of type {get(pointer, ctypes.c_int)}")
    return kind, partial(DESCRIBED[kind], context, pointer + PARAMETERS)


def add_described_child(context: Context, out: int, graph: int, after: int, count: int, pointer: int) -> None:
    child, ownership = CHILD.unpack(read(pointer + PARAMETERS, CHILD.size))
    if ownership not in (CLONE, MOVE):
        raise invalid(f"ownership {ownership} of a child graph")
    make = partial(cloned, context, child) if ownership == CLONE else partial(adopt_child, child, graph)
    add(out, graph, after, count, "graph", make)


def add_described_allocation(context: Context, out: int, graph: int, after: int, count: int, pointer: int) -> None:
    add_allocation(context, out, graph, after, count, pointer + PARAMETERS)


def add_described_free(context: Context, out: int, graph: int, after: int, count: int, pointer: int) -> None:
    add_free(context, out, graph, after, count, get(pointer + PARAMETERS))


SPECIAL: dict[str, Callable[..., None]] = {
    "graph": add_described_child,
    "allocation": add_described_allocation,
    "free": add_described_free,
}
"""Functions that add nodes whose description is also a result, by the node's kind."""


@in_context("cuGraphAddNode", "cuGraphAddNode_v2", "cuGraphAddNode_v3")
def add_node(context: Context, out: int, graph: int, after: int, *data_count_pointer: int) -> None:
    *_, count, pointer = data_count_pointer
    put(out, 0)
    special = SPECIAL.get(kind_at(pointer))
    if special is not None:
        special(context, out, graph, after, count, pointer)
        return
    kind, make = work_of(context, pointer)
    add(out, graph, after, count, kind, make)
