"""What a kernel is compiled for."""

from __future__ import annotations

Triple = tuple[int, int, int]


class Options:
    """What a kernel is compiled for."""

    __slots__ = ("block", "checks", "deoptimize_after", "lane_facts", "locked", "speculates")

    def __init__(
        self, block: Triple, locked: bool, lane_facts: bool = True, checks: bool = True, speculates: bool = True,
        deoptimize_after: int = 0,
    ) -> None:  # fmt: skip
        self.deoptimize_after = deoptimize_after
        self.block, self.locked, self.lane_facts, self.checks = block, locked, lane_facts, checks
        self.speculates = speculates and lane_facts

    def key(self) -> tuple[object, ...]:
        return (self.block, self.locked, self.lane_facts, self.checks, self.speculates, self.deoptimize_after)
