"""Which engine is the faster one for launches of one shape, by how long they took: hardly ever the reference engine.

Machine code is slower where it leaves an instruction, or a wait for other blocks, to the reference engine at each turn.
"""

from __future__ import annotations

from openptx.errors import Triple

Shape = tuple[Triple, Triple]
"""Grid and block."""

LAUNCHES = 3
"""Launches of machine code before it is judged by the fastest of them: the first makes or links it."""

SLOWER = 2.0
"""How many times as long they must take. Baseline code is half as fast as what replaces it."""

MOST = 64
"""Shapes that a kernel's times are kept for."""


class EngineTimes:
    """Of one kernel, in seconds on the clock."""

    __slots__ = ("counts", "interp", "native", "settled")

    def __init__(self) -> None:
        self.interp: dict[Shape, float] = {}
        self.native: dict[Shape, float] = {}
        self.counts: dict[Shape, int] = {}
        self.settled: dict[Shape, bool] = {}
        """Whether the reference engine is the faster one, where that is known."""

    def interp_took(self, shape: Shape, seconds: float) -> None:
        """Records a whole launch on the reference engine."""
        if len(self.interp) >= MOST:
            self.interp.clear()
        self.interp[shape] = min(seconds, self.interp.get(shape, seconds))

    def native_took(self, shape: Shape, seconds: float) -> bool:
        """Records a launch of machine code; gives whether the reference engine is to run such launches from now on."""
        if len(self.settled) >= MOST:
            self.settled.clear()
            self.native.clear()
            self.counts.clear()
        best = self.native[shape] = min(seconds, self.native.get(shape, seconds))
        self.counts[shape] = self.counts.get(shape, 0) + 1
        reference = self.interp.get(shape)
        if reference is None or best < SLOWER * reference:
            self.settled[shape] = False
        elif self.counts[shape] >= LAUNCHES:
            self.settled[shape] = True
        return self.settled.get(shape, False)
