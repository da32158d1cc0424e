"""The protocol for tensor memory: 128 lanes of 512 columns of 32 bits, in every CTA (9.7.16.1).

An address has 32 bits: the lane in the upper half, the column in the lower.
"""

from __future__ import annotations

from collections.abc import Sequence

from openptx.numerics import Bits

LANES, COLUMNS = 128, 512
UNIT = 32
"""The unit of allocation, in columns."""
LANE = 16
"""The first bit of the lane in an address."""


def probes(count: int) -> list[int]:
    """Which of `count` neighbouring columns to check in order to know that all are allocated: one of each unit, and the
    last."""
    return [*range(0, count - 1, UNIT), count - 1]


class TensorMemory:
    """The tensor memory of the executing threads' CTAs, or of others of their clusters: those with a `rank` (32 bits).

    An access beyond the lanes or outside allocated columns is a fault.
    """

    def allocate(self, count: Bits, *, exclusively: bool = False) -> Bits:
        """The address of `count` columns (a power of 2, 32 bits) for each warp; a fault if none are free.

        `exclusively`: a multiple of 32; nothing else may be allocated until it is freed.
        """
        raise NotImplementedError

    def free(self, address: Bits, count: Bits) -> None:
        """Each warp frees a result of `allocate`."""
        raise NotImplementedError

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        """The words in `count` neighbouring columns."""
        raise NotImplementedError

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        """Writes words to neighbouring columns."""
        raise NotImplementedError
