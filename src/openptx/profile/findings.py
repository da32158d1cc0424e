"""What a kernel wastes, in words: at most five findings, the greatest waste first.

Waste is compared in sectors and wavefronts that are not needed, one each; a lane that a warp's instruction leaves idle
is a 128th of one, since a multiprocessor issues four warp instructions in a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.profile.counters import Counters, MemoryCounters
    from openptx.profile.report import Line

MOST = 5
MOST_LINES = 6
IDLE_LANE = 1 / 128
LEAST = 0.01
"""Of all that the launch costs: what is less is not worth a finding."""
WARP = 32
MISALIGNED = 4
NAMES = {"ld": "load", "st": "store", "red": "reduction", "atom": "atomic"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that costs more than it needs to, at one or more lines. `waste` is in sectors and wavefronts."""

    kind: str  # uncoalesced, bank-conflict, collision, local-memory, idle-lanes
    file: str
    lines: tuple[int, ...]
    message: str
    waste: float

    @property
    def line(self) -> int:
        """The first one."""
        return self.lines[0]

    def __str__(self) -> str:
        return f"line{'s' if len(self.lines) > 1 else ''} {named(self.lines)}: {self.message}"


def findings(lines: Sequence[Line]) -> tuple[Finding, ...]:
    """The greatest, at most five."""
    cost = sum(cost_of(line.counters) for line in lines)
    found = [finding for line in lines for finding in of_line(line)]
    found += idle(lines)
    found = [*joined(found)]
    worth = [finding for finding in found if finding.waste >= max(LEAST * cost, 1)]
    return tuple(sorted(worth, key=lambda finding: -finding.waste)[:MOST])


def joined(found: Sequence[Finding]) -> Iterator[Finding]:
    """Findings that say the same of several lines are one."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.kind, finding.file, finding.message), []).append(finding)
    for (kind, file, message), some in groups.items():
        lines = tuple(sorted({line for finding in some for line in finding.lines}))
        yield Finding(kind, file, lines, message, sum(finding.waste for finding in some))


def named(lines: Sequence[int]) -> str:
    """`90, 92 to 94`; after six of them how many more there are."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    shown = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    more = len(shown) - MOST_LINES
    return ", ".join(shown[:MOST_LINES]) + (f" and {more} more" if more > 0 else "")


def cost_of(counters: Counters) -> float:
    """What the instructions cost, in sectors, wavefronts, and a quarter for each execution by a warp."""
    return counters.warps * WARP * IDLE_LANE + sum(memory.cost for memory in counters.memory.values())


def of_line(line: Line) -> Iterator[Finding]:
    """Memory accesses of a line, by memory and what is done."""
    for (space, kind, _), memory in line.counters.memory.items():
        if space == "local":
            rate = f"local {NAMES[kind]}: {each(memory.sectors, memory.requests)} sectors per request"
            what = f"{rate}: spilled or indexed registers"
            yield Finding("local-memory", line.file, (line.line,), what, memory.sectors)
        elif memory.waste:
            name, message = access(space, kind, memory)
            yield Finding(name, line.file, (line.line,), message, memory.waste)


def access(space: str, kind: str, memory: MemoryCounters) -> tuple[str, str]:
    """A finding's kind and message for an access that costs more than it needs to."""
    unit = "wavefronts" if space == "shared" else "sectors"
    what = NAMES[kind] if space == "global" else f"{space} {NAMES[kind]}"
    rate = (
        f"{what}: {each(memory.cost, memory.requests)} {unit} per request,"
        f" {each(memory.ideal, memory.requests)} would do"
    )
    if 2 * memory.collisions > memory.waste:
        lanes = f"{each(memory.collisions, memory.requests)} of {each(memory.lanes, memory.requests)} lanes"
        return "collision", f"{rate}: {lanes} update an address that another lane updates"
    return "bank-conflict" if space == "shared" else "uncoalesced", f"{rate}: {apart(memory)}"


def apart(memory: MemoryCounters) -> str:
    """How far the lanes are from each other."""
    stride, count = max(memory.strides.items(), key=lambda item: item[1])
    if stride is None or 2 * count < memory.requests:
        return "scattered addresses"
    size = memory.bytes // memory.lanes
    if stride == size:
        return "rows that do not begin at a multiple of 32 bytes"
    return f"lanes {grouped(abs(stride))} bytes apart"


def idle(lines: Sequence[Line]) -> Iterator[Finding]:
    """The branch behind which most lanes are idle is not known; the line that suffers most is."""
    for line in lines:
        counters = line.counters
        lanes = counters.warps * WARP - counters.active
        if lanes and counters.mean_active < WARP * 0.9:
            what = f"{counters.mean_active:.1f} of 32 lanes active on average"
            yield Finding("idle-lanes", line.file, (line.line,), what, lanes * IDLE_LANE)


def each(count: int, requests: int) -> str:
    """A mean: `4`, `3.5`."""
    return grouped(count // requests) if count % requests == 0 else f"{count / requests:.1f}"


def grouped(number: int) -> str:
    """`1 024`."""
    return f"{number:,}".replace(",", " ")
