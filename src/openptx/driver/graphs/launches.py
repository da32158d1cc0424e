"""Instantiation, launch and destruction of executable graphs."""

from __future__ import annotations

import weakref
from typing import Any

from openptx.driver.calls import get, in_context, initialized, invalid, put, put_int, require_flags, unsupported
from openptx.driver.devices.contexts import Context
from openptx.driver.getters import getter
from openptx.driver.graphs.allocations import GraphMemory, claim
from openptx.driver.graphs.executable import Executable, Plan
from openptx.driver.graphs.graph import UNIQUE, Graph, Work
from openptx.driver.objects import driver
from openptx.driver.streams.objects import Stream

FLAGS, AUTO_FREE = 15, 1
"""CUgraphInstantiate_flags: all of them, and the one by which a launch frees memory that the program still holds."""
INVALID_STRUCTURE = 2
"""Of CUgraphInstantiateResult."""


def memory_of(plan: Plan, kind: str) -> list[GraphMemory]:
    """The allocations and frees of nodes of a kind at a launch."""
    steps = [step for inner in plan.every() for step in inner.steps.values() if step.kind == kind and step.enabled]
    functions: list[Any] = [step.work.function for step in steps]
    return [function.__self__ for function in functions]


def require_one_only(graph: Graph) -> None:
    """Fails for a graph that can have only one executable graph at a time (manual of `cuGraphInstantiate`)."""
    known = graph.executable() if graph.executable is not None else None
    if known is not None and any(node.kind in UNIQUE for inner in graph.every() for node in inner.nodes):
        raise unsupported(f"{graph!r} has nodes of kinds {UNIQUE}, and has {known!r} already")


def executable(out: int, handle: int, flags: int = 0) -> None:
    put(out, 0)
    found = driver().find(handle, Graph)
    require_flags(flags, FLAGS, "an executable graph")
    if found.moved:
        raise invalid(f"{found!r} was moved to a node of {found.outer!r}")
    require_one_only(found)
    made = driver().add(Executable(found, flags))
    found.executable = weakref.ref(made)
    put(out, made.handle)


@in_context("cuGraphInstantiate", "cuGraphInstantiate_v2")
def instantiate(context: Context, out: int, graph: int, node: int, buffer: int, size: int) -> None:
    executable(out, graph)


@in_context("cuGraphInstantiateWithFlags")
def instantiate_with_flags(context: Context, out: int, graph: int, flags: int) -> None:
    executable(out, graph, flags)


@in_context("cuGraphInstantiateWithParams")
def instantiate_with_params(context: Context, out: int, graph: int, parameters: int) -> None:
    """The parameters are flags, a stream for the upload, and two results: the offending node, and the error."""
    flags = get(parameters)
    put(parameters + 16, 0)
    put_int(parameters + 24, INVALID_STRUCTURE)
    executable(out, graph, flags)
    put_int(parameters + 24, 0)


@in_context("cuGraphUpload")
def upload(context: Context, found: Executable, stream: Stream) -> None:
    """Does nothing: there is nothing to upload."""


@in_context("cuGraphLaunch")
def launch(context: Context, found: Executable, stream: Stream) -> None:
    if stream.capture is None:
        allocated, freed = (memory_of(found.plan, kind) for kind in ("allocation", "free"))
        claim(allocated, freed, again=found.flags & AUTO_FREE != 0)
        made, ready = found.launch()
        stream.queue.run(made.run, ready=ready)
        return
    for step in found.plan.steps.values():
        if step.enabled:
            stream.capture.add(stream, step.kind, *(Work(step.run) if step.inner else step.work))


@initialized("cuGraphExecDestroy")
def destroy_executable(found: Executable) -> None:
    """Launches that are pending are executed nevertheless."""
    driver().remove(found)


getter("cuGraphExecGetFlags", lambda _, handle: driver().find(handle, Executable).flags)
