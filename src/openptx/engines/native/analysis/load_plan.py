"""Load plans: a few wide moves and shuffles for lanes at known offsets."""

from __future__ import annotations

from functools import lru_cache

from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N

RUNS = 4
"""The maximum number of pieces of a load, which are combined from wide moves."""

WINDOW = 8
"""The maximum size of a window that is read, relative to the size of the wanted data."""


class LoadPlan:
    """How offsets are loaded: pieces (first element, number of elements), and each lane's element."""

    __slots__ = ("index", "runs", "uniform")

    def __init__(self, runs: list[tuple[int, int]], index: list[int], uniform: bool) -> None:
        self.runs, self.index, self.uniform = runs, index, uniform

    @staticmethod
    @lru_cache(256)
    def of(lanes: Lanes, step: int, count: int) -> LoadPlan | None:
        """The plan for loading each lane's offset; None if a gather is better."""
        if lanes is ZEROS:
            return LoadPlan([], [0] * N, True)
        if any(v % step for v in lanes):
            return None
        index = [v // step for v in lanes]
        wanted = sorted({i + k for i in index for k in range(count)})
        runs: list[tuple[int, int]] = []
        for i in wanted:
            if runs and runs[-1][0] + runs[-1][1] == i:
                runs[-1] = runs[-1][0], runs[-1][1] + 1
            else:
                runs.append((i, 1))
        if len(runs) > RUNS:
            total = wanted[-1] + 1
            if total > WINDOW * N or total > WINDOW * len(wanted):
                return None
            runs = [(0, total)]
        return LoadPlan(runs, index, False)
