"""Breakpoints: the instructions at which a launch stops, for which threads, and under which condition."""

from __future__ import annotations

from dataclasses import dataclass

from openptx.debug.expressions import Expression
from openptx.debug.lanes import holds, lane_of
from openptx.debug.observer import StoppingObserver
from openptx.debug.places import Place
from openptx.debug.scope import Scope
from openptx.debug.stops import BREAKPOINT, Stop
from openptx.debug.values import Typed
from openptx.engines.interp import lane_sets
from openptx.errors import InputError


@dataclass(slots=True)
class Breakpoint:
    """Stops when lanes reach one of `places` and `condition` holds in one of them.

    `threads` restricts it to one thread by its index in the launch. `skip` arrivals are ignored. A `once` breakpoint is
    deleted after its first stop. `hits` counts stops.
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


class Breakpoints(dict[int, Breakpoint]):
    """The breakpoints of a session, by number. Its owner calls `index` after a change."""

    def __init__(self) -> None:
        super().__init__()
        self._at: dict[Place, list[Breakpoint]] = {}

    def index(self) -> None:
        """Recomputes the breakpoints of each place."""
        found: dict[Place, list[Breakpoint]] = {}
        for one in list(self.values()):  # another thread may set one meanwhile
            for place in one.places:
                found.setdefault(place, []).append(one)
        self._at = found

    def hit(self, observer: StoppingObserver, lanes: lane_sets.Lanes, thread: int) -> tuple[Stop, int] | None:
        """The stop when lanes reach a breakpoint that holds, and for which thread it does: preferably `thread`."""
        if not self._at:
            return None
        found: list[int] = []
        message = ""
        for one in self._at.get(place_of(observer), ()):
            lane, problem = first_lane(one, observer, lanes, thread) if one.enabled else (None, None)
            if lane is None:
                continue
            if one.skip:
                one.skip -= 1
                continue
            one.hits += 1
            found.append(one.number)
            message = message or f"breakpoint {one.number}" + (f": {problem}" if problem else "")
            geometry = observer.batch.x.geometry
            thread = geometry.first * geometry.threads + lane
            if one.once:
                self.pop(one.number, None)
        if not found:
            return None
        self.index()
        return Stop(BREAKPOINT, observer.step, message, tuple(found)), thread


@dataclass(slots=True)
class AtBreakpoint:
    """The plan that stops where a breakpoint would, without counting hits."""

    breakpoints: Breakpoints
    thread: int
    quiet: bool = True

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        place = place_of(observer)
        for one in self.breakpoints.values():
            if one.enabled and place in one.places and first_lane(one, observer, lanes, self.thread)[0] is not None:
                return Stop(BREAKPOINT, observer.step, "", (one.number,))
        return None


def place_of(observer: StoppingObserver) -> Place:
    """The function and the position in its code that lanes have reached."""
    return observer.batch.frame_running.plan.function.name, observer.pc


def first_lane(
    one: Breakpoint, observer: StoppingObserver, lanes: lane_sets.Lanes, thread: int
) -> tuple[int | None, str | None]:
    """The lane for which a breakpoint holds, preferably that of `thread`; and why its condition could not be
    evaluated."""
    batch = observer.batch
    own = lane_of(thread, batch)
    if one.thread is not None:
        wanted = lane_of(one.thread, batch)
        if not holds(lanes, wanted):
            return None, None
        candidates = [wanted]
    elif one.condition is None:
        return (own if own >= 0 and holds(lanes, own) else lane_sets.first(lanes)), None
    else:
        candidates = lane_sets.positions(lanes, batch.x.n).tolist()
        if own >= 0 and holds(lanes, own):
            candidates = [own, *(lane for lane in candidates if lane != own)]
    for lane in candidates:
        try:
            if one.condition is None or is_true(one.condition, Scope(observer, batch, batch.frame_running, lane)):
                return lane, None
        except InputError as error:
            return lane, str(error)
    return None, None


def is_true(condition: Expression, scope: Scope) -> bool:
    """Whether a condition is true in a thread."""
    found = condition.evaluate(scope)
    return bool(found.number if isinstance(found, Typed) else found)
