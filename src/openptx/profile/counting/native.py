"""A profiled launch as machine code: the counts of its workers, and their conversion to counters.

The code counts blocks, guards, branches, and requests by the offsets of their lanes; their costs are computed here, by
the same definitions as in the reference engine's profile, once for each kind of request. Other requests are kept in a
log, which is counted whenever it is full.
"""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from openptx.control_flow import control, targets
from openptx.engines.common.accesses import FragmentAccess
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.native import abi
from openptx.engines.native.deopt.resume_interp import resume_interp
from openptx.engines.native.instrument.count import layout
from openptx.engines.native.instrument.count.layout import layout_of
from openptx.engines.native.instrument.selection import COUNT
from openptx.engines.native.runtime.launch import launch
from openptx.engines.native.runtime.run import Run
from openptx.engines.native.runtime.workers import Worker
from openptx.profile.counting.launch import ProfiledLaunch
from openptx.profile.counting.observe import merge_pairs
from openptx.profile.counting.recorder import Recorder
from openptx.profile.counting.tally import RequestRows, Tally
from openptx.program import Function, Op, Program

LINE = 64
Numbers = NDArray[np.int64]


class WorkerCounts:
    """The counters of one worker: `data` are its counts, `log` is its buffer of records."""

    def __init__(self, worker: Worker, size: int) -> None:
        self.worker = worker
        self.memory = np.zeros(size + LINE, np.uint8)
        start = -self.memory.ctypes.data % LINE
        self.data: Numbers = self.memory[start : start + size].view(np.int64)
        self.log = np.zeros((layout.RECORDS, layout.RECORD // 8), np.int64)
        self.data[layout.WORKER // 8] = worker.state.address
        self.data[layout.LOG_BEGIN // 8] = self.log.ctypes.data
        self.data[layout.LOG_END // 8] = self.log.ctypes.data + self.log.nbytes
        self.empty()

    @property
    def address(self) -> int:
        return self.data.ctypes.data

    def empty(self) -> None:
        self.data[layout.LOG // 8] = self.log.ctypes.data

    def records(self) -> Numbers:
        """The records in the log, one row each."""
        return self.log[: (int(self.data[layout.LOG // 8]) - self.log.ctypes.data) // layout.RECORD]


class Counting:
    """What the workers of a launch count: an observer of their code."""

    tools: tuple[str, ...] = COUNT

    def __init__(self, program: Program, kernel: Function, recorder: Recorder) -> None:
        self.program, self.recorder = program, recorder
        self.layout = layout_of(program, kernel)
        self.tally = Tally(self.layout.sites, program.address_size, recorder)
        self.workers: dict[int, WorkerCounts] = {}
        self.lock = threading.Lock()
        self.resumed = False
        self.run: Run | None = None

    def attach(self, worker: Worker, run: Run, stop: int) -> int:
        self.run = run
        known = self.workers.get(id(worker))
        if known is None:
            known = self.workers[id(worker)] = WorkerCounts(worker, self.layout.size)
        return known.address

    def flush(self, worker: Worker) -> None:
        with self.lock:  # workers are threads
            self.count_records(self.workers[id(worker)].records())

    def resume(self, run: Run, codes: list[int]) -> None:
        self.resumed = True
        self.recorder.begins(begun(run))
        resume_interp(run, codes, partial(ProfiledLaunch, recorder=self.recorder, sample=None))

    # Requests

    def count_records(self, records: Numbers) -> None:
        """Counts the requests of a log."""
        sites = records[:, 0] & 0xFFFFFF
        fragments = np.array([isinstance(site.found, FragmentAccess) for site in self.layout.sites], np.bool_)[sites]
        rows = RequestRows(sites, records[:, 2:], lanes_in(records[:, 1]), np.ones(len(records), np.int64))
        self.tally.add(rows.take(np.flatnonzero(~fragments)))
        if fragments.any():
            self.count_fragments(records[fragments], rows.take(np.flatnonzero(fragments)))

    def count_fragments(self, records: Numbers, rows: RequestRows) -> None:
        """Two adjacent elements of 32 bits are one access."""
        sizes, chosen = records[:, 0] >> 24 & 0xFF, list[int]()
        wide = sizes.copy()
        begins = np.flatnonzero(records[:, 0] >> 32 == 0).tolist()
        for begin, end in zip(begins, [*begins[1:], len(records)], strict=True):
            space = self.layout.sites[int(rows.sites[begin])].space
            trace = [(space, rows.addresses[i].astype(np.uint64), int(sizes[i])) for i in range(begin, end)]
            at = begin
            for _, _, size in merge_pairs(trace):
                chosen.append(at)
                wide[at] = size
                at += 2 if size > sizes[at] else 1
        kept = np.array(chosen)
        self.tally.add(rows.take(kept), wide[kept])

    def count_entries(self, data: Numbers) -> None:
        """Adds the requests that the code counted by the offsets of their lanes."""
        first, count = self.layout.masks // 8, layout.ENTRIES * len(self.layout.sites)
        masks = data[first : first + count]
        used = np.flatnonzero(masks)
        if not used.size:
            return
        entries = data[self.layout.entries // 8 :][: count * layout.ENTRY // 8].reshape(count, layout.ENTRY // 8)
        offsets, histogram, bases = (
            entries[used, start // 8 : stop // 8]
            for start, stop in ((0, 256), (layout.HISTOGRAM, layout.BASES), (layout.BASES, layout.BASE))
        )
        which, residues = np.nonzero(histogram)
        addresses = bases[which, residues][:, None] + offsets[which]
        active = lanes_in(masks[used][which])
        filled = np.where(active, addresses, bases[which, residues][:, None])
        self.tally.add(RequestRows(used[which] // layout.ENTRIES, filled, active, histogram[which, residues]))

    def count_measured(self, data: Numbers) -> None:
        """Adds the sums of requests that were measured individually."""
        first, each = self.layout.measured // 8, layout.MEASURED // 8
        for site in np.flatnonzero(data[first : self.layout.entries // 8 : each]).tolist():
            sums = data[first + each * site : first + each * (site + 1)]
            active = lanes_in(sums[layout.MASK_OF // 8 :][:1])
            self.tally.add_sums(site, sums[:5].tolist(), sums[None, layout.PLACES // 8 :], active)

    # Executions

    def settle(self) -> None:
        """Adds all counts to the recorder."""
        for known in self.workers.values():
            self.count_records(known.records())
            known.empty()
            self.count_entries(known.data)
            self.count_measured(known.data)
            waits(known.data)
        if not self.workers:
            return
        begin, end = layout.COUNTERS // 8, layout.COUNTERS // 8 + self.layout.count * layout.EACH // 8
        counts = sum(known.data[begin:end] for known in self.workers.values())
        assert isinstance(counts, np.ndarray)
        counts = counts.reshape(-1, layout.EACH // 8)
        for function in self.layout.functions:
            start = self.layout.first[function]
            own = counts[start : start + len(function.code)]
            if own.any():
                self.recorder.decoded(function)
                self.count_function(function, own)

    def count_function(self, function: Function, counts: Numbers) -> None:
        exits = frozenset(np.flatnonzero(counts[:, layout.SLOW_WARPS]).tolist())
        executed = np.zeros((len(function.code), 2), np.int64)
        for entered, columns in (
            (frozenset[int](), (layout.WARPS, layout.LEFT_WARPS)),
            (exits, (layout.SLOW_WARPS, None)),
        ):
            taken, left = columns
            if entered is exits and not exits:
                continue
            for start, stop in self.layout.blocks(function, entered):
                part = executed[start:stop]
                part += counts[start, taken : taken + 2]
                if left is not None and counts[start:stop, left].any():
                    part -= np.cumsum(counts[start:stop, left : left + 2], axis=0)
        self.recorder.executed_each(function.code, executed.tolist())
        for i in conditional(function):
            warps, threads = executed[i].tolist()
            if warps:
                self.count_op(function, function.code[i], warps, threads, counts[i].tolist())

    def count_op(self, function: Function, op: Op, warps: int, threads: int, counts: list[int]) -> None:
        """Adds the counts of an instruction that has a guard or that is control flow."""
        kind, counters = control(op), self.recorder.of(op)
        active, special = counts[layout.ACTIVE], counts[layout.SPECIAL]
        if op.guard is not None:
            counters.active += threads if kind == "branch" else active
        if kind == "barrier":
            counters.waited += special
        if kind in ("branch", "branch-table", "call") or (kind == "return" and function.kind != "entry"):
            counters.branches += warps
            counters.divergent += special
        if kind == "branch":
            self.count_branch(op, 0, threads if op.guard is None else active)
        elif kind == "branch-table":
            at = self.layout.tables[op] // 8
            for i in range(len(layout.targets_of(op).pcs)):
                self.count_branch(op, i, sum(int(known.data[at + i]) for known in self.workers.values()))

    def count_branch(self, op: Op, i: int, threads: int) -> None:
        """Adds the threads that a branch sent to its target with index `i`."""
        if threads or control(op) == "branch":
            self.recorder.branched_to(op, tuple(targets(op))[i], threads)


@lru_cache(maxsize=512)
def conditional(function: Function) -> tuple[int, ...]:
    """Positions of instructions that have a guard or direct control; functions are compared by identity."""
    return tuple(i for i, op in enumerate(function.code) if op.guard is not None or control(op) is not None)


def lanes_in(masks: Numbers) -> NDArray[np.bool_]:
    """The lanes set in each mask, one row per mask."""
    return (masks[:, None] >> np.arange(32) & 1).astype(np.bool_)


def waits(data: Numbers) -> None:
    """Adds the waiting times of warps that no later arrival at their barrier has settled."""
    first, each = layout.BARRIERS // 8, layout.BARRIER // 8
    for record in data[first : first + 32 * each].reshape(32, each):
        arrived, latest, total, _, counter = record[1:6].tolist()
        if arrived:
            data[counter // 8] += arrived * latest - total
            record[layout.ARRIVED // 8] = 0


def begun(run: Run) -> int:
    """The number of CTAs of a launch that its workers have started."""
    first, stop = struct.unpack_from("<2q", run.team[0].launch_memory, abi.NEXT)
    taken = min(first, stop) - run.plan.blocks[0]
    for worker in run.team:
        begin, end = struct.unpack_from("<2q", worker.memory, abi.FROM)
        taken -= max(end - begin - 1, 0)
    return taken


def run_native(
    prepared: PreparedLaunch, recorder: Recorder, pieces: Iterable[tuple[int, int]], timeout: float | None,
    max_instructions: int | None, workers: int | None,
) -> Counting:  # fmt: skip
    """Runs pieces of the grid, (first CTA, number of CTAs), and counts them. Raises UnsupportedByJit, before anything
    has run, if only the reference engine can count the kernel, and the exceptions of a launch."""
    counting = Counting(prepared.program, prepared.function, recorder)
    limited = prepared.within(timeout, max_instructions, time.monotonic())
    try:
        for first, count in pieces:
            counting.run, counting.resumed = None, False
            launch(limited._replace(blocks=(first, first + count)), workers=workers, observer=counting)
            if not counting.resumed:
                recorder.begins(count)
    except BaseException:
        if counting.run is not None and not counting.resumed:
            recorder.begins(begun(counting.run))
        raise
    finally:
        counting.settle()
    return counting
