"""What a kernel wastes, as text: at most five findings, the greatest waste first.

The unit of waste is an avoidable sector or wavefront; a lane that a warp's instruction leaves idle is a 128th of it,
because a multiprocessor issues four warp instructions per cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.profile.counters import MemoryCounters, total

if TYPE_CHECKING:
    from openptx.profile.counters import Counters, Kind
    from openptx.profile.lines import LaunchShape, Line

MOST = 5
MOST_LINES = 6
IDLE_LANE = 1 / 128
LEAST = 0.01
"""The fraction of the launch's total cost below which waste is not reported."""
WARP = 32
FULL = 0.9
"""Of the lanes of a warp: a line with fewer active ones counts as one with idle lanes."""
FAR = 1 << 32
"""Bytes that lie between lanes in different arrays."""
NAMES = {"ld": "load", "st": "store", "red": "reduction", "atom": "atomic"}

CURES = {
    "uncoalesced": "let neighbouring lanes access neighbouring addresses: index by `%tid.x` last, make a structure of"
    " arrays of an array of structures, or go through shared memory",
    "bank-conflict": "pad the rows of the shared array by one element, or permute its columns by exclusive or with the"
    " row, so that the lanes of a warp reach 32 different banks",
    "collision": "combine the lanes' values first (`redux.sync`, `shfl.sync`, `match.sync`), or give each warp its own"
    " copy in shared memory and add these up at the end",
    "local-memory": "index arrays by constants (unroll the loop), or let the kernel have more registers a thread"
    " (`.maxnreg`, `.maxntid`), so that they stay in registers",
    "idle-lanes": "let all lanes of a warp take the same path: branch by warp rather than by lane, or sort the work"
    " so that neighbours do alike",
    "partial-warp": "choose a block size that is a multiple of 32",
}
"""The remedy for each kind of finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One avoidable cost. `waste` is in sectors and wavefronts.

    `lines` are of `file`, ascending; empty if it concerns the whole launch. `kind` is uncoalesced, bank-conflict,
    collision, local-memory, idle-lanes or partial-warp.
    """

    kind: str
    file: str
    lines: tuple[int, ...]
    message: str
    waste: float

    @property
    def cure(self) -> str:
        """The remedy, as one sentence."""
        return CURES[self.kind]

    def __str__(self) -> str:
        if not self.lines:
            return self.message
        return f"line{'s' if len(self.lines) > 1 else ''} {describe_lines(self.lines)}: {self.message}"


def findings(lines: Sequence[Line], launch: LaunchShape) -> tuple[Finding, ...]:
    """The most important findings, at most five."""
    cost = sum(cost_of(line.counters) for line in lines)
    found = [finding for line in lines if line.counters.memory for finding in of_line(line)]
    found = [*merge_lines(found), *partial_warps(lines, launch), *idle(lines, launch)]
    worth = [finding for finding in found if finding.waste >= max(LEAST * cost, 1)]
    return tuple(sorted(worth, key=lambda finding: -finding.waste)[:MOST])


def merge_lines(found: Sequence[Finding]) -> Iterator[Finding]:
    """Merges findings that say the same about several lines."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.kind, finding.file, finding.message), []).append(finding)
    for (kind, file, message), same in groups.items():
        lines = tuple(sorted({line for finding in same for line in finding.lines}))
        yield Finding(kind, file, lines, message, sum(finding.waste for finding in same))


def describe_lines(lines: Sequence[int]) -> str:
    """`90, 92 to 94`; after six of them the number of the rest."""
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
    executed = counters.warps * WARP * IDLE_LANE
    return executed + sum(memory.cost for memory in counters.memory.values()) if counters.memory else executed


def of_line(line: Line) -> Iterator[Finding]:
    """The findings about the memory accesses of a line, by memory, operation and width."""
    for (space, kind, width), counted in line.counters.memory.items():
        if space == "local":
            rate = f"local {NAMES[kind]}: {mean(counted.sectors, counted.requests)} sectors per request"
            what = f"{rate}: spilled or indexed registers"
            yield Finding("local-memory", line.file, (line.line,), what, counted.sectors)
        elif counted.waste:
            memory = wasteful(line, (space, kind, width))
            name, message = access(space, kind, memory)
            yield Finding(name, line.file, (line.line,), message, memory.waste)


def wasteful(line: Line, kind: Kind) -> MemoryCounters:
    """The counters of a line's wasteful instructions alone; others of the same kind would distort the means."""
    found = MemoryCounters()
    for each in line.instructions:
        if (memory := each.counters.memory.get(kind)) is not None and memory.waste:
            found.add(memory)
    return found


