"""What may watch the instructions of a batch."""

from __future__ import annotations

from typing import Protocol

from openptx.engines.interp import lane_sets
from openptx.engines.interp.frames import Frame
from openptx.program import Op


class Watch(Protocol):
    """Called around each instruction of a batch."""

    def guard(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Lanes have come to an instruction, and read its guard."""

    def before(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Those for which the guard holds are about to execute it."""

    def after(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """They have executed it."""

    def write(self, frame: Frame, i: int, lanes: lane_sets.Lanes) -> None:
        """A call writes an argument to a register."""
