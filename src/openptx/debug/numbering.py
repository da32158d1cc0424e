"""Linear indices of threads and blocks in a launch, from zero, and their positions in grid and block."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from openptx.engines.interp.geometry import block_number
from openptx.errors import Triple


@dataclass(frozen=True, slots=True)
class Numbering:
    """Threads are numbered block by block, and blocks cluster by cluster; within each x varies fastest."""

    grid: Triple
    block: Triple
    cluster: Triple = (1, 1, 1)

    @property
    def block_threads(self) -> int:
        """The number of threads of a block."""
        return prod(self.block)

    @property
    def blocks(self) -> int:
        """The number of blocks of the launch."""
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """The number of threads of the launch."""
        return self.blocks * self.block_threads

    def thread_at(self, number: int) -> tuple[Triple, Triple]:
        """The indices of a thread's block in the grid, and of the thread in its block."""
        block, thread = divmod(number, self.block_threads)
        return self.block_at(block), unravel(thread, self.block)

    def number_of_block(self, block: Triple) -> int:
        """The linear index of the block with these indices."""
        return block_number(block, self.grid, self.cluster)

    def block_at(self, number: int) -> Triple:
        """The indices of the block with this linear index."""
        w, h, d = self.cluster
        x, y, z = self.grid
        inner = unravel(number % (w * h * d), self.cluster)
        outer = unravel(number // (w * h * d), (x // w, y // h, z // d))
        return outer[0] * w + inner[0], outer[1] * h + inner[1], outer[2] * d + inner[2]


def unravel(number: int, size: Triple) -> Triple:
    """x, y, z of a linear index in which x varies fastest."""
    return number % size[0], number // size[0] % size[1], number // (size[0] * size[1])
