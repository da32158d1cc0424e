"""Misuse of barriers and warp instructions, as far as it does not depend on the order of execution."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from openptx.array_types import Array
from openptx.isa.instructions import tensor_allocation
from openptx.numerics import Bits
from openptx.program import Op
from openptx.sanitize.numbered import NumberedBatch
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.semantics import WARP_BARRIER
from openptx.sanitize.reporter import Reporter

TWICE = "arrives twice at the cluster's barrier", "let each thread execute `barrier.cluster.wait` between two arrivals"
WITHOUT_ARRIVAL = (
    "waits at the cluster's barrier without an arrive",
    "let all threads of the cluster execute `barrier.cluster.arrive` before they wait",
)
"""What a thread does wrong at the cluster's barrier, and the help."""


@dataclass(slots=True)
class Trace:
    """Of a batch: for each lane how many aligned barriers it has executed, the statement of the last one, and its time;
    and by number of a barrier of the CTA what has happened there."""

    count: Array
    last: Array
    when: Array
    in_cluster: Array  # whether it has arrived at the cluster's barrier, and not yet waited
    times_in_cluster: Array  # the number of its arrivals at the cluster's barrier, and of waits without one
    expected: dict[int, Array] = field(default_factory=dict[int, "Array"])  # by CTA, the count that arrivals name
    arrivals: dict[int, Op] = field(default_factory=dict[int, "Op"])
    """The last arrival that does not wait."""
    completed: set[int] = field(default_factory=set[int])
    emptied: dict[int, tuple[int, int]] = field(default_factory=dict[int, "tuple[int, int]"])
    """The statement and a lane of a completion for which no thread waited, only `bar.arrive`."""
    statements: dict[int, Array] = field(default_factory=dict[int, "Array"])
    """The statement by which each lane arrived; lanes that need not wait may have moved on since."""

    @staticmethod
    def of(n: int) -> Trace:
        count, last, when, times = (np.zeros(n, np.int64) for _ in range(4))
        return Trace(count, last, when, np.zeros(n, np.bool_), times)


