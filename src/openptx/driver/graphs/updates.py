"""Updates executable graphs by graphs with the same nodes and edges, or reports the difference.

Nodes are paired as the manual of `cuGraphExecUpdate` says: from the nodes without dependents, in order, back through
their dependencies, in edge order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from openptx.driver.calls import Failure, in_context, invalid, put, put_int
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.executable import Executable, Plan, Step
from openptx.driver.graphs.graph import Graph, Node, choice_of, graphs_of
from openptx.driver.memory.word_operations import same_types
from openptx.driver.objects import driver
from openptx.driver.results import Result

TOPOLOGY_CHANGED, TYPE_CHANGED, PARAMETERS_CHANGED = 2, 3, 5
"""CUgraphExecUpdateResult."""


class Difference(NamedTuple):
    """Why an update is impossible: its CUgraphExecUpdateResult; the node of the new graph, and its dependency, if one
    of these differs."""

    result: int
    why: str
    node: Node | None = None
    before: Node | None = None

    @property
    def handles(self) -> tuple[int, int]:
        """Those of the nodes, 0 for none."""
        return (self.node.handle if self.node else 0), (self.before.handle if self.before else 0)


def sinks(after: Mapping[Node, Collection[Node]]) -> list[Node]:
    """Nodes without dependents."""
    inner = {before for nodes in after.values() for before in nodes}
    return [node for node in after if node not in inner]


def paired(old: Plan, new: Graph) -> dict[Node, Node] | Difference:
    """The new node for each old one; or how the graphs' edges differ."""
    if len(old.steps) != len(new.nodes):
        return Difference(TOPOLOGY_CHANGED, f"{len(new.nodes)} nodes instead of {len(old.steps)}")
    new.order()  # fails for a cycle
    ends = sinks({node: step.after for node, step in old.steps.items()}), sinks({n: n.after for n in new.nodes})
    if len(ends[1]) > len(ends[0]):
        return Difference(TOPOLOGY_CHANGED, "more nodes without dependents", ends[1][len(ends[0])])
    found = dict(zip(*ends, strict=False))
    left, taken = [*found], {*found.values()}
    while left:
        node = left.pop()
        befores, others = old.steps[node].after, found[node].after
        if len(befores) != len(others):
            return Difference(TOPOLOGY_CHANGED, "a node has another number of dependencies", found[node])
        for before, other in zip(befores, others, strict=True):
            if found.get(before) is not other:
                if before in found or other in taken:
                    return Difference(TOPOLOGY_CHANGED, "a node has another dependency", found[node], other)
                found[before] = other
                taken.add(other)
                left.append(before)
    return {node: found[node] for node in old.steps}


def first_difference(old: Plan, new: Graph) -> Difference | None:
    """What forbids the update. No node is named for a different number of nodes, in child graphs as in the outer one
    (an H200, driver 580)."""
    pairs = paired(old, new)
    if isinstance(pairs, Difference):
        return pairs
    for node, other in pairs.items():
        if (found := differs(old.steps[node], other)) is not None:
            return found
    return None


def differs(step: Step, node: Node) -> Difference | None:
    """Why a node cannot replace the work of a step; None if it can."""
    if step.kind != node.kind:
        return Difference(TYPE_CHANGED, f"a node of kind `{node.kind}` instead of `{step.kind}`", node)
    inner = graphs_of(node)
    choice = choice_of(node)
    kinds = [each.kind for each in (step.choice, choice) if each is not None]
    if len(inner) != len(step.inner) or len({*kinds}) > 1:
        return Difference(PARAMETERS_CHANGED, "a conditional node of another type or size", node)
    if step.kind == "memory" and not same_types(step.work.function, node.work.function):
        return Difference(PARAMETERS_CHANGED, "operations on memory of other types", node)
    return next(filter(None, (first_difference(*pair) for pair in zip(step.inner, inner, strict=True))), None)


def updated(old: Plan, new: Graph) -> Plan:
    """The old plan with the work of an equal graph."""
    pairs = paired(old, new)
    assert not isinstance(pairs, Difference)
    made = Plan.of(new)
    return replace(
        made, steps={node: renewed(old.steps[node], made.steps[other], other) for node, other in pairs.items()}
    )


def renewed(step: Step, new: Step, node: Node) -> Step:
    """The work of another graph's node, at its place in the old one."""
    kept = replace(new, after=step.after, enabled=step.enabled)
    inner = tuple(updated(*pair) for pair in zip(step.inner, graphs_of(node), strict=True))
    return kept.with_inner(inner) if inner else kept


def update(handle: int, graph: int) -> Difference:
    """Replaces the work by that of another graph; or returns why not: a difference with another result than 0."""
    found, new = driver().find(handle, Executable), driver().find(graph, Graph)
    if new.moved:
        raise invalid(f"{new!r} was moved to a node of {new.outer!r}")
    wrong = first_difference(found.plan, new)
    if wrong is None:
        found.plan = updated(found.plan, new)
    return wrong or Difference(0, "")


def require_updated(wrong: Difference) -> None:
    if wrong.result:
        raise Failure(Result.GRAPH_EXEC_UPDATE_FAILURE, wrong.why, usual=True)


@in_context("cuGraphExecUpdate_v2")
def exec_update_v2(context: Context, handle: int, graph: int, info: int) -> None:
    wrong = update(handle, graph)
    if info:
        put_int(info, wrong.result)
        for i, found in enumerate(wrong.handles):
            put(info + 8 + 8 * i, found)
    require_updated(wrong)


@in_context("cuGraphExecUpdate")
def exec_update(context: Context, handle: int, graph: int, node: int, out: int) -> None:
    wrong = update(handle, graph)
    put(node, wrong.handles[0])
    put_int(out, wrong.result)
    require_updated(wrong)
