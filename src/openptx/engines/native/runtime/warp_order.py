"""Whether the warps of a kernel run its loop over the grid's stride in rounds, or each alone: the faster of both.

How many iterations there are, and so whether rounds pay, is known only when launches have run (native-speed.md).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from openptx.engines.tiers.service import Job, is_available

TRIALS = 5
"""Launches in rounds that are compared with the fastest of those before."""


SHARE = 4
"""How many times as long as making other code launches must have taken before it is made."""


class WarpOrder:
    """The order for launches of one kernel in one configuration."""

    __slots__ = ("alone", "best", "in_rounds", "job", "spent", "trials")

    def __init__(self) -> None:
        self.in_rounds = False
        self.job: Job | None = None
        """The request for code that runs in rounds, if it is made meanwhile."""
        self.spent = 0.0
        self.trials = 0
        self.alone = self.best = inf
        """Seconds of the fastest launch whose warps ran alone, and in rounds."""

    def ran(self, seconds: float, cost: float, request: Callable[[], Job | None]) -> bool:
        """A launch has ended; returns whether the next one runs other code. `cost`: seconds to make that; `request`:
        requests it, or returns None if the next launch has to make it."""
        if self.in_rounds:
            self.trials += 1
            self.best = min(self.best, seconds)
            self.in_rounds = self.trials < TRIALS or self.best < self.alone
            return not self.in_rounds
        if self.trials:
            return False
        self.alone = min(self.alone, seconds)
        self.spent += seconds
        if self.spent < cost * SHARE:
            return False
        self.job = self.job or request()
        self.in_rounds = self.job is None or is_available(self.job)
        return self.in_rounds
