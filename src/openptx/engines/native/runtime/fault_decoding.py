"""Decodes the faults that machine code recorded, into the reference engine's texts."""

from __future__ import annotations

import struct
from typing import NamedTuple

from openptx.control_flow import control
from openptx.engines.common import fault_text
from openptx.engines.common.call_site import CallSite, wrong_target
from openptx.engines.common.fault_text import describe_exited, waits
from openptx.engines.interp.memory.spaces import Violation
from openptx.engines.native import abi
from openptx.engines.native.analysis.activations import names_at, op_at, origin
from openptx.engines.native.runtime.plan import Plan
from openptx.engines.native.runtime.run import Run
from openptx.engines.native.runtime.workers import Worker
from openptx.errors import Fault, Triple, Unsupported
from openptx.isa.address_windows import FIRST, SLOTS
from openptx.program import Function


def triple(linear: int, extent: Triple) -> Triple:
    return linear % extent[0], linear // extent[0] % extent[1], linear // extent[0] // extent[1]


def failure(run: Run, worker: Worker) -> Fault | Unsupported:
    """The fault recorded in a worker's state, or what a system function that was called cannot do."""
    gap = worker.violation
    if struct.unpack_from("<I", worker.memory, abi.KIND) != (abi.ANSWER,) or not isinstance(gap, Unsupported):
        return fault(run, worker)
    (site,) = struct.unpack_from("<I", worker.memory, abi.SITE)
    op = place(run, site).code[site & 0xFFFFF]
    return gap.at(op.m, run.plan.program.file, op.span)


def fault(run: Run, worker: Worker) -> Fault:
    """The fault recorded in a worker's state."""
    block = struct.unpack_from("<III", worker.memory, abi.CTAID)
    (kind,) = struct.unpack_from("<I", worker.memory, abi.KIND)
    if kind == abi.DEADLOCK:
        return deadlock(run, worker, block)
    v = reported_fault(worker) if kind == abi.ANSWER else recorded(run, worker)
    (site,) = struct.unpack_from("<I", worker.memory, abi.SITE)
    (count,) = struct.unpack_from("<I", worker.memory, abi.CHAIN)
    chain = struct.unpack_from(f"<{count}I", worker.memory, abi.CHAIN + 4)
    if kind == abi.OVERFLOW and chain:  # detected at the first instruction of the callee
        site, *chain = chain
    function, message = place(run, site), v.message
    op = function.code[site & 0xFFFFF] if site & 0xFFFFF < len(function.code) else None
    if v.code == "invalid-call-target" and op is not None:
        site_of_text = CallSite(op_at(function, site & 0xFFFFF))
        message = wrong_target(run.plan.program, run.image.names, site_of_text, v.value) or message
    access, names = v.access, [name for at in (site, *chain) for name in names_at(place(run, at), at & 0xFFFFF)]
    return Fault(
        v.code,
        fault_text.of_instruction(message, op),
        kernel=run.plan.function.name,
        block=block,
        thread=triple(v.thread, run.plan.block),
        address=access.address if access is not None else None,
        space=access.space.replace("frame", "param") or None if access is not None else None,
        nearest=nearest(run, access) if access is not None else None,
        file=run.plan.program.file,
        span=op.span if op is not None else None,
        notes=(
            *(dynamic_memory(run, access) if access is not None else ()),
            *(fault_text.source_line(op) if op is not None else ()),
            *fault_text.calls(names),
        ),
    )


class WrongAccess(NamedTuple):
    address: int
    size: int
    space: str
    limit: int
    """Bytes that a block or a thread has of the space; negative if that is not the limit that was exceeded."""


class FaultRecord(NamedTuple):
    """The fault record of compiled code, or of the reference engine called by it."""

    code: str
    message: str
    thread: int
    value: int
    """The address, or the value that did not meet a requirement."""
    access: WrongAccess | None


def recorded(run: Run, worker: Worker) -> FaultRecord:
    """The fault record in the worker's state."""
    kind, _, lanes, warp, value, number, size, limit = struct.unpack_from("<IIIIQIIq", worker.memory, abi.KIND)
    lane = (lanes & -lanes).bit_length() - 1 if lanes else 0
    space = abi.SPACES[number] if kind in ACCESSES else ""
    if space == "generic" and value >> run.memory.shift >= FIRST:
        space = "global"
    what, size = ACTIONS[size >> 24], size & 0xFFFFFF
    if what == COPY:
        (size,) = struct.unpack_from("<Q", worker.memory, abi.MORE)
    code, message = code_and_message(run, kind, number, what, size, limit, space, value)
    if kind == abi.REQUIRED and ("{lane}" in message or "{value}" in message):
        message = message.format(lane=lane, value=value)
    access = WrongAccess(value, size, space, limit if kind == abi.OUT_OF_BOUNDS else -1) if kind in ACCESSES else None
    return FaultRecord(code, message, warp * 32 + lane, value, access)


def reported_fault(worker: Worker) -> FaultRecord:
    """The fault that the reference engine reported, with its text."""
    v = worker.violation
    assert isinstance(v, Violation)
    access = WrongAccess(v.address, v.size, v.space, v.limit) if v.address is not None else None
    return FaultRecord(v.code, v.message, v.lane, v.address or 0, access)


