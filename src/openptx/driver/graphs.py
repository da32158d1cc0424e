"""Graphs: nodes with what they come after, which a launch does again in an order that fits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from openptx.driver.calls import Failure, in_context, initialized, put, put_int
from openptx.driver.contexts import Context
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.driver.streams import stream_of
from openptx.driver.user_objects import References, UserObject

MOVE = 1
"""Of references to a user object: the caller's become the graph's."""
TOPOLOGY_CHANGED, TYPE_CHANGED = 2, 3
"""CUgraphExecUpdateResult."""


class Work(NamedTuple):
    """What a node does. What pointers among the arguments lead to is read at the launch."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def run(self) -> None:
        self.function(*self.arguments)


class Node(Object):
    """`after` are the nodes that this one comes after; `original` is the node that a clone was made of.

    `attributes` are those of a kernel that the program has set; `kept` is what it was given a pointer to. Nodes that
    allocate or free memory have its `address`, and `description` is that of an allocation.
    """

    what = "graph node"

    def __init__(self, graph: Graph, kind: str, work: Work, after: Iterable[Node]) -> None:
        super().__init__()
        self.graph, self.kind, self.work, self.after = graph, kind, work, [*after]
        self.original: Node | None = None
        self.attributes: dict[int, bytes] = {}
        self.kept: object = None
        self.address, self.description = 0, b""

    def end(self) -> None:
        """Its handle means nothing from now on, and neither do those of the graphs that it does."""
        for graph in (*filter(None, (child_of(self),)), *bodies_of(self)):
            graph.end()
        driver().remove(self)


class Word(NamedTuple):
    """A condition: where it lies in device memory, and what it is at each launch; None where nothing sets it then."""

    address: int
    default: int | None

    @property
    def value(self) -> int:
        return ctypes.c_uint32.from_address(self.address).value

    def assign(self) -> None:
        if self.default is not None:
            ctypes.c_uint32.from_address(self.address).value = self.default


class Graph(Object):
    """`words` are the conditions that were made for it, by address. `outer` is the graph whose conditional node does
    this one."""

    what = "graph"

    def __init__(self, outer: Graph | None = None) -> None:
        super().__init__()
        self.outer = outer
        self.nodes: list[Node] = []
        self.words: dict[int, Word] = {}
        self.references = References()

    def condition(self, address: int) -> Word | None:
        """The condition at an address, where it was made for this graph or one that this is a part of."""
        if address in self.words or self.outer is None:
            return self.words.get(address)
        return self.outer.condition(address)

    def add(
        self, kind: str, function: Callable[..., Any], arguments: tuple[Any, ...], after: Iterable[Node] = ()
    ) -> Node:
        made = driver().add(Node(self, kind, Work(function, arguments), after))
        self.nodes.append(made)
        return made

    def order(self) -> list[Node]:
        """Each node after those that it comes after, otherwise as they were added. Fails where they form a cycle."""
        found, left = dict[Node, None](), self.nodes
        while left:
            late = list[Node]()
            for node in left:
                if all(before in found for before in node.after):
                    found[node] = None
                else:
                    late.append(node)
            if len(late) == len(left):
                raise Failure(Result.INVALID_VALUE, f"{len(left)} nodes of the graph come after each other in a cycle")
            left = late
        return [*found]

    def clone(self) -> Graph:
        """The same nodes, with handles of their own. Fails for conditional ones, as CUDA does."""
        if any(choice_of(node) is not None for node in self.nodes):
            raise Failure(Result.NOT_SUPPORTED, "a graph with conditional nodes cannot be copied")
        made, same = driver().add(Graph()), dict[Node, Node]()
        for node in self.order():
            copy = made.add(node.kind, *node.work, (same[before] for before in node.after))
            if isinstance(child := child_of(node), Graph):
                copy.work = child_work(child.clone())
            copy.original, copy.attributes = node, dict(node.attributes)
            copy.address, copy.description = node.address, node.description
            same[node] = copy
        made.nodes = [same[node] for node in self.nodes]
        made.references = self.references.copy()
        return made

    def end(self) -> None:
        """Handles of it and of its nodes mean nothing from now on."""
        for node in self.nodes:
            node.end()
        driver().remove(self)
        self.references.end()


