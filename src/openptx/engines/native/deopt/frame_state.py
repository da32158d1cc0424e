"""What a warp's frame holds wherever the warp may stop: registers and the lanes that wait."""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native.analysis.lattice import Known, Lanes


class SavedRegister(NamedTuple):
    """A register's place in a frame, and its form there: a known value, a base with offsets, or a vector."""

    cell: int
    width: int
    offset: int = 0
    known: Known | None = None
    lanes: Lanes | None = None
    raw: bool = False  # a float whose NaNs are not canonical


class FrameState(NamedTuple):
    """A place where a warp may stop: the positions where other lanes wait, in the order of their masks, and
    registers."""

    waiting: tuple[int, ...]
    cells: tuple[SavedRegister, ...]


class SideExit(NamedTuple):
    """A side exit to the generic version, which knows nothing of lanes; the registers it takes along, in the frame's
    order."""

    cells: tuple[int, ...]
    waiting: tuple[int, ...]  # positions of the blocks where lanes wait
    lanes: tuple[Lanes | None, ...]
    """For each cell the lanes' offsets from the base in the frame; None: the frame holds the whole vector."""
