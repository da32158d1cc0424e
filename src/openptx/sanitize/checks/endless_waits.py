"""Waits that never end: loops on memory that no thread changes, and phases of mbarriers that never complete."""

from __future__ import annotations

from openptx.engines.interp import lane_sets
from openptx.sanitize.batch import SanitizedBatch
from openptx.sanitize.checks.mbarriers import Mbarriers
from openptx.sanitize.executing import Executing
from openptx.sanitize.reporter import Reporter

STALLS = 1000
"""How many times in a row threads may find an mbarrier's phase incomplete, while nothing else happens."""

POLLS = 20_000
"""How many times in a row threads may poll memory that no thread changes, if all others do the same or wait."""

MOST_POLLS = 20 * POLLS
"""How many times in a row threads may poll such memory if others do something else, or have not begun."""


class HangError(Exception):
    """Threads wait for something that can never happen."""


class EndlessWaits:
    """Counts in `polled` how often in a row threads have polled memory, and in `changes` what others changed."""

    def __init__(self, reporter: Reporter, executing: Executing, mbarriers: Mbarriers) -> None:
        self.reporter, self.executing, self.mbarriers = reporter, executing, mbarriers
        self.polled = self.changes = 0
        self._stalled = self._begun = 0
        self._running: list[SanitizedBatch] = []

    def begin(self, batch: SanitizedBatch) -> None:
        """The threads of a batch begin."""
        self._running.append(batch)
        self._begun += batch.x.geometry.count

    def end(self, batch: SanitizedBatch) -> None:
        """All of them have exited."""
        self._running.remove(batch)

    def progress(self) -> None:
        """A thread did something that others may wait for."""
        self._stalled = self.polled = 0
        self.changes += 1

    def poll(self) -> None:
        """Threads poll memory, or leave it unchanged. Raises HangError if no thread will ever change it."""
        batch = self.executing.batch
        self.polled += 1
        if self.polled > POLLS // 2:
            batch.polls[lane_sets.positions(batch.x.executing, batch.x.n)] = self.polled
        if self.polled > POLLS and not self.polled % (POLLS // 2) and self._none_can_write():
            op, thread = batch.x.op, int(batch.x.threads()[0])
            message = "threads wait in a loop for a value that no thread writes any more"
            self.reporter.report(("hang", op), "endless-wait", message, op, thread)
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
        if self._stalled > STALLS:
            self._stalled = 0
            self._report_stuck()

    def _report_stuck(self) -> None:
        """Reports the mbarriers that threads wait for. If one has completed a phase before, its waits are satisfied
        once, so that the code after them is checked; raises HangError if there is none."""
        mbarriers = self.mbarriers
        self.reporter.collector.stuck = True
        forced = False
        for key, waiting in mbarriers.waiting.items():
            barrier, (op, thread) = mbarriers.known[key], mbarriers.changed_by.get(key, (None, None))
            self.reporter.report(
                ("hang", waiting.op), "endless-wait", "a wait for a phase of an mbarrier that never completes",
                waiting.op, waiting.thread,
                other=op, other_thread=thread, other_label="the last change of the mbarrier",
                notes=(f"why: {mbarriers.state(key)}",),
                help="wait for the phase that the arrivals complete: parity 0 is that of the first",
            )  # fmt: skip
            if barrier.phases and not barrier.forced:
                barrier.forced = forced = True
        if not forced:
            raise HangError
