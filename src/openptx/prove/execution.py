"""Symbolic execution of a kernel: the memory effects of one thread of any launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import z3

from openptx.device.shared_layout import shared_layout
from openptx.prove.activation import Activation
from openptx.prove.machine import SymbolicThread
from openptx.prove.memory import Access, Regions

if TYPE_CHECKING:
    from openptx.prove.inputs import Inputs
    from openptx.prove.paths import Path
    from openptx.runtime import Kernel

FRAME_ALIGNMENT = 128
"""The maximum alignment in bytes of any variable."""


@dataclass(frozen=True, slots=True)
class Execution:
    """The effects of a kernel in one thread."""

    regions: Regions
    open: tuple[Path, ...]
    """Where loops would exceed the bound."""
    uninterpreted: int
    """The number of operations that are uninterpreted."""

    @property
    def accesses(self) -> list[Access]:
        return self.regions.accesses


class Thread:
    """What all activations of a thread share. `unroll` bounds open loops and the depth of calls.

    `feasible` tells whether a path can be taken at all; it may say yes where nobody knows.
    """

    def __init__(
        self, kernel: Kernel, inputs: Inputs, exact: bool, unroll: int, deadline: float,
        feasible: Callable[[z3.BoolRef], bool],
    ) -> None:  # fmt: skip
        self.program, self.image = kernel.module.program, kernel.module.image
        self.shared_layout = shared_layout(self.program, kernel.name)
        self.regions = Regions(inputs)
        self.x = SymbolicThread(inputs, self.regions, exact)
        self.unroll, self.deadline, self.feasible = unroll, deadline, feasible
        self.open: list[Path] = []
        self._frames = 0

    def allocate_frame(self, size: int) -> int:
        """The offset of a new frame in local memory. Offsets are never reused, so each frame starts as zeros."""
        base = self._frames
        self._frames += -(-size // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
        return base


def execute(
    kernel: Kernel, inputs: Inputs, exact: bool, unroll: int, deadline: float, feasible: Callable[[z3.BoolRef], bool]
) -> Execution:
    """Executes a kernel from its entry to all exits. Raises Unprovable."""
    thread = Thread(kernel, inputs, exact, unroll, deadline, feasible)
    Activation(thread, kernel.function).run()
    return Execution(thread.regions, tuple(thread.open), thread.x.uninterpreted)
