"""The last wait for an mbarrier of each thread that ended: a race after it has another cause than a missing wait."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.clocks import Clocks


class LastWaits:
    """The times and the statements of these waits; 0 of threads that have waited for none."""

    def __init__(self, clocks: Clocks) -> None:
        self.clocks = clocks
        self._waits: Array | None = None

    def ended(self, threads: Array, statement: int) -> None:
        """A wait of these threads ended: the phase was complete."""
        if self._waits is None:
            self._waits = self.clocks.tables.zeros(np.uint32, 2)
        self._waits[threads] = self.clocks.now, statement

    def since(self, thread: int, time: int) -> int | None:
        """The statement of a thread's last wait, if that ended since a time."""
        if self._waits is None or not 0 < time <= self._waits[thread, 0]:
            return None
        return int(self._waits[thread, 1])
