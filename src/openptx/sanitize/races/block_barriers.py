"""The order that a CTA's barrier makes if threads arrive there without waiting, or only some threads take part."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.clocks import Clocks


class BlockBarriers:
    """What threads that arrived without waiting (`bar.arrive`) pass on: they may have gone on when the barrier
    completes, and what they do after their arrival is not ordered by it."""

    def __init__(self, clocks: Clocks) -> None:
        self.clocks = clocks
        self._passed: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        """By CTA and barrier, what the arrivals of this phase pass on."""
        clocks.views.holders.append(self._views_in_use)

    def _views_in_use(self) -> Iterator[int]:
        return (view for arrivals in self._passed.values() for passed in arrivals for view in passed)

    def arrive(self, barrier: int, threads: Array) -> None:
        """Threads arrive and do not wait."""
        ctas = self.clocks.teams.cta(threads)
        for cta in np.unique(ctas).tolist():
            passed = self.clocks.passed_on(threads[ctas == cta])
            self._passed.setdefault((cta, barrier), []).append(passed)

    def meet(self, cta: int, barrier: int, waiters: Array) -> None:
        """The barrier completes: `waiters` learn what they themselves and those that did not wait have passed on."""
        own = [self.clocks.passed_on(waiters)] if waiters.size else []
        for passed in own + self._passed.pop((cta, barrier), []):
            self.clocks.receive(waiters, passed)
