"""Conditional graph nodes: `if`, `while` and `switch`, by words that kernels set with `cudaGraphSetConditional`.

A condition's handle is the address of its word in device memory: linking/device_runtime.ptx stores to it.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

from openptx import memory
from openptx.driver.calls import Failure, in_context, invalid, put, read, require_flags, unsupported
from openptx.driver.devices.contexts import Context, context_of
from openptx.driver.graphs.graph import Choice, Graph, Node, Word, Work, choice_of, placeholder_work
from openptx.driver.graphs.nodes import PARAMETERS, SPECIAL, add
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result

ASSIGN_DEFAULT = 1
DESCRIPTION = struct.Struct("<QII")
"""CUDA_CONDITIONAL_NODE_PARAMS: the handle, the type, the number of graphs; then a pointer to these, a context."""
KINDS = ("if", "while", "switch")
WORD = 16


class Condition(Object):
    """The object by which the context owns a condition's memory."""

    what = "condition"


@in_context("cuGraphConditionalHandleCreate")
def create_condition(context: Context, out: int, graph: int, owner: int, default: int, flags: int) -> None:
    put(out, 0)
    found = driver().find(graph, Graph)
    if not owner:
        raise Failure(Result.INVALID_CONTEXT, "a condition without a context")
    context_of(owner)
    require_flags(flags, ASSIGN_DEFAULT, "a condition")
    block = memory.allocate(WORD)
    context.owned[Condition()] = lambda: memory.free(block)
    ctypes.c_uint32.from_address(block.address).value = default
    found.words[block.address] = Word(block.address, default if flags else None)
    put(out, block.address)


def add_condition(context: Context, out: int, graph: int, after: int, count: int, pointer: int) -> None:
    """Creates the graphs of the node, which the program fills afterwards."""
    found, description = driver().find(graph, Graph), pointer + PARAMETERS
    numbers: tuple[int, int, int] = DESCRIPTION.unpack(read(description, DESCRIPTION.size))
    handle, kind, size = numbers
    word = found.condition(handle)
    if word is None:
        raise invalid(f"0x{handle:x} is not the handle of a condition created for this graph")
    if kind >= len(KINDS) or not size or size > {"if": 2, "while": 1}.get(KINDS[kind], size):
        raise invalid(f"a conditional node of type {kind} with {size} graphs")
    if any((choice := choice_of(node)) is not None and choice.word is word for node in found.nodes):
        raise invalid(f"the condition 0x{handle:x} has a node already")
    bodies = tuple(driver().add(Graph(found)) for _ in range(size))
    choice = Choice(word, KINDS[kind], bodies)
    made = add(out, graph, after, count, "conditional", lambda: Work(placeholder_work, (choice,)))
    made.kept = handles = (ctypes.c_uint64 * size)(*(body.handle for body in bodies))
    put(description + DESCRIPTION.size, ctypes.addressof(handles))


SPECIAL["conditional"] = add_condition


def condition_words(context: Context, node: Node) -> bytes:
    """CUDA_CONDITIONAL_NODE_PARAMS. A node of a captured launch has no handles of its graphs."""
    choice = choice_of(node)
    handles: Any = node.kept
    if choice is None:
        raise unsupported("the parameters of a conditional node that a launch was captured as")
    described = DESCRIPTION.pack(choice.word.address, KINDS.index(choice.kind), len(choice.bodies))
    return described + struct.pack("<QQ", ctypes.addressof(handles), context.handle)
