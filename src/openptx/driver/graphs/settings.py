"""Changes to nodes, in a graph or in an executable one; and switching nodes off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from openptx.driver.calls import Failure, get, in_context, invalid, put_int
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.executable import Executable
from openptx.driver.graphs.graph import Graph, Node, Work, child_of
from openptx.driver.graphs.nodes import (
    PARAMETERS,
    host_work,
    kernel_work,
    kernel_work_v2,
    record_work,
    wait_work,
    work_of,
)  # fmt: skip
from openptx.driver.graphs.transfers import copy_of, copy_work, fill_work, require_same_memory
from openptx.driver.graphs.updates import first_difference, updated
from openptx.driver.memory.word_operations import same_types
from openptx.driver.objects import driver
from openptx.driver.results import Result

SWITCHABLE = ("kernel", "copy", "fill")


def of_kind(handle: int, *kinds: str) -> Node:
    """The node of a handle. Fails for one of another kind."""
    found = driver().find(handle, Node)
    if found.kind not in kinds:
        raise invalid(f"the node is of kind `{found.kind}`, not `{kinds[0]}`")
    return found


def same_kind(kind: str, expected: str) -> None:
    if kind != expected:
        raise invalid(f"the parameters are of kind `{kind}`, and the node is of `{expected}`")


def change(graph: int, node: Node, work: Work) -> None:
    """Replaces a node's work in an executable graph. Launches submitted before keep the old work."""
    found = driver().find(graph, Executable)
    if node.kind == "memory" and not same_types(found.step(node).work.function, work.function):
        raise invalid("operations on memory of other types, or another number of them")
    if node.kind == "copy":
        require_same_memory(copy_of(found.step(node).work), copy_of(work))
    found.change(node, lambda step: replace(step, work=work))


def change_child(graph: int, node: Node, child: Graph) -> None:
    """Fails for a child graph with other nodes or edges."""
    found = driver().find(graph, Executable)
    wrong = first_difference(found.step(node).inner[0], child) if found.step(node).inner else None
    if wrong is not None:
        raise Failure(Result.GRAPH_EXEC_UPDATE_FAILURE, f"the child graph differs: {wrong.why}")
    found.change(node, lambda step: step.with_inner((updated(step.inner[0], child),)))


def sets(symbol: str, executable: str, kind: str, work: Callable[[Context, int], Work]) -> None:
    """Declares the entry points that change the work of a node, in a graph and in an executable one, to what a
    structure or a handle describes."""

    def set_work(context: Context, handle: int, described: int) -> None:
        of_kind(handle, kind).work = work(context, described)

    def set_executable(context: Context, graph: int, handle: int, described: int, owner: int = 0) -> None:
        node = of_kind(handle, kind)
        change(graph, node, work(context, described))

    in_context(symbol)(set_work)
    in_context(executable)(set_executable)


sets("cuGraphKernelNodeSetParams", "cuGraphExecKernelNodeSetParams", "kernel", kernel_work)
sets("cuGraphKernelNodeSetParams_v2", "cuGraphExecKernelNodeSetParams_v2", "kernel", kernel_work_v2)
sets("cuGraphMemcpyNodeSetParams", "cuGraphExecMemcpyNodeSetParams", "copy", copy_work)
sets("cuGraphMemsetNodeSetParams", "cuGraphExecMemsetNodeSetParams", "fill", fill_work)
sets("cuGraphHostNodeSetParams", "cuGraphExecHostNodeSetParams", "host", host_work)
sets("cuGraphEventRecordNodeSetEvent", "cuGraphExecEventRecordNodeSetEvent", "event", record_work)
sets("cuGraphEventWaitNodeSetEvent", "cuGraphExecEventWaitNodeSetEvent", "wait", wait_work)


@in_context("cuGraphNodeSetParams", "cuGraphNodeSetParams_v2")
def set_node(context: Context, node: Node, pointer: int) -> None:
    kind, make = work_of(context, pointer)
    same_kind(kind, node.kind)
    before, node.work = child_of(node), make()
    if (child := child_of(node)) is not None:
        child.outer = node.graph
    if before is not None:
        before.end()


@in_context("cuGraphExecChildGraphNodeSetParams")
def set_exec_child(context: Context, graph: int, handle: int, child: Graph) -> None:
    change_child(graph, of_kind(handle, "graph"), child)


@in_context("cuGraphExecNodeSetParams")
def set_exec_node(context: Context, graph: int, node: Node, pointer: int) -> None:
    kind, make = work_of(context, pointer)
    same_kind(kind, node.kind)
    if kind == "graph":
        change_child(graph, node, driver().find(get(pointer + PARAMETERS), Graph))
    else:
        change(graph, node, make())


@in_context("cuGraphNodeSetEnabled")
def set_enabled(context: Context, graph: int, handle: int, enabled: int) -> None:
    node = of_kind(handle, *SWITCHABLE)
    driver().find(graph, Executable).change(node, lambda step: replace(step, enabled=enabled != 0))


@in_context("cuGraphNodeGetEnabled")
def get_enabled(context: Context, graph: int, handle: int, out: int) -> None:
    node = of_kind(handle, *SWITCHABLE)
    put_int(out, driver().find(graph, Executable).step(node).enabled)
