"""What a kernel is compiled for."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Options:
    block: Triple
    locked: bool
    """Atomics are seen by other workers."""
    lane_facts: bool = True
    """Off for the generic version, which keeps all registers as vectors."""
    checks: bool = True
    speculates: bool = True
    """Branches may be assumed uniform."""
    deoptimize_after: int = 0
    """Iterations of any loop; 0: only loops that may wait are counted."""
    watched: tuple[str, ...] = ()
    """What the code is watched for: "mem", "race", "sync" (watch/), or "count" (count/)."""

    baseline: bool = False
    """Compiled with little effort, to be there soon: a third of the time, for code that takes about twice as long."""

    @property
    def counts(self) -> bool:
        """Whether the code counts what it executes."""
        return "count" in self.watched

    def key(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])
