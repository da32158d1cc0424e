"""Breakpoints: the instructions at which a launch stops, for which threads, and under which condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from openptx.debug.expressions import Expression
from openptx.debug.lanes import holds, lane_of
from openptx.debug.observer import StoppingObserver
from openptx.debug.places import Place
from openptx.debug.scope import Scope
from openptx.debug.stops import BREAKPOINT, Stop
from openptx.debug.values import TypedBits
from openptx.engines.interp import lane_sets
from openptx.errors import InputError


@dataclass(slots=True)
class Breakpoint:
    """Stops when lanes reach one of `places` and `condition` holds in one of them.

    `threads` restricts it to one thread by its index in the launch. `skip` arrivals are ignored. A `once` breakpoint is
    deleted after its first stop. `hits` counts stops. One with a `log` writes that for the thread, and does not stop.
    """

    number: int
    text: str
    places: frozenset[Place]
    condition: Expression | None = None
    thread: int | None = None
    skip: int = 0
    once: bool = False
    enabled: bool = True
    hits: int = 0
    log: Callable[[Scope], str] | None = None


class Breakpoints(dict[int, Breakpoint]):
    """The breakpoints of a session, by number. Its owner calls `index` after a change. `commands` are what is executed
    at their stops, and at those of watchpoints, by number. `print` receives logs."""

    def __init__(self, print: Callable[[str], object]) -> None:
        super().__init__()
        self.print = print
        self.commands: dict[int, list[str]] = {}
        self._at: dict[Place, list[Breakpoint]] = {}

    def index(self) -> None:
        """Recomputes the breakpoints of each place."""
        found: dict[Place, list[Breakpoint]] = {}
        for breakpoint in list(self.values()):  # another thread may set one meanwhile
            for place in breakpoint.places:
                found.setdefault(place, []).append(breakpoint)
        self._at = found

    def hit(self, observer: StoppingObserver, lanes: lane_sets.Lanes, thread: int) -> tuple[Stop, int] | None:
        """The stop when lanes reach a breakpoint that holds, and for which thread it does: preferably `thread`."""
        if not self._at:
            return None
        found: list[int] = []
        messages = list[str]()
        for breakpoint in self._at.get(place_of(observer), ()):
            lane, problem = first_lane(breakpoint, observer, lanes, thread) if breakpoint.enabled else (None, None)
            if lane is None:
                continue
            if breakpoint.skip:
                breakpoint.skip -= 1
                continue
            breakpoint.hits += 1
            if breakpoint.log is not None:
                self.print(breakpoint.log(Scope(observer, observer.batch, observer.batch.frame_running, lane)))
                continue
            found.append(breakpoint.number)
            messages.append(f"breakpoint {breakpoint.number}" + (f": {problem}" if problem else ""))
            geometry = observer.batch.x.geometry
            thread = geometry.first * geometry.threads + lane
            if breakpoint.once:
                self.pop(breakpoint.number, None)
        if not found:
            return None
        self.index()
        return Stop(BREAKPOINT, observer.step, ", ".join(messages), tuple(found)), thread

    def would_stop(self, observer: StoppingObserver, lanes: lane_sets.Lanes, thread: int) -> bool:
        """Whether lanes have reached a breakpoint that holds, without counting it as a hit."""
        return any(
            breakpoint.enabled
            and breakpoint.log is None
            and first_lane(breakpoint, observer, lanes, thread)[0] is not None
            for breakpoint in self._at.get(place_of(observer), ())
        )


def place_of(observer: StoppingObserver) -> Place:
    """The function and the position in its code that lanes have reached."""
    return observer.batch.frame_running.plan.function.name, observer.pc


def first_lane(
    breakpoint: Breakpoint, observer: StoppingObserver, lanes: lane_sets.Lanes, thread: int
) -> tuple[int | None, str | None]:
    """The lane for which a breakpoint holds, preferably that of `thread`; and why its condition could not be
    evaluated."""
    batch = observer.batch
    own = lane_of(thread, batch)
    if breakpoint.thread is not None:
        wanted = lane_of(breakpoint.thread, batch)
        if not holds(lanes, wanted):
            return None, None
        candidates = [wanted]
    elif breakpoint.condition is None:
        return (own if own >= 0 and holds(lanes, own) else lane_sets.first(lanes)), None
    else:
        candidates = lane_sets.positions(lanes, batch.x.n).tolist()
        if own >= 0 and holds(lanes, own):
            candidates = [own, *(lane for lane in candidates if lane != own)]
    for lane in candidates:
        try:
            if breakpoint.condition is None or is_true(
                breakpoint.condition, Scope(observer, batch, batch.frame_running, lane)
            ):
                return lane, None
        except InputError as error:
            return lane, str(error)
    return None, None


def is_true(condition: Expression, scope: Scope) -> bool:
    """Whether a condition is true in a thread."""
    found = condition.evaluate(scope)
    return bool(found.number if isinstance(found, TypedBits) else found)
