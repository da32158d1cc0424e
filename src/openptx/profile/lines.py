"""What is counted of a launch: its shape, its lines and its instructions."""

from __future__ import annotations

from dataclasses import dataclass

from openptx.errors import Triple
from openptx.profile.counters import Counters
from openptx.program import Op

Place = tuple[str, int, int]
"""File, line, column, from 1."""


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The launch. `static` and `dynamic` are bytes of shared memory of a block.

    `blocks` of `all_blocks` began: fewer in a sample (`sampled`), after a fault or an interrupt.
    """

    grid: Triple
    block: Triple
    cluster: Triple | None
    static: int
    dynamic: int
    blocks: int
    all_blocks: int
    sampled: bool

    @property
    def threads(self) -> int:
        """The number of threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps(self) -> int:
        """The number of warps of the blocks that began."""
        return self.blocks * -(-self.threads // 32)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """An instruction as written. `at` is its position in the PTX.

    `source` are positions in the source program, innermost first: where it is written, and where that was inlined; ()
    without `.loc`. `live` is the number of live 32-bit registers.
    """

    op: Op
    function: str
    text: str
    at: Place
    source: tuple[Place, ...]
    live: int

    @property
    def line(self) -> tuple[str, int]:
        """The line that its counters belong to: for inlined calls, the innermost in the kernel's own file."""
        if not self.source:
            return self.at[:2]
        own = self.source[-1][0]
        return next((file, line) for file, line, _ in self.source if file == own)


@dataclass(frozen=True, slots=True, eq=False)
class Instruction(Statement):
    """A statement and its counters."""

    counters: Counters


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line of the source, or of the PTX without `.loc`. `text` is None if the file does not exist."""

    file: str
    line: int
    text: str | None
    counters: Counters
    instructions: tuple[Instruction, ...]
