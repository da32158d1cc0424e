"""Conditions on which a launch on the reference engine is abandoned for compiled code; the launch polls them."""

from __future__ import annotations

import math
from collections.abc import Callable

from openptx.engines.tiers.processor_time import Alarm

Wanted = Callable[[float], bool]
"""Whether the launch is to be abandoned now; called often, with the minimum remaining seconds."""


def now(_: float) -> bool:
    return True


def after(seconds: float, longer: float = math.inf) -> Wanted:
    """True when this thread has used that much processor time, because a busy machine compiles more slowly, too; or
    when the launch will take `longer`."""
    alarm = Alarm(seconds)
    return lambda left: left > longer or alarm.rings()


def later(decide: Callable[[float], Wanted | None], seconds: float, longer: float = math.inf) -> Wanted:
    """The condition that `decide` returns once `after(seconds, longer)` holds.

    `decide` gets the forecast remaining seconds of the launch. None abandons the launch at once.
    """
    is_due = after(seconds, longer)
    found: list[Wanted] = []

    def wanted(left: float) -> bool:
        if not found:
            if not is_due(left):
                return False
            found.append(decide(left) or now)
        return found[0](left)

    return wanted
