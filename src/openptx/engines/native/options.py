"""What a kernel is compiled for."""

from __future__ import annotations

Triple = tuple[int, int, int]


class Options:
    """What a kernel is compiled for."""

    __slots__ = ("block", "checks", "locked", "shapes", "speculates", "turns")

    def __init__(
        self, block: Triple, locked: bool, shapes: bool = True, checks: bool = True, speculates: bool = True,
        turns: int = 0,
    ) -> None:  # fmt: skip
        self.turns = turns
        self.block, self.locked, self.shapes, self.checks = block, locked, shapes, checks
        self.speculates = speculates and shapes

    def key(self) -> tuple[object, ...]:
        return (self.block, self.locked, self.shapes, self.checks, self.speculates, self.turns)
