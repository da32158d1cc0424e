"""What requests cost, each by the definition of its memory: sectors, or wavefronts of shared memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.profile.collisions import global_collisions, shared_collisions
from openptx.profile.requests import Addresses, Requests
from openptx.profile.sectors import SECTOR, global_sectors, local_sectors
from openptx.profile.wavefronts import BANK_BYTES, Wavefronts, matrix_wavefronts, wavefronts

ATOMIC = ("red", "atom")
MATRIX_ROW = 8
"""Rows of a matrix that are read together."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of each request and the minimum cost, in sectors or wavefronts."""

    taken: Addresses
    ideal: Addresses
    conflicts: Addresses
    collisions: Addresses


@dataclass(frozen=True, slots=True)
class Target:
    """The target of requests: `memory` (global, local, shared), `kind` (ld, st, red, atom), `size` bytes of a lane.

    `rows`, if not 0: that many of the first lanes have addresses of matrix rows.
    """

    memory: str
    kind: str
    size: int
    rows: int = 0

    @property
    def of(self) -> tuple[str, str, int]:
        """The key of the counters of such requests."""
        return self.memory, self.kind, 8 * self.size

    @property
    def modulus(self) -> int:
        """Addresses that differ by a multiple of it cost the same."""
        return BANK_BYTES if self.memory == "shared" else SECTOR

    def costs(self, issued: Requests) -> Costs:
        """The costs of each request."""
        nothing = np.zeros(issued.warps, np.int64)
        if self.kind in ATOMIC:
            passes = (shared_collisions if self.memory == "shared" else global_collisions)(issued)
            conflicts = passes.passes - passes.without if self.memory == "shared" else nothing
            return Costs(passes.passes, passes.without, conflicts, passes.lanes)
        if self.memory == "shared":
            found = self.matrices(issued) if self.rows else wavefronts(issued)
            return Costs(found.taken, found.taken - found.conflicts, found.conflicts, nothing)
        sectors = (global_sectors if self.memory == "global" else local_sectors)(issued)
        return Costs(sectors.moved, sectors.needed, nothing, nothing)

    def matrices(self, issued: Requests) -> Wavefronts:
        """The costs of requests whose first lanes have the addresses of a matrix's rows."""
        return matrix_wavefronts(issued.addresses[:, : self.rows].reshape(issued.warps, -1, MATRIX_ROW))
