"""Shadow memory: of every four bytes of an allocation, the last accesses that can still be in a race.

A granule has four cells: the last write W, an older write W2 that it does not represent, and two readers R and R2. Each
cell has the time of the access, the thread, and facts about it. An allocation in which fewer than four bytes are
accessed at once gets a granule for every byte, which is exact.
"""

from __future__ import annotations

import weakref

import numpy as np

from openptx.array_types import Array
from openptx.device.arrays import as_array

# Facts of an access: the index of its statement, and in the upper bits what matters for races.
STATEMENT = (1 << 16) - 1
SIZE = 16  # two bits: log2 of the bytes of an element; 128 bits count as 64
SCOPE = 18  # two bits: 0 for a weak access, else the scope of a strong one
PENDING = 1 << 20  # an asynchronous copy that its issuer has not waited for
VOLATILE = 1 << 21
UPDATE = 1 << 22  # an atomic read-modify-write
NON_COHERENT = 1 << 23  # ld.global.nc
UNNAMED_PROXY = 1 << 24  # by an instruction to which the manual assigns no proxy

CTA, CLUSTER, GPU = 1, 2, 3

W, W2, R, R2 = range(4)
CELL = 3
GRANULE_BYTES = 4 * CELL * 4
LIMIT = 4 << 30
"""The maximum bytes of shadow cells that a launch has at a time: larger allocations are not watched for races."""
ROWS = 4096
"""The number of granules that are checked together for being zero."""


class Shadow:
    """The cells of one allocation, or of the shared memory of a batch of CTAs.

    `name` is what reports call it. `records` are, by granule, what strong writes released there (see releases.py).
    """

    def __init__(self, name: str, size: int, lead: int, base: int, space: str) -> None:
        self.name, self.size, self.lead, self.base, self.space = name, size, lead & 3, base, space
        self.unit = 4
        count = (size + self.lead + 3) // 4
        self.cells: Array = np.zeros((count, 4 * CELL), np.uint32)
        self.records: Array | None = None

    def split(self) -> None:
        """Makes granules single bytes from now on."""
        self.cells = repeat_rows(self.cells)
        if self.records is not None:
            self.records = repeat_rows(self.records)
        self.unit = 1

    def granules(self, offsets: Array, size: int) -> Array:
        """The granules of accesses: a row of them for each."""
        if size & 3 and self.unit == 4:
            self.split()
        first = (offsets + self.lead) // self.unit
        return first[:, None] + np.arange(max(size // self.unit, 1))

    def record_table(self) -> Array:
        """The records, created on first use."""
        found: Array | None = self.records
        if found is None:
            found = as_array(np.zeros(self.cells.shape[0], np.int32))
            self.records = found
        return found


class ShadowMemory:
    """The shadows of a launch. Allocations beyond LIMIT have none, which `limits` reports, once for each name."""

    def __init__(self, limits: list[str]) -> None:
        self.limits = limits
        self._by_base: dict[int, Shadow | None] = {}
        self._bytes = 0

    def of_global(self, name: str, size: int, lead: int, base: int) -> Shadow | None:
        """The cells of an allocation, or of a part of it, from the address `base` on."""
        if base not in self._by_base:
            self._by_base[base] = self.fresh(name, size, lead, base, "global")
        return self._by_base[base]

    def fresh(self, name: str, size: int, lead: int, base: int, space: str) -> Shadow | None:
        cost = size // 4 * GRANULE_BYTES
        if self._bytes + cost > LIMIT:
            limit = (
                f"races in {name} were not watched: {size} bytes need {cost >> 20} MiB of shadow memory"
                f" (limit of a launch: {LIMIT >> 20} MiB)"
            )
            if limit not in self.limits:
                self.limits.append(limit)
            return None
        self._bytes += cost
        made = Shadow(name, size, lead, base, space)
        weakref.finalize(made, self._give_back, cost).atexit = False
        return made

    def _give_back(self, cost: int) -> None:
        """A shadow is gone: that of memory of a batch that has ended."""
        self._bytes -= cost


def repeat_rows(rows: Array) -> Array:
    """Repeats each row four times. Pages of zeros, most of a large allocation, are not touched and take no memory."""
    found: Array = np.zeros((4 * len(rows), *rows.shape[1:]), rows.dtype)
    for first in range(0, len(rows), ROWS):
        some = rows[first : first + ROWS]
        if some.any():
            found[4 * first : 4 * (first + len(some))] = np.repeat(some, 4, axis=0)
    return found
