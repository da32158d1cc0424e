"""Device heap memory that a launch allocated and did not free: leaks, and memory that a later launch may free."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Iterator

import numpy as np

from openptx.array_types import Array
from openptx.device.allocation import Bytes
from openptx.device.heap import Heap
from openptx.device.memory_view import MemoryView
from openptx.diagnostics.render import render
from openptx.isa.address_windows import SHIFT
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
    """The blocks of this launch to any byte of which something points that remains: what the launch has stored in
    arrays, variables, blocks of earlier launches or blocks that are reachable themselves, or parameters of launches
    that kernels made and that run later. Whatever was stored before cannot point at them, even if it looks like it."""
    starts = np.array(sorted(heap.unfreed()), np.uint64)
    ends = np.array([int(at) + heap.sizes[int(at)] for at in starts], np.uint64)
    width = np.dtype(np.uint64 if memory.shift == SHIFT[64] else np.uint32)

    def blocks(addresses: Array) -> Array:
        """The index of the block of each address, -1 for an address outside."""
        which = np.searchsorted(starts, addresses, "right") - 1
        return np.where(addresses < ends[which], which, -1)

    def pointers(address: int, data: Bytes, stored: Array) -> Iterator[tuple[int, int]]:
        """The block that each stored pointer lies in, and the one to which it points."""
        first = -address % width.itemsize
        end = first + (data.size - first) // width.itemsize * width.itemsize
        words = data[first:end].view(width).astype(np.uint64)
        near = (words >= starts[0]) & (words < ends[-1]) & stored[first:end].reshape(-1, width.itemsize).any(1)
        at = np.flatnonzero(near)
        places = np.uint64(address + first) + np.uint64(width.itemsize) * at.astype(np.uint64)
        if address == heap.allocation.base:  # what is left of a block that was freed points at nothing
            live = heap.holds(places, width.itemsize)
            at, places = at[live], places[live]
        yield from zip(blocks(places).tolist(), blocks(words[at]).tolist(), strict=True)

    targets: dict[int, set[int]] = {}
    kept = [(row.base, row.bytes(), heap.stored[row.base]) for row in memory.allocations() if row.base in heap.stored]
    for launch in memory.nested.next_last() if memory.nested is not None else ():
        kept.append((0, np.frombuffer(launch.parameters, np.uint8), np.ones(len(launch.parameters), np.bool_)))
    for region in kept:
        for source, target in pointers(*region):
            targets.setdefault(source, set()).add(target)
    found, new = {-1}, [-1]
    while new:
        fresh = targets.get(new.pop(), set()) - found
        found |= fresh
        new += fresh
    return {int(starts[i]) for i in found - {-1}}


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
