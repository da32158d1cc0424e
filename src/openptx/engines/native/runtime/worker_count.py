"""The number of workers, if the launch does not specify it: an estimate at first, then the number that was fastest.

A launch that specifies it names a maximum. Where CTAs meet in atomics, each waits for the others' lines of the caches,
and two workers may take thirty times as long as one; so there, too, one is tried.
"""

from __future__ import annotations

import os
from functools import cache

from openptx.control_flow import branches, control, control_instructions
from openptx.program import Function

WORK = 1 << 22
"""The number of instructions from which waking further workers pays: a warp's 32 take a nanosecond, waking a worker
20,000."""

ITERATIONS = 32
"""An assumed number of loop iterations."""

ALONE = 100e-6
"""The duration in seconds below which one worker is not even compared with several."""

TRIAL = 5e-3
"""The seconds that one launch may take longer in order to learn whether one worker would be faster."""

LONG_TRIAL = 50e-3
"""The same for launches that specify the number."""

SHARE = 10
"""If that could take longer, it is tried when launches have taken this many times as long."""


class WorkerCount:
    """The number of workers for launches of one kernel on one grid. If results depend on the order of CTAs, it stays at
    one worker, which keeps the order, unless the launch specifies several."""

    __slots__ = ("best", "many", "seconds", "trial", "workers")

    def __init__(self, function: Function, ctas: int, threads: int, *, free_order: bool, given: int = 1) -> None:
        """`threads`: of a CTA; `free_order`: whether CTAs may run in any order; `given`: the number that a launch
        specifies, which it begins with."""
        self.many = given if given > 1 else min(processors(), ctas) if free_order else 1
        self.trial = LONG_TRIAL if given > 1 else TRIAL
        iterations = ITERATIONS if loops(function) else 1
        self.workers = self.many if given > 1 or ctas * threads * len(function.code) * iterations >= WORK else 1
        self.best: dict[int, float] = {}
        self.seconds = 0.0
        """The durations of launches."""

    def learn(self, seconds: float) -> None:
        """Records the duration of the last launch, by `workers`."""
        if self.many == 1:
            return
        self.seconds += seconds
        self.best[self.workers] = min(seconds, self.best.get(self.workers, seconds))
        one, many = self.best.get(1), self.best.get(self.many)
        if one is None:
            assert many is not None
            may_try = many < self.trial or many * self.many * SHARE < self.seconds
            self.workers = 1 if may_try else self.many
        elif many is None:
            self.workers = 1 if one < ALONE else self.many
        else:
            self.workers = 1 if one <= many else self.many


def loops(function: Function, calls: bool = True) -> bool:
    """Whether control may jump back, or call another function if `calls` count."""
    if any(target <= pc for pc, target in branches(function)):
        return True
    kinds = ("branch-table", "call") if calls else ("branch-table",)
    return any(control(op) in kinds for _, op in control_instructions(function))


@cache
def processors() -> int:
    """The maximum number of workers: OPENPTX_WORKERS, or one per processor."""
    try:
        return max(1, int(os.environ["OPENPTX_WORKERS"]))
    except (KeyError, ValueError):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
