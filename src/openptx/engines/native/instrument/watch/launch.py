"""A watched launch: shadow memory, the watch blocks of its workers, and the suspicions recorded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from openptx.device.allocation import Allocation, Bytes
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.runtime.run import Run
from openptx.engines.native.runtime.workers import Worker

MARGIN = 64
"""Padding bytes after the last, for wide moves."""


class Written:
    """`undefined`: the undefined bits of arrays of global memory, a byte for each byte, by their addresses. They are
    the launch's marks, changed in place; a byte with any undefined bit counts as unwritten."""

    def __init__(self, undefined: Mapping[int, Bytes]) -> None:
        self.arrays = undefined
        self.kept = {base: None if bits.min() == 255 else bits.copy() for base, bits in undefined.items()}
        """The original marks; None for 255 everywhere."""
        self.table = np.zeros(0, np.int64)
        self.shared = self.local = np.zeros(0, np.uint8)

    def attach(self, worker: Worker, run: Run) -> dict[int, int]:
        """Creates marks for a worker; returns the fields of the watch block that refer to them."""
        plan, memory = run.plan, run.memory
        if plan.code.metadata.stack.recursive:
            raise UnsupportedByJit("recursion, whose frames are not watched")
        self.shared = np.zeros(worker.shared_size + MARGIN, np.uint8)
        self.local = np.zeros(worker.local.size + MARGIN, np.uint8)
        self.table = np.zeros(len(memory.snapshot.rows), np.int64)
        for base, bits in self.arrays.items():
            last = base + max(bits.size, 1) - 1
            self.table[base >> memory.shift : (last >> memory.shift) + 1] = bits.ctypes.data - base
        reserved = plan.program.reserved_shared
        return {
            layout.MARKS: self.table.ctypes.data,
            layout.SHARED_MARKS: self.shared.ctypes.data,
            layout.LOCAL_MARKS: self.local.ctypes.data,
            layout.RESERVED: reserved,
            layout.SHARED_BYTES: max(worker.shared_size - reserved, 0),
            layout.LOCAL_BYTES: worker.local.size,
            layout.STRIDE: plan.stride,
        }

    def put_back(self) -> None:
        """Restores the marks of arrays to their state before the launch."""
        for base, kept in self.kept.items():
            self.arrays[base][:] = 255 if kept is None else kept


WORD = 4
"""Bytes of a granule if there are no smaller accesses."""
LIMIT = 4 << 30
"""The maximum number of bytes of shadow cells of a launch."""
FIELDS = 6
"""Of an area."""
BYTES = 17
"""Bytes of a granule's cells."""
APART = 2048 + 64
"""Between cells of writes and of reads, so that they do not fall into the same set of the processor's cache."""


class Suspicion(NamedTuple):
    """A suspicion: KIND of layout.py, and the site of the access; for SMALL the slot of the address space."""

    kind: int
    place: int


