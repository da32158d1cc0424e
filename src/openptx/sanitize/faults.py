"""A fault that stopped a watched kernel, as a finding."""

from __future__ import annotations

from openptx.call_graph import reachable_functions
from openptx.errors import Fault
from openptx.program import Op
from openptx.sanitize.checks.barriers import BarrierChecks
from openptx.sanitize.executing import Executing
from openptx.sanitize.findings import Site
from openptx.sanitize.heap import GuardedHeap
from openptx.sanitize.reporter import Reporter
from openptx.source import File

SYNC = frozenset(("deadlock", "timeout", "instruction-limit", "invalid-barrier", "invalid-mask", "undefined-behavior"))
"""Faults caused by wrong synchronisation; the others are invalid accesses."""
LIMITS = frozenset(("timeout", "instruction-limit"))
"""Faults that are less informative than another one, from a run in another order."""


def report_fault(
    fault: Fault, reporter: Reporter, executing: Executing, heap: GuardedHeap | None, barriers: BarrierChecks
) -> None:
    """Adds the finding, unless another run's is more informative. Raises the fault if it names no statement of the
    kernel."""
    if fault.name in LIMITS and reporter.collector.count_if_known(("fault",)):
        return
    code = (op for each in reachable_functions(reporter.program, reporter.kernel) for op in each.code)
    op = next((op for op in code if is_at(reporter.file, op, fault)), None)
    if op is None:
        raise fault
    thread = reporter.teams.number(fault.block, fault.thread) if fault.block and fault.thread else None
    reporter.collector.stuck |= fault.name == "deadlock"
    of_free = op.form.instruction.control == "call" and fault.address is not None
    kind = "sync" if fault.name in SYNC and not of_free else "mem"
    registers = executing.registers(op, thread) if thread is not None else ()
    cause = waiting_elsewhere(fault, reporter, executing) if fault.name == "deadlock" else freed(fault, reporter, heap)
    emptied = emptied_barrier(reporter, executing, barriers) if fault.name == "deadlock" else None
    help = (EMPTIED if emptied else missing_arrivals(executing)) if fault.name == "deadlock" else inside(fault)
    reporter.add(
        ("fault",), fault.code, fault.message, op, thread, kind=kind,
        notes=(*notes(fault), *registers), other=emptied or cause, other_label="the cause" if emptied or cause else "",
        help=help,
    )  # fmt: skip


def inside(fault: Fault) -> str | None:
    """The help for an access outside of every allocation: its index is wrong, or its pointer, by the distance."""
    if fault.name != "out-of-bounds" or not fault.nearest:
        return None
    if fault.nearest.endswith("freed"):
        return "free the array only after the last access to it"
    if fault.nearest.startswith("none"):
        return "no array is near: check the pointer, and the values that the address is computed from"
    return "let only those threads access it whose index is less than the number of elements"


EMPTIED = (
    "these arrivals complete the barrier before a thread waits there: name the number of all threads, of those that"
    " arrive and of those that wait, in both"
)


def emptied_barrier(reporter: Reporter, executing: Executing, barriers: BarrierChecks) -> Site | None:
    """The arrivals that have completed, alone, a barrier at which threads wait now."""
    batch = executing.batch
    waited = (number for number, barrier in batch.barriers.items() if barrier.waiting)
    found = next((found for number in waited if (found := barriers.emptied(batch, number)) is not None), None)
    return reporter.site(*found) if found is not None else None


def missing_arrivals(executing: Executing) -> str | None:
    """The help for threads of a block that wait at barriers in vain; None if they wait for something else."""
    batch, geometry = executing.batch, executing.batch.x.geometry
    waits = [(number, geometry.cta[w.lanes[0]]) for number, b in sorted(batch.barriers.items()) for w in b.waiting]
    found = dict[int, str]()
    for number in [number for number, cta in waits if cta == waits[0][1]]:
        barrier, block = batch.barriers[number], geometry.cta == waits[0][1]
        arrived = (barrier.arrived > 0) & block
        wanted = int(barrier.expected[waits[0][1]]) or int((batch.alive & block | arrived).sum())
        found[number] = f"{wanted - int(arrived.sum())} of {wanted} at barrier {number}"
    if not found:
        return None
    lacks = "one of these arrivals is" if len(found) > 1 else "arrivals are"
    return (
        f"{lacks} missing: {', '.join(found.values())}. Let the threads arrive before they wait elsewhere or exit"
        " (`bar.arrive`, with the same number of threads, if they need not wait), or name the number of those that come"
    )


def is_at(file: File, op: Op, fault: Fault) -> bool:
    """Whether a fault names an instruction of a file: of a linked one, by its place in the original file."""
    return file.origin(op.span) == (fault.file, fault.span)


def notes(fault: Fault) -> tuple[str, ...]:
    """The facts of a fault, except those that every finding has."""
    found: list[str] = []
    if fault.address is not None:
        found.append(f"address: 0x{fault.address:x}" + (f" in .{fault.space}" if fault.space else ""))
    if fault.nearest:
        found.append(f"nearest allocation: {fault.nearest}")
    return (*found, *(f"note: {note}" for note in fault.notes if not note.startswith("source: ")))


def waiting_elsewhere(fault: Fault, reporter: Reporter, executing: Executing) -> Site | None:
    """Where other threads wait in a deadlock."""
    batch = executing.batch
    waiters = [*(w for barrier in batch.barriers.values() for w in barrier.waiting), *batch.cluster.waiting]
    others = [w for w in waiters if not is_at(reporter.file, w.op, fault)]
    return reporter.site(others[0].op, batch.x.first + int(others[0].lanes[0])) if others else None


def freed(fault: Fault, reporter: Reporter, heap: GuardedHeap | None) -> Site | None:
    """The thread and statement that freed the memory which is freed again, or used."""
    if heap is None or fault.address is None:
        return None
    for address, (op, thread) in heap.freed.items():
        if address <= fault.address < address + heap.extents[address]:
            return reporter.site(op, thread)
    return None
