"""What is known of a launch that is watched: clocks, shadow memory, findings, and who executes what at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.device.shared_layout import reached
from openptx.engines.interp import lane_sets
from openptx.line_table import LineTable
from openptx.program import Address, Reg
from openptx.sanitize.barrier_checks import BarrierChecks
from openptx.sanitize.bounds import Bounds
from openptx.sanitize.clocks import Clocks
from openptx.sanitize.copies import Agents, BulkCopies, Copies
from openptx.sanitize.decoded import WatchedFunction, WatchedTracked
from openptx.sanitize.endless_waits import EndlessWaits
from openptx.sanitize.escapes import Escapes
from openptx.sanitize.findings import Collector, Finding, Site
from openptx.sanitize.heap import GuardedHeap
from openptx.sanitize.lifetimes import Lifetimes
from openptx.sanitize.mbarriers import Mbarriers
from openptx.sanitize.multiplications import Multiplications
from openptx.sanitize.race_reports import RaceReports
from openptx.sanitize.races import Conflict, Races
from openptx.sanitize.releases import Releases
from openptx.sanitize.semantics import synchronizes
from openptx.sanitize.shadow import GRANULE_BYTES, STATEMENT, Shadow
from openptx.sanitize.teams import Teams
from openptx.sanitize.undefined import NOISE
from openptx.sanitize.values import Values

if TYPE_CHECKING:
    from openptx.device.heap import Heap
    from openptx.engines.interp.frames import Frame, Group
    from openptx.engines.interp.geometry import Shape
    from openptx.errors import Fault
    from openptx.program import Function, Op, Program
    from openptx.sanitize.batch import SanitizedBatch
    from openptx.source import Span

Array = NDArray[Any]
SHADOW_LIMIT = 4 << 30
"""Bytes of shadow cells of a launch: larger allocations are not watched for races."""

SYNC = frozenset(("deadlock", "timeout", "instruction-limit", "invalid-barrier", "invalid-mask", "undefined-behavior"))
"""Faults that are wrong synchronisation; the others are wrong accesses."""


def fault_notes(fault: Fault) -> tuple[str, ...]:
    """The facts of a fault, but those that a finding has anyway."""
    found = (
        [f"address: 0x{fault.address:x}" + (f" in .{fault.space}" if fault.space else "")]
        if fault.address is not None
        else []
    )
    found += [f"nearest allocation: {fault.nearest}"] if fault.nearest else []
    return (*found, *(f"note: {note}" for note in fault.notes if not note.startswith("source: ")))


class Session:
    frame: Frame
    batch: SanitizedBatch

    def __init__(
        self,
        program: Program,
        function: Function,
        shape: Shape,
        tools: frozenset[str],
        found: Collector,
        order: np.random.Generator | None,
    ) -> None:
        self.program, self.function, self.tools = program, function, tools
        self.teams = Teams(shape)
        self.found, self.order = found, order
        self.tracks = bool(tools & {"init", "sync"})
        self.noise = NOISE if order is None else int(order.integers(1 << 31))
        self.defined: dict[int, Array] = {}
        self.marked: list[tuple[Array, Array]] = []
        self.outputs: list[tuple[int, int]] = []
        self.absent_shuffles: set[Op] = set()
        self.values = Values(self)
        self.bounds = Bounds(self)
        self.escapes = Escapes(self)
        self.lifetimes = Lifetimes(self)
        self.heap: GuardedHeap | None = None
        self.places = LineTable(program.file)
        self.clocks = Clocks(self.teams)
        self.ops: list[Op] = []
        self._numbers: dict[Op, int] = {}
        self._causes: dict[Op, object] = {}
        active = any(synchronizes(op) for each in reached(program, function.name) for op in each.code)
        self.race_reports = RaceReports(self)
        self.races = Races(self.clocks, self.race_reports.conflict)
        self.releases = Releases(self.clocks, active)
        if active:
            self.races.unfenced = self.releases.observed, self.releases.observed_near
        self.agents = Agents()
        self.copies = Copies(self.clocks, self.agents)
        self.bulk_copies = BulkCopies(self.clocks, self.agents)
        self.tensor_operations = BulkCopies(self.clocks, self.agents)
        self.multiplications = Multiplications(self)
        self.mbarriers = Mbarriers(self.clocks, self.mbarrier_misuse)
        self.barriers = BarrierChecks(self)
        self.shadows: dict[int, Shadow | None] = {}
        self._shadow_bytes = 0
        self._functions: dict[Function, WatchedFunction] = {}
        self.waits = EndlessWaits(self)

    def decoded(self, function: Function) -> WatchedFunction:
        found = self._functions.get(function)
        if found is None:
            found = self._functions[function] = (WatchedTracked if self.tracks else WatchedFunction)(function)
        return found

    # Events.

    def begins(self, batch: SanitizedBatch) -> None:
        self.waits.begin(batch)

    def enter(self, batch: SanitizedBatch) -> None:
        self.batch = batch

    def control(self, batch: SanitizedBatch, group: Group, op: Op) -> None:
        if self.tracks and op.guard is not None:
            self.values.guard(op, op.guard, group.frame.regs, group.lanes)

    def mark_undefined(self, base: int, bits: Array) -> None:
        """The memory from an address on has undefined bits, which are to be updated in the end."""
        self.defined[base] = ~bits
        self.marked.append((bits, self.defined[base]))

    def mark_output(self, base: int, index: int) -> None:
        self.outputs.append((base, index))

    def finish(self) -> None:
        """The launch has ended."""
        self.race_reports.finish()
        for base, index in self.outputs:
            bits = self.defined.get(base)
            if bits is not None and (bits != 0xFF).any():
                bad = np.flatnonzero(bits != 0xFF)
                op = self.function.code[0]
                what = (
                    f"{bad.size} of {bits.size} bytes of argument {index} are undefined in the end, first byte {bad[0]}"
                )
                self.found.add(("output", index), self.finding("undefined-output", "init", what, op, None))
        for op, thread in self.heap.leaks() if self.heap is not None else ():
            if "mem" in self.tools and not self.found.known(("leak", op)):
                message = "memory of the device's heap that is not freed when the launch ends"
                self.found.add(("leak", op), self.finding("device-memory-leak", "mem", message, op, thread))
        for bits, defined in self.marked:
            bits[:] = ~defined

    def close(self) -> None:
        """What the kernel freed may be given out again."""
        if self.heap is not None:
            self.heap.close()

    def leaves(self, batch: SanitizedBatch, lanes: lane_sets.Lanes) -> None:
        if self.lifetimes.active:
            self.lifetimes.leave(batch.numbers(lanes))

    def ends(self, batch: SanitizedBatch) -> None:
        """All threads of a batch have ended."""
        self.waits.end(batch)
        self.barriers.finish(batch)
        geometry = batch.x.geometry
        self.lifetimes.finish(geometry.first, geometry.first + geometry.count)
        first, stop = batch.x.first, batch.x.first + batch.x.n
        for op, thread in self.copies.left(first, stop):
            self.unfinished(op, thread, "copy", "wait for all copies before the thread ends: `cp.async.wait_all`")
        for op, thread in self.bulk_copies.left(first, stop):
            self.unfinished(op, thread, "copy", "wait for its group or its mbarrier before the block ends")
        for op, thread in self.tensor_operations.left(first, stop):
            self.unfinished(op, thread, "operation", "wait for the mbarrier of a `tcgen05.commit`")
        for op, thread in self.multiplications.left(first, stop):
            help = "`wgmma.commit_group` and `wgmma.wait_group` before the threads end"
            self.unfinished(op, thread, "multiplication", help)

    def unfinished(self, statement: int, thread: int, what: str, help: str) -> None:
        """A copy, or another asynchronous operation, was still under way when its thread ended."""
        key = ("unfinished", statement)
        if "sync" in self.tools and not self.found.known(key):
            message = f"a thread ends with an asynchronous {what} that nobody waited for"
            op = self.ops[statement]
            self.found.add(key, self.finding("unfinished-copy", "sync", message, op, thread, help=help))

    # Statements and places.

    def statement(self, op: Op) -> int:
        """The number of a statement, as shadow cells have it."""
        found = self._numbers.get(op)
        if found is None:
            found = self._numbers[op] = min(len(self.ops), STATEMENT)
            self.ops.append(op)
        return found

    def cause(self, op: Op) -> object:
        """What is one cause in reports: a loop that was unrolled has several statements at one place of the program."""
        found = self._causes.get(op)
        if found is None:
            chain = self.places.of(op)
            found = self._causes[op] = (chain, op.form.instruction.name, str(op.m.values.get("space"))) if chain else op
        return found

    def site(self, op: Op, thread: int | None) -> Site:
        chain = self.places.of(op)
        inlined = tuple(f"{file}:{line}:{column}" for file, line, column in chain[:-1])
        block, own = self.teams.place(thread) if thread is not None else (None, None)
        program = self.places.text(chain[-1]) if chain else None
        text = " ".join(op.text.split())
        return Site(op.span, text, self.places.line(op), self.places.name(op), inlined, block, own, program or "")

    def finding(
        self,
        code: str,
        kind: str,
        message: str,
        op: Op,
        thread: int | None,
        *,
        notes: tuple[str, ...] = (),
        help: str | None = None,
        other: Op | None = None,
        other_thread: int | None = None,
        other_label: str = "",
    ) -> Finding:
        return Finding(
            code,
            kind,
            message,
            self.program.file,
            self.site(op, thread),
            kernel=self.function.name,
            notes=notes,
            help=help,
            other=self.site(other, other_thread) if other is not None else None,
            other_label=other_label,
        )

    def registers(self, op: Op, thread: int) -> tuple[str, ...]:
        """The registers of an instruction's addresses, as the thread has them now."""
        lane = thread - self.batch.x.first
        if not 0 <= lane < self.batch.x.n:
            return ()
        found: list[str] = []
        for operand in op.operands:
            if isinstance(operand, Address) and isinstance(operand.base, Reg):
                name = self.frame.plan.function.registers[operand.base.index].name
                value = self.frame.regs[operand.base.index]
                number = int(value[lane if value.size > 1 else 0])
                found.append(f"{name} = 0x{number:x}")
        return (f"registers: {', '.join(found)}",) if found else ()

    # Races.

    def would_be_ordered(self, c: Conflict) -> bool:
        """Whether an acquiring fence would have ordered the two."""
        who, times, threads = (np.array([v], np.int64) for v in (c.other_thread, c.other_time, c.thread))
        return bool(self.clocks.ordered(who, times, threads, self.clocks.hoped)[0])

    def fault(self, fault: Fault) -> None:
        """What stopped the kernel, as a finding."""
        op = self.statement_at(fault.span)
        thread = self.teams.number(fault.block, fault.thread) if fault.block and fault.thread else None
        if op is None:
            raise fault
        self.found.stuck |= fault.name == "deadlock"
        other = self.cause_of(fault)
        registers = self.registers(op, thread) if thread is not None else ()
        self.found.add(
            ("fault",),
            Finding(
                fault.code,
                "sync" if fault.name in SYNC and not self.heap_fault(op, fault) else "mem",
                fault.message,
                self.program.file,
                self.site(op, thread),
                kernel=self.function.name,
                notes=(*fault_notes(fault), *registers),
                other=other,
                other_label="the cause" if other else "",
            ),
        )

    def statement_at(self, span: Span | None) -> Op | None:
        """The statement at a place of the text."""
        code = (op for function in reached(self.program, self.function.name) for op in function.code)
        return next((op for op in code if op.span == span), None)

    def heap_fault(self, op: Op, fault: Fault) -> bool:
        """Whether a fault is one of `free`."""
        return op.form.instruction.control == "call" and fault.address is not None

    def cause_of(self, fault: Fault) -> Site | None:
        """Who freed the memory that is freed again, or used; where others wait in a deadlock."""
        if fault.name == "deadlock":
            waiting = [(w.op, int(w.lanes[0])) for barrier in self.batch.barriers.values() for w in barrier.waiting]
            waiting += [(w.op, int(w.lanes[0])) for w in self.batch.cluster.waiting]
            others = [(op, lane) for op, lane in waiting if op.span != fault.span]
            return self.site(others[0][0], self.batch.x.first + others[0][1]) if others else None
        if self.heap is None or fault.address is None:
            return None
        for address, (op, thread) in self.heap.freed.items():
            if address <= fault.address < address + self.heap.extents[address]:
                return self.site(op, thread)
        return None

    def heap_of(self, heap: Heap) -> GuardedHeap:
        if self.heap is None:
            self.heap = GuardedHeap(heap, self)
            self.defined[heap.allocation.base] = self.heap.defined
        return self.heap

    def mbarrier_misuse(self, what: str, index: int, fact: str, cause: tuple[Op, int] | None = None) -> None:
        op, thread = self.batch.x.op, int(self.batch.x.threads()[index])
        if self.found.known(("mbarrier", what, op)):
            return
        message = {
            "uninitialized": "an mbarrier is used that `mbarrier.init` has not made",
            "overwritten": "an mbarrier is used that a store has overwritten",
            "completes": "`mbarrier.arrive.noComplete` completes a phase",
            "too many arrivals": "an mbarrier gets more arrivals in a phase than it expects",
            "initialized twice": "`mbarrier.init` of an mbarrier that is in use: `mbarrier.inval` must come before",
        }[what]
        notes = (f"why: {fact}",) if fact else ()
        other, other_thread = cause or (None, None)
        self.found.add(
            ("mbarrier", what, op),
            self.finding(
                "mbarrier-misuse", "sync", message, op, thread,
                notes=notes, other=other, other_thread=other_thread, other_label="overwritten here",
            ),
        )  # fmt: skip

    # Shadow memory.

    def shadow(self, key: int, name: str, size: int, lead: int, space: str) -> Shadow | None:
        """The cells of global memory from the address `key` on; None where they would take too much memory."""
        if key not in self.shadows:
            self.shadows[key] = self.make_shadow(name, size, lead, key, space)
        return self.shadows[key]

    def make_shadow(self, name: str, size: int, lead: int, base: int, space: str) -> Shadow | None:
        cost = size // 4 * GRANULE_BYTES
        if self._shadow_bytes + cost > SHADOW_LIMIT:
            self.found.limits.append(
                f"races in {name} were not watched: {size} bytes need {cost >> 20} MiB of shadow memory"
                f" (limit of a launch: {SHADOW_LIMIT >> 20} MiB)"
            )
            return None
        self._shadow_bytes += cost
        return Shadow(name, size, lead, base, space)
