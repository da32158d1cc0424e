"""Device heap memory that a launch allocated and did not free: leaks, and memory that a later launch may free."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Iterator

import numpy as np

from openptx.device.heap import Heap
from openptx.device.memory_view import Bytes, MemoryView
from openptx.diagnostics.render import render
from openptx.isa.address_windows import CONST, PARAM, SHIFT
from openptx.sanitize.findings import Finding
from openptx.sanitize.heap import GuardedHeap
from openptx.sanitize.reporter import Reporter

LOG = logging.getLogger("openptx")

LEAK = "device-memory-leak"
LOST = "memory of the device's heap that is not freed when the launch ends, and nothing points at it"
UNFREED_IN_THE_END = "memory of the device's heap that is not freed when the program ends"

UNFREED: dict[Heap, dict[int, Finding]] = {}
"""For each heap, the findings about its blocks, by address, that hold if no launch frees them before the program
ends."""


def reachable(memory: MemoryView, heap: GuardedHeap) -> set[int]:
    """The addresses of blocks to any byte of which memory holds a pointer: in arrays, variables, parameters of launches
    that kernels made and that run later, or blocks that are reachable themselves. The launch's own parameters and
    constant memory end with it, or hold no such pointers."""
    starts = np.array(sorted(heap.sizes), np.uint64)
    ends = np.array([int(at) + heap.sizes[int(at)] for at in starts], np.uint64)
    width = np.dtype(np.uint64 if memory.shift == SHIFT[64] else np.uint32)

    def blocks_pointed_at(address: int, data: Bytes) -> Iterator[int]:
        first = -address % width.itemsize
        words = data[first : first + (data.size - first) // width.itemsize * width.itemsize].view(width)
        near = words[(words >= starts[0]) & (words < ends[-1])].astype(np.uint64)
        which = np.searchsorted(starts, near, "right") - 1
        yield from (int(starts[i]) for i in np.unique(which[near < ends[which]]))

    found, new = set[int](), list[int]()

    def add(address: int, data: Bytes) -> None:
        fresh = set(blocks_pointed_at(address, data)) - found
        found.update(fresh)
        new.extend(fresh)

    for row in memory.allocations():
        if row.base >> memory.shift in (CONST, PARAM):
            continue
        if row.base != heap.allocation.base:
            add(row.base, row.bytes())
    for launch in memory.nested.next_last() if memory.nested is not None else ():
        add(0, np.frombuffer(launch.parameters, np.uint8))
    for address, size in heap.heap.of_the_host():
        add(address, heap.heap.content(address, size))
    while new:
        address = new.pop()
        add(address, heap.heap.content(address, heap.sizes[address]))
    return found


def report_unfreed(heap: GuardedHeap, memory: MemoryView, reporter: Reporter, ends: bool) -> None:
    """Reports what a launch allocated and did not free: unreachable blocks, and all blocks if the program `ends`. The
    rest is kept, because a later launch may free it."""
    taken = heap.unfreed()
    kept = set[int]() if ends or not taken else reachable(memory, heap)
    late: dict[int, Finding] = {}
    for address, (op, thread) in taken.items():
        if address in kept:
            late[address] = Finding(
                LEAK, UNFREED_IN_THE_END, reporter.file, reporter.site(op, thread), kernel=reporter.kernel
            )
        else:
            message = UNFREED_IN_THE_END if ends else LOST
            reporter.report(("leak", op), LEAK, message, op, thread)
    keep(heap, late)


def keep(heap: GuardedHeap, findings: dict[int, Finding]) -> None:
    """Records what a launch did not free, and removes what it did."""
    if findings and not UNFREED:
        atexit.unregister(tell_unfreed)
        atexit.register(tell_unfreed)  # is not called when a C program ends
    known = UNFREED.setdefault(heap.heap, {})
    for address in [at for at in known if at not in heap.sizes]:
        del known[address]
    known.update(findings)
    if not known:
        del UNFREED[heap.heap]


def at_the_end() -> list[Finding]:
    """The findings about memory that was never freed, one for each allocating statement; nothing the next time."""
    found: dict[object, Finding] = {}
    for heap, known in UNFREED.items():
        for finding in (known[address] for address in known if address in heap.blocks):
            cause = id(finding.file), finding.kernel, finding.line, finding.site.span
            if cause in found:
                found[cause].count += 1
            else:
                found[cause] = finding
    UNFREED.clear()
    return [*found.values()]


def tell_unfreed() -> None:
    """Warns of leaked memory, when a context or the program ends."""
    if found := at_the_end():
        LOG.warning("%s", render([*found], "full", color=False).rstrip())
