"""Parameters of graph nodes, in their structures; attributes of kernel nodes."""

from __future__ import annotations

import ctypes
from typing import Any

from openptx.driver.calls import in_context, put, read, write
from openptx.driver.devices.contexts import Context
from openptx.driver.execution import launches
from openptx.driver.execution.launches import CLUSTER, COOPERATIVE, Shape
from openptx.driver.getters import getter
from openptx.driver.graphs.graph import Node, Work, child_of
from openptx.driver.graphs.nodes import HOST as HOST_FUNCTION
from openptx.driver.graphs.nodes import KERNEL, KERNEL_V2
from openptx.driver.graphs.settings import of_kind
from openptx.driver.graphs.transfers import FILL, copy_of
from openptx.driver.memory.boxes import COPY_3D, HOST, Side

VALUE = 64
"""Bytes of a CUlaunchAttributeValue."""


def kernel_of(node: Node) -> tuple[Any, Shape, bytearray]:
    """The function of a node, the shape of its launch and its parameters."""
    _, function, shape, parameters = node.work.arguments
    return function, shape, parameters


def kernel_words(node: Node) -> tuple[int, ...]:
    """The words of a CUDA_KERNEL_NODE_PARAMS. The memory that its pointers refer to lives until the node's work is
    replaced."""
    function, shape, parameters = kernel_of(node)
    data = ctypes.create_string_buffer(bytes(parameters), max(len(parameters), 1))
    begin = ctypes.addressof(data)
    places = [begin + offset for offset, _ in function.parameters]
    table = (ctypes.c_void_p * max(len(places), 1))(*places)
    node.kept = data, table
    return (function.handle, *shape.grid, *shape.block, shape.shared, ctypes.addressof(table), 0)


def copy_words(side: Side) -> tuple[int, ...]:
    """The words that describe one side of a copy in CUDA_MEMCPY3D."""
    host, device = (side.address, 0) if side.kind == HOST else (0, side.address)
    array = side.array.handle if side.array is not None else 0
    return side.x, side.y, side.z, 0, side.kind, host, device, array, 0, side.pitch, side.rows


def copy_description(node: Node) -> bytes:
    """A CUDA_MEMCPY3D."""
    found = copy_of(node.work)
    return COPY_3D.pack(*copy_words(found.source), *copy_words(found.target), *found.extent)


def fill_words(node: Node) -> tuple[int, ...]:
    """The words of a CUDA_MEMSET_NODE_PARAMS."""
    address, pitch, value, element, width, height = node.work.arguments
    return address, pitch, value, element.itemsize, width, height


def host_words(node: Node) -> tuple[int, int]:
    """The function and its data."""
    callback: Any = node.work.function  # of ctypes
    return ctypes.cast(callback, ctypes.c_void_p).value or 0, node.work.arguments[-1]


def event_of(node: Node) -> int:
    return node.work.arguments[0].handle


getter("cuGraphKernelNodeGetParams", lambda _, handle: KERNEL.pack(*kernel_words(of_kind(handle, "kernel"))))
getter(
    "cuGraphKernelNodeGetParams_v2",
    lambda context, handle: KERNEL_V2.pack(*kernel_words(of_kind(handle, "kernel")), 0, context.handle),
)
getter("cuGraphMemcpyNodeGetParams", lambda _, handle: copy_description(of_kind(handle, "copy")))
getter("cuGraphMemsetNodeGetParams", lambda _, handle: FILL.pack(*fill_words(of_kind(handle, "fill"))))
getter("cuGraphHostNodeGetParams", lambda _, handle: HOST_FUNCTION.pack(*host_words(of_kind(handle, "host"))))
getter("cuGraphEventRecordNodeGetEvent", lambda _, handle: event_of(of_kind(handle, "event")))
getter("cuGraphEventWaitNodeGetEvent", lambda _, handle: event_of(of_kind(handle, "wait")))


@in_context("cuGraphChildGraphNodeGetGraph")
def get_child(context: Context, handle: int, out: int) -> None:
    found = child_of(of_kind(handle, "graph"))
    put(out, found.handle if found is not None else 0)


@in_context("cuGraphKernelNodeSetAttribute")
def set_attribute(context: Context, handle: int, number: int, value: int) -> None:
    """Clusters and cooperative launches change the launch; the others concern speed and are only stored."""
    node = of_kind(handle, "kernel")
    node.attributes[number] = read(value, VALUE)
    function, shape, parameters = kernel_of(node)
    words = [int.from_bytes(node.attributes[number][i : i + 4], "little") for i in (0, 4, 8)]
    if number == CLUSTER:
        shape = shape._replace(cluster=(words[0], words[1], words[2]) if any(words) else None)
    elif number == COOPERATIVE:
        shape = shape._replace(cooperative=words[0] != 0)
    launches.require_possible(function, shape)
    node.work = Work(launches.run, (context, function, shape, parameters))


@in_context("cuGraphKernelNodeGetAttribute")
def get_attribute(context: Context, handle: int, number: int, out: int) -> None:
    write(out, of_kind(handle, "kernel").attributes.get(number, bytes(VALUE)))


@in_context("cuGraphKernelNodeCopyAttributes")
def copy_attributes(context: Context, target: int, source: int) -> None:
    to, of = of_kind(target, "kernel"), of_kind(source, "kernel")
    function, shape, parameters = kernel_of(to)
    source_shape = kernel_of(of)[1]
    shape = shape._replace(cluster=source_shape.cluster, cooperative=source_shape.cooperative)
    to.attributes, to.work = dict(of.attributes), Work(launches.run, (context, function, shape, parameters))
