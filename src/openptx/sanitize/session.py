"""The state of a watched launch: clocks, shadow memory, and the checks that process its events."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.call_graph import reachable_functions
from openptx.device.heap import Heap
from openptx.device.memory_view import MemoryView
from openptx.engines.interp import lane_sets
from openptx.engines.interp.frames import Group
from openptx.engines.interp.geometry import Shape
from openptx.errors import Fault
from openptx.program import Function, Op, Program
from openptx.sanitize.checks.barriers import BarrierChecks
from openptx.sanitize.checks.bounds import Bounds
from openptx.sanitize.checks.endless_waits import EndlessWaits
from openptx.sanitize.checks.escapes import Escapes
from openptx.sanitize.checks.lifetimes import Lifetimes
from openptx.sanitize.checks.lost_memory import report_unfreed
from openptx.sanitize.checks.mbarriers import Mbarriers
from openptx.sanitize.checks.skipped_barriers import SkippedBarriers
from openptx.sanitize.collector import Collector
from openptx.sanitize.executing import Executing
from openptx.sanitize.faults import report_fault
from openptx.sanitize.heap import GuardedHeap
from openptx.sanitize.numbered import NumberedBatch
from openptx.sanitize.races.block_barriers import BlockBarriers
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.copies import Agents, BulkCopies, Copies
from openptx.sanitize.races.cures import Cures
from openptx.sanitize.races.detector import Races
from openptx.sanitize.races.last_waits import LastWaits
from openptx.sanitize.races.locks import Locks
from openptx.sanitize.races.meetings import Meetings
from openptx.sanitize.races.multiplications import Multiplications
from openptx.sanitize.races.register_transfers import RegisterTransfers
from openptx.sanitize.races.releases import Releases
from openptx.sanitize.races.reports import RaceReports
from openptx.sanitize.races.semantics import is_narrow, synchronizes
from openptx.sanitize.races.shadow import ShadowMemory
from openptx.sanitize.races.teams import Teams
from openptx.sanitize.races.weak_barriers import WeakBarriers
from openptx.sanitize.reporter import Reporter
from openptx.sanitize.undefined_bits.arrays import NOISE
from openptx.sanitize.undefined_bits.marks import Marks
from openptx.sanitize.undefined_bits.unwritten_copies import UnwrittenCopies
from openptx.sanitize.undefined_bits.values import Values


class Session:
    """One watched launch: `SanitizedThreads` and `SanitizedBatch` report the threads' actions to its parts."""

    def __init__(
        self, program: Program, function: Function, shape: Shape, tools: frozenset[str], marks: Marks, found: Collector,
        order: np.random.Generator | None,
    ) -> None:  # fmt: skip
        self.program, self.function, self.tools = program, function, tools
        self.order, self.marks = order, marks
        self.tracks = bool(tools & {"init", "sync"})
        self.noise = NOISE if order is None else int(order.integers(1 << 31))
        self.defined: dict[int, Array] = {base: ~bits for base, bits in marks.undefined.items()}
        """By the address of memory that starts undefined, a byte for each byte with its defined bits set."""
        self.discards = False  # whether `discard` has made bytes undefined
        self.heap: GuardedHeap | None = None

        self.executing = Executing()
        self.teams = Teams(shape)
        self.reporter = Reporter(program, function.name, self.teams, found, self.executing)
        functions = list(reachable_functions(program, function.name))
        code = [op for each in functions for op in each.code]
        self.clocks = Clocks(self.teams, any(is_narrow(op) for op in code))
        self.shadows = ShadowMemory(found.limits)

        active = any(synchronizes(op) for op in code)
        self.block_barriers, self.meetings = BlockBarriers(self.clocks), Meetings()
        self.releases = Releases(self.clocks, active)
        self.locks = Locks(self.clocks, functions)
        self.last_waits = LastWaits(self.clocks)
        self.weak_barriers = WeakBarriers(self.clocks, self.reporter)
        agents = Agents()
        self.copies = Copies(self.clocks, agents)
        cures = Cures(
            self.reporter, self.clocks, self.locks, self.last_waits, self.weak_barriers, self.copies, self.meetings
        )
        self.race_reports = RaceReports(self.reporter, self.executing, self.clocks, cures, order is not None)
        self.races = Races(self.clocks, self.race_reports.conflict)
        if active:
            self.races.unfenced = self.releases.observations()

        self.bulk_copies = BulkCopies(self.clocks, agents)
        self.tensor_operations = BulkCopies(self.clocks, agents)
        self.register_transfers = RegisterTransfers(self.clocks, agents)
        self.multiplications = Multiplications(self.reporter, self.executing, self.clocks, agents, "sync" in tools)

        self.mbarriers = Mbarriers(self.clocks, self.reporter, self.executing, self.last_waits, self.weak_barriers)
        self.waits = EndlessWaits(self.reporter, self.executing, self.mbarriers)
        self.barriers = BarrierChecks(self.reporter, self.clocks, "sync" in tools)
        self.skipped_barriers = SkippedBarriers(self.reporter, self.executing, "sync" in tools)
        self.unwritten = UnwrittenCopies(self.reporter, self.executing, "init" in tools)
        self.values = Values(self.reporter, self.executing, tools, self.unwritten)
        self.bounds = Bounds(self.reporter, self.executing, "mem" in tools)
        self.escapes = Escapes(self.reporter, self.executing, "mem" in tools)
        self.lifetimes = Lifetimes(self.reporter, self.clocks, "race" in tools)

    def heap_of(self, heap: Heap) -> GuardedHeap:
        if self.heap is None:
            self.heap = GuardedHeap(heap, self.executing)
            self.defined[heap.allocation.base] = self.heap.defined
        return self.heap

    # Events.

    def begins(self, batch: NumberedBatch) -> None:
        """The threads of a batch begin."""
        self.clocks.tables.begin(batch.x.first, batch.x.first + batch.x.n)
        self.waits.begin(batch)

    def control(self, group: Group, op: Op) -> None:
        """Lanes execute an instruction that ends a block."""
        self.executing.frame = group.frame
        if self.tracks and op.guard is not None:
            self.values.guard(op, op.guard, group.frame.regs, group.lanes)

    def leaves(self, batch: NumberedBatch, lanes: lane_sets.Lanes) -> None:
        """Lanes exit."""
        self.waits.progress()
        if self.lifetimes.active:
            self.lifetimes.leave(batch.numbers(lanes))

    def ends(self, batch: NumberedBatch) -> None:
        """All threads of a batch have exited."""
        self.waits.end(batch)
        self.barriers.finish(batch)
        self.skipped_barriers.finish(batch)
        self.multiplications.compare_warpgroups(batch.x.first, batch.x.first + batch.x.n)
        geometry = batch.x.geometry
        self.lifetimes.finish(geometry.first, geometry.first + geometry.count)
        if "sync" in self.tools:
            self.find_unawaited(batch)
        self.forget(batch)

    def forget(self, batch: NumberedBatch) -> None:
        """Nothing refers to the threads of a batch any more but the accesses that shadow memory holds."""
        first, stop = batch.x.first, batch.x.first + batch.x.n
        self.mbarriers.end(first)
        for operations in (self.copies, self.bulk_copies, self.tensor_operations):
            operations.end(first, stop)
        self.multiplications.end(batch.x)
        self.clocks.tables.end(first, stop)

    def find_unawaited(self, batch: NumberedBatch) -> None:
        """Reports asynchronous operations of threads that have exited, if none of them waited for it."""
        for operations, what, help in (
            (self.copies, "copy", "wait for all copies before the thread ends: `cp.async.wait_all`"),
            (self.bulk_copies, "copy", "wait for its group or its mbarrier before the block ends"),
            (self.tensor_operations, "operation", "wait for the mbarrier of a `tcgen05.commit`"),
            (
                self.multiplications,
                "multiplication",
                "`wgmma.commit_group` and `wgmma.wait_group` before the threads end",
            ),
        ):
            message = f"a thread ends without waiting for its asynchronous {what}"
            for statement, thread in operations.unawaited(batch.x.first, batch.x.first + batch.x.n):
                op = self.reporter.ops[statement]
                self.reporter.report(("unfinished", op), "unfinished-copy", message, op, thread, help=help)

    def finish(self, memory: MemoryView, ends: bool) -> None:
        """The launch has ended, and with it the program if it `ends` and no kernel has made a launch that is to run."""
        last = memory.nested is None or not memory.nested.next_last()
        self.race_reports.finish(self.races.read_before_update)
        self.unwritten.finish()
        for index, base in self.marks.outputs.items() if last else ():
            bits = self.defined.get(base)
            if bits is not None and (bits != 0xFF).any():
                bad = np.flatnonzero(bits != 0xFF)
                what = (
                    f"{bad.size} of {bits.size} bytes of argument {index} are undefined in the end, first byte {bad[0]}"
                )
                op = self.function.code[0]
                help = "let every thread write its elements, also on the paths that have nothing to store"
                self.reporter.report(("output", index), "undefined-output", what, op, None, help=help)
        if self.heap is not None and "mem" in self.tools:
            report_unfreed(self.heap, memory, self.reporter, ends and last)
        for base, bits in self.marks.undefined.items():
            bits[:] = ~self.defined[base]

    def fault(self, fault: Fault) -> None:
        """A fault has stopped the kernel. Raises it if it names no statement of the kernel."""
        report_fault(fault, self.reporter, self.executing, self.heap, self.barriers)

    def close(self) -> None:
        """The memory that the kernel freed may be reused from now on."""
        if self.heap is not None:
            self.heap.close()
