"""Instantiation, launch and end of executable graphs."""

from __future__ import annotations

from openptx.driver.calls import Failure, get, in_context, initialized, put, put_int
from openptx.driver.contexts import Context
from openptx.driver.executable_graphs import Executable
from openptx.driver.graphs import Graph, Work
from openptx.driver.objects import driver
from openptx.driver.results import Result
from openptx.driver.streams import stream_of

FLAGS = 15
"""CUgraphInstantiate_flags."""
INVALID_STRUCTURE = 2
"""Of CUgraphInstantiateResult."""


def executable(out: int, handle: int, flags: int = 0) -> None:
    put(out, 0)
    found = driver().find(handle, Graph)
    if flags & ~FLAGS:
        raise Failure(Result.INVALID_VALUE, f"flags {flags} of an executable graph")
    if found.moved:
        raise Failure(Result.INVALID_VALUE, f"{found!r} was moved to a node of {found.outer!r}")
    put(out, driver().add(Executable(found, flags)).handle)


@in_context("cuGraphInstantiate", "cuGraphInstantiate_v2")
def instantiate(context: Context, out: int, graph: int, node: int, buffer: int, size: int) -> None:
    executable(out, graph)


@in_context("cuGraphInstantiateWithFlags")
def instantiate_with_flags(context: Context, out: int, graph: int, flags: int) -> None:
    executable(out, graph, flags)


@in_context("cuGraphInstantiateWithParams")
def instantiate_with_params(context: Context, out: int, graph: int, parameters: int) -> None:
    """The parameters are flags, a stream for the upload, and two results: a node that is wrong, and what is."""
    flags = get(parameters)
    put(parameters + 16, 0)
    put_int(parameters + 24, INVALID_STRUCTURE)
    executable(out, graph, flags)
    put_int(parameters + 24, 0)


@in_context("cuGraphUpload")
def upload(context: Context, handle: int, stream: int) -> None:
    driver().find(handle, Executable)
    stream_of(context, stream)


@in_context("cuGraphLaunch")
def launch(context: Context, handle: int, stream: int) -> None:
    found, where = driver().find(handle, Executable), stream_of(context, stream)
    if where.capture is None:
        made, ready = found.launch()
        where.queue.run(made.run, ready=ready)
        return
    for step in found.plan.steps.values():
        if step.enabled:
            where.capture.add(where, step.kind, *(Work(step.run) if step.inner else step.work))


@initialized("cuGraphExecDestroy")
def destroy_executable(handle: int) -> None:
    """Launches of it that wait are done nevertheless."""
    driver().remove(driver().find(handle, Executable))


@in_context("cuGraphExecGetFlags")
def executable_flags(context: Context, handle: int, out: int) -> None:
    put(out, driver().find(handle, Executable).flags)
