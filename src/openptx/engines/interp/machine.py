"""The machine that meanings run on: the lanes of a batch of CTAs that stand at one instruction."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp import sets
from openptx.engines.interp.atomics import Atomics
from openptx.engines.interp.geometry import WARP
from openptx.engines.interp.memory import Violation
from openptx.engines.interp.specials import SPECIALS
from openptx.isa.machine import Machine
from openptx.numerics import Bits
from openptx.numerics.lanes import UNSIGNED

if TYPE_CHECKING:
    from openptx.engines.interp.geometry import Geometry
    from openptx.runtime.heap import Heap
    from openptx.runtime.image import Image
    from openptx.runtime.memory import Map

Array = NDArray[Any]
ALLOCA = 1 << 30
"""Local addresses from here on are the thread's `alloca` stack, below are frames."""


class Threads(Atomics, Machine):
    """Values have one element for each lane in `who`, or one for all of them."""

    def __init__(self, geometry: Geometry, memory: Map, image: Image) -> None:
        super().__init__(geometry, memory, image.program.address_size)
        self.image = image
        self.base = 0  # of the executing activation, in local memory
        self.clock = 0  # instructions executed, by all groups of the batch
        self.contention = 0  # accesses by which lanes may be waiting for others
        self._specials: dict[str, Array] = {}

    def whole(self, v: Array) -> Array:
        """Values of the executing lanes as an array with an element for every lane; 0 elsewhere."""
        if v.size == 1 or self.who is not None:
            spread = np.zeros(self.n, v.dtype)
            spread[slice(None) if self.who is None else self.who] = v
            return spread
        return v

    # The warp.

    def lane(self) -> Bits:
        return Bits(self, 32, sets.take(self.geometry.lane, self.who))

    def active(self) -> Bits:
        return self.const(1, 1)

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        if a.v.size == 1:
            return a
        source = sets.take(self.geometry.warp_start, self.who) + (lane.v & np.uint32(WARP - 1))
        if not self.geometry.whole_warps:
            source = np.minimum(source, self.n - 1)
        return Bits(self, a.width, self.whole(a.v)[source])

    def ballot(self, p: Bits) -> Bits:
        here = self.whole(p.v)
        if self.geometry.whole_warps:
            votes = np.packbits(here, bitorder="little").view("<u4").astype(np.uint32, copy=False)
        else:
            bits = here.astype(np.uint32) << self.geometry.lane
            votes = np.bitwise_or.reduceat(bits, self.geometry.warp_starts)
        if votes.size == 1:
            return Bits(self, 32, votes)
        return Bits(self, 32, votes[sets.take(self.geometry.warp, self.who)])

    # The thread.

    def special(self, name: str, w: int) -> Bits:
        known = self._specials.get(name)
        if known is None:
            find = SPECIALS.get(name)
            known = find(self) if find is not None else np.zeros(1, np.uint64)
            if not name.startswith(("clock", "globaltimer")):
                self._specials[name] = known
        v = sets.take(known, self.who)
        return Bits(self, w, v if v.dtype == UNSIGNED[w] else v.astype(UNSIGNED[w]))

    @property
    def heap(self) -> Heap:
        return self.image.heap

    def output(self, text: str) -> None:
        """What the kernel prints."""
        sys.stdout.write(text)

    def now(self) -> int:
        """Nanoseconds, which only increase."""
        return time.monotonic_ns()

    def require(self, p: Bits, code: str, message: str) -> None:
        if not p.v.all():
            bad = int(np.flatnonzero(~p.v)[0])
            lane = int(sets.positions(self.who, self.n)[bad]) if p.v.size > 1 else sets.first(self.who)
            raise Violation(code, message, lane)

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        lanes, before = sets.positions(self.who, self.n), self.who
        columns = [np.broadcast_to(b.v, lanes.size) for b in (target, origin, size)]
        try:
            for lane, there, here, count in zip(lanes.tolist(), *(c.tolist() for c in columns), strict=True):
                self.who = slice(lane, lane + 1)
                self.move(to, there, source, here, count)
        finally:
            self.who = before

    def move(self, to: str, target: int, source: str, origin: int, size: int) -> None:
        """Copies for one lane, as wide as both addresses are aligned."""
        w = next(w for w in (8, 4, 2, 1) if not (target | origin | size) & (w - 1))
        for at in range(0, size, w):
            loaded = self.load(source, self.const(origin + at, 64), 8 * w)
            self.store(to, self.const(target + at, 64), loaded)
