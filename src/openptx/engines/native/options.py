"""The compilation options of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Options:
    block: Triple
    locked: bool
    """Other workers can see atomics."""
    lane_facts: bool = True
    """Off for the generic version, which keeps all registers as vectors."""
    checks: bool = True
    speculates: bool = True
    """Whether branches may be assumed uniform."""
    deoptimize_after: int = 0
    """The iteration limit of any loop; 0: only loops that may wait are counted."""
    watched: tuple[str, ...] = ()
    """What the code is watched for: "mem", "race", "sync" (watch/), or "count" (count/)."""

    rounds: bool = False
    """Whether warps run a loop over the grid's stride in rounds (analysis/warp_rounds.py)."""
    baseline: bool = False
    """Compiled without optimisation, to be ready sooner: a third of the time, for code that takes about twice as
    long."""

    @property
    def counts(self) -> bool:
        """Whether the code counts what it executes."""
        return "count" in self.watched

    def key(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])
