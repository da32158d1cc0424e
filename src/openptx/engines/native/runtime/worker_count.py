"""How many workers run a launch that does not say: an estimate at first, then the number that has been fastest."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from openptx.control_flow import control, targets
from openptx.program import Function

if TYPE_CHECKING:
    from openptx.engines.native.runtime.plan import Plan

WORK = 1 << 22
"""Instructions from which on a guess wakes others: a warp's 32 take a nanosecond, to wake a worker takes 20,000."""

ITERATIONS = 32
"""A guess at how many iterations a loop has."""

ALONE = 100e-6
"""Seconds below which one worker is not even compared with more."""

TRIAL = 5e-3
"""Seconds that one launch may take longer, to learn whether one worker would do better."""

SHARE = 10
"""Where that could take longer, it is learnt when launches have taken so many times as long."""


class WorkerCount:
    """How many workers launch one kernel on one grid. Where results depend on the order of CTAs, it stays with one
    worker, which keeps the order."""

    __slots__ = ("best", "many", "seconds", "workers")

    def __init__(self, plan: Plan) -> None:
        self.many = min(processors(), plan.ctas) if plan.code.metadata.free_order else 1
        iterations = ITERATIONS if loops(plan.function) else 1
        self.workers = self.many if plan.ctas * plan.threads * len(plan.function.code) * iterations >= WORK else 1
        self.best: dict[int, float] = {}
        self.seconds = 0.0
        """What launches have taken."""

    def learn(self, seconds: float) -> None:
        """What the last launch took, by `workers`."""
        if self.many == 1:
            return
        self.seconds += seconds
        self.best[self.workers] = min(seconds, self.best.get(self.workers, seconds))
        one, many = self.best.get(1), self.best.get(self.many)
        if one is None:
            assert many is not None
            may_try = many < TRIAL or many * self.many * SHARE < self.seconds
            self.workers = 1 if may_try else self.many
        elif many is None:
            self.workers = 1 if one < ALONE else self.many
        else:
            self.workers = 1 if one <= many else self.many


def loops(function: Function, calls: bool = True) -> bool:
    """Whether control may go back, or to another function where `calls` count."""
    for pc, op in enumerate(function.code):
        if control(op) == "branch-table" or (calls and control(op) == "call"):
            return True
        if any(target <= pc for target in targets(op)):
            return True
    return False


@cache
def processors() -> int:
    """How many workers may run at once: OPENPTX_WORKERS, or one a processor."""
    try:
        return max(1, int(os.environ["OPENPTX_WORKERS"]))
    except (KeyError, ValueError):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
