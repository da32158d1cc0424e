"""A batch of CTAs in execution: the positions of its groups of lanes, which group runs next, and when they reconverge.

The group at the lowest position runs (the deepest call first), so that diverged lanes wait for each other where their
paths meet. That alone would let a lane spin forever on a lock held by a lane at a higher position, so a group that has
waited long gets a time slice: every lane makes progress.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.engines.common import fault_text
from openptx.engines.interp import lane_sets
from openptx.engines.interp.barriers import Barrier, ClusterBarrier
from openptx.engines.interp.control import execute_control, fall_off
from openptx.engines.interp.decode import Block, DecodedFunction, guard_mask
from openptx.engines.interp.frames import Frame, Group
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory.spaces import STACK_BYTES, Violation
from openptx.engines.interp.warp_sync import resolve_split_sync
from openptx.numerics import Bits
from openptx.program import Op

if TYPE_CHECKING:
    from openptx.engines.interp.initcheck import Watch
    from openptx.engines.interp.launch import Launch
    from openptx.engines.interp.operands import Registers

STARVATION_LIMIT = 1 << 16
"""The number of instructions that other groups may execute before a group gets a time slice. Eight that may wait for
other lanes reach it, and a thousand plain loads (decode.WAITING, POLLING), but only long loops of others: a group with
a time slice runs past the position where these would have joined it, and they execute the same instructions later."""

STACK_OF_A_THREAD = 512 << 10
"""Local memory in bytes; CUDA's maximum."""

LANES_TIMES_DEPTH = 1 << 24
"""The call depth from which a recursion counts as endless; smaller in larger batches."""


ORDER = attrgetter("order")


class DeadlockError(Exception):
    """No lane of the batch can continue."""


class Batch:
    starvation_limit = STARVATION_LIMIT

    def __init__(self, launch: Launch, x: Threads) -> None:
        self.launch, self.x = launch, x
        self.program, self.limits = launch.program, launch.limits
        self.alive = x.alive
        self.alive_count = x.n
        self.clock = 0
        self._no_starvation_until = 0  # no group has waited too long before this clock
        self.ready: dict[tuple[Frame, int], Group] = {}
        self.parked: dict[tuple[Frame, int], Group] = {}
        self.barriers: dict[int, Barrier] = {}
        self.cluster = ClusterBarrier(self)
        self._files: dict[tuple[DecodedFunction, int], Registers] = {}
        self.deepest = min(max(LANES_TIMES_DEPTH // x.n, 256), 4096)
        self.untimed = launch.limits.steps_between(x.n) - 1
        self.running: Op | None = None
        self.current: Frame | None = None
        self.watch: Watch | None = None
        self.add(self.frame(launch.decoded(launch.function), None, 0, None), 0, None)

    def close(self) -> None:
        """Releases arrays and the batch's memory at once; otherwise they would live until Python's cycle collection."""
        self.ready.clear()
        self.parked.clear()
        self._files.clear()
        del self.launch  # and with it the memory, which the cycle of the batch and its barriers would keep
        if not self.alive_count:  # otherwise observers still ask who waits where
            self.barriers.clear()
            del self.cluster
        self.x.close()

    # Activations.

    def frame(self, callee: DecodedFunction, parent: Frame | None, back: int, call: Op | None) -> Frame:
        """The activation of a function that lanes of `parent` call; they return to `back`. A Violation if calls are
        nested too deeply."""
        if parent is not None and (found := parent.children.get((callee, back))) is not None:
            return found
        depth = parent.depth + 1 if parent is not None else 0
        regs = self._files.get((callee, depth))
        if regs is None:
            regs = self._files[callee, depth] = callee.registers()
        made = Frame(callee, regs, parent, back, call)
        if depth > self.deepest or made.top > STACK_OF_A_THREAD or made.top * self.x.n > STACK_BYTES:
            raise Violation("stack-overflow", fault_text.TOO_DEEP, -1)
        self.x.reserve(made.top)
        if parent is not None:
            parent.children[callee, back] = made
        return made

    def calls_left(self, frame: Frame) -> float:
        """How many more nested calls an activation may make, if they need as much local memory as earlier ones."""
        free = min(STACK_OF_A_THREAD, STACK_BYTES // self.x.n) - frame.top
        return min(self.deepest - frame.depth, free * frame.depth / max(frame.top, 1))

    def callee(self, name: str) -> DecodedFunction:
        return self.launch.decoded(self.program.function(name))

    def at(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Tells the machine which lanes execute, and in which activation."""
        x = self.x
        x.executing, x.base, x.local_size = lanes, frame.base, frame.top

    def expects(self, number: int) -> bool:
        """Whether lanes have arrived at a barrier that is not complete."""
        return number in self.barriers and bool(self.barriers[number].arrived.any())

    # Groups.

    def add(self, frame: Frame, pc: int, lanes: lane_sets.Lanes) -> None:
        """Makes lanes ready to run at `pc`, merged with those already ready there."""
        known = self.ready.get((frame, pc))
        if known is None:
            self.ready[frame, pc] = Group(frame, pc, lanes, self.clock)
        else:
            known.lanes = lane_sets.union(known.lanes, lanes, self.x.n)

    def leave(self, lanes: lane_sets.Lanes) -> None:
        """Lanes exit; others no longer wait for them."""
        self.alive[slice(None) if lanes is None else lanes] = False
        self.alive_count = int(np.count_nonzero(self.alive))
        for group in self.parked.values():
            self.add(group.frame, group.pc, group.lanes)
        self.parked.clear()
        for barrier in self.barriers.values():
            if barrier.waiting:
                barrier.settle()
        if self.cluster.waiting:
            self.cluster.settle()

    def living(self, lanes: lane_sets.Lanes) -> Bits:
        """For each lane, a mask of the lanes of its warp that have not exited."""
        before, self.x.executing = self.x.executing, None
        all_lanes = self.x.ballot(Bits(self.x, 1, self.alive))
        self.x.executing = before
        return Bits(self.x, 32, lane_sets.take(all_lanes.v, lanes))

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
        with self.x.quietly():
            while self.ready:
                if self.clock >= until:
                    return False
                group, exclusive = self.take()
                self.advance(group, self.clock + STARVATION_LIMIT if exclusive else self.clock, until)
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

    # Events, overridden by subclasses that observe executions.

    def arrives(self, op: Op, lanes: lane_sets.Lanes, number: Bits, count: Bits | None, votes: Bits | None) -> None:
        """Lanes arrive at barriers `number` of their CTAs, with the predicates of a reduction."""

    def opens(self, number: int, arrived: NDArray[np.bool_]) -> None:
        """Barrier `number` completes in the CTAs of these lanes, which are all that arrived at it."""

    def arrives_in_cluster(self, op: Op, lanes: lane_sets.Lanes) -> None:
        """Lanes execute an arrive or a wait at the cluster's barrier."""

    def passes_cluster(self, op: Op, lanes: lane_sets.Positions) -> None:
        """Lanes continue after a wait at the cluster's barrier."""

    def converges(self, op: Op, lanes: lane_sets.Lanes, mask: Bits) -> None:
        """Lanes of warps execute together an instruction for which those in `mask` wait for each other."""

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Lanes call a function, whose activation is `frame`."""

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
