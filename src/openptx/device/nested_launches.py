"""Launches that threads of a grid make (CUDA's dynamic parallelism), which run when that grid has ended.

A parent cannot wait for a child, so this is one of the orders that CUDA allows: the children of a grid in the order in
which they were launched, tail launches last, each with its own children before the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openptx.errors import Triple

PARAMETERS, LAUNCH = "openptx_nested_parameters", "openptx_nested_launch"
"""The functions by which `linking/nested_launches.ptx` prepares and makes a launch."""
TAIL = 3
"""The stream of tail launches: `cudaStreamTailLaunch` in cuda_device_runtime_api.h."""


class NestedLaunch(NamedTuple):
    """A kernel of the same module, with its extents (x first) and bytes of dynamic shared memory."""

    kernel: str
    grid: Triple
    block: Triple
    shared: int
    parameters: bytes = b""


class NestedLaunches:
    """The launches of one grid: `prepared` by the address of their parameters, then made. Those `waiting` were made by
    earlier grids and run later, the last of them first."""

    def __init__(self, waiting: Sequence[NestedLaunch] = ()) -> None:
        self.waiting = waiting
        self.prepared: dict[int, NestedLaunch] = {}
        self._made: list[NestedLaunch] = []
        self._last: list[NestedLaunch] = []

    def make(self, address: int, parameters: bytes, stream: int) -> None:
        launch = self.prepared.pop(address)._replace(parameters=parameters)
        (self._last if stream == TAIL else self._made).append(launch)

    def in_order(self) -> list[NestedLaunch]:
        return [*self._made, *self._last]

    def next_last(self) -> list[NestedLaunch]:
        """The launches that run after this grid, the next of them last."""
        return [*self.waiting, *self.in_order()[::-1]]
