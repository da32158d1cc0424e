"""Waits that never end: loops on memory that no thread changes, and phases of mbarriers that never complete."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.engines.common.mbarrier_text import lacks_all, remedy
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.views import Plane
from openptx.program import Op
from openptx.sanitize.checks.mbarriers import Key, Mbarriers, Waiting
from openptx.sanitize.checks.standstill import digest
from openptx.sanitize.executing import Executing
from openptx.sanitize.numbered import NumberedBatch
from openptx.sanitize.reporter import Reporter

STALLS = 1000
"""How many times in a row threads may find an mbarrier's phase incomplete, while nothing else happens."""

POLLS = 20_000
"""How many times in a row threads may poll memory that no thread changes, if all others do the same or wait."""

MOST_POLLS = 20 * POLLS
"""How many times in a row threads may poll such memory if others do something else, or have not begun."""

LONG_WAIT = 16
"""From which poll in a row on repeated ones are skipped."""

COMPARED, SAMPLED = 32, 2048
"""From which poll in a row on states are compared, and from which on only those of every seventh."""


BEGIN = (
    "one side must begin: let its first wait be for parity 1, the phase before the first, which counts as complete, as"
    " a buffer is free at first"
)
"""The cure if each side waits for the first arrivals of the other."""


class HangError(Exception):
    """Threads wait for something that can never happen."""