def child_work(child: Graph) -> Work:
    """The work of a node that runs a whole graph, which the node owns."""
    return Work(run_graph, (child,))


def child_of(node: Node) -> Graph | None:
    """The graph that a node does."""
    return node.work.arguments[0] if node.kind == "graph" else None


def run_graph(graph: Graph) -> None:
    for node in graph.order():
        node.work.run()


class Choice(NamedTuple):
    """What a conditional node does: a word says which of some graphs run, and whether one runs again."""

    word: Word
    kind: str
    bodies: tuple[Graph, ...]

    def chosen(self) -> int | None:
        """The number of the graph that is to run now."""
        value = self.word.value
        number = value if self.kind == "switch" else int(value == 0)
        return number if number < len(self.bodies) else None

    def run(self, runs: Sequence[Callable[[], None]]) -> None:
        """`runs` do the graphs."""
        number = self.chosen()
        while number is not None:
            runs[number]()
            number = self.chosen() if self.kind == "while" else None


def run_choice(choice: Choice) -> None:
    choice.run([partial(run_graph, body) for body in choice.bodies])


def choice_of(node: Node) -> Choice | None:
    """What a conditional node chooses from."""
    return node.work.arguments[0] if node.kind == "conditional" else None


def bodies_of(node: Node) -> tuple[Graph, ...]:
    choice = choice_of(node)
    return choice.bodies if choice is not None else ()


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

    def start(self) -> None:
        """Does all of it, with its conditions as they are at a launch."""
        self.assign()
        self.run()

    def assign(self) -> None:
        for word in self.words:
            word.assign()
        for step in self.steps.values():
            for body in step.bodies:
                body.assign()

    def run(self) -> None:
        for step in [*self.steps.values()]:
            if step.enabled:
                step.work.run()

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


def shape(graph: Graph) -> list[frozenset[int]]:
    """What each node comes after, by places in the order."""
    place = {node: i for i, node in enumerate(graph.order())}
    return [frozenset(place[before] for before in node.after) for node in place]


def require_nodes_of(graph: Graph, handles: list[int]) -> list[Node]:
    """The nodes of these handles. Fails for a node of another graph."""
    found = [driver().find(handle, Node) for handle in handles]
    if any(node.graph is not graph for node in found):
        raise Failure(Result.INVALID_VALUE, "a node of another graph is given")
    return found


@in_context("cuGraphCreate")
def create(context: Context, out: int, flags: int) -> None:
    if flags:
        raise Failure(Result.INVALID_VALUE, f"flags {flags} of a graph, which has none")
    put(out, 0)
    put(out, driver().add(Graph()).handle)


@initialized("cuGraphDestroy")
def destroy(handle: int) -> None:
    driver().find(handle, Graph).end()


@in_context("cuGraphClone")
def clone(context: Context, out: int, handle: int) -> None:
    put(out, 0)
    put(out, driver().find(handle, Graph).clone().handle)


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


@in_context("cuGraphRetainUserObject")
def retain_user_object(context: Context, handle: int, kept: int, count: int, flags: int) -> None:
    if not count or flags not in (0, MOVE):
        raise Failure(Result.INVALID_VALUE, f"{count} references of a graph to a user object, with flags {flags}")
    found = driver().find(kept, UserObject, Result.INVALID_VALUE)
    driver().find(handle, Graph).references.add(found, count, moved=flags == MOVE)


@in_context("cuGraphReleaseUserObject")
def release_user_object(context: Context, handle: int, kept: int, count: int) -> None:
    found = driver().find(kept, UserObject, Result.INVALID_VALUE)
    driver().find(handle, Graph).references.remove(found, count)


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
