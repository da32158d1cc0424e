"""Assignments made at stops. A repeated execution applies them again at the same steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from openptx.debug.observer import StoppingObserver
from openptx.debug.scope import Scope, scope_of


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment at a step of the launch, in the activation of a thread at a call depth; `put` performs it."""

    step: int
    thread: int
    depth: int
    put: Callable[[Scope], None]


class Assignments:
    """The assignments of a session, in order."""

    def __init__(self) -> None:
        self._made: list[Assignment] = []
        self._next = 0

    def make(self, step: int, scope: Scope, put: Callable[[Scope], None]) -> None:
        """Assigns now. Raises InputError if that is not possible."""
        put(scope)
        self._made.append(Assignment(step, scope.thread, scope.frame.depth, put))
        self._next = len(self._made)

    def rewind(self, step: int) -> None:
        """The launch restarts, to reach a step; assignments after it are dropped."""
        self._made = [assignment for assignment in self._made if assignment.step <= step]
        self._next = 0

    def repeat(self, observer: StoppingObserver) -> None:
        """Repeats the assignments made at the step that the launch has reached."""
        while self._next < len(self._made) and self._made[self._next].step <= observer.step:
            assignment = self._made[self._next]
            self._next += 1
            scope = scope_of(observer, assignment.thread, assignment.depth)
            if scope is not None:
                assignment.put(scope)
