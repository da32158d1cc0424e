"""Makes reads of uninitialised registers faults. Only on request; memory/written_bytes.py does it for memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openptx.control_flow import read_registers, written_registers
from openptx.engines.interp import lane_sets
from openptx.engines.interp.frames import Frame
from openptx.engines.interp.memory.spaces import Violation
from openptx.program import Op

Mask = NDArray[np.bool_]


class WrittenRegisters:
    """The registers that lanes of one batch have written. One that was never written has no entry."""

    def __init__(self, lanes: int) -> None:
        self.n = lanes
        self._written: dict[tuple[int, int], Mask] = {}

    def before(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Faults if a source or the guard has not been written by an executing lane."""
        for i in read_registers(op):
            self.read(op, frame, i, lanes)

    def guard(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        if op.guard is not None:
            self.read(op, frame, op.guard.index, lanes)

    def read(self, op: Op, frame: Frame, i: int, lanes: lane_sets.Lanes) -> None:
        written = self._written.get((id(frame.regs), i))
        good = np.zeros(1, np.bool_) if written is None else lane_sets.take(written, lanes)
        if not good.all():
            bad = int(np.flatnonzero(~good)[0])
            lane = int(lane_sets.positions(lanes, self.n)[bad]) if good.size > 1 else lane_sets.first(lanes)
            name = frame.plan.function.registers[i].name
            raise Violation("uninitialized-read", f"register `{name}` is read before anything is written to it", lane)

    def after(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        for i in written_registers(op):
            self.write(frame, i, lanes)

    def write(self, frame: Frame, i: int, lanes: lane_sets.Lanes) -> None:
        written = self._written.setdefault((id(frame.regs), i), np.zeros(self.n, np.bool_))
        written[slice(None) if lanes is None else lanes] = True

    def has_written(self, frame: Frame, i: int, lane: int) -> bool:
        """Whether a lane has written register `i` of an activation."""
        written = self._written.get((id(frame.regs), i))
        return written is not None and bool(written[lane])
