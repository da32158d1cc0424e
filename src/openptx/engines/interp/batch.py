"""Runs a batch of CTAs: which of its groups of lanes runs next, and when they reconverge.

The group at the lowest position runs (the deepest call first), so that diverged lanes wait for each other where their
paths meet. That alone would let a lane spin forever on a lock held by a lane at a higher position, so a group that has
waited long gets a time slice: every lane makes progress.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch_state import BatchState
from openptx.engines.interp.control import execute_control, fall_off
from openptx.engines.interp.decode import Block, guard_mask
from openptx.engines.interp.frames import Frame, Group
from openptx.engines.interp.launch_state import LaunchState
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.warp_sync import resolve_split_sync
from openptx.late import late

if TYPE_CHECKING:
    from openptx.engines.interp.endless_loops import Spin, spins
    from openptx.engines.interp.polling import found_poll
    from openptx.engines.interp.watch import Watch
else:
    spins = late("openptx.engines.interp.endless_loops", "spins")
    found_poll = late("openptx.engines.interp.polling", "found_poll")

STARVATION_LIMIT = 1 << 16
"""The number of instructions that other groups may execute before a group gets a time slice. Eight that may wait for
other lanes reach it, and a thousand plain loads (decode.WAITING, POLLING), but only long loops of others: a group with
a time slice runs past the position where these would have joined it, and they execute the same instructions later."""

LONG = 1 << 25
"""How long (in its clock) a batch runs before it is examined for lanes that loop forever: 4,096 waits."""

ORDER = attrgetter("order")


class DeadlockError(Exception):
    """No lane of the batch can continue, or all that can loop forever: `spins` are what these wait for."""

    def __init__(self, spins: Sequence[Spin] = ()) -> None:
        super().__init__(spins)
        self.spins = spins


class Batch(BatchState):
    """The scheduler of a batch."""

    starvation_limit = STARVATION_LIMIT

    def __init__(self, launch: LaunchState, x: Threads) -> None:
        super().__init__(launch, x)
        self._examine_at = LONG
        self._no_polls_until = STARVATION_LIMIT  # groups are not examined before this clock
        self._no_starvation_until = 0  # no group has waited too long before this clock
        self.untimed = launch.limits.steps_between(x.n) - 1
        self.add(self.frame(launch.decoded(launch.function), None, 0, None), 0, None)

    def take(self) -> tuple[Group, bool]:
        """The group that runs next, removed from the ready ones, and whether it has a time slice."""
        group, exclusive = self.choose()
        del self.ready[group.frame, group.pc]
        return group, exclusive

    def choose(self) -> tuple[Group, bool]:
        """The group that runs next, and whether it has a time slice, in which no other group preempts it."""
        groups = self.ready.values()
        if len(groups) == 1:
            return next(iter(groups)), False
        if self.clock > self._no_starvation_until:
            oldest = min(groups, key=lambda g: g.since)
            if self.clock - oldest.since > self.starvation_limit:
                return oldest, True
            self._no_starvation_until = oldest.since + self.starvation_limit
        return min(groups, key=ORDER), False

    def run(self, until: int) -> bool:
        """Runs until all lanes have exited (True), or the clock has reached `until`. Raises DeadlockError if all
        lanes that are left wait."""
        if self.clock >= self._examine_at:
            self._examine_at = self.clock + LONG
            if found := spins(self):
                raise DeadlockError(found)
        return self.run_until(until)

    def run_until(self, until: int) -> bool:
        """The same, without the proof that lanes loop forever."""
        with self.x.quietly():
            while self.ready:
                if self.clock >= until:
                    return False
                (group, exclusive), start = self.take(), self.clock
                self.advance(
                    group, start + STARVATION_LIMIT if exclusive else start, min(until, start + STARVATION_LIMIT)
                )
                if self.clock - start > STARVATION_LIMIT // 2 and self.clock > self._no_polls_until:
                    self.examine(group)
                if not self.ready and self.parked:
                    resolve_split_sync(self)
        if self.alive_count:
            raise DeadlockError
        return True

    def advance(self, group: Group, slice_ends: int, until: int) -> None:
        """Runs a group until it diverges, waits, ends, meets another, or is preempted at `slice_ends` or `until`."""
        x, ready, limits = self.x, self.ready, self.limits
        waiting, first = 0, 0  # how many groups are ready (none ends meanwhile), and the lowest order of one
        while True:
            frame, pc, lanes = group.frame, group.pc, group.lanes
            x.executing, x.base, x.local_size = lanes, frame.base, frame.top
            self.current = frame
            block = frame.plan.block(pc)
            self.execute(block, frame, lanes)
            self.clock += block.weight
            x.clock += block.end - block.start
            limits.spend(block.end - block.start)
            if block.control is None:
                group.pc = block.end
                if pc >= len(frame.plan.code) and not fall_off(self, group):
                    return
            else:
                self.running = block.control
                if not self.execute_control(group, block):
                    return
            if ready or self.clock >= until:
                key = group.frame, group.pc
                known = ready.get(key)
                if known is not None:
                    known.lanes = lane_sets.union(known.lanes, group.lanes, x.n)
                    return
                if len(ready) != waiting:
                    waiting, first = len(ready), min(map(ORDER, ready.values()), default=0)
                group.order = group.pc - group.frame.precedence
                if self.clock >= until or (self.clock >= slice_ends and (first < group.order or self.starving())):
                    group.since = self.clock
                    ready[key] = group
                    return

    def examine(self, group: Group) -> None:
        """Whether a group that has run long polls memory; asked more rarely the longer none does."""
        if self.ready.get((group.frame, group.pc)) is not group:
            return
        if not found_poll(self.ready, group, lambda: self.advance(group, self.clock, self.clock)):
            self._no_polls_until = self.clock + self.clock // 8

    def execute(self, block: Block, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Executes the instructions of a block up to its control instruction."""
        if self.watch is not None:
            self.run_watched(self.watch, block, frame, lanes)
            return
        x, regs, untimed, i = self.x, frame.regs, self.untimed, 0
        try:
            for i, step in enumerate(block.steps):
                step(x, regs, lanes)
                if i & untimed == untimed:  # short blocks are timed as a whole
                    self.limits.require_time()
        except Exception:
            self.running = block.ops[i]
            raise

    execute_control = execute_control  # the group continues (True) or is dissolved

    def run_watched(self, watch: Watch, block: Block, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """The block's instructions, with observation before and after each."""
        for step, op in zip(block.steps, block.ops, strict=True):
            self.running = op
            some = lanes
            watch.guard(op, frame, lanes)
            if op.guard is not None:
                p = guard_mask(op.guard, frame.regs, lanes, self.x.n)
                if not p.any():
                    continue
                some = lane_sets.where(lanes, p, self.x.n)
            watch.before(op, frame, some)
            step(self.x, frame.regs, lanes)
            watch.after(op, frame, some)

    def starving(self) -> bool:
        """Whether a ready group has waited too long."""
        if self.clock <= self._no_starvation_until:
            return False
        self._no_starvation_until = min(g.since for g in self.ready.values()) + self.starvation_limit
        return self.clock > self._no_starvation_until
