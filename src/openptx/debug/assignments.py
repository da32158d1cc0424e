"""Assignments made at stops. A repeated execution applies them again at the same steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from openptx.debug.observer import StoppingObserver
from openptx.debug.scope import Scope, scope_of


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value assigned, at which step of the launch, by which thread in which of its calls."""

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
        self._made = [one for one in self._made if one.step <= step]
        self._next = 0

    def repeat(self, observer: StoppingObserver) -> None:
        """Repeats the assignments made at the step that the launch has reached."""
        while self._next < len(self._made) and self._made[self._next].step <= observer.step:
            one = self._made[self._next]
            self._next += 1
            scope = scope_of(observer, one.thread, one.depth)
            if scope is not None:
                one.put(scope)
