"""Nodes and edges of graphs: queries, additions and removals."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from openptx.driver.calls import get, in_context, initialized, invalid, put, unsupported
from openptx.driver.devices.contexts import Context, read_handles
from openptx.driver.getters import getter
from openptx.driver.graphs.graph import NODE_TYPES, Graph, Node, require_nodes_of
from openptx.driver.objects import driver

EDGE = 8
"""Bytes of a CUgraphEdgeData: all zeros, because programmatic launches do not exist here."""


def put_handles(outs: Sequence[tuple[int, Sequence[Node]]], *data_and_count: int) -> None:
    """Writes handles to arrays with room for a count; remaining elements are null. The count becomes that of the
    handles; the data of edges, which second versions of the entry points write, are zeros."""
    *data, count = data_and_count
    room, found = get(count), len(outs[0][1])
    for out, nodes in outs:
        for i in range(room if out else 0):
            put(out + 8 * i, nodes[i].handle if i < len(nodes) else 0)
    written = min(room, found) if any(out for out, _ in outs) else found
    put(count, written)
    if any(data):
        ctypes.memset(data[0], 0, EDGE * written)


@in_context("cuGraphGetNodes")
def get_nodes(context: Context, graph: Graph, out: int, count: int) -> None:
    put_handles([(out, graph.nodes)], count)


@in_context("cuGraphGetRootNodes")
def get_roots(context: Context, graph: Graph, out: int, count: int) -> None:
    put_handles([(out, [node for node in graph.nodes if not node.after])], count)


@in_context("cuGraphGetEdges", "cuGraphGetEdges_v2")
def get_edges(context: Context, graph: Graph, begins: int, ends: int, *data_and_count: int) -> None:
    edges = [(before, node) for node in graph.nodes for before in node.after]
    befores, afters = [before for before, _ in edges], [node for _, node in edges]
    put_handles([(begins, befores), (ends, afters)], *data_and_count)


@in_context("cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2")
def get_dependencies(context: Context, node: Node, out: int, *data_and_count: int) -> None:
    put_handles([(out, node.after)], *data_and_count)


@in_context("cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2")
def get_dependents(context: Context, found: Node, out: int, *data_and_count: int) -> None:
    put_handles([(out, [node for node in found.graph.nodes if found in node.after])], *data_and_count)


def pairs(graph: Graph, begins: int, ends: int, *data_and_count: int) -> list[tuple[Node, Node]]:
    """Reads the caller's edges. Their data are ignored."""
    count = data_and_count[-1]
    befores, afters = (require_nodes_of(graph, read_handles(handles, count)) for handles in (begins, ends))
    return [*zip(befores, afters, strict=True)]


@in_context("cuGraphAddDependencies", "cuGraphAddDependencies_v2")
def add_dependencies(context: Context, graph: Graph, begins: int, ends: int, *data_and_count: int) -> None:
    edges = pairs(graph, begins, ends, *data_and_count)
    if any(before is node or before in node.after for before, node in edges) or len({*edges}) < len(edges):
        raise invalid("an edge that the graph has already, or from a node to itself")
    for before, node in edges:
        node.after.append(before)


@in_context("cuGraphRemoveDependencies", "cuGraphRemoveDependencies_v2")
def remove_dependencies(context: Context, graph: Graph, begins: int, ends: int, *data_and_count: int) -> None:
    require_removable(graph)
    edges = pairs(graph, begins, ends, *data_and_count)
    if any(before not in node.after for before, node in edges) or len({*edges}) < len(edges):
        raise invalid("an edge that the graph does not have")
    for before, node in edges:
        node.after.remove(before)


def require_removable(graph: Graph) -> None:
    """Fails for a graph that allocates or frees memory, whose nodes and edges are fixed (manual of
    `cuGraphDestroyNode`)."""
    if any(node.kind in ("allocation", "free") for node in graph.nodes):
        raise unsupported("nodes and edges of a graph with nodes for memory are not removed")


@initialized("cuGraphDestroyNode")
def destroy_node(found: Node) -> None:
    require_removable(found.graph)
    found.graph.nodes.remove(found)
    for node in found.graph.nodes:
        if found in node.after:
            node.after.remove(found)
    found.end()


@in_context("cuGraphNodeFindInClone")
def find_in_clone(context: Context, out: int, found: Node, graph: Graph) -> None:
    for node in graph.nodes:
        if node.original is found:
            put(out, node.handle)
            return
    raise invalid("the graph was not cloned from that of the node")


getter("cuGraphNodeGetType", lambda _, handle: NODE_TYPES[driver().find(handle, Node).kind], ctypes.c_int32)
getter("cuGraphNodeGetContainingGraph", lambda _, handle: driver().find(handle, Node).graph.handle)
