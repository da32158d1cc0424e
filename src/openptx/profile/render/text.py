"""A profile as text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from openptx.profile.findings import NAMES, cost_of, grouped

if TYPE_CHECKING:
    from openptx.profile.counted_launch import CountedLaunch
    from openptx.profile.lines import Line

WIDTH = 80
HOT_LINES = 12
UNITS = ("", "k", "M", "G", "T", "P", "E")
"""Thousands of one another."""


def text(profile: CountedLaunch) -> str:
    """The whole report, with a line break at its end."""
    parts = [head(profile), launch(profile), memory(profile), numbered_findings(profile), hot(profile)]
    return "\n".join(line for part in parts if part for line in (*part, ""))


def head(profile: CountedLaunch) -> list[str]:
    """The launch, and what the counters omit."""
    shape = profile.launch
    what = f"profile of `{profile.kernel}` ({profile.file}), {profile.target}"
    size = f"{many(shape.all_blocks, 'block')} of {many(shape.threads, 'thread')}, {many(shape.warps, 'warp')}"
    if shape.blocks < shape.all_blocks:
        size += f" of the {many(shape.blocks, 'block')} that were executed"
    return [*wrapped(what), *wrapped(size), *(line for note in profile.notes for line in wrapped(f"note: {note}"))]


def launch(profile: CountedLaunch) -> list[str]:
    """Executions and the limits of occupancy."""
    counters, limits = profile.counters, profile.occupancy
    rows = [
        row("PTX instructions, by warp", grouped(counters.warps)),
        row("active lanes, of 32", f"{counters.mean_active:.1f}"),
        row("branches and calls, by warp", f"{grouped(counters.branches)} ({grouped(counters.divergent)} divergent)"),
    ]
    if counters.tensor_steps:
        rows.append(row("matrix multiplications", grouped(counters.tensor_steps)))
    if counters.waited:
        rows.append(row("waits at barriers", many(counters.waited, "instruction")))
    rows.append(row("32-bit registers live in PTX", str(profile.live)))
    if limits.blocks is not None:
        by = {"blocks": limits.by_blocks, "warps": limits.by_warps, "shared memory": limits.by_shared_memory}
        each = ", ".join(f"{name} {number}" for name, number in by.items())
        rows.append(row("blocks of a multiprocessor", f"{limits.blocks}: {each}"))
    waited = [cost for cost in profile.operand_costs if cost.reads and cost.cost.clocks]
    rows += [
        row(f"reads of {cost.space} memory", f"{grouped(cost.reads)}, each {cost.cost} (Table 19)") for cost in waited
    ]
    return ["launch", *rows]


def row(name: str, value: str) -> str:
    return f"  {name:<30}{value}"


def memory(profile: CountedLaunch) -> list[str]:
    """One row per memory, access and width."""
    if not profile.counters.memory:
        return []
    rows = [f"{'memory':<18}{'bits':>5}{'requests':>12}{'lanes':>7}  {'unit':<10}{'moved':>11}{'ideal':>11}"]
    for (space, kind, width), counted in sorted(profile.counters.memory.items()):
        unit = "wavefronts" if space == "shared" else "sectors"
        lanes = f"{counted.lanes / counted.requests:.1f}"
        rows.append(
            f"  {space + ' ' + NAMES[kind]:<16}{width:>5}{short(counted.requests, 12)}{lanes:>7}  {unit:<10}"
            f"{short(counted.cost, 11)}{short(counted.ideal, 11)}"
        )
    return rows


def numbered_findings(profile: CountedLaunch) -> list[str]:
    """The findings, numbered."""
    if not profile.findings:
        return ["findings", "  none: memory accesses and lanes are used well"] if profile.counters.warps else []
    rows: list[str] = []
    for number, finding in enumerate(profile.findings, 1):
        rows += wrapped(str(finding), f"  {number}. ", "     ")
        rows += wrapped(f"cure: {finding.cure}", "     ", "     ")
    return ["findings, the greatest waste first", *rows]


def hot(profile: CountedLaunch) -> list[str]:
    """The costliest lines."""
    every = sum(cost_of(line.counters) for line in profile.lines)
    if not every:
        return []
    lines = sorted(profile.lines, key=lambda line: -cost_of(line.counters))[:HOT_LINES]
    rows = [f"{'hot lines':>11}{'cost':>6}{'warps':>11}{'lanes':>6}{'sectors':>10}{'wavefr.':>9}  source"]
    return rows + [hot_line(line, cost_of(line.counters) / every) for line in lines]


def hot_line(line: Line, share: float) -> str:
    """The row of one of the costliest lines."""
    counters = line.counters
    sectors = sum(counted.sectors for counted in counters.memory.values())
    wavefronts = sum(counted.wavefronts for counted in counters.memory.values())
    start = (
        f"{line.line:>11}{share:>6.0%}{short(counters.warps, 11)}{counters.mean_active:>6.1f}"
        f"{short(sectors, 10)}{short(wavefronts, 9)}  "
    )
    costliest = max(line.instructions, key=lambda each: cost_of(each.counters))
    source = (line.text or f"PTX: {costliest.text}").strip()
    room = WIDTH - len(start)
    return (start + (source if len(source) <= room else source[: room - 3] + "...")).rstrip()


def short(number: int, width: int) -> str:
    """A number for a column after a blank: `1 024`, or `1 718M` if that is too wide."""
    found = [grouped(round(number / 1000**i)) + unit for i, unit in enumerate(UNITS)]
    return f"{next((text for text in found if len(text) < width), found[-1]):>{width}}"


def many(number: int, what: str) -> str:
    return f"{grouped(number)} {what}{'' if number == 1 else 's'}"


def wrapped(what: str, first: str = "", later: str = "  ") -> list[str]:
    return textwrap.wrap(what, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
