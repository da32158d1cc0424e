"""Graphs: nodes and their dependencies."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from openptx.driver.calls import in_context, initialized, invalid, put, require_flags, unsupported
from openptx.driver.devices.contexts import Context
from openptx.driver.graphs.user_objects import References, UserObject
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.driver.streams.queues import Ready, rest_of
from openptx.errors import Bug

MOVE = 1
"""Flag for references to a user object: the caller's references move to the graph."""
NODE_TYPES = {"kernel": 0, "copy": 1, "fill": 2, "host": 3, "graph": 4, "empty": 5, "wait": 6, "event": 7,
              "allocation": 10, "free": 11, "memory": 12, "conditional": 13}  # fmt: skip
"""CUgraphNodeType, by the kind of a node."""
UNIQUE = "allocation", "free", "conditional"
"""Kinds of nodes that cannot be copied (manual of `cuGraphClone`)."""


NUMBERS = itertools.count(1)
"""Identifiers of graphs and executable graphs for tools; nodes have numbers in their graph."""


class Work(NamedTuple):
    """The work of a node. Memory that pointer arguments refer to is read at the launch. The function of a waiting node
    returns an iterator of the conditions it waits for, one after another."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def run(self) -> Iterator[Ready]:
        return rest_of(self.function(*self.arguments)) or iter(())


class Node(Object):
    """`after` are the nodes that this one depends on; `original` is the node that a clone was made from.

    `attributes` are those of a kernel that the program has set; `kept` is what it was given a pointer to. Nodes that
    allocate or free memory have its `address`, and `description` is that of an allocation.
    """

    what, null = "graph node", Result.INVALID_VALUE

    def __init__(self, graph: Graph, kind: str, work: Work, after: Iterable[Node]) -> None:
        super().__init__()
        self.graph, self.kind, self.work, self.after = graph, kind, work, [*after]
        self.number = next(graph.numbers)
        self.original: Node | None = None
        self.attributes: dict[int, bytes] = {}
        self.kept: object = None
        self.address, self.description = 0, b""

    def end(self) -> None:
        """Invalidates its handle, and those of the graphs that it runs."""
        for graph in graphs_of(self):
            graph.end()
        driver().remove(self)


class Word(NamedTuple):
    """A condition: its address in device memory, and its value at each launch; None if nothing sets it then."""

    address: int
    default: int | None

    @property
    def value(self) -> int:
        return ctypes.c_uint32.from_address(self.address).value

    def assign(self) -> None:
        if self.default is not None:
            ctypes.c_uint32.from_address(self.address).value = self.default


class Graph(Object):
    """`words` are the conditions created for it, by address. `outer` is the graph with the node that runs this one.
    `moved` is whether the program created it and moved it to that node."""

    what, null = "graph", Result.INVALID_VALUE

    def __init__(self, outer: Graph | None = None) -> None:
        super().__init__()
        self.outer, self.moved = outer, False
        self.number, self.numbers = next(NUMBERS), itertools.count()
        self.nodes: list[Node] = []
        self.words: dict[int, Word] = {}
        self.references = References()
        self.executable: Callable[[], Object | None] | None = None  # the last one, while it lives

    def condition(self, address: int) -> Word | None:
        """The condition at an address, if it was created for this graph or one that contains it."""
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
        """Each node after its dependencies, otherwise in the order of addition. Fails if they form a cycle."""
        found, left = dict[Node, None](), self.nodes
        while left:
            late = list[Node]()
            for node in left:
                if all(before in found for before in node.after):
                    found[node] = None
                else:
                    late.append(node)
            if len(late) == len(left):
                raise invalid(f"{len(left)} nodes of the graph depend on each other in a cycle")
            left = late
        return [*found]

    def clone(self) -> Graph:
        """A copy: the nodes with new handles. Fails for nodes that cannot be copied, before anything is created."""
        for graph in self.every():
            graph.order()
            if found := {node.kind for node in graph.nodes} & {*UNIQUE}:
                raise unsupported(f"a graph with nodes of kind {sorted(found)} cannot be copied")
        return self._copy()

    def _copy(self, outer: Graph | None = None) -> Graph:
        made, same = driver().add(Graph(outer)), dict[Node, Node]()
        for node in self.order():
            copy = made.add(node.kind, *node.work, (same[before] for before in node.after))
            if (child := child_of(node)) is not None:
                copy.work = child_work(child._copy(made))
            copy.original, copy.attributes = node, dict(node.attributes)
            copy.address, copy.description = node.address, node.description
            same[node] = copy
        made.nodes = [same[node] for node in self.nodes]
        made.references = self.references.copy()
        return made

    def every(self) -> Iterator[Graph]:
        """This graph and those that its nodes run."""
        yield self
        for node in self.nodes:
            for graph in graphs_of(node):
                yield from graph.every()

    def end(self) -> None:
        """Invalidates its handle and those of its nodes."""
        for node in self.nodes:
            node.end()
        driver().remove(self)
        self.references.end()


def child_work(child: Graph) -> Work:
    """The work of a node that runs a whole graph, which the node owns."""
    return Work(placeholder_work, (child,))


def placeholder_work(what: object) -> None:
    """The placeholder for the work of a node with graphs: the steps of a plan run the plans of these graphs instead."""
    raise Bug(f"{what} is run without having been instantiated")


def child_of(node: Node) -> Graph | None:
    """The graph that a node runs. A captured launch of an executable one has none."""
    return node.work.arguments[0] if node.kind == "graph" and node.work.arguments else None


class Choice(NamedTuple):
    """The work of a conditional node: the value of a word selects the graph that runs, and whether it runs again."""

    word: Word
    kind: str
    bodies: tuple[Graph, ...]

    def next_body(self) -> int | None:
        """The number of the graph to run next."""
        value = self.word.value
        number = value if self.kind == "switch" else int(value == 0)
        return number if number < len(self.bodies) else None

    def run(self, runs: Sequence[Callable[[], Iterator[Ready]]]) -> Iterator[Ready]:
        """`runs` execute the graphs."""
        number = self.next_body()
        while number is not None:
            yield from runs[number]()
            number = self.next_body() if self.kind == "while" else None


def choice_of(node: Node) -> Choice | None:
    """The choice of a conditional node. One from a captured launch belongs to an executable graph."""
    found = node.work.arguments[0] if node.kind == "conditional" else None
    return found if isinstance(found, Choice) else None


def graphs_of(node: Node) -> tuple[Graph, ...]:
    """The graphs that a node runs: its child, or those of a conditional node."""
    choice, child = choice_of(node), child_of(node)
    if choice is not None:
        return choice.bodies
    return (child,) if child is not None else ()


def require_nodes_of(graph: Graph, handles: list[int]) -> list[Node]:
    """The nodes of these handles. Fails for a node of another graph."""
    found = [driver().find(handle, Node) for handle in handles]
    if any(node.graph is not graph for node in found):
        raise invalid("a node of another graph is given")
    return found


@in_context("cuGraphCreate")
def create(context: Context, out: int, flags: int) -> None:
    require_flags(flags, 0, "a graph, which has none")
    put(out, 0)
    put(out, driver().add(Graph()).handle)


@initialized("cuGraphDestroy")
def destroy(graph: Graph) -> None:
    if graph.outer is not None:
        raise invalid(f"{graph!r} belongs to a node of {graph.outer!r}")
    graph.end()


@in_context("cuGraphClone")
def clone(context: Context, out: int, handle: int) -> None:
    put(out, 0)
    put(out, driver().find(handle, Graph).clone().handle)


@in_context("cuGraphRetainUserObject")
def retain_user_object(context: Context, graph: Graph, user_object: UserObject, count: int, flags: int) -> None:
    if not count or flags not in (0, MOVE):
        raise invalid(f"{count} references of a graph to a user object, with flags {flags}")
    graph.references.add(user_object, count, moved=flags == MOVE)


@in_context("cuGraphReleaseUserObject")
def release_user_object(context: Context, graph: Graph, user_object: UserObject, count: int) -> None:
    graph.references.remove(user_object, count)
