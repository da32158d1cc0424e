"""Memory as the machine of meanings sees it: one check and a few wide moves where lanes are a base and offsets.

Every access is checked against the table of slots (bounds_check.py). Whatever is not plainly good takes the slow path,
lane by lane, which is exact: it accepts what is right after all, and says which lane did what wrong.
"""

from __future__ import annotations

from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.emit.entry_values import EntryValues
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.guarded_paths import GuardedPaths
from openptx.engines.native.emit.local_frame import LocalFrame
from openptx.engines.native.emit.memory.atomics import AtomicLowering
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.memory.lane_loop import LaneLoop
from openptx.engines.native.emit.memory.loads import LoadLowering
from openptx.engines.native.emit.memory.slot_table import SlotTable
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.memory.stores import StoreLowering
from openptx.engines.native.emit.module_tables import ModuleTables
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class MemoryLowering:
    """The parts that lower accesses, each with what it needs."""

    def __init__(
        self, c: FunctionContext, scope: Scope, entry: EntryValues, faults: FaultExits, tables: ModuleTables,
        frame: LocalFrame,
    ) -> None:  # fmt: skip
        self.scope, self.paths = scope, GuardedPaths(scope)
        self.checks = BoundsCheck(scope, c, entry, SlotTable(c, entry), frame)
        self.slow = slow = SlowPath(scope, c, entry, faults, tables, frame)
        lanes = GatherScatter(scope, tables)
        self.load = LoadLowering(scope, c, entry, self.checks, slow, lanes, self.paths).load
        self.store = StoreLowering(scope, c, self.checks, slow, lanes, self.paths).store
        self.atomic = AtomicLowering(scope, c, entry, self.checks, slow, self.paths).atomic
        self.repeat = LaneLoop(scope).repeat

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        """`size` bytes from one space to another, as many as each lane wants."""
        if not self.scope.mask_may_be_empty:
            self.slow.copy(to, target, source, origin, size)
            return
        given = [self.scope.held(v) for v in (target, origin, size)]
        self.paths.if_any(lambda: self.slow.copy(to, given[0], source, given[1], given[2]))
