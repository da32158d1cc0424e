"""Findings with one cause are one finding: the first explains the others, which it lists as `related`.

A missing barrier makes a read race with two writes, a wrong parity makes a wait endless and what follows it race, and a
value that nobody wrote decides a branch and is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from openptx.engines.common.mbarrier_text import EARLY
from openptx.sanitize.findings import Finding, Race, Site
from openptx.source import Span

REPEATED = 3
"""How many groups of findings that differ in their places alone are one: copies of a statement, as of an unrolled loop.
Two may be two mistakes."""

BYTES = re.compile(r"(?:, byte)? (?:0x[0-9a-f]+|\d+)(?: bytes)?")
"""What tells one place of a variable from another in a message."""

EXPLAINS = (
    "variable-bounds", "unequal-barriers", "mbarrier-misuse", "inactive-lane", "endless-wait",
    "shared-memory-lifetime",
)  # fmt: skip
"""Findings that explain the others of their cause, the best explanation first; then all of kind sync."""

BARRIERS = frozenset(
    ("unequal-barriers", "skipped-barrier", "early-exit", "ended-lane", "mbarrier-misuse", "endless-wait", "deadlock")
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
    return once_for_copies(without_consequences([explained(group) for group in groups]))


def without_consequences(findings: list[Finding]) -> list[Finding]:
    """The findings that follow from no other one; those that do are related to it."""
    kept = list(findings)
    for first in findings:
        leads = [each.leads_to for each in (first, *first.related) if each.leads_to is not None]
        if first in kept:
            later = [other for other in kept if other is not first and any(lead(other) for lead in leads)]
            first.related += chain.from_iterable((other, *other.related) for other in later)
            kept = [finding for finding in kept if finding not in later]
    return kept


def once_for_copies(findings: list[Finding]) -> list[Finding]:
    """The findings, of which the first stands for all that copies of its statements have."""
    alike: dict[object, list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: f.span):
        alike.setdefault(likeness(finding), []).append(finding)
    for first, *copies in alike.values():
        if len(copies) + 1 >= REPEATED:
            around = [first, *first.related]
            first.related += chain.from_iterable((copy, *copy.related) for copy in copies)
            if first.race is not None:
                first.help = cure(first, first.race, interval(around) or first.race.between)
            first.notes += (f"copies: the same instructions at {len(copies)} other places, as of an unrolled loop",)
            findings = [finding for finding in findings if finding not in copies]
    return findings


def likeness(finding: Finding) -> object:
    """What findings of copies of a statement have in common."""
    opcodes = frozenset(site.opcode for site in (finding.site, finding.other) if site is not None)
    if (race := finding.race) is None:
        return finding.name, BYTES.sub("", finding.message), opcodes
    return finding.name, race.place, race.apart, race.too_narrow, opcodes


def belongs(finding: Finding, group: list[Finding]) -> bool:
    """Whether a finding has the cause of a group."""
    if finding.race is not None:
        return joins(finding, finding.race, group)
    return any(same_cause(finding, other) for other in group)


def explained(group: list[Finding]) -> Finding:
    """The finding of a group that explains the others."""
    raced = any(finding.race is not None for finding in group)
    undefined = {finding.site.source for finding in group if finding.kind == "init"}

    def rank(finding: Finding) -> tuple[bool, bool, bool, int, Span]:
        wild = finding.name == "out-of-bounds" and finding.site.source in undefined  # its address is undefined
        return finding.severity != "error", finding.follows, wild, explanation(finding, raced), finding.span

    first, *related = sorted(group, key=rank)
    first.related = related
    if first.race is not None:
        first.help = cure(first, first.race, interval(group) or first.race.between)
    return first


def cure(first: Finding, race: Race, lines: tuple[int, int]) -> str:
    """The help for a race and those related to it: what is wrong with the barrier between them, or a barrier for the
    threads that are farthest apart."""
    for each in first.related:
        if each.name in BARRIERS and each.help and not each.follows and race.in_block:
            return each.help
    races = [race, *(each.race for each in first.related if each.race is not None and race.meet and each.race.meet)]
    if len({each.later for each in races}) == 1 and len({each.again for each in races}) == 2:
        return race.cure_before(race.later)
    next = min((each.lines[0] for each in races if each.again), default=0)
    return max(races, key=lambda race: race.apart).cure_between(*lines, next)


def explanation(finding: Finding, raced: bool) -> int:
    """The rank of a finding among those of one cause; `raced`: whether there is a race among them."""
    if finding.name in EXPLAINS:
        return EXPLAINS.index(finding.name)
    if finding.kind == "sync":
        return len(EXPLAINS)
    if finding.race is not None:
        return len(EXPLAINS) + (1 if finding.race.explains else 3)
    return len(EXPLAINS) + (4 if finding.kind == "init" and raced else 2)  # what nobody has written yet is undefined


def joins(finding: Finding, race: Race, group: list[Finding]) -> bool:
    """Whether what orders the races of a group orders this one as well. Races in one variable whose accesses lie
    between each other are one; races in several are if one barrier, at a place between all of them, orders them, or one
    lock."""
    for other in group:
        if other.race is not None and race.lock and race.lock == other.race.lock:
            return True
        if other.race is not None and race.wait and race.wait == other.race.wait:
            return True
        if other.race is None or (race.place, race.file) != (other.race.place, other.race.file):
            continue
        if finding.name == other.name == "tolerated-race" or meet(race.between, other.race.between):
            return True
    if any(other.race is not None and race.precedes_same(other.race) for other in group):
        return True
    common, touch = interval(group), overlap if race.at_a_place else meet
    alike = all(other.race is not None and other.race.like(race) for other in group)
    if not alike:
        return False
    in_text = [other.race.text for other in group if other.race is not None]
    return (common is not None and touch(race.between, common)) or all(overlap(race.text, text) for text in in_text)


def interval(group: list[Finding]) -> tuple[int, int] | None:
    """The lines between which something must order the accesses, common to all races of a group."""
    lines = [finding.race.between for finding in group if finding.race is not None]
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
    if a.name == b.name and a.name in ("unfinished-copy", "shared-memory-lifetime"):
        return a.help == b.help  # one wait, or one barrier of the cluster, is enough for all of them
    if a.name == b.name and places(a) == places(b):
        return True
    if a.kind == b.kind == "init":
        return origin(a).source == origin(b).source
    if a.kind == b.kind == "sync":
        if a.mbarriers & b.mbarriers or a.help == b.help == EARLY:
            return True  # phases of a pipeline's mbarriers fall out of step together
        if {a.name, b.name} == {"unequal-barriers", "endless-wait"} and a.block == b.block:
            return True  # threads that are left at the barrier never arrive
        return a.site.source in places(b) or b.site.source in places(a)
    return a.site.source == b.site.source and {a.kind, b.kind} == {"init", "mem"}


def makes_race(a: Finding, finding: Finding, race: Race) -> bool:
    """Whether a finding is the reason of a race, or follows from it."""
    if a.name in BARRIERS:
        low, high = race.lines
        reaches = race.in_block or a.name == "endless-wait"  # as of a barrier of the grid
        between = reaches and a.site.file == finding.site.file and low <= a.line <= high
        return (
            bool(a.mbarriers & finding.mbarriers)
            or between
            or (a.name == "mbarrier-misuse" and a.other is not None and a.other.source in places(finding))
        )
    if a.name in AT_ITS_STATEMENT:
        return a.site.source in places(finding)
    if a.name == "inactive-lane":
        return a.other is not None and a.other.source in places(finding)
    if a.kind == "init" and race.same_store and a.unwritten == race.place:
        return True  # a store to a wrong place leaves the place that it was meant for unwritten
    return a.kind == "init" and origin(a).source in places(finding)


def origin(finding: Finding) -> Site:
    """Where an undefined value comes from."""
    return finding.other if finding.other is not None else finding.site


def places(finding: Finding) -> tuple[str, ...]:
    return (finding.site.source, *([finding.other.source] if finding.other is not None else []))
