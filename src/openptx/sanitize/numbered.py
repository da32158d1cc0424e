"""What checks see of watched threads and of their batches: numbers in the launch, the instruction that executes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.machine import Threads
from openptx.sanitize.checks.standstill import LaneStates

if TYPE_CHECKING:
    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.engines.interp.geometry import Geometry
    from openptx.engines.interp.launch_state import LaunchState
    from openptx.program import Op
    from openptx.sanitize.races.semantics import Access


class NumberedThreads(Threads):
    """`op` is the executing instruction, `access` what it does to memory, `statement` its number."""

    op: Op
    access: Access

    def __init__(self, geometry: Geometry, memory: MemoryView, image: Image) -> None:
        super().__init__(geometry, memory, image)
        self.first = geometry.first * geometry.threads
        self.numbers = np.arange(self.first, self.first + self.n)
        self.statement = 0
        self.agents: dict[int, tuple[int, int]] = {}
        """By thread, the agents that read and write for it: asynchronous bulk copies."""
        self.members = np.zeros(1, np.uint32)
        """The member masks of the lanes that execute an instruction together."""
        self.last_store = np.zeros(self.n, np.int64)

    def threads(self) -> Array:
        """The indices of the executing threads in the launch."""
        return lane_sets.take(self.numbers, self.executing)


class NumberedBatch(Batch):
    """A batch that keeps when its lanes polled memory, and in which state."""

    x: NumberedThreads

    def __init__(self, launch: LaunchState, x: NumberedThreads) -> None:
        self.polls = np.zeros(x.n, np.int64)
        """By lane, the number of consecutive polls of unchanged memory in the launch when the lane last polled."""
        self.states = LaneStates(x.n)
        super().__init__(launch, x)

    def have_polled_since(self, count: int) -> bool:
        """Whether all lanes that do not wait have polled memory after the first `count` of the consecutive polls."""
        lanes = [lane_sets.positions(group.lanes, self.x.n) for group in self.ready.values()]
        return all(bool((self.polls[ready] > count).all()) for ready in lanes)

    def numbers(self, lanes: lane_sets.Lanes) -> Array:
        """The indices of lanes in the launch."""
        return lane_sets.take(self.x.numbers, lanes)
