"""Findings with one cause are one finding: the first explains the others, which it lists as `related`.

A missing barrier makes a read race with two writes, a wrong parity makes a wait endless and what follows it race, and a
value that nobody wrote decides a branch and is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from openptx.sanitize.findings import Finding, Race, Site

EXPLAINS = (
    "variable-bounds", "mbarrier-misuse", "unequal-barriers", "inactive-lane", "endless-wait",
    "shared-memory-lifetime",
)  # fmt: skip
"""Findings that explain the others of their cause, the best explanation first; then all of kind sync."""

BARRIERS = frozenset(
    ("unequal-barriers", "skipped-barrier", "ended-lane", "mbarrier-misuse", "endless-wait", "deadlock")
)
"""What is wrong with a barrier or mbarrier: accesses before and after it race."""

AT_ITS_STATEMENT = frozenset(("variable-bounds", "shared-memory-lifetime", "unfinished-copy", "out-of-bounds"))
"""What is wrong with an access that makes it race."""


def by_cause(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each cause. Errors come first in `findings`, and an error is never related to a warning."""
    groups: list[list[Finding]] = []
    for finding in sorted(findings, key=lambda f: f.race is None):  # races first: others explain them
        same = [group for group in groups if belongs(finding, group)]
        groups = [group for group in groups if group not in same] + [[*chain(*same), finding]]
    return [explained(group) for group in groups]


def belongs(finding: Finding, group: list[Finding]) -> bool:
    """Whether a finding has the cause of a group."""
    if finding.race is not None:
        return joins(finding, finding.race, group)
    return any(same_cause(finding, other) for other in group)


def explained(group: list[Finding]) -> Finding:
    """The finding of a group that explains the others."""
    first, *related = sorted(group, key=lambda f: (f.severity != "error", f.follows, explanation(f), f.span))
    first.related = related
    if first.race is not None:
        first.help = first.race.cure_between(*(interval(group) or first.race.lines))
    return first


def explanation(finding: Finding) -> int:
    """The rank of a finding among those of one cause."""
    if finding.name in EXPLAINS:
        return EXPLAINS.index(finding.name)
    if finding.kind == "sync":
        return len(EXPLAINS)
    if finding.race is not None:
        return len(EXPLAINS) + (1 if finding.race.explains else 3)
    return len(EXPLAINS) + (4 if finding.kind == "init" else 2)  # what nobody has written yet is undefined


def joins(finding: Finding, race: Race, group: list[Finding]) -> bool:
    """Whether what orders the races of a group orders this one as well. Races in one variable whose accesses lie
    between each other are one; races in several are if one barrier, at a place between all of them, orders them, or one
    lock."""
    for other in group:
        if other.race is not None and race.lock and race.lock == other.race.lock:
            return True
        if other.race is None or (race.place, race.file) != (other.race.place, other.race.file):
            continue
        if finding.name == other.name == "tolerated-race" or meet(race.lines, other.race.lines):
            return True
    common, touch = interval(group), overlap if race.at_a_place else meet
    alike = all(other.race is not None and other.race.like(race) for other in group)
    return alike and common is not None and touch(race.lines, common)


def interval(group: list[Finding]) -> tuple[int, int] | None:
    """The lines between which something must order the accesses, common to all races of a group."""
    lines = [finding.race.lines for finding in group if finding.race is not None]
    low, high = max(low for low, _ in lines), min(high for _, high in lines)
    return (low, high) if low <= high else None


def overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether a place between two lines is common to both."""
    return max(a[0], b[0]) < min(a[1], b[1])


def meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether they overlap, or one is a single line of the other."""
    return overlap(a, b) or (max(a[0], b[0]) == min(a[1], b[1]) and (a[0] == a[1] or b[0] == b[1]))


def same_cause(a: Finding, b: Finding) -> bool:
    """Whether `a`, which is not a race, and another finding have one cause."""
    if b.race is not None:
        return makes_race(a, b, b.race)
    if a.name == b.name == "unfinished-copy":
        return a.help == b.help  # one wait is enough for all of them
    if a.name == b.name and places(a) == places(b):
        return True
    if a.kind == b.kind == "init":
        return origin(a).source == origin(b).source
    if a.kind == b.kind == "sync":
        return a.site.source in places(b) or b.site.source in places(a)
    return a.site.source == b.site.source and {a.kind, b.kind} == {"init", "mem"}


def makes_race(a: Finding, finding: Finding, race: Race) -> bool:
    """Whether a finding is the reason of a race, or follows from it."""
    if a.name in BARRIERS:
        low, high = race.lines
        reaches = race.in_block or a.name == "endless-wait"  # as of a barrier of the grid
        between = reaches and a.site.file == finding.site.file and low <= a.line <= high
        return between or (a.name == "mbarrier-misuse" and a.other is not None and a.other.source in places(finding))
    if a.name in AT_ITS_STATEMENT:
        return a.site.source in places(finding)
    if a.name == "inactive-lane":
        return a.other is not None and a.other.source in places(finding)
    return a.kind == "init" and origin(a).source in places(finding)


def origin(finding: Finding) -> Site:
    """Where an undefined value comes from."""
    return finding.other if finding.other is not None else finding.site


def places(finding: Finding) -> tuple[str, ...]:
    return (finding.site.source, *([finding.other.source] if finding.other is not None else []))
