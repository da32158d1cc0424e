"""Executable graphs: the plan of an instantiated graph, and its execution by a launch.

A plan is immutable: changing an executable graph gives it a new one, and each launch keeps the one it was submitted
with. Nodes run one after another in the thread that does the stream's work. If one waits for a word of memory, nodes
that do not depend on it continue.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from openptx.driver.calls import invalid
from openptx.driver.graphs.graph import NUMBERS, Choice, Graph, Node, Word, Work, choice_of, graphs_of
from openptx.driver.graphs.user_objects import Held
from openptx.driver.objects import Object
from openptx.driver.results import Result
from openptx.driver.streams.queues import Ready, always


@dataclass(frozen=True)
class Step:
    """A node of an executable graph, with its dependencies.

    `inner` are the graphs that it runs: a child, or those of a conditional node, which has a `choice`. `enabled` is
    False for a node that is switched off.
    """

    kind: str
    after: tuple[Node, ...]
    work: Work
    inner: tuple[Plan, ...] = ()
    choice: Choice | None = None
    enabled: bool = True

    @staticmethod
    def of(node: Node) -> Step:
        step = Step(node.kind, (*node.after,), node.work, choice=choice_of(node))
        inner = graphs_of(node)
        return step.with_inner(tuple(Plan.of(graph) for graph in inner)) if inner else step

    def with_inner(self, inner: tuple[Plan, ...]) -> Step:
        """The step with other graphs in it."""
        runs = [plan.run for plan in inner]
        work = Work(runs[0]) if self.choice is None else Work(self.choice.run, (runs,))
        return replace(self, work=work, inner=inner)

    def run(self) -> Iterator[Ready]:
        return self.work.run() if self.enabled else iter(())


@dataclass(frozen=True)
class Plan:
    """The work of a graph in order, as a snapshot; the conditions that it was made with, and the user objects that live
    as long as it does."""

    steps: dict[Node, Step]
    words: tuple[Word, ...]
    held: Held

    @staticmethod
    def of(graph: Graph) -> Plan:
        steps = {node: Step.of(node) for node in graph.order()}
        return Plan(steps, (*graph.words.values(),), Held(graph.references))

    def every(self) -> Iterator[Plan]:
        """This plan and those in it."""
        yield self
        for step in self.steps.values():
            for plan in step.inner:
                yield from plan.every()

    def find(self, node: Node) -> Step | None:
        """The step for a node of the graph, or of a graph in it."""
        return next((plan.steps[node] for plan in self.every() if node in plan.steps), None)

    def with_changed_step(self, node: Node, change: Callable[[Step], Step]) -> Plan:
        """The plan with another step for one node, which may belong to a graph in it."""
        steps = {**self.steps}
        if node in steps:
            steps[node] = change(steps[node])
        else:
            for other, step in self.steps.items():
                if any(plan.find(node) is not None for plan in step.inner):
                    steps[other] = step.with_inner(tuple(plan.with_changed_step(node, change) for plan in step.inner))
        return replace(self, steps=steps)

    def assign(self) -> None:
        """Sets conditions to their values at each launch."""
        for plan in self.every():
            for word in plan.words:
                word.assign()

    def run(self) -> Iterator[Ready]:
        left, runs, waits = {**self.steps}, dict[Node, Iterator[Ready]](), dict[Node, Ready]()
        while left:
            moved = False
            for node, step in [*left.items()]:
                if any(before in left for before in step.after) or not waits.get(node, always)():
                    continue
                moved = True
                if node not in runs:
                    runs[node] = step.run()
                if (ready := next(runs[node], None)) is not None:
                    waits[node] = ready
                else:
                    waits.pop(node, None)
                    del left[node]
            if not moved:
                yield partial(any_ready, [*waits.values()])


def any_ready(waits: list[Ready]) -> bool:
    return any(ready() for ready in waits)


class Launch:
    """One launch, whatever becomes of the executable graph before its work is done."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.over = plan, False

    def run(self) -> Iterator[Ready]:
        """Runs everything, with its conditions as at the launch; yields what it has to wait for."""
        try:
            self.plan.assign()
            yield from self.plan.run()
        finally:
            self.over = True


class Executable(Object):
    """An instantiated graph, with the changes since."""

    what, null = "executable graph", Result.INVALID_VALUE

    def __init__(self, graph: Graph, flags: int = 0) -> None:
        super().__init__()
        self.plan, self.flags, self.number = Plan.of(graph), flags, next(NUMBERS)
        self._last: weakref.ref[Launch] | None = None

    def launch(self) -> tuple[Launch, Ready]:
        """A launch, and whether the previous one, which it follows in any stream, has ended."""
        made, before = Launch(self.plan), self._last
        self._last = weakref.ref(made)
        return made, partial(is_over, before)

    def change(self, node: Node, change: Callable[[Step], Step]) -> None:
        """Replaces the work of a node of the graph that this was instantiated from. Fails for other nodes."""
        self.step(node)
        self.plan = self.plan.with_changed_step(node, change)

    def step(self, node: Node) -> Step:
        found = self.plan.find(node)
        if found is None:
            raise invalid("the node is of another graph than the executable one")
        return found


def is_over(launch: weakref.ref[Launch] | None) -> bool:
    """Whether a launch has ended, or was dropped with its context. True if there is none."""
    found = launch() if launch is not None else None
    return found is None or found.over
