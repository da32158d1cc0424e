"""The writer of a byte: a run on the reference engine that watches writes to the allocations of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.device.memory_view import pointer_of
from openptx.engines.interp import lane_sets
from openptx.engines.interp.geometry import Geometry
from openptx.engines.interp.machine import Threads
from openptx.isa.semantics import atomic_ops
from openptx.trace.observer import ObservedLaunch, Observer, run_observed

if TYPE_CHECKING:
    from openptx.engines.interp.memory.spaces import Place
    from openptx.errors import Triple
    from openptx.isa.machine import Update, Word
    from openptx.numerics import Bits
    from openptx.program import Function, Op
    from openptx.recording.restore import RestoredLaunch, RestoredRegion

Chosen = NDArray[np.intp] | None

STORED, SUMMED = 1, 2
"""Marks of a byte: it was stored to; it was written by an atomic whose result depends on the order of atomics."""


@dataclass(frozen=True, slots=True)
class Write:
    """A write by one thread: `offset` is that of its first byte in the allocation, `size` the number of bytes.

    `step` counts the launch's instructions up to it, `summed` is true for an atomic whose order matters.
    """

    function: Function
    op: Op
    block: Triple
    thread: Triple
    step: int
    offset: int
    size: int
    summed: bool


class Writers(Observer):
    """Marks the written bytes of allocations, and records the last write of `watched`, a byte of one."""

    def __init__(self, regions: Sequence[RestoredRegion], watched: tuple[int, int] | None) -> None:
        super().__init__()
        self.regions = regions
        self.marks = [np.zeros(restored.data.size, np.uint8) for restored in regions]
        self.numbers = {pointer_of(restored.data): i for i, restored in enumerate(regions) if restored.data.size}
        self.watched = watched
        self.last: Write | None = None
        self.count = 0
        self.summed = False
        self.steps = 0
        self.op: Op | None = None

    def executes(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        self.steps += 1
        self.op = op

    def writes(self, x: Threads, chosen: Chosen, place: Place, size: int) -> None:
        """The executing lanes, or the chosen ones of them, write `size` bytes each."""
        plane, offsets = place
        number = self.numbers.get(pointer_of(plane.data))
        if number is None:
            return
        mark = SUMMED if self.summed else STORED
        self.marks[number][offsets[:, None] + np.arange(size)] |= np.uint8(mark)
        if self.watched is None or self.watched[0] != number:
            return
        distance = self.watched[1] - offsets
        hits = np.flatnonzero((distance >= 0) & (distance < size))
        if hits.size:
            self.note(x, chosen, offsets, int(hits[-1]), size, hits.size)

    def note(self, x: Threads, chosen: Chosen, offsets: Array, hit: int, size: int, count: int) -> None:
        lanes = lane_sets.positions(x.executing, x.n)
        lanes = lanes if chosen is None else lanes[chosen]
        lane = int(lanes[hit if offsets.size > 1 else -1])  # one place for all: the last one wins
        geometry, op = x.geometry, self.op
        assert op is not None
        function = self.batch.frame_running.plan.function
        self.count += count
        self.last = Write(
            function, op, geometry.block_of(lane), geometry.thread_of(lane), self.steps, int(offsets[hit]), size,
            self.summed,
        )  # fmt: skip


class WatchedThreads(Threads):
    """Lanes that report their writes to a `Writers`."""

    writers: Writers

    def places(self, space: str, a: Array, size: int, write: bool) -> list[tuple[Chosen, Place]]:
        found = super().places(space, a, size, write)
        if write:
            for chosen, place in found:
                self.writers.writes(self, chosen, place, size)
        return found

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        self.writers.summed = update in atomic_ops.ORDERED
        try:
            return super().atomic(space, address, w, update, *operands)
        finally:
            self.writers.summed = False

    def copy_long(self, target_space: str, target: Array, source_space: str, source: Array, count: int) -> None:
        for i, lane in enumerate(lane_sets.positions(self.executing, self.n).tolist()):
            self.executing = slice(lane, lane + 1)
            _, (written, b) = self.begins(target_space, target[i : i + 1], source_space, source[i : i + 1], count)
            self.writers.writes(self, None, (written, np.array([b])), count)
            super().copy_long(target_space, target[i : i + 1], source_space, source[i : i + 1], count)


@dataclass(frozen=True, slots=True)
class WatchedLaunch(ObservedLaunch):
    """A launch whose lanes report their writes."""

    def machine(self, geometry: Geometry) -> Threads:
        x = WatchedThreads(geometry, self.memory, self.image)
        assert isinstance(self.observer, Writers)
        x.writers = self.observer
        return x


def watch(launch: RestoredLaunch, watched: tuple[int, int] | None, timeout: float | None = None) -> Writers:
    """Runs a launch whose memory was just restored, on the reference engine, and returns its writes.

    `watched` is (number of the allocation, offset of the byte). Raises Fault and Unsupported as a launch does.
    """
    recording = launch.recording
    writers = Writers(launch.regions, watched)
    prepared = launch.kernel.prepare(
        recording.grid, recording.block, launch.arguments, recording.shared, recording.cluster or None
    )
    run_observed(prepared, writers, timeout, make=WatchedLaunch)
    return writers
