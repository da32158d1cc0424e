"""What meanings ask of tensor memory: 128 lanes of 512 columns of 32 bits, in every CTA (9.7.16.1).

An address has 32 bits: the lane in the upper half, the column in the lower.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.numerics import Bits

LANES, COLUMNS = 128, 512
UNIT = 32
"""Columns are allocated in so many at once."""
LANE = 16
"""Where in an address the lane begins."""


def probes(count: int) -> list[int]:
    """Which of `count` neighbouring columns tell whether all are allocated: one of each unit, and the last."""
    return [*range(0, count - 1, UNIT), count - 1]


class TensorMemory:
    """The tensor memory of the executing threads' CTAs, or of others of their clusters: those with a `rank` (32 bits).

    What leaves the lanes, or what is allocated, is a fault.
    """

    def allocate(self, count: Bits, *, exclusively: bool = False) -> Bits:
        """The address of `count` columns (a power of 2, 32 bits) that each warp gets; a fault where there are none.

        `exclusively`: a multiple of 32; nothing else is allocated, before it is given back.
        """
        raise NotImplementedError

    def free(self, address: Bits, count: Bits) -> None:
        """Each warp gives back what `allocate` gave."""
        raise NotImplementedError

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        """The words in `count` neighbouring columns."""
        raise NotImplementedError

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        """Writes words to neighbouring columns."""
        raise NotImplementedError
