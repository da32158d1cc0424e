"""The counters of an instruction: executions, branches, and the access's cost for each memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from openptx.profile.examples import Example


@dataclass(slots=True)
class MemoryCounters:
    """Accesses of one kind (ld, st, red, atom) to one memory (global, local, shared).

    requests     warp-level accesses with an active lane
    lanes        active lanes of these
    bytes        bytes that the lanes ask for
    sectors      sectors of 32 bytes moved (global, local)
    ideal        the minimum of sectors or wavefronts: with the different bytes side by side, without bank conflicts
    wavefronts   passes through the banks (shared)
    conflicts    wavefronts that are bank conflicts (shared)
    collisions   lanes whose address an earlier lane of their request updates (red, atom)
    example      one of the requests that waste most
    """

    requests: int = 0
    lanes: int = 0
    bytes: int = 0
    sectors: int = 0
    ideal: int = 0
    wavefronts: int = 0
    conflicts: int = 0
    collisions: int = 0
    example: Example | None = None

    def add(self, other: MemoryCounters) -> None:
        """Adds the counts of another."""
        for name in NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        known = self.example
        if known is None or (other.example is not None and other.example.cost.waste > known.cost.waste):
            self.example = other.example

    def add_costs(self, memory: str, taken: int, ideal: int, conflicts: int, collisions: int) -> None:
        """Adds the costs of requests: wavefronts of shared memory, sectors elsewhere."""
        if memory == "shared":
            self.wavefronts += taken
        else:
            self.sectors += taken
        self.ideal += ideal
        self.conflicts += conflicts
        self.collisions += collisions

    @property
    def cost(self) -> int:
        """The unit of cost: sectors, or wavefronts."""
        return self.sectors + self.wavefronts

    @property
    def waste(self) -> int:
        """The number of avoidable sectors or wavefronts."""
        return max(self.cost - self.ideal, 0)


NUMBERS = tuple(f.name for f in fields(MemoryCounters) if f.name != "example")

Kind = tuple[str, str, int]
"""Memory, operation, and the bits that each lane accesses."""


def nothing() -> dict[Kind, MemoryCounters]:
    """No accesses. Calling `dict[Kind, MemoryCounters]` takes several times as long."""
    return {}


@dataclass(slots=True)
class Counters:
    """What is counted of an instruction, or of all instructions of a line or a launch.

    warps          executions by warps, also by those all of whose lanes a guard disables
    threads        lanes of these
    active         lanes that execute it: the guard, if any, holds for them
    branches       executions of branches, calls and returns from functions by warps
    divergent      how many of these sent lanes of a warp to different instructions
    waited         instructions that warps waited for others at barriers (barrier_waits.py)
    tensor_steps   executions of matrix multiplications by warps
    """

    warps: int = 0
    threads: int = 0
    active: int = 0
    branches: int = 0
    divergent: int = 0
    waited: int = 0
    tensor_steps: int = 0
    memory: dict[Kind, MemoryCounters] = field(default_factory=nothing)

    def at(self, kind: Kind) -> MemoryCounters:
        """The counters of accesses of a kind, which may be new."""
        found = self.memory.get(kind)
        if found is None:
            found = self.memory[kind] = MemoryCounters()
        return found

    def add(self, other: Counters) -> None:
        """Adds the counts of another."""
        self.warps += other.warps
        self.threads += other.threads
        self.active += other.active
        self.branches += other.branches
        self.divergent += other.divergent
        self.waited += other.waited
        self.tensor_steps += other.tensor_steps
        for kind, counted in other.memory.items():
            self.at(kind).add(counted)

    @property
    def mean_active(self) -> float:
        """Average active lanes of an execution by a warp: 32 at best."""
        return self.active / self.warps if self.warps else 0.0


def total(counted: Iterable[Counters]) -> Counters:
    """The sum of all."""
    found = Counters()
    for each in counted:
        found.add(each)
    return found


def of_space(counters: Counters, space: str, kind: str | None = None) -> MemoryCounters:
    """All accesses to a memory, or those of one kind, whatever their width."""
    found = MemoryCounters()
    for (where, what, _), counted in counters.memory.items():
        if where == space and kind in (None, what):
            found.add(counted)
    return found