class EndlessWaits:
    """Counts in `polled` how often in a row threads have polled memory, and in `changes` what others changed."""

    def __init__(self, reporter: Reporter, executing: Executing, mbarriers: Mbarriers) -> None:
        self.reporter, self.executing, self.mbarriers = reporter, executing, mbarriers
        self.polled = self.changes = 0
        self._stalled = self._waits = self._begun = 0
        self._running: list[NumberedBatch] = []
        self._polls: dict[tuple[Op, int], tuple[int, Array, Array]] = {}
        """By instruction and first thread: the changes before its last execution, its threads and addresses."""

    def begin(self, batch: NumberedBatch) -> None:
        """The threads of a batch begin."""
        self._running.append(batch)
        self._begun += batch.x.geometry.count

    def skip(self, blocks: int) -> None:
        """This many blocks run elsewhere, and write nothing that others read."""
        self._begun += blocks

    def end(self, batch: NumberedBatch) -> None:
        """All of them have exited."""
        self._running.remove(batch)
        first, stop = batch.x.first, batch.x.first + batch.x.n
        self._polls = {key: last for key, last in self._polls.items() if not first <= key[1] < stop}

    def progress(self) -> None:
        """A thread did something that others may wait for."""
        self._stalled = self._waits = self.polled = 0
        self.changes += 1

    def read_clock(self) -> None:
        """Threads may wait for a time."""
        self._waits = 0

    def repeats(self, op: Op, threads: Array, addresses: Array) -> bool:
        """Whether the same threads polled the same words since the last change: they learn nothing new."""
        if self.polled < LONG_WAIT:
            return False
        key, now = (op, int(threads[0])), (self.changes, threads, addresses.copy())
        before, self._polls[key] = self._polls.get(key), now
        return before is not None and before[0] == now[0] and all(map(np.array_equal, before[1:], now[1:]))

    def poll(self) -> None:
        """Threads poll memory, or leave it unchanged. Raises HangError if no thread will ever change it."""
        batch = self.executing.batch
        self.polled += 1
        self._look_for_standstill()
        if self.polled > POLLS // 2:
            batch.polls[lane_sets.positions(batch.x.executing, batch.x.n)] = self.polled
        if self.polled > POLLS and not self.polled % (POLLS // 2) and self._none_can_write():
            self._report_loop()

    def _report_loop(self) -> None:
        x = self.executing.batch.x
        message = "threads wait in a loop for a value that no thread writes any more"
        help = (
            "let every thread that others wait for write it, on each path, and count them as they are: a barrier of the"
            " grid needs all blocks"
        )
        self.reporter.report(("hang", x.op), "endless-wait", message, x.op, int(x.threads()[0]), help=help)
        raise HangError

    def _none_can_write(self) -> bool:
        """Whether all threads that could write the polled memory poll memory themselves, or wait at barriers."""
        if self.polled > MOST_POLLS:
            return True
        recent = self.polled - POLLS // 2
        begun = self._begun == self.reporter.teams.ctas
        return begun and all(batch.have_polled_since(recent) for batch in self._running)

    def stall(self) -> None:
        """Threads find a phase of an mbarrier incomplete."""
        self._stalled += 1
        self._look_for_standstill()
        if self._stalled > STALLS:
            self._report_stuck()

    def store_locally(self, plane: Plane, offsets: Array, words: list[Array], width: int) -> None:
        """Threads store in their own memory, which is a part of their state; it is compared while threads wait."""
        if self._waits < COMPARED:
            return
        pairs = zip(plane.gather(offsets, width, len(words)), words, strict=True)
        if any((before != after).any() for before, after in pairs):
            x = self.executing.batch.x
            self.executing.batch.states.forget(lane_sets.positions(x.executing, x.n))

    def _look_for_standstill(self) -> None:
        """Reports the waits of a launch all of whose threads repeat themselves."""
        self._waits += 1
        if self._waits < COMPARED or (self._waits > SAMPLED and self._waits % 7):
            return
        batch, changes = self.executing.batch, self.changes
        x = batch.x
        lanes = lane_sets.positions(x.executing, x.n)
        if not batch.states.note(lanes, digest(self.executing.frame, x.statement, lanes), changes):
            return
        if self._begun == self.reporter.teams.ctas and all(b.states.all_repeat(b, changes) for b in self._running):
            if self.mbarriers.waiting:
                self._report_stuck()
            else:
                self._report_loop()

    def _report_stuck(self) -> None:
        """Reports the mbarriers that threads wait for. If one has completed a phase before, its waits are satisfied
        from then on, so that the code after them is checked, but those for the other parity; these are not reported.
        Raises HangError if there is none."""
        mbarriers, self._stalled = self.mbarriers, 0
        self.reporter.collector.stuck = True
        forced = False
        for key, waiting in mbarriers.waiting.items():
            barrier = mbarriers.known[key]
            if barrier.forced:
                continue
            self._report_wait(key, waiting)
            if barrier.phases:
                barrier.forced = forced = True
        if not forced:
            raise HangError

    def _report_wait(self, key: Key, waiting: Waiting) -> None:
        """Reports one of the waits. Threads that wait elsewhere may be those whose arrivals it waits for."""
        mbarriers, cause = self.mbarriers, ("hang", waiting.op)
        if self.reporter.collector.count_if_known(cause):
            return
        words, site = mbarriers.words, self.reporter.site
        word = words.get(key, 0)
        lacking, help = lacks_all(word), remedy(word)
        others = [(k, w) for k, w in mbarriers.waiting.items() if w.op is not waiting.op]
        moving = [(k, w) for k, w in others if not lacks_all(words.get(k, 0))]
        if lacking and others:
            k, w = (moving or others)[0]
            other, label = site(w.op, w.thread), "those that have not arrived may wait here"
            if not moving and not mbarriers.known[key].phases and not mbarriers.known[k].phases:
                help = BEGIN
        elif changed := mbarriers.changed_by.get(key):
            other, label = site(*changed), "the last change of the mbarrier"
        else:
            other, label = None, ""
        finding = self.reporter.add(
            cause, "endless-wait", "a wait for a phase of an mbarrier that never completes", waiting.op, waiting.thread,
            other=other, other_label=label, notes=(f"why: {mbarriers.state(key)}",), help=help,
        )  # fmt: skip
        finding.follows = lacking
        finding.mbarriers.add(key)
