"""Barriers of a whole CTA that some of its warps skip.

They complete because those warps exit in the end (9.7.12.7), so that nothing orders the accesses before and after them.
"""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import reachable
from openptx.program import Function, Op
from openptx.sanitize.executing import Executing
from openptx.sanitize.numbered import NumberedBatch
from openptx.sanitize.reporter import Reporter


class Lanes:
    """For each lane of a batch: how often it has executed each barrier of the whole CTA, and the statement of its last
    write that others can see, -1 for none."""

    def __init__(self, n: int) -> None:
        self.executed: dict[Op, Array] = {}
        self.write = np.full(n, -1, np.int64)


class SkippedBarriers:
    """Counts the barriers of each lane, and compares the counts of the warps of a CTA when all have exited."""

    def __init__(self, reporter: Reporter, executing: Executing, active: bool) -> None:
        self.reporter, self.executing, self.active = reporter, executing, active
        self._lanes: dict[NumberedBatch, Lanes] = {}
        self._after: dict[Op, set[Op]] = {}

    def lanes(self, batch: NumberedBatch) -> Lanes:
        if batch not in self._lanes:
            self._lanes[batch] = Lanes(batch.x.n)
        return self._lanes[batch]

    def arrive(self, batch: NumberedBatch, op: Op, lanes: Array) -> None:
        """Lanes arrive at a barrier of the whole CTA."""
        if not self.active:
            return
        executed = self.lanes(batch).executed
        if op not in executed:
            executed[op] = np.zeros(batch.x.n, np.int64)
        executed[op][lanes] += 1
        if op not in self._after:
            self._after[op] = reachable_after(self.executing.function, op)

    def wrote(self, batch: NumberedBatch, statement: int) -> None:
        """The executing lanes wrote memory that other threads can read."""
        if self.active:
            executing = batch.x.executing
            self.lanes(batch).write[slice(None) if executing is None else executing] = statement

    def finish(self, batch: NumberedBatch) -> None:
        """Reports barriers that whole warps skipped, if these executed fewer barriers than others of their CTA and
        wrote something after the skipped one. Warps that return early write nothing there.

        Lanes within a warp are compared by `BarrierChecks`.
        """
        found = self._lanes.pop(batch, None)
        if found is None or not found.executed:
            return
        geometry, total = batch.x.geometry, sum(found.executed.values())
        in_warp = np.maximum.reduceat(total, geometry.warp_starts)[geometry.warp]
        in_cta = np.maximum.reduceat(total, np.arange(0, batch.x.n, geometry.threads))[geometry.cta]
        skipped = np.flatnonzero((in_warp < in_cta) & (found.write >= 0))
        for lane in skipped[np.unique(geometry.warp[skipped], return_index=True)[1]].tolist():
            written = self.reporter.ops[int(found.write[lane])]
            for op, counts in found.executed.items():
                peers = np.flatnonzero((geometry.cta == geometry.cta[lane]) & (counts > counts[lane]))
                if peers.size and written in self._after[op]:
                    self.report(batch, op, int(peers[0]), written, lane, counts)
                    break

    def report(self, batch: NumberedBatch, op: Op, peer: int, written: Op, lane: int, counts: Array) -> None:
        first, thread = batch.x.first, batch.x.geometry.thread_of(lane)
        times = f"thread {thread} of the same block executed it {counts[lane]} times, this one {counts[peer]} times"
        self.reporter.report(
            ("skipped", op), "skipped-barrier", "a barrier of the whole block that some of its warps skip",
            op, first + peer, other=written, other_thread=first + lane, other_label="a warp that skipped it is here",
            notes=(f"why: {times}",),
            help="let all threads of the block execute it, or name how many do: `bar.sync 1, 64`",
        )  # fmt: skip


def reachable_after(function: Function, barrier: Op) -> set[Op]:
    """The instructions of a function that control may reach after a barrier."""
    code = function.code
    return {code[pc] for pc in reachable(function, code.index(barrier) + 1)}
