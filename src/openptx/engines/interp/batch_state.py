"""The state of a batch of CTAs in execution: the activations of functions, the groups of lanes in them, and what they
wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.engines.common import fault_text
from openptx.engines.interp import lane_sets
from openptx.engines.interp.barriers import Barrier, ClusterBarrier
from openptx.engines.interp.decode import DecodedFunction
from openptx.engines.interp.frames import Frame, Group
from openptx.engines.interp.launch_state import LaunchState
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory.spaces import STACK_BYTES, Violation
from openptx.numerics import Bits
from openptx.program import Op

if TYPE_CHECKING:
    from openptx.engines.interp.operands import Registers
    from openptx.engines.interp.watch import Watch

STACK_OF_A_THREAD = 512 << 10
"""Local memory in bytes; CUDA's maximum."""

LANES_TIMES_DEPTH = 1 << 24
"""The call depth from which a recursion counts as endless; smaller in larger batches."""


class BatchState:
    """What control instructions, calls and barriers work on; a scheduler is derived from it (batch.py)."""

    def __init__(self, launch: LaunchState, x: Threads) -> None:
        self.launch, self.x = launch, x
        self.program, self.limits = launch.program, launch.limits
        self.alive = x.alive
        self.alive_count = x.n
        self.clock: int = 0
        self.ready: dict[tuple[Frame, int], Group] = {}
        self.parked: dict[tuple[Frame, int], Group] = {}
        self.barriers: dict[int, Barrier] = {}
        self.cluster = ClusterBarrier(self)
        self._files: dict[tuple[DecodedFunction, int], Registers] = {}
        self.deepest = min(max(LANES_TIMES_DEPTH // x.n, 256), 4096)
        self.running: Op | None = None
        self.current: Frame | None = None
        self.watch: Watch | None = None

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