class Cells:
    """Cells of this many granules and of their lines, all empty. The operating system commits memory only for those
    touched."""

    def __init__(self, granules: int) -> None:
        lines = -(-granules // layout.WIDE)
        self.half = lines * layout.WIDE * 8 + APART
        size = 2 * self.half + APART
        self.data: Bytes = np.zeros(size + lines * layout.LINE, np.uint8)
        self.address = self.data.ctypes.data
        self.lines = self.address + size


class Watch:
    """What one worker watches in one launch. `tools`: "race", "init", "sync", "mem"; `granule`: bytes of a granule of
    shared memory; `by_bytes`: slots of the address space whose granules are bytes, None for all; `undefined`: the
    undefined bits of arrays that have any, by their addresses."""

    def __init__(
        self, tools: frozenset[str], granule: int, by_bytes: frozenset[int] | None = frozenset(),
        undefined: Mapping[int, Bytes] | None = None,
    ) -> None:  # fmt: skip
        self.written = Written(undefined or {}) if "init" in tools else None
        arrays = {layout.ARRAYS} if self.written is not None and undefined else set[str]()
        self.tools, self.granule, self.by_bytes = tuple(sorted(tools | arrays)), granule, by_bytes
        self.block = np.zeros(layout.BLOCK // 8, np.int64)
        self.areas = np.zeros((0, layout.AREA // 8), np.int64)
        self.kept: list[Cells] = []
        self.too_large: dict[int, Allocation] = {}
        """By slot."""
        self.doubts = np.zeros(0, np.uint8)
        """By CTA, 1 if there is a suspicion about its threads alone."""

    def attach(self, worker: Worker, run: Run, stop: int) -> int:
        """Creates the watch block of the launch's only worker; returns its address. `stop`: where the launch's flag
        is."""
        memory = run.memory
        self.areas = np.zeros((len(memory.snapshot.rows), layout.AREA // 8), np.int64)
        if "race" in self.tools:
            self.cover(memory.allocations(), memory.shift)
        self.doubts = np.zeros(math.prod(run.plan.grid), np.uint8)
        for offset, value in (
            (layout.NOW, 1), (layout.CTA, -1), (layout.TABLE, self.areas.ctypes.data), (layout.STOP, stop),
            (layout.THREADS, run.plan.threads), (layout.DOUBTS, self.doubts.ctypes.data),
        ):  # fmt: skip
            self.block[offset // 8] = value
        if self.written is not None:
            for offset, value in self.written.attach(worker, run).items():
                self.block[offset // 8] = value
        shared = self.area(0, worker.shared_size // self.granule, self.granule)
        self.block[layout.SHARED // 8 :][: len(shared)] = shared
        return self.block.ctypes.data

    def area(self, first: int, count: int, granule: int) -> tuple[int, ...]:
        """Cells for granules of this many bytes, as an area of layout.py."""
        cells = Cells(first % layout.WIDE + count)
        self.kept.append(cells)
        line = first // layout.WIDE
        place, lines = cells.address - 8 * layout.WIDE * line, cells.lines - layout.LINE * line
        return lines, place, cells.half, first, first + count, granule.bit_length() - 1

    def cover(self, allocations: list[Allocation], shift: int) -> None:
        """Gives cells to all writable memory, up to the limit."""
        left = LIMIT
        for a in allocations:
            if not a.writable or not a.size:
                continue
            slots = slice(a.base >> shift, (a.base + a.size - 1 >> shift) + 1)
            small = self.by_bytes is None or not self.by_bytes.isdisjoint(range(slots.start, slots.stop))
            granule = 1 if small else WORD
            first, last = a.base // granule, (a.base + a.size - 1) // granule
            cost = (last - first + 1) * BYTES
            if cost > left:
                self.areas[slots] = layout.TOO_LARGE
                self.too_large[slots.start] = a
            else:
                left -= cost
                self.areas[slots, :FIELDS] = self.area(first, last - first + 1, granule)

    def put_back(self) -> None:
        """Clears what the launch has recorded."""
        if self.written is not None:
            self.written.put_back()

    def finish(self) -> None:
        """The launch has ended: what is known when a CTA ends is known of the last one, too."""
        at = self.block
        if at[layout.CAME // 8] and not at[layout.KIND // 8]:
            self.doubts[at[layout.CTA // 8]] = 1
            if not at[layout.OWN_KIND // 8]:
                at[layout.OWN_KIND // 8], at[layout.OWN_FACTS // 8] = layout.WARPS_AWAY, at[layout.PARTED // 8]

    def doubtful(self) -> list[range]:
        """The ranges of CTAs about whose threads there is a suspicion."""
        edges = np.flatnonzero(np.diff(self.doubts, prepend=0, append=0)).tolist()
        return [range(first, stop) for first, stop in zip(edges[::2], edges[1::2], strict=True)]

    def suspicion(self, *, of_ctas: bool = False) -> Suspicion | None:
        """The suspicion that ended the launch, or with `of_ctas` the first of those about threads of one CTA alone."""
        fields = (layout.OWN_KIND, layout.OWN_FACTS) if of_ctas else (layout.KIND, layout.FACTS)
        kind, facts = (int(self.block[offset // 8]) for offset in fields)
        return Suspicion(kind, facts if kind == layout.SMALL else facts >> layout.STATEMENT) if kind else None

    def flush(self, worker: Worker) -> None:
        """Does nothing: no reports are deferred."""

    def resume(self, run: Run, codes: list[int]) -> None:
        raise UnsupportedByJit("threads that wait for each other in loops, which are not watched")

    def not_watched(self) -> list[Allocation]:
        """Allocations that were accessed, but are too large to be watched."""
        return [a for slot, a in self.too_large.items() if self.areas[slot, 0] == layout.TOUCHED]
