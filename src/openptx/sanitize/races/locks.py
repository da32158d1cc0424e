"""Which threads a lock would order if it were taken and given back as the memory model wants it (8.8).

A word that a compare-and-swap or an exchange has changed counts as a lock; other writes there give it back. So does the
word of a ticket lock: a thread that has drawn a ticket by an atomic operation reads it until its turn comes, and then
writes it. Races of threads that the lock would order have the lock as their cause: it is taken or given back without a
fence, or given back by a plain store. An operation whose result nothing reads takes no lock: it sets a flag, or gives a
lock back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary, ref

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import read_registers, written_registers
from openptx.isa.instructions import atomic
from openptx.program import Function, Op
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.semantics import DRAW_TICKETS, TAKE_LOCKS, access
from openptx.sanitize.races.shadow import Shadow


@dataclass(slots=True)
class Held:
    """A lock that a thread of a CTA took, by compare-and-swap or otherwise, and when it took it and gave it back; 0 if
    it has not."""

    shadow: ref[Shadow]
    place: int
    swapped: bool
    since: int
    until: int = 0


class Locks:
    """The locks of a launch of these functions, by their places in shadow memory, in bytes."""

    def __init__(self, clocks: Clocks, functions: Iterable[Function] = ()) -> None:
        self.clocks = clocks
        self._unread = frozenset[Op]().union(*map(unread_swaps, functions))
        self._known: Array | None = None
        """What each thread would know; None before the first lock is taken."""
        self._given: WeakKeyDictionary[Shadow, dict[int, int]] = WeakKeyDictionary()
        """For each lock, the view of what came before it was given back."""
        self._taken: dict[int, Held] = {}
        """By CTA, the last lock that one of its threads took."""
        self._tickets: Array | None = None
        """Whether each thread has drawn a ticket, and has not had its turn; None before the first."""
        self._turns: WeakKeyDictionary[Shadow, dict[int, set[int]]] = WeakKeyDictionary()
        """By place, the threads with a ticket that have read the word there."""
        clocks.views.holders.append(self._views_in_use)

    def _views_in_use(self) -> Iterator[int]:
        return (view for given in self._given.values() for view in given.values())

    def write(self, shadow: Shadow, granules: Array, threads: Array, op: Op, changed: Array | None) -> None:
        """These threads have written words, in this order; `changed`: which of them, if it was an atomic operation."""
        if changed is not None and changed.size == threads.size:
            if op.m.op not in TAKE_LOCKS:  # an addition of 0 reads, too
                self.poll(shadow, granules[~changed], threads[~changed])
            granules, threads = granules[changed], threads[changed]
        if changed is not None and op.m.op in DRAW_TICKETS and access(op).observes:
            if self._tickets is None:
                self._tickets = self.clocks.tables.zeros(np.bool_)
            self._tickets[threads] = True
        if self._turns:
            self.end_turns(shadow, granules, threads)
        takes = changed is not None and op.m.op in TAKE_LOCKS and op not in self._unread
        if not takes or op.m.op != "cas":
            self.give_back(shadow, granules, threads)
        if takes:
            self.take(shadow, granules, threads, op.m.op == "cas")

    def poll(self, shadow: Shadow, granules: Array, threads: Array) -> None:
        """These threads have read words by strong loads. The word that all of them with a ticket have read may be their
        lock."""
        if self._tickets is None or (granules[1:, 0] != granules[:1, 0]).any():
            return
        waiting = threads[self._tickets[threads]]
        if not waiting.size:
            return
        place = int(granules[0, 0]) * shadow.unit
        self._turns.setdefault(shadow, {}).setdefault(place, set()).update(waiting.tolist())
        if place in self._given.get(shadow, ()):
            self.take(shadow, granules[:1], waiting)

    def end_turns(self, shadow: Shadow, granules: Array, threads: Array) -> None:
        """These threads have written words; if they had tickets and have read them, the words are locks."""
        turns = self._turns.get(shadow)
        if not turns or self._tickets is None:
            return
        places = np.broadcast_to(granules[:, 0] * shadow.unit, threads.shape)
        for place, thread in zip(places.tolist(), threads.tolist(), strict=True):
            if thread in turns.get(place, ()):
                turns[place].discard(thread)
                self._tickets[thread] = False
                if place not in self._given.get(shadow, ()):
                    self.take(shadow, np.array([[place // shadow.unit]]), np.array([thread]))

    def take(self, shadow: Shadow, granules: Array, threads: Array, swapped: bool = False) -> None:
        """These threads have taken locks."""
        if self._known is None:
            self._known = self.clocks.hypothesis()
        given = self._given.setdefault(shadow, {})
        firsts = np.broadcast_to(granules[:, 0], threads.shape)
        for first, thread in zip(firsts.tolist(), threads.tolist(), strict=True):
            place = first * shadow.unit
            self.clocks.add_to(self._known, np.array([thread]), given.setdefault(place, 0))
            cta, lock = self.clocks.teams.cta(thread), ref(shadow)
            held = self._taken.get(cta)
            if swapped or held is None or not held.swapped or (held.shadow, held.place) != (lock, place):
                self._taken[cta] = Held(lock, place, swapped, self.clocks.now)

    def give_back(self, shadow: Shadow, granules: Array, threads: Array) -> None:
        """These threads have written words, which give locks back if they are some."""
        given = self._given.get(shadow)
        if not given or self._known is None:
            return
        places = np.broadcast_to(granules[:, 0] * shadow.unit, threads.shape)
        for i in np.flatnonzero(np.isin(places, list(given))).tolist():
            own = threads[i : i + 1]
            known = self.clocks.views.join(self.clocks.released(own), int(self._known[own[0]]))
            place = int(places[i])
            given[place] = self.clocks.views.join(given[place], known)
            held = self._taken.get(self.clocks.teams.cta(int(own[0])))
            if held is not None and held.place == place and held.shadow() is shadow:
                held.until = self.clocks.now

    def would_order(self, other: int, time: int, thread: int) -> bool:
        """Whether an access of the thread `other` would have happened before what `thread` does now."""
        if self._known is None:
            return False
        others, times, threads = (np.array([v], np.int64) for v in (other, time, thread))
        return bool(self.clocks.ordered(others, times, threads, self._known)[0])

    def taken(self, thread: int) -> tuple[Shadow, int] | None:
        """The last lock that a thread of this thread's CTA took: its memory, and its place there."""
        held = self._taken.get(self.clocks.teams.cta(thread))
        shadow = held.shadow() if held is not None else None
        return (shadow, held.place) if held is not None and shadow is not None else None

    def held(self, thread: int, time: int) -> Held | None:
        """The lock that a thread's CTA held at a time, if it took it by compare-and-swap and no other one since."""
        held = self._taken.get(self.clocks.teams.cta(thread))
        if held is None or not held.swapped or not held.since <= time <= (held.until or time):
            return None
        return held

    def is_given_back(self, held: Held) -> bool:
        """Whether a word is a lock, and no place in a table that is taken forever."""
        shadow = held.shadow()
        return shadow is not None and self._given.get(shadow, {}).get(held.place, 0) > 0


def unread_swaps(function: Function) -> frozenset[Op]:
    """The compare-and-swaps and exchanges of a function whose results no instruction of it reads."""
    swaps = [op for op in function.code if op.form.instruction is atomic.atom and op.m.op in TAKE_LOCKS]
    if not swaps:
        return frozenset()
    read = {index for op in function.code for index in read_registers(op)}
    read |= {op.guard.index for op in function.code if op.guard is not None}
    return frozenset(op for op in swaps if read.isdisjoint(written_registers(op)))
