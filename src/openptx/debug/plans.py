"""Plans decide how far to run: each says, at an instruction that lanes have reached, whether to stop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from openptx.control_flow import BARRIERS, control
from openptx.debug.inlining import Calls
from openptx.debug.lanes import holds
from openptx.debug.observer import StoppingObserver
from openptx.debug.places import Places
from openptx.debug.stops import ENDED, ENTRY, GOTO, STEP, Stop
from openptx.engines.interp import lane_sets

WARP = 32
Wanted = Callable[[StoppingObserver, lane_sets.Lanes], bool]
"""Whether lanes have reached what is looked for."""


class Plan(Protocol):
    """`quiet`: breakpoints and watchpoints do not stop the run."""

    @property
    def quiet(self) -> bool: ...
    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        """The reason to stop; None to continue."""


@dataclass(slots=True)
class Entry:
    """Stops at the first instruction of the launch."""

    quiet: bool = True

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        return Stop(ENTRY, observer.step, "at the first instruction")


@dataclass(slots=True)
class Continue:
    """Runs to a breakpoint or the end."""

    quiet: bool = False

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        return None


@dataclass(slots=True)
class Goto:
    """Runs to a step, past breakpoints."""

    target: int
    quiet: bool = True

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        return Stop(GOTO, observer.step) if observer.step >= self.target else None


@dataclass(slots=True)
class Scout:
    """Runs to just before a step, past breakpoints, and records the last steps that are `wanted`."""

    limit: int
    wanted: Wanted
    found: deque[int]
    quiet: bool = True

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        if observer.step >= self.limit:
            return Stop(GOTO, observer.step)
        if self.wanted(observer, lanes):
            self.found.append(observer.step)
        return None


@dataclass(slots=True)
class Step:
    """Runs until one thread reaches its next instruction, `count` times.

    With `line`, the next instruction is one of another line or activation; with `over`, none of a callee; with `out`,
    the one after the call of the thread's function; with `barrier`, one at which threads wait for each other; with
    `after`, none up to this position in the code, as in a further iteration of a loop. With `warp`, any thread of the
    warp may reach it. A step over a line, or `out`, takes inlined calls for calls: `inlined` are those around the
    thread's instruction.
    """

    thread: int
    places: Places
    depth: int
    inlined: Calls = ()
    line: tuple[str, int] | None = None
    over: bool = False
    out: bool = False
    barrier: bool = False
    warp: bool = False
    after: int | None = None
    count: int = 1
    quiet: bool = False

    def stops(self, observer: StoppingObserver, lanes: lane_sets.Lanes) -> Stop | None:
        batch = observer.batch
        geometry = batch.x.geometry
        own = self.thread - geometry.first * geometry.threads
        if not 0 <= own < batch.x.n:
            return None
        if self.warp:
            first = own - own % geometry.threads % WARP
            last = min(first + WARP, own - own % geometry.threads + geometry.threads)
            if not any(holds(lanes, lane) for lane in range(first, last)):
                alive = bool(batch.alive[first:last].any())
                return None if alive else Stop(ENDED, observer.step, "all threads of the warp have ended")
        elif not holds(lanes, own):
            return None if batch.alive[own] else Stop(ENDED, observer.step, "the thread has ended")
        depth = batch.frame_running.depth
        if not self.arrived(observer, depth):
            return None
        self.count -= 1
        return None if self.count else Stop(STEP, observer.step)

    def arrived(self, observer: StoppingObserver, depth: int) -> bool:
        """Whether the instruction is of the awaited kind."""
        inlined = self.places.inlined(observer.op) if self.line or self.out else ()
        if self.out:
            return depth < self.depth or (depth == self.depth and inlined in outer_calls(self.inlined))
        if self.over and (depth > self.depth or (depth == self.depth and self.in_callee(inlined))):
            return False
        if self.after is not None and depth == self.depth and observer.pc <= self.after:
            return False
        if self.barrier:
            return control(observer.op) in BARRIERS
        if self.line is not None:
            line = self.places.line(observer.op)
            if (line, depth, inlined) == (self.line, self.depth, self.inlined):
                return False
            self.line, self.depth, self.inlined = line, depth, inlined  # the start of the next of `count` steps
        return True

    def in_callee(self, inlined: Calls) -> bool:
        """Whether inlined calls are neither those around the thread's instruction nor some of these."""
        return inlined != self.inlined and inlined not in outer_calls(self.inlined)


def outer_calls(calls: Calls) -> list[Calls]:
    """The calls that remain after a return from the innermost, from the next one, and so on."""
    return [calls[i:] for i in range(1, len(calls) + 1)]
