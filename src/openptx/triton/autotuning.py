"""`triton.autotune` without measurements: the first configuration that works is chosen, and no other is compiled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

NOT_RUN = [math.inf] * 3
"""The times of a configuration that was not run, as Triton writes those of one that cannot be compiled."""


class Autotuning:
    """Two methods of Triton's class `Autotuner`, replaced.

    Compiling a configuration takes a second or more, and its speed here says nothing about a GPU. `every` runs all
    configurations nonetheless, to test them.
    """

    def __init__(self, tuner: type[Any]) -> None:
        self.tuner, self.every = tuner, False
        self.works: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
        """By autotuner, whether a configuration of the round that began last has worked."""
        self.prune, self.bench = tuner.prune_configs, tuner._bench

    def install(self) -> None:
        self.tuner.prune_configs, self.tuner._bench = beginning(self, self.prune), measuring(self, self.bench)

    def restore(self) -> None:
        self.tuner.prune_configs, self.tuner._bench = self.prune, self.bench


def autotuning(tuner: type[Any]) -> Autotuning | None:
    """None if a release of Triton has no such methods; then every configuration is run once."""
    return Autotuning(tuner) if hasattr(tuner, "prune_configs") and hasattr(tuner, "_bench") else None


def beginning(state: Autotuning, prune: Callable[..., Any]) -> Callable[..., Any]:
    """Triton's choice of the configurations to be tried, with which a round begins."""

    def prune_configs(self: Any, *args: Any, **options: Any) -> Any:
        state.works[self] = False
        return prune(self, *args, **options)

    return prune_configs


def measuring(state: Autotuning, bench: Callable[..., Any]) -> Callable[..., Any]:
    """Triton's measurement of one configuration."""

    def _bench(self: Any, *args: Any, **options: Any) -> Any:
        if state.works.get(self) and not state.every:
            return NOT_RUN
        times = bench(self, *args, **options)
        if self in state.works:
            state.works[self] = state.works[self] or is_finite(times)
        return times

    return _bench


def is_finite(times: Any) -> bool:
    """Triton's times of a configuration that cannot be compiled are infinite."""
    return math.isfinite(times if isinstance(times, int | float) else times[0])
