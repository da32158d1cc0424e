"""A batch of a profiled execution: counts blocks, branches and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.decode import guard_mask
from openptx.profile.counting.barrier_waits import BarrierWaits
from openptx.profile.counting.branches import targets, targets_taken
from openptx.profile.counting.decoded import WAITING
from openptx.profile.counting.requests import count_of, warps_of

if TYPE_CHECKING:
    from openptx.engines.interp.decode import Block
    from openptx.engines.interp.frames import Frame, Group
    from openptx.engines.interp.machine import Threads
    from openptx.numerics import Bits
    from openptx.profile.counting.launch import ProfiledLaunch
    from openptx.program import Op


POLLS = 32
"""The number of instructions that may wait for other lanes after which those lanes are scheduled."""


class ProfiledBatch(Batch):
    """A batch that reports to a recorder what its lanes execute.

    Lanes that left a loop wait for the others of their warp, as on a GPU, unless these may be waiting for them.
    """

    starvation_limit = POLLS * WAITING

    def __init__(self, launch: ProfiledLaunch, x: Threads) -> None:
        self.recorder = launch.recorder
        self.waits = BarrierWaits(x.geometry)
        super().__init__(launch, x)

    def execute(self, block: Block, frame: Frame, lanes: lane_sets.Lanes) -> None:
        own_warps, threads = warps_of(self.x.geometry, lanes), lane_sets.size(lanes, self.x.n)
        warps = count_of(own_warps)
        try:
            super().execute(block, frame, lanes)
        except BaseException:  # a fault, or the user's interrupt
            for op in block.ops:
                if op is self.running:
                    break
                self.recorder.executed_op(op, warps, threads)
            raise
        self.recorder.executed(block, warps, threads)
        self.waits.executed(own_warps, len(block.ops))

    def execute_control(self, group: Group, block: Block) -> bool:
        op, lanes = block.control, group.lanes
        assert op is not None
        converging = op.form.instruction.control in (None, "warp-barrier")
        guard = guard_mask(op.guard, group.frame.regs, lanes, self.x.n) if op.guard is not None else None
        if converging:  # counted when all lanes that execute it have arrived
            self.skips(op, lanes, guard)
        else:
            self.control(op, group, lanes, guard)
        return super().execute_control(group, block)

    def control(self, op: Op, group: Group, lanes: lane_sets.Lanes, guard: Array | None) -> None:
        """Counts a control instruction, and whether it sends lanes of a warp to different places."""
        x, counters, own_warps = self.x, self.recorder.of(op), warps_of(self.x.geometry, lanes)
        self.recorder.executed_op(op, count_of(own_warps), lane_sets.size(lanes, x.n))
        self.waits.executed(own_warps, 1)
        if guard is not None:  # a branch is executed by the lanes that do not take it, too
            branches = op.form.instruction.control == "branch"
            counters.active += guard.size if branches else int(np.count_nonzero(guard))
        found = targets(self, op, group, guard)
        if found is not None:
            counters.branches += found.branches
            counters.divergent += found.divergent
        for pc, threads in targets_taken(self, op, group, guard):
            self.recorder.branched_to(op, pc, threads)

    def skips(self, op: Op, lanes: lane_sets.Lanes, guard: Array | None) -> None:
        """Counts an instruction for which lanes wait for each other, in warps none of whose lanes executes it."""
        if guard is None or guard.all():
            return
        every, executing = warps_of(self.x.geometry, lanes), 0
        self.waits.executed(every, 1)
        if guard.any():
            guarded = warps_of(self.x.geometry, lane_sets.where(lanes, guard, self.x.n))
            self.waits.executed(guarded, -1)
            executing = count_of(guarded)
        self.recorder.executed_op(op, count_of(every) - executing, int(np.count_nonzero(~guard)))

    def converges(self, op: Op, lanes: lane_sets.Lanes, mask: Bits) -> None:
        count, own_warps = lane_sets.size(lanes, self.x.n), warps_of(self.x.geometry, lanes)
        self.recorder.executed_op(op, count_of(own_warps), count)
        self.waits.executed(own_warps, 1)
        if op.guard is not None:
            self.recorder.of(op).active += count

    # Barriers.

    def arrives(self, op: Op, lanes: lane_sets.Lanes, number: Bits, count: Bits | None, votes: Bits | None) -> None:
        warps = lane_sets.take(self.x.geometry.warp, lanes)
        for barrier in np.unique(number.v).tolist():
            self.waits.arrives(op, barrier, warps if number.v.size == 1 else warps[number.v == barrier])

    def opens(self, number: int, arrived: NDArray[np.bool_]) -> None:
        for op, waited in self.waits.opens(number, arrived):
            self.recorder.of(op).waited += waited
