"""Memory as the machine of meanings sees it: one check and a few wide moves where lanes are a base and offsets.

Every access is checked against the table of slots (bounds_check.py). Whatever is not plainly good takes the slow path,
lane by lane, which is exact: it accepts what is right after all, and says which lane did what wrong.
"""

from __future__ import annotations

from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.guarded_paths import GuardedPaths
from openptx.engines.native.emit.local_frame import LocalFrame
from openptx.engines.native.emit.memory.atomics import AtomicLowering
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.memory.lane_loop import LaneLoop
from openptx.engines.native.emit.memory.loads import LoadLowering
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.memory.stores import StoreLowering
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class MemoryLowering:
    """The parts that lower accesses, each with what it needs."""

    def __init__(self, scope: Scope, faults: FaultExits, frame: LocalFrame) -> None:
        self.scope, self.paths = scope, GuardedPaths(scope)
        self.checks = BoundsCheck(scope, frame)
        self.slow = SlowPath(scope, faults, frame)
        lanes = GatherScatter(scope)
        self.load = LoadLowering(self.checks, self.slow, lanes, self.paths).load
        self.store = StoreLowering(self.checks, self.slow, lanes, self.paths).store
        self.atomic = AtomicLowering(self.checks, self.slow, self.paths).atomic
        self.repeat = LaneLoop(scope, faults).repeat

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        """`size` bytes from one space to another, as many as each lane wants."""
        if self.scope.mask_may_be_empty:
            target, origin, size = (self.scope.materialized(v) for v in (target, origin, size))
        self.paths.if_any(lambda: self.slow.copy(to, target, source, origin, size))
