"""Transfers between registers and tensor memory, which are asynchronous (9.7.16.6)."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.isa.semantics.tensor_memory import COLUMNS, LANES
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.copies import Agents

WORD = 4
CTA_BYTES = LANES * COLUMNS * WORD
"""The tensor memory of one CTA."""


class RegisterTransfers:
    """The agents of `tcgen05.ld` and `tcgen05.st`: one for the reads and one for the writes of each warp."""

    def __init__(self, clocks: Clocks, agents: Agents) -> None:
        self.clocks, self.agents = clocks, agents

    def of(self, threads: Array, write: bool) -> Array:
        """The agent of each thread's accesses."""
        warps, index = np.unique(self.clocks.teams.warp(threads), return_inverse=True)
        return np.array([self._agent(warp, write) for warp in warps.tolist()])[index.reshape(-1)]

    def _agent(self, warp: int, write: bool) -> int:
        return self.agents.of(("transfers", warp, write))

    def wait(self, threads: Array, *, write: bool) -> None:
        """`tcgen05.wait`: the accesses of the threads' warps so far are complete."""
        clocks, warps = self.clocks, self.clocks.teams.warp(threads)
        for warp in np.unique(warps).tolist():
            clocks.learn(threads[warps == warp], clocks.views.single(self._agent(warp, write), clocks.now))