def access(space: str, kind: str, memory: MemoryCounters) -> tuple[str, str]:
    """A finding's kind and message for an access that costs more than necessary."""
    unit = "wavefronts" if space == "shared" else "sectors"
    what = NAMES[kind] if space == "global" else f"{space} {NAMES[kind]}"
    rate = (
        f"{what}: {mean(memory.cost, memory.requests)} {unit} per request,"
        f" {mean(memory.ideal, memory.requests)} would do"
    )
    if 2 * memory.collisions > memory.waste:
        lanes = f"{mean(memory.collisions, memory.requests)} of {mean(memory.lanes, memory.requests)} lanes"
        return "collision", f"{rate}: {lanes} update an address that another lane updates"
    return "bank-conflict" if space == "shared" else "uncoalesced", f"{rate}: {spacing(memory)}"


def spacing(memory: MemoryCounters) -> str:
    """The distance between the lanes of the most wasteful request."""
    stride = memory.example.stride if memory.example is not None else None
    if not stride or abs(stride) > FAR:
        return "scattered addresses"
    size = memory.bytes // memory.lanes
    if stride == size:
        return "rows that do not begin at a multiple of 32 bytes"
    return f"lanes {grouped(abs(stride))} bytes apart"


def partial_warps(lines: Sequence[Line], launch: LaunchShape) -> Iterator[Finding]:
    """Blocks whose size is not a multiple of 32: the last warp of each has lanes without a thread."""
    rest = launch.threads % WARP
    if rest and lines:
        warps = -(-launch.threads // WARP)
        executed = sum(line.counters.warps for line in lines)
        what = f"blocks of {launch.threads} threads: the last of {warps} warps has {rest} of 32 lanes"
        yield Finding("partial-warp", lines[0].file, (), what, executed / warps * (WARP - rest) * IDLE_LANE)


def idle(lines: Sequence[Line], launch: LaunchShape) -> Iterator[Finding]:
    """Lanes of a warp that branches and guards leave idle: the most affected lines, as one finding."""
    full = launch.threads / -(-launch.threads // WARP)
    affected = [line for line in lines if line.counters.active < FULL * full * line.counters.warps]
    waste = {line: line.counters.warps * full - line.counters.active for line in affected}
    worst = sorted(affected, key=lambda line: -waste[line])
    for file in dict.fromkeys(line.file for line in worst):
        affected = [line for line in worst if line.file == file][:MOST_LINES]
        counted = total(line.counters for line in affected)
        what = f"{counted.mean_active:.1f} of {mean(launch.threads, -(-launch.threads // WARP))} lanes are active"
        lost = sum(waste[line] for line in affected)
        numbers = tuple(sorted(line.line for line in affected))
        yield Finding(
            "idle-lanes", file, numbers, f"{what}: branches and guards leave out the others", lost * IDLE_LANE
        )


def mean(count: int, requests: int) -> str:
    """A mean: `4`, `3.5`."""
    return grouped(count // requests) if count % requests == 0 else f"{count / requests:.1f}"


def grouped(number: int) -> str:
    """`1 024`."""
    return f"{number:,}".replace(",", " ")
