"""Watchpoints: stops where the value of an expression changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from openptx.debug.breakpoints import is_true
from openptx.debug.expressions import Expression
from openptx.debug.observer import StoppingObserver
from openptx.debug.scope import Scope, scope_of
from openptx.debug.source_values import SourceObject, shown
from openptx.debug.stops import WATCHPOINT, Stop
from openptx.debug.values import Array, TypedBits
from openptx.errors import InputError


@dataclass(slots=True)
class Watchpoint:
    """Stops after an instruction that changed the value of an expression in one thread; memory may be changed by any
    thread.

    Names are resolved in the thread's activation of `function` at a call depth. A `condition` has to hold after the
    change; `skip` changes are ignored. `old` is the previous value; None while there is none.
    """

    number: int
    text: str
    expression: Expression
    thread: int
    depth: int
    function: str
    condition: Expression | None = None
    skip: int = 0
    enabled: bool = True
    hits: int = 0
    old: object = field(default=None, repr=False)


class Watchpoints(dict[int, Watchpoint]):
    """The watchpoints of a session, by number."""

    def begin(self, observer: StoppingObserver | None) -> None:
        """Records the current values of the expressions; None if no launch runs."""
        for watchpoint in self.values():
            watchpoint.old = value_of(
                watchpoint, scope_of(observer, watchpoint.thread, watchpoint.depth) if observer is not None else None
            )

    def changed(self, observer: StoppingObserver) -> Stop | None:
        """The stop at the first watchpoint whose value has changed."""
        for watchpoint in list(self.values()):  # another thread may remove one meanwhile
            scope = scope_of(observer, watchpoint.thread, watchpoint.depth) if watchpoint.enabled else None
            new = value_of(watchpoint, scope)
            if scope is None or new is None or new == watchpoint.old:
                continue
            old, watchpoint.old = watchpoint.old, new
            if old is None or not holds_after(watchpoint, scope):
                continue
            if watchpoint.skip:
                watchpoint.skip -= 1
                continue
            watchpoint.hits += 1
            message = f"watchpoint {watchpoint.number}: {watchpoint.text}: {text(old)} -> {text(new)}"
            return Stop(WATCHPOINT, observer.step, message, (watchpoint.number,))
        return None


def holds_after(watchpoint: Watchpoint, scope: Scope) -> bool:
    """Whether the condition holds. One that cannot be evaluated counts as true, as for a breakpoint."""
    try:
        return watchpoint.condition is None or is_true(watchpoint.condition, scope)
    except InputError:
        return True


def value_of(watchpoint: Watchpoint, scope: Scope | None) -> object:
    """The value of a watched expression; None if it has none."""
    if scope is None or scope.frame.plan.function.name != watchpoint.function:
        return None
    try:
        found = watchpoint.expression.evaluate(scope)
        if isinstance(found, Array):
            return tuple(scope.elements(found))
        if isinstance(found, SourceObject):
            return shown(scope, found)
        return tuple(cast("list[TypedBits]", found)) if isinstance(found, list) else found
    except InputError:
        return None


def text(value: object) -> str:
    """A watched value as text."""
    return " ".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)