class BarrierChecks:
    """The checks of barriers of CTAs, warps and clusters, while threads execute them and when all have exited."""

    def __init__(self, reporter: Reporter, clocks: Clocks, active: bool) -> None:
        self.reporter, self.clocks, self.active = reporter, clocks, active
        self._traces: dict[NumberedBatch, Trace] = {}

    def trace(self, batch: NumberedBatch) -> Trace:
        if batch not in self._traces:
            self._traces[batch] = Trace.of(batch.x.n)
        return self._traces[batch]

    def report(
        self, key: object, code: str, message: str, op: Op, batch: NumberedBatch, lane: int, *,
        other: Op | None = None, other_lane: int = 0, label: str = "", notes: tuple[str, ...] = (),
        help: str | None = None,
    ) -> None:  # fmt: skip
        first = batch.x.first
        self.reporter.report(
            key, code, message, op, first + lane,
            other=other, other_thread=first + other_lane, other_label=label, notes=notes, help=help,
        )  # fmt: skip

    # Barriers of CTAs.

    def arrives(self, op: Op, batch: NumberedBatch, lanes: Array, numbers: Array, count: Bits | None) -> None:
        if not self.active:
            return
        if op.m.aligned or count is None:
            self.record(op, batch, lanes)
        trace = self.trace(batch)
        for number in np.unique(numbers).tolist():
            statements = trace.statements.setdefault(number, np.zeros(batch.x.n, np.int64))
            statements[lanes[numbers == number]] = self.reporter.statement(op)
        if op.m.mode == "arrive":
            trace.arrivals.update(dict.fromkeys(np.unique(numbers).tolist(), op))
        if count is not None:
            counts = np.broadcast_to(count.v, lanes.size)
            for number in np.unique(numbers).tolist():
                mine = numbers == number
                self.expect(op, batch, number, lanes[mine], counts[mine])

    def record(self, op: Op, batch: NumberedBatch, lanes: Array) -> None:
        trace, number = self.trace(batch), self.reporter.statement(op)
        trace.count[lanes] += 1
        trace.last[lanes] = number
        trace.when[lanes] = self.clocks.now

    def expect(self, op: Op, batch: NumberedBatch, number: int, lanes: Array, counts: Array) -> None:
        """All arrivals at a barrier must name the same thread count."""
        trace = self.trace(batch)
        known = trace.expected.setdefault(number, np.zeros(batch.x.geometry.count, np.int64))
        ctas = batch.x.geometry.cta[lanes]
        before = known[ctas]
        bad = np.flatnonzero((before != 0) & (before != counts))
        if bad.size:
            i = int(bad[0])
            barrier = batch.barriers.get(number)
            waiting = np.flatnonzero(barrier.arrived) if barrier is not None else lanes[:0]
            waiting = waiting[batch.x.geometry.cta[waiting] == ctas[i]]
            other = int(waiting[0]) if waiting.size else int(lanes[i])
            self.report(
                ("count", op), "unequal-barriers", f"threads arrive at barrier {number} with different thread counts",
                op, batch, int(lanes[i]),
                other=self.reporter.ops[int(trace.statements[number][other])], other_lane=other,
                label="other threads arrived here",
                notes=(f"why: other threads arrived for {int(before[i])} threads, this one for {int(counts[i])}",),
                help="give all that arrive one count: of the threads that wait, and of those that only arrive",
            )  # fmt: skip
        known[ctas] = counts
        self.require_no_more(op, batch, number, lanes, known)

    def require_no_more(self, op: Op, batch: NumberedBatch, number: int, lanes: Array, expected: Array) -> None:
        """These lanes and earlier arrivals must not exceed the barrier's thread count."""
        geometry, barrier = batch.x.geometry, batch.barriers.get(number)
        waiting = np.flatnonzero(barrier.arrived) if barrier is not None else lanes[:0]
        warps = np.unique(geometry.warp[np.concatenate((waiting, lanes))])
        arriving = 32 * np.bincount(warps // geometry.warps_per_cta, minlength=geometry.count)
        for cta in np.unique(geometry.cta[lanes]).tolist():
            if not 0 < expected[cta] < arriving[cta]:
                continue
            lane = int(lanes[geometry.cta[lanes] == cta][-1])
            note = f"why: it is for {int(expected[cta])} threads, {int(arriving[cta])} arrived"
            message = f"more threads arrive at barrier {number} than it is for"
            help = "count the threads that wait and those that only arrive, or use barriers of two numbers"
            self.report(("many", op), "unequal-barriers", message, op, batch, lane, notes=(note,), help=help)

    def opens(self, batch: NumberedBatch, number: int, arrived: Array) -> None:
        if not self.active:
            return
        self.compare(batch, number, arrived)
        self.require_one_kind(batch, number, arrived)
        trace, lanes = self.trace(batch), np.flatnonzero(arrived)
        trace.completed.add(number)
        statements = trace.statements[number][lanes]
        if all(self.reporter.ops[int(one)].m.mode == "arrive" for one in np.unique(statements)):
            trace.emptied[number] = int(statements[0]), int(lanes[0])
        expected = self.trace(batch).expected.get(number)
        if expected is not None:
            expected[np.unique(batch.x.geometry.cta[arrived])] = 0

    def emptied(self, batch: NumberedBatch, number: int) -> tuple[Op, int] | None:
        """The arrival that has completed a barrier before any thread waited at it, and its thread."""
        found = self.trace(batch).emptied.get(number)
        return (self.reporter.ops[found[0]], batch.x.first + found[1]) if found is not None else None

    def require_one_kind(self, batch: NumberedBatch, number: int, arrived: Array) -> None:
        """A reduction must not be mixed with other forms at one barrier (9.7.13.1)."""
        lanes, arrived_by = np.flatnonzero(arrived), self.trace(batch).statements[number]
        statements = {int(one) for one in np.unique(arrived_by[lanes])}
        reductions = [one for one in statements if self.reporter.ops[one].m.mode == "red"]
        if len(reductions) in (0, len(statements)):
            return
        ctas, reduces = batch.x.geometry.cta[lanes], np.isin(arrived_by[lanes], reductions)
        mixed = np.intersect1d(ctas[reduces], ctas[~reduces])
        for cta in mixed.tolist():
            first, second = (int(lanes[(ctas == cta) & which][0]) for which in (reduces, ~reduces))
            op, other = (self.reporter.ops[int(arrived_by[lane])] for lane in (first, second))
            self.report(
                ("mixed", op, other), "unequal-barriers",
                f"a reduction at barrier {number}, at which other threads only arrive or wait", op, batch, first,
                other=other, other_lane=second, label="other threads of the block are here",
                help="let all threads execute the reduction, or use barriers of two numbers",
            )  # fmt: skip

    def compare(self, batch: NumberedBatch, number: int, arrived: Array) -> None:
        """Lanes of a warp must arrive at a barrier by the same instruction, unless it is `barrier` without
        `.aligned`."""
        arrived_by, warp, lanes = self.trace(batch).statements[number], batch.x.geometry.warp, np.flatnonzero(arrived)
        differ = (warp[lanes][1:] == warp[lanes][:-1]) & (arrived_by[lanes][1:] != arrived_by[lanes][:-1])
        for i in np.flatnonzero(differ).tolist():
            first, second = int(lanes[i]), int(lanes[i + 1])
            op, other = (self.reporter.ops[int(arrived_by[lane])] for lane in (first, second))
            if not (op.m.aligned and other.m.aligned):
                continue
            self.report(
                ("different", op, other), "unequal-barriers", "lanes of a warp wait at different barrier instructions",
                op, batch, first,
                other=other, other_lane=second, label="other lanes of the warp are here",
                help="let all threads of a warp execute the same barrier instruction",
            )  # fmt: skip
            return

    # Barriers of warps.

    def converges(self, op: Op, batch: NumberedBatch, lanes: Array, masks: Array) -> None:
        x = batch.x
        x.members = masks
        if not self.active:
            return
        gone = x.ended()
        if gone is not None:
            named = masks & np.broadcast_to(gone.v, masks.shape)
            if op.form.instruction is WARP_BARRIER:
                named = named & self.skipped(batch, lanes)
            bad = np.flatnonzero(named)
            if bad.size:
                i = int(bad[0])
                ended = int(np.broadcast_to(gone.v, masks.shape)[i])
                note = f"why: the mask is 0x{int(masks[i]):08x}, lanes 0x{ended:08x} have ended"
                self.report(
                    ("ended", op), "ended-lane", "the mask names lanes that have ended", op, batch, int(lanes[i]),
                    notes=(note,), help="compute the mask with `vote.sync.ballot` before lanes leave",
                )  # fmt: skip
        if (masks != masks[0]).any():
            self.compare_masks(op, batch, lanes, masks)

    def skipped(self, batch: NumberedBatch, lanes: Array) -> Array:
        """The lanes of each lane's warp that have stored something and then exited, as opposed to lanes that had
        nothing to do.

        By the text `bar.warp.sync` waits for all lanes of its mask (9.7.13.2), by CUDA's guide only for those that have
        not exited, and lanes that leave a kernel early are common.
        """
        x = batch.x
        ended = (~x.alive & (x.last_store > 0)).astype(np.uint32) << x.geometry.lane.astype(np.uint32)
        return np.bitwise_or.reduceat(ended, x.geometry.warp_starts)[x.geometry.warp[lanes]]

    def compare_masks(self, op: Op, batch: NumberedBatch, lanes: Array, masks: Array) -> None:
        """Lanes that wait for each other must have the same mask."""
        warps = batch.x.geometry.warp[lanes]
        order = np.lexsort((masks, warps))
        w, m, at = warps[order], masks[order], lanes[order]
        for i in np.flatnonzero((w[1:] == w[:-1]) & (m[1:] != m[:-1]) & ((m[1:] & m[:-1]) != 0))[:1].tolist():
            note = f"why: lanes of one warp have the masks 0x{int(m[i]):08x} and 0x{int(m[i + 1]):08x}"
            message = "lanes that wait for each other have different masks"
            help = "give all lanes that are to meet one mask, which names just them"
            self.report(("masks", op), "unequal-barriers", message, op, batch, int(at[i]), notes=(note,), help=help)

    # Barriers of clusters.

    def arrives_in_cluster(self, op: Op, batch: NumberedBatch, lanes: Array) -> None:
        if not self.active:
            return
        waiting = self.trace(batch).in_cluster
        arrives = op.m.mode == "arrive"
        bad = lanes[waiting[lanes] == arrives]
        if bad.size:
            what, help = TWICE if arrives else WITHOUT_ARRIVAL
            self.report(("cluster", op), "unequal-barriers", f"a thread {what}", op, batch, int(bad[0]), help=help)
        waiting[lanes] = arrives
        self.trace(batch).times_in_cluster[lanes if arrives else bad] += 1
        if arrives and op.m.aligned:
            self.record(op, batch, lanes)
        elif arrives:
            self.trace(batch).last[lanes] = self.reporter.statement(op)

    # Exits.

    def finish(self, batch: NumberedBatch) -> None:
        """All threads of a batch have exited: checks that depend on the whole execution."""
        trace = self._traces.pop(batch, None)
        if not self.active:
            return
        if trace is not None:
            self.compare_counts(batch, trace)
            self.compare_blocks(batch, trace)
            left = np.flatnonzero(trace.in_cluster)
            if left.size:
                op = self.reporter.ops[int(trace.last[left[0]])]
                message = "a thread ends after an arrive at the cluster's barrier, without a wait"
                help = "let each thread that has arrived execute `barrier.cluster.wait`"
                self.report(("left", op), "unfinished-copy", message, op, batch, int(left[0]), help=help)
            self.find_lone_arrivals(batch, trace)
        memory = batch.x.allocated_tensor_memory
        if memory is not None and memory.owned.any():
            cta = int(np.flatnonzero(memory.owned)[0])
            op = next(op for op in self.reporter.ops if op.form.instruction in tensor_allocation.ALLOCATIONS)
            message = "tensor memory that was allocated is not freed when the block ends"
            help = "free it with `tcgen05.dealloc` before the block ends"
            self.report(
                ("tensor",), "tensor-memory-not-freed", message, op, batch, cta * batch.x.geometry.threads, help=help
            )

    def compare_blocks(self, batch: NumberedBatch, trace: Trace) -> None:
        """Reports blocks of a cluster that have stored something and exited without arriving at the cluster's
        barrier."""
        teams, x = self.clocks.teams, batch.x
        if teams.cluster_size == 1:
            return
        by_cluster = trace.times_in_cluster.reshape(-1, teams.cluster_size * teams.threads)
        idle = (by_cluster == 0) & by_cluster.any(1, keepdims=True)
        for lane in np.flatnonzero(idle.reshape(-1) & (x.last_store > 0)).tolist()[:1]:
            first = lane - lane % by_cluster.shape[1]
            peer = first + int(np.argmax(by_cluster[first // by_cluster.shape[1]]))
            op = self.reporter.ops[int(trace.last[peer])]
            note = f"why: thread {x.geometry.thread_of(lane)} of block {x.geometry.block_of(lane)} ended without it"
            message = "a barrier of the cluster that some of its threads do not execute"
            help = "let all threads of all blocks of the cluster execute it"
            self.report(("blocks", op), "unequal-barriers", message, op, batch, peer, notes=(note,), help=help)

    def find_lone_arrivals(self, batch: NumberedBatch, trace: Trace) -> None:
        """Reports arrivals at barriers that never completed. Pipelines end with a surplus arrival at one that did
        before."""
        for number, op in trace.arrivals.items():
            left = np.flatnonzero(batch.barriers[number].arrived)
            if left.size and number not in trace.completed:
                message = f"threads arrive at barrier {number}, which never completes"
                help = "let as many threads arrive as it names, some of them by `bar.sync` with its number and count"
                self.report(("lone", op), "unequal-barriers", message, op, batch, int(left[0]), help=help)

    def compare_counts(self, batch: NumberedBatch, trace: Trace) -> None:
        """Lanes of a warp must have executed the same number of barriers."""
        x, warps = batch.x, batch.x.geometry.warp
        starts = np.flatnonzero(np.append(True, warps[1:] != warps[:-1]))
        most = np.maximum.reduceat(trace.count, starts)[warps]
        for lane in np.flatnonzero(trace.count < most).tolist():
            peers = np.flatnonzero((warps == warps[lane]) & (trace.count == most[lane]))
            peer = int(peers[0])
            op = self.reporter.ops[int(trace.last[peer])]
            continued = x.last_store[lane] > trace.when[peer] or trace.when[lane] > trace.when[peer]
            note = (
                f"why: thread {x.geometry.thread_of(lane)} of the same warp executed {int(trace.count[lane])} barriers,"
                f" this one {int(trace.count[peer])}"
            )
            if continued:
                message = "a barrier that not all threads of a warp execute"
                help = "move the barrier out of the branch or loop that the threads of a warp leave at different times"
                self.report(("counts", op), "unequal-barriers", message, op, batch, peer, notes=(note,), help=help)
            else:
                message = "a barrier after threads of the same warp have ended"
                help = "let all threads of the warp go on to the barrier, and guard the work instead"
                self.report(("counts", op), "early-exit", message, op, batch, peer, notes=(note,), help=help)
