"""Identifiers of graphs, executable graphs and nodes for tools, and the common structure for nodes of all types."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

from openptx.driver.calls import in_context, put, write
from openptx.driver.devices.contexts import Context
from openptx.driver.getters import getter
from openptx.driver.graphs.batches import batch_words
from openptx.driver.graphs.conditions import condition_words
from openptx.driver.graphs.executable import Executable
from openptx.driver.graphs.graph import NODE_TYPES, Graph, Node, child_of
from openptx.driver.graphs.nodes import CHILD, KERNEL_V2
from openptx.driver.graphs.nodes import HOST as HOST_FUNCTION
from openptx.driver.graphs.parameters import copy_description, event_of, fill_words, host_words, kernel_words
from openptx.driver.graphs.transfers import FILL
from openptx.driver.objects import driver

SIZE = 256
"""Bytes of a CUgraphNodeParams."""
NOT_TO_REUSE = -1
"""CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID."""
HANDLE = struct.Struct("<Q")
COPY_HEAD = struct.Struct("<iiQ")
"""Of CUDA_MEMCPY_NODE_PARAMS: flags and the context."""


def child_description(context: Context, node: Node) -> bytes:
    child = child_of(node)
    return CHILD.pack(child.handle if child is not None else 0, NOT_TO_REUSE)


DESCRIPTIONS: dict[str, Callable[[Context, Node], bytes]] = {
    "kernel": lambda context, node: KERNEL_V2.pack(*kernel_words(node), 0, context.handle),
    "copy": lambda context, node: COPY_HEAD.pack(0, 0, context.handle) + copy_description(node),
    "fill": lambda context, node: FILL.pack(*fill_words(node)) + HANDLE.pack(context.handle),
    "host": lambda context, node: HOST_FUNCTION.pack(*host_words(node)),
    "graph": child_description,
    "empty": lambda context, node: b"",
    "wait": lambda context, node: HANDLE.pack(event_of(node)),
    "event": lambda context, node: HANDLE.pack(event_of(node)),
    "allocation": lambda context, node: node.description,
    "free": lambda context, node: HANDLE.pack(node.address),
    "memory": batch_words,
    "conditional": condition_words,
}
"""The structure in a CUgraphNodeParams, by the kind of a node."""


@in_context("cuGraphNodeGetParams")
def get_node(context: Context, node: Node, out: int) -> None:
    number = NODE_TYPES[node.kind]
    described = DESCRIPTIONS[node.kind](context, node)
    write(out, (struct.pack("<4i", number, 0, 0, 0) + described).ljust(SIZE, b"\0"))


getter("cuGraphGetId", lambda _, handle: driver().find(handle, Graph).number, ctypes.c_uint32)
getter("cuGraphExecGetId", lambda _, handle: driver().find(handle, Executable).number, ctypes.c_uint32)
getter("cuGraphNodeGetLocalId", lambda _, handle: driver().find(handle, Node).number, ctypes.c_uint32)


@in_context("cuGraphNodeGetToolsId")
def tools_id(context: Context, node: Node, out: int) -> None:
    put(out, node.graph.number << 32 | node.number)
