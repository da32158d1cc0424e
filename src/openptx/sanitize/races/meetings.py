"""Which threads of a block have met at named barriers of some warps: what is missing between them is another one."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array

MOST = 64
"""How many different meetings are kept."""


class Meetings:
    """The threads that arrived at named barriers together, and which of them waited there."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes, bytes], tuple[int, Array, Array]] = {}

    def meet(self, number: int, arrived: Array, waiting: Array) -> None:
        """A barrier completes without all threads of the block waiting there; an element a thread of the block."""
        if len(self._known) < MOST:
            self._known.setdefault((number, arrived.tobytes(), waiting.tobytes()), (number, arrived, waiting))

    def cure(self, thread: int, other: int) -> str:
        """The barrier that would order two threads of a block, by their places in it, with `{lines}` for the place;
        empty if they have not waited together."""
        teams = [(arrived, team, n) for n, arrived, team in self._known.values() if team[thread] and team[other]]
        if not teams:
            return ""
        arrived, team, number = min(teams, key=lambda each: (np.count_nonzero(each[1]), np.count_nonzero(each[0])))
        count = np.count_nonzero(team)
        barrier = f"`bar.sync {number}, {count}` as elsewhere" if (arrived == team).all() else f"for {count} threads"
        return f"a named barrier of the warps that come here, {barrier}, {{lines}}; not `__syncthreads()`"
