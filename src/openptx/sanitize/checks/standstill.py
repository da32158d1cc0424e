"""Whether all threads of a launch repeat themselves: each polls memory with the same registers as before, and nothing
that it reads has changed in between. They will do so forever."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.operands import arrays

if TYPE_CHECKING:
    from openptx.engines.interp.batch import Batch
    from openptx.engines.interp.frames import Frame

PRIME = np.uint64(0x9E3779B97F4A7C15)


class LaneStates:
    """By lane of a batch, a digest of its state when it last polled, the number of changes of memory in the launch
    before, and whether it had the same state at an earlier poll since the last change."""

    def __init__(self, n: int) -> None:
        self.digests, self.changes, self.repeated = np.zeros(n, np.uint64), np.full(n, -1), np.full(n, -1)

    def note(self, lanes: Array, digests: Array, changes: int) -> bool:
        """Notes a poll; returns whether all these lanes repeat themselves."""
        again = (self.digests[lanes] == digests) & (self.changes[lanes] == changes)
        self.repeated[lanes[again]] = changes
        self.digests[lanes], self.changes[lanes] = digests, changes
        return bool(again.all())

    def forget(self, lanes: Array) -> None:
        """The state of lanes has changed, but for their registers."""
        self.changes[lanes] = self.repeated[lanes] = -1

    def all_repeat(self, batch: Batch, changes: int) -> bool:
        """Whether all lanes do that can run: the others wait at barriers."""
        lanes = [lane_sets.positions(group.lanes, batch.x.n) for group in batch.ready.values()]
        return all(bool((self.repeated[ready] == changes).all()) for ready in lanes)


def digest(frame: Frame, statement: int, lanes: Array) -> Array:
    """A hash of the registers of lanes, also those of their callers, and of the statement that they execute."""
    found = np.full(lanes.size, statement, np.uint64)
    each: Frame | None = frame
    while each is not None:
        for array in chain.from_iterable(map(arrays, each.regs)):
            values = array[lanes] if array.size > 1 else array
            found = (found ^ (found >> np.uint64(29)) ^ values.astype(np.uint64)) * PRIME
        each = each.parent
    return found