def nearest(run: Run, access: WrongAccess) -> str | None:
    """How far an access missed the accessible memory, or the nearest allocation in global memory; None for other
    spaces."""
    address, size, space, limit = access
    if limit >= 0:
        return fault_text.beyond(address, size, space, limit)
    return run.memory.nearest(address, size, space, run.plan.shared) if space in ("generic", "global") else None


def dynamic_memory(run: Run, access: WrongAccess) -> tuple[str, ...]:
    return fault_text.dynamic_memory(access.space, access.limit, run.plan.layout, run.plan.dynamic)


def deadlock(run: Run, worker: Worker, block: Triple) -> Fault:
    """The warps of a CTA wait at barriers that cannot complete: says which threads wait, where, and which have
    exited."""
    waiting: dict[tuple[int, int], list[int]] = {}
    alive: list[int] = []
    frames = memoryview(worker.frames.view().data)
    for warp in range(-(-run.plan.threads // 32)):
        at = warp * run.plan.code.metadata.frame_size
        resume, _, number, _, live, _ = struct.unpack_from(abi.FRAME_HEAD, frames, at + abi.RESUME)
        threads = [32 * warp + i for i in range(32) if live >> i & 1] if resume >= 0 else []
        alive += threads
        if threads and resume > 0:  # after the barrier
            waiting.setdefault((number, resume - 1), []).extend(threads)
    where = {key: waiting[key] for key in sorted(waiting, key=lambda key: (of_cluster(run.plan, key[1]), key))}
    ops = [run.plan.executed.code[pc] for _, pc in where]
    notes = [
        waits(
            op, run.plan.program.file,
            "at the cluster's barrier" if of_cluster(run.plan, pc) else at_barrier(worker.memory, number), threads,
        )
        for op, ((number, pc), threads) in zip(ops, where.items(), strict=True)
    ]  # fmt: skip
    own = [threads[0] for (_, pc), threads in where.items() if not of_cluster(run.plan, pc)]
    first = min(own or (threads[0] for threads in where.values()), default=0)
    return Fault(
        "deadlock",
        "threads wait for others that can never arrive",
        kernel=run.plan.function.name,
        block=block,
        thread=triple(first, run.plan.block),
        file=run.plan.program.file,
        span=ops[0].span if ops else None,
        notes=(
            *(fault_text.source_line(ops[0]) if ops else ()),
            *notes,
            describe_exited(sorted(set(range(run.plan.threads)) - set(alive)), run.plan.threads),
        ),
    )


def of_cluster(plan: Plan, pc: int) -> bool:
    """Whether a barrier of compiled code stands for one of the cluster (analysis/cluster_barriers.py)."""
    at = origin(plan.executed, pc)
    function = plan.function if at.activation.caller is None else at.activation.function
    return control(function.code[at.pc]) == "cluster-barrier"


def at_barrier(state: memoryview, number: int) -> str:
    """Names a barrier, and how many threads it waits for."""
    (wanted,) = struct.unpack_from("<I", state, abi.BARRIERS + abi.BARRIER * number + 4)
    return f"at barrier {number} for {wanted or 'all'} threads"


def place(run: Run, site: int) -> Function:
    """The function that contains a site."""
    number = site >> 20
    return run.plan.program.function(run.plan.code.metadata.names[number - 1]) if number else run.plan.executed


ACCESSES = (abi.OUT_OF_BOUNDS, abi.MISALIGNED, abi.READ_ONLY, abi.TORN)
"""Kinds of faults that have an address."""

COPY = "copy"
ACTIONS = ("load", "store", "atomic", "store", COPY)
"""The kind of access, by the mode of `openptx.access` in support.ll; the last is `openptx.bring`'s, which leaves the
size in `abi.MORE`."""


def code_and_message(
    run: Run, kind: int, detail: int, what: str, size: int, limit: int, space: str, address: int
) -> tuple[str, str]:
    """The code and the message of a fault."""
    if kind == abi.MISALIGNED:
        return "misaligned-access", fault_text.misaligned(what, size)
    heap = run.memory.heap
    if kind == abi.OUT_OF_BOUNDS and heap is not None and heap.within(address, 1):
        return "out-of-bounds", fault_text.beyond_blocks(what, size, heap.pooled(address))
    if kind == abi.OUT_OF_BOUNDS:
        return "out-of-bounds", fault_text.outside(what, size, space, limit)
    if kind == abi.TORN:
        return "out-of-bounds", fault_text.TORN
    if kind == abi.READ_ONLY:
        row = run.memory.rows[SLOTS.get(space, address >> run.memory.shift)]
        return "read-only", fault_text.read_only(row and run.memory.named(row, address))
    if kind == abi.REQUIRED:
        return run.plan.code.messages[detail]
    if kind == abi.UNALLOCATED:
        return "out-of-bounds", fault_text.unallocated(address)
    if kind == abi.TRAP:
        return "trap", "the kernel executed `trap`"
    if kind == abi.STOPPED:
        return "timeout", fault_text.timed_out(run.timeout)
    return "stack-overflow", fault_text.TOO_DEEP
