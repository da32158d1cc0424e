"""Executable graphs: what is left of a graph when it is instantiated, and how a launch does its work.

Nodes run one after the other in the thread that does the stream's work. Where one waits for a word of memory, those go
on that do not come after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from openptx.driver.calls import Failure, in_context, initialized, put, put_int
from openptx.driver.contexts import Context
from openptx.driver.graphs import Graph, Node, Work, bodies_of, child_of, choice_of
from openptx.driver.objects import Object, driver
from openptx.driver.queues import Ready, always
from openptx.driver.results import Result
from openptx.driver.streams import stream_of

TOPOLOGY_CHANGED, TYPE_CHANGED = 2, 3
"""CUgraphExecUpdateResult."""


class Step:
    """A node as an executable graph does it. `enabled` is False for one that does nothing for the time being."""

    def __init__(self, node: Node) -> None:
        self.kind, self.work, self.enabled = node.kind, node.work, True
        self.child: Executable | None = None
        self.bodies = [Executable(body) for body in bodies_of(node)]
        if (child := child_of(node)) is not None:
            self.do_graph(child)
        if (choice := choice_of(node)) is not None:
            self.work = Work(choice.run, ([body.run for body in self.bodies],))

    def do_graph(self, graph: Graph) -> None:
        """Makes the step run a whole graph, as the graph is now."""
        self.end()
        self.child = Executable(graph)
        self.work = Work(self.child.run)

    def end(self) -> None:
        for one in (*self.bodies, *filter(None, (self.child,))):
            one.end()


class Executable(Object):
    """A graph as it was when it was instantiated, in the order of its work."""

    what = "executable graph"

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.steps = {node: Step(node) for node in graph.order()}
        self.shape = shape(graph)
        self.words = [*graph.words.values()]
        self.references = graph.references.copy()

    def start(self) -> Iterator[Ready]:
        """Does all of it, with its conditions as they are at a launch; gives what has to come before it goes on."""
        self.assign()
        yield from self.run()

    def assign(self) -> None:
        for word in self.words:
            word.assign()
        for step in self.steps.values():
            for body in step.bodies:
                body.assign()

    def run(self) -> Iterator[Ready]:
        left, runs, waits = {**self.steps}, dict[Node, Iterator[Ready]](), dict[Node, Ready]()
        while left:
            moved = False
            for node, step in [*left.items()]:
                if any(one in left for one in node.after) or not waits.get(node, always)():
                    continue
                moved = True
                run = runs.setdefault(node, step.work.run() if step.enabled else iter(()))
                if (ready := next(run, None)) is not None:
                    waits[node] = ready
                else:
                    waits.pop(node, None)
                    del left[node]
            if not moved:
                yield partial(any_ready, [*waits.values()])

    def end(self) -> None:
        """Releases what the graph keeps."""
        for step in self.steps.values():
            step.end()
        self.references.end()

    def step(self, handle: int) -> Step:
        """That of a node of the graph which this was made of. Fails for another node."""
        found = self.steps.get(driver().find(handle, Node))
        if found is None:
            raise Failure(Result.INVALID_VALUE, "the node is of another graph than the executable one")
        return found


def any_ready(waits: list[Ready]) -> bool:
    return any(ready() for ready in waits)


def shape(graph: Graph) -> list[frozenset[int]]:
    """What each node comes after, by places in the order."""
    place = {node: i for i, node in enumerate(graph.order())}
    return [frozenset(place[before] for before in node.after) for node in place]


def executable(out: int, handle: int) -> None:
    put(out, 0)
    put(out, driver().add(Executable(driver().find(handle, Graph))).handle)


@in_context("cuGraphInstantiate", "cuGraphInstantiate_v2")
def instantiate(context: Context, out: int, graph: int, node: int, buffer: int, size: int) -> None:
    executable(out, graph)


@in_context("cuGraphInstantiateWithFlags")
def instantiate_with_flags(context: Context, out: int, graph: int, flags: int) -> None:
    executable(out, graph)


@in_context("cuGraphInstantiateWithParams")
def instantiate_with_params(context: Context, out: int, graph: int, parameters: int) -> None:
    executable(out, graph)
    if parameters:
        put(parameters + 16, 0)  # no node is wrong
        put_int(parameters + 24, 0)  # CUDA_GRAPH_INSTANTIATE_SUCCESS


@in_context("cuGraphUpload")
def upload(context: Context, handle: int, stream: int) -> None:
    driver().find(handle, Executable)


@in_context("cuGraphLaunch")
def launch(context: Context, handle: int, stream: int) -> None:
    found, where = driver().find(handle, Executable), stream_of(context, stream)
    if where.capture is None:
        where.queue.run(found.start)
        return
    for step in found.steps.values():
        if step.enabled:
            where.capture.add(where, step.kind, *step.work)


@initialized("cuGraphExecDestroy")
def destroy_executable(handle: int) -> None:
    found = driver().find(handle, Executable)
    driver().remove(found)
    found.end()


@in_context("cuGraphExecGetFlags")
def executable_flags(context: Context, handle: int, out: int) -> None:
    driver().find(handle, Executable)
    put(out, 0)


def update(found: Executable, new: Graph) -> tuple[int, Node | None]:
    """Makes the work that of another graph with the same nodes; or says why not, and at which node."""
    order = new.order()
    if shape(new) != found.shape:
        return TOPOLOGY_CHANGED, None
    for step, node in zip(found.steps.values(), order, strict=True):
        if step.kind != node.kind:
            return TYPE_CHANGED, node
    before, found.references = found.references, new.references.copy()
    before.end()
    found.words = [*new.words.values()]
    found.steps = {old: renewed(step, node) for (old, step), node in zip(found.steps.items(), order, strict=True)}
    return 0, None


def renewed(step: Step, node: Node) -> Step:
    step.end()
    made = Step(node)
    made.enabled = step.enabled
    return made


@in_context("cuGraphExecUpdate_v2")
def exec_update_v2(context: Context, handle: int, graph: int, info: int) -> None:
    result, node = update(driver().find(handle, Executable), driver().find(graph, Graph))
    if info:
        put_int(info, result)
        put(info + 8, node.handle if node is not None else 0)
        put(info + 16, 0)
    require_updated(result)


@in_context("cuGraphExecUpdate")
def exec_update(context: Context, handle: int, graph: int, wrong: int, out: int) -> None:
    result, node = update(driver().find(handle, Executable), driver().find(graph, Graph))
    put(wrong, node.handle if node is not None else 0)
    put_int(out, result)
    require_updated(result)


def require_updated(result: int) -> None:
    if result:
        raise Failure(Result.GRAPH_EXEC_UPDATE_FAILURE, "the graphs have other nodes or edges", usual=True)
