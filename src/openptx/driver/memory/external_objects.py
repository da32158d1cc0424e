"""Memory and semaphores of other interfaces (Vulkan, Direct3D, NvSci), none of which exist here: CUDA's errors.

Invalid descriptions and unknown handles are errors as on a GPU; valid descriptions are refused.
"""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure, counted, get, in_context, invalid, put, unsupported
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.graph import Graph, Node
from openptx.driver.results import Result

MEMORY_TYPES, SEMAPHORE_TYPES = range(1, 10), range(1, 11)
"""CUexternalMemoryHandleType and CUexternalSemaphoreHandleType."""
HANDLES_OF = 8
"""Bytes of a handle in an array."""


def refuse(out: int, pointer: int, types: range, what: str) -> None:
    put(out, 0)
    kind = get(pointer, ctypes.c_int)
    if kind not in types:
        raise invalid(f"{what} with a handle of type {kind}")
    raise unsupported(f"{what}, of another interface than CUDA")


def no_handle_of(handle: int, what: str) -> Failure:
    return Failure(Result.INVALID_HANDLE, f"0x{handle:x} is not a handle of {what}: none can be imported")


@in_context("cuImportExternalMemory")
def import_memory(context: Context, out: int, description: int) -> None:
    refuse(out, description, MEMORY_TYPES, "external memory")


@in_context("cuImportExternalSemaphore")
def import_semaphore(context: Context, out: int, description: int) -> None:
    refuse(out, description, SEMAPHORE_TYPES, "an external semaphore")


@in_context("cuExternalMemoryGetMappedBuffer", "cuExternalMemoryGetMappedMipmappedArray")
def map_memory(context: Context, out: int, handle: int, description: int) -> None:
    put(out, 0)
    raise no_handle_of(handle, "external memory")


@in_context("cuDestroyExternalMemory")
def destroy_memory(context: Context, handle: int) -> None:
    raise no_handle_of(handle, "external memory")


@in_context("cuDestroyExternalSemaphore")
def destroy_semaphore(context: Context, handle: int) -> None:
    raise no_handle_of(handle, "an external semaphore")


@in_context("cuSignalExternalSemaphoresAsync", "cuWaitExternalSemaphoresAsync")
def use_semaphores(context: Context, handles: int, parameters: int, count: int, stream: int) -> None:
    for i in counted(count, "semaphores"):
        raise no_handle_of(get(handles + HANDLES_OF * i), "an external semaphore")


@in_context("cuGraphAddExternalSemaphoresSignalNode", "cuGraphAddExternalSemaphoresWaitNode")
def add_node(context: Context, out: int, graph: Graph, after: int, count: int, parameters: int) -> None:
    put(out, 0)
    raise no_handle_of(get(get(parameters)), "an external semaphore")


@in_context(
    "cuGraphExternalSemaphoresSignalNodeGetParams", "cuGraphExternalSemaphoresSignalNodeSetParams",
    "cuGraphExternalSemaphoresWaitNodeGetParams", "cuGraphExternalSemaphoresWaitNodeSetParams",
)  # fmt: skip
def node_parameters(context: Context, node: Node, parameters: int) -> None:
    raise invalid(f"the node is of kind `{node.kind}`")


@in_context("cuGraphExecExternalSemaphoresSignalNodeSetParams", "cuGraphExecExternalSemaphoresWaitNodeSetParams")
def executable_parameters(context: Context, graph: int, node: Node, parameters: int) -> None:
    node_parameters(context, node, parameters)
