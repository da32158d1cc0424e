"""Which engine is faster for launches of one shape, by their durations: rarely the reference engine.

Machine code is slower where it leaves an instruction, or a wait for other blocks, to the reference engine in each
iteration.
"""

from __future__ import annotations

from openptx.errors import Triple

Shape = tuple[Triple, Triple]
"""Grid and block."""

LAUNCHES = 3
"""The number of machine-code launches before the fastest of them is judged: the first one compiles or links it."""

SLOWER = 2.0
"""How many times as long they must take. Baseline code takes twice as long as its replacement."""

MOST = 64
"""The number of shapes for which a kernel's times are kept."""


class EngineTimes:
    """The times of one kernel, in seconds of wall-clock time.

    Where launches of machine code are never compared, because their code existed before the reference engine had
    finished one, a launch is to be tried there; but only if that runs parts of them.
    """

    __slots__ = ("counts", "interp", "native", "settled")

    def __init__(self) -> None:
        self.interp: dict[Shape, float] = {}
        self.native: dict[Shape, float] = {}
        self.counts: dict[Shape, int] = {}
        self.settled: dict[Shape, bool] = {}
        """Whether the reference engine is known to be faster."""

    def interp_took(self, shape: Shape, seconds: float) -> None:
        """Records a whole launch on the reference engine."""
        if len(self.interp) >= MOST:
            self.interp.clear()
        self.interp[shape] = min(seconds, self.interp.get(shape, seconds))

    def untried(self, shape: Shape) -> bool:
        """Whether a launch is to be tried on the reference engine."""
        return shape not in self.interp and shape not in self.settled and self.counts.get(shape, 0) >= LAUNCHES

    def to_beat(self, shape: Shape) -> float:
        """The seconds in which the reference engine has to end a launch to be given later ones."""
        return self.native[shape] / SLOWER

    def native_took(self, shape: Shape, seconds: float, shared: bool) -> bool:
        """Records a launch of machine code, `shared` if the reference engine ran parts of it. Returns whether that is
        to run such launches from now on."""
        if len(self.settled) >= MOST:
            self.settled.clear()
            self.native.clear()
            self.counts.clear()
        best = self.native[shape] = min(seconds, self.native.get(shape, seconds))
        self.counts[shape] = self.counts.get(shape, 0) + 1
        reference = self.interp.get(shape)
        if reference is None:
            if not shared:
                self.settled[shape] = False
        elif best < SLOWER * reference:
            self.settled[shape] = False
        elif self.counts[shape] >= LAUNCHES:
            self.settled[shape] = True
        return self.settled.get(shape, False)
