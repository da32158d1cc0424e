"""Barriers that would order a race if they were not `.relaxed`, or if a thread that only arrived had waited."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from openptx.array_types import Array
from openptx.isa.instructions.barrier import barrier_cluster
from openptx.program import Op
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.detector import Conflict
from openptx.sanitize.races.semantics import INITS, WAITS
from openptx.sanitize.reporter import Reporter


class Weakness(NamedTuple):
    """Why a barrier does not order two accesses, and what would make it do so."""

    why: str
    help: str


class WeakBarriers:
    """The last relaxed arrival or wait of each thread, and the last arrival at a barrier of the block without a wait,
    as times and statements."""

    def __init__(self, clocks: Clocks, reporter: Reporter) -> None:
        self.clocks, self.reporter = clocks, reporter
        self._known: Array | None = None
        """What threads would know if relaxed arrivals released and relaxed waits acquired; None before the first."""
        self._relaxed: Array | None = None
        self._arrived: Array | None = None

    def relaxes(self, threads: Array, statement: int) -> int:
        """These threads arrive or wait by a relaxed instruction. Returns what they would release."""
        if self._known is None or self._relaxed is None:
            self._known, self._relaxed = self.clocks.hypothesis(), self.clocks.tables.zeros(np.uint32, 2)
        self._relaxed[threads] = self.clocks.now, statement
        return self.clocks.views.join(self.clocks.released(threads), self.clocks.views.join_all(self._known[threads]))

    def would_learn(self, threads: Array, view: int) -> None:
        """These threads would know a view."""
        if self._known is not None:
            self.clocks.add_to(self._known, threads, view)

    def meets(self, threads: Array, statement: int, waits: bool) -> None:
        """These threads arrive at a barrier of the block, and wait there or not."""
        if self._arrived is None:
            if waits:
                return
            self._arrived = self.clocks.tables.zeros(np.uint32, 2)
        self._arrived[threads] = (0, 0) if waits else (self.clocks.now, statement)

    def of(self, c: Conflict, other: Op) -> Weakness | None:
        """The barrier that would order a race, and why it does not."""
        if (statement := self._between(c)) is not None:
            return self._relaxed_one(self.reporter.ops[statement], other)
        if (statement := self._without_wait(c)) is not None:
            where = self.reporter.site(self.reporter.ops[statement], None).source
            return Weakness(
                f"`bar.arrive` at {where} does not wait: what its thread does after it is not ordered",
                "let the thread arrive after its access, or wait: `bar.sync` with the same number and count at"
                f" {where}, or another barrier after it",
            )
        return None

    def _relaxed_one(self, op: Op, other: Op) -> Weakness:
        """The weakness of a relaxed arrival or wait after the earlier access `other`."""
        name, where = op.form.instruction.name, self.reporter.site(op, None).source
        if op.form.instruction in WAITS:
            return Weakness(
                f"the wait, `{name}.relaxed` at {where}, does not order what comes after it",
                f"write `.acquire` (the default) in place of `.relaxed` at {where}",
            )
        help = f"write `.release` (the default) in place of `.relaxed` at {where}"
        if op.form.instruction is barrier_cluster:
            name = f"{name}.arrive"
            fence = "`fence.mbarrier_init.release.cluster` or " if other.form.instruction in INITS else ""
            line = self.reporter.site(other, None).line
            help = f"{help}, or put {fence}`fence.acq_rel.cluster` before it, after line {line}"
        return Weakness(f"the arrival, `{name}.relaxed` at {where}, does not order what comes before it", help)

    def _between(self, c: Conflict) -> int | None:
        """The statement of a relaxed arrival or wait after the earlier access, if it would order the two."""
        if self._known is None or self._relaxed is None:
            return None
        others, times, threads = (np.array([v], np.int64) for v in (c.other_thread, c.other_time, c.thread))
        if not self.clocks.ordered(others, times, threads, self._known)[0]:
            return None
        near = [self.clocks.teams.block_of(thread) for thread in (c.other_thread, c.thread)]
        rows = self._relaxed[np.concatenate(near)]
        rows = rows[rows[:, 0] > c.other_time]
        return int(rows[rows[:, 0].argmin(), 1]) if rows.size else None

    def _without_wait(self, c: Conflict) -> int | None:
        """The statement by which one of the threads arrived before its access without waiting. None also if both did,
        so that a wait would come before both accesses."""
        teams = self.clocks.teams
        if self._arrived is None or teams.cta(c.thread) != teams.cta(c.other_thread):
            return None
        found = set[int]()
        for thread, time in (c.thread, self.clocks.now), (c.other_thread, c.other_time):
            when, statement = self._arrived[thread].tolist()
            if 0 < when < time and statement in found:
                return None
            if 0 < when < time:
                found.add(statement)
        return min(found, default=None)
