"""Where the lanes of a stopped launch are: at which instruction, in which activation, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from openptx.debug.observer import StoppingObserver
from openptx.engines.interp import lane_sets
from openptx.engines.interp.frames import Frame
from openptx.program import Op
from openptx.trace.observer import ObservedBatch


@dataclass(frozen=True, slots=True)
class LaneGroup:
    """Lanes at position `pc` of an activation. `state` is "running", "ready" or what they wait for."""

    frame: Frame
    pc: int
    lanes: lane_sets.Positions
    state: str

    @property
    def op(self) -> Op | None:
        """The instruction that the lanes have reached; None at a function's end."""
        code = self.frame.plan.code
        return code[self.pc] if self.pc < len(code) else None


class Activation(NamedTuple):
    """A function that lanes are in, with their position in its code: for callers, that of the call. `outward` is the
    number of inlined calls at this position that are activations of their own, further in."""

    frame: Frame
    pc: int
    outward: int = 0

    @property
    def op(self) -> Op:
        """The instruction there; the last one at a function's end."""
        return self.frame.plan.code[min(self.pc, len(self.frame.plan.code) - 1)]


def groups(observer: StoppingObserver, batch: ObservedBatch) -> Iterator[LaneGroup]:
    """All lanes of a batch that have not exited, the running ones first."""
    n = batch.x.n
    seen = np.zeros(n, np.bool_)

    def unseen(frame: Frame, pc: int, lanes: lane_sets.Positions, state: str) -> LaneGroup | None:
        lanes = lanes[~seen[lanes] & batch.alive[lanes]]
        seen[lanes] = True
        return LaneGroup(frame, pc, lanes, state) if lanes.size else None

    found = list[LaneGroup | None]()
    for number, barrier in sorted(batch.barriers.items()):
        for w in barrier.waiting:
            found.append(unseen(w.frame, w.pc - 1, w.lanes, f"waits at barrier {number}"))
    for w in batch.cluster.waiting:
        found.append(unseen(w.frame, w.pc - 1, w.lanes, "waits at the cluster's barrier"))
    for group in batch.parked.values():
        found.append(unseen(group.frame, group.pc, lane_sets.positions(group.lanes, n), "waits for its warp"))
    for group in batch.ready.values():
        found.append(unseen(group.frame, group.pc, lane_sets.positions(group.lanes, n), "ready"))
    if hasattr(batch, "group"):
        current = batch is observer.batch
        pc = observer.pc if current else batch.group.pc
        lanes = lane_sets.positions(batch.group.lanes, n)
        found.insert(0, unseen(batch.group.frame, pc, lanes, "running" if current else "ready"))
    yield from (lane_group for lane_group in found if lane_group is not None)


def batch_of(observer: StoppingObserver, thread: int) -> ObservedBatch | None:
    """The batch that a thread runs in, by its index in the launch; None before it starts, and after it has ended."""
    for batch in observer.batches:
        if 0 <= lane_of(thread, batch) < batch.x.n:
            return batch if batch.alive_count else None
    return None


def lane_of(thread: int, batch: ObservedBatch) -> int:
    """The lane of a batch that executes a thread; out of range for threads of other batches."""
    return thread - batch.x.geometry.first * batch.x.geometry.threads


def where(observer: StoppingObserver, thread: int) -> LaneGroup | None:
    """Where a thread is; None if it has exited, or has not started."""
    batch = batch_of(observer, thread)
    if batch is None:
        return None
    lane = lane_of(thread, batch)
    return next((group for group in groups(observer, batch) if holds(group.lanes, lane)), None)


def frames(frame: Frame, pc: int) -> list[tuple[Frame, int]]:
    """The activations from the innermost on, each with the position of its lanes: for callers, that of the call."""
    found = [(frame, pc)]
    while frame.parent is not None:
        found.append((frame.parent, frame.back - 1))
        frame = frame.parent
    return found


def holds(lanes: lane_sets.Lanes, lane: int) -> bool:
    """Whether a lane is one of a set."""
    if lanes is None:
        return True
    if isinstance(lanes, slice):
        return lanes.start <= lane < lanes.stop
    i = int(np.searchsorted(lanes, lane))
    return i < lanes.size and int(lanes[i]) == lane


def executes(observer: StoppingObserver, lanes: lane_sets.Lanes, thread: int) -> bool:
    """Whether a thread is one of the running lanes."""
    lane = lane_of(thread, observer.batch)
    return 0 <= lane < observer.batch.x.n and holds(lanes, lane)


def running_thread(observer: StoppingObserver, thread: int, whole_warp: bool = False) -> int:
    """One of the running lanes: the same thread if it is one of them, else with `whole_warp` one of its warp."""
    return one_of(observer.batch, observer.lanes, thread, whole_warp)


def last_thread(observer: StoppingObserver, thread: int) -> int:
    """One of the lanes that executed the last instruction, the same thread if it is one of them; of the running ones if
    they have exited since."""
    batch, lanes = observer.last if observer.last is not None else (observer.batch, observer.lanes)
    found = one_of(batch, lanes, thread)
    return found if where(observer, found) is not None else running_thread(observer, thread)


def one_of(batch: ObservedBatch, lanes: lane_sets.Lanes, thread: int, whole_warp: bool = False) -> int:
    """A thread of these lanes of a batch."""
    geometry = batch.x.geometry
    first = geometry.first * geometry.threads
    own = thread - first
    if 0 <= own < geometry.n and holds(lanes, own):
        return thread
    places = lane_sets.positions(lanes, geometry.n)
    if whole_warp and 0 <= own < geometry.n:
        places = places[geometry.warp[places] == geometry.warp[own]]
    return first + int(places[0]) if places.size else thread
