"""A graph in Graphviz's language (`cuGraphDebugDotPrint`): nodes with their kinds, kernels with their names."""

from __future__ import annotations

from pathlib import Path

from openptx.driver.calls import Failure, in_context, text
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.graph import Graph, Node, child_of
from openptx.driver.results import Result

VERBOSE = 1
"""`CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE`; the other flags select parts of what it adds."""


def dot(graph: Graph, verbose: bool) -> str:
    """The text of the drawing. A child graph is a separate box."""
    return "digraph dot {\n" + "\n".join(lines(graph, verbose)) + "\n}\n"


def lines(graph: Graph, verbose: bool) -> list[str]:
    """The statements of a graph and of the graphs in it."""
    found = [f'subgraph "cluster_{graph.handle:x}" {{', f'label="graph {graph.number}";']
    for node in graph.nodes:
        found.append(f'"{node.handle:x}" [shape="box", label="{node.number} {label(node, verbose)}"];')
        if (child := child_of(node)) is not None:
            found += lines(child, verbose)
    found += (f'"{before.handle:x}" -> "{node.handle:x}";' for node in graph.nodes for before in node.after)
    return [*found, "}"]


def label(node: Node, verbose: bool) -> str:
    """The kind, and the shape of a launch; if verbose its bytes of dynamic shared memory and of parameters, too."""
    if node.kind != "kernel":
        return node.kind
    _, function, shape, parameters = node.work.arguments
    more = f"\\nshared {shape.shared}, parameters {len(parameters)}" if verbose else ""
    return f"kernel {function.kernel.name}\\n{shape.grid} x {shape.block}{more}".replace('"', "'")


@in_context("cuGraphDebugDotPrint")
def print_dot(context: Context, graph: Graph, path: int, flags: int) -> None:
    name = text(path, "the path")
    try:
        Path(name).write_text(dot(graph, bool(flags & VERBOSE)), "utf-8")
    except OSError as error:
        raise Failure(Result.OPERATING_SYSTEM, f"{name}: {error.strerror}") from None
