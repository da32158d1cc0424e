"""Outcomes of a suite's cases, and their summary."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

REASONS = Path(__file__).with_name("reasons.toml")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`status`: `agreed`, `disagreed`, `refused` (no valid PTX to us), `skipped` (by the suite), `not run`."""

    case: str
    status: str
    detail: str = ""


def reasons(suite: str) -> dict[str, str]:
    """Why cases of a suite cannot agree, by name; the name of a test function counts for all of its parameters."""
    return tomllib.loads(REASONS.read_text("utf-8")).get(suite, {})


def report(suite: str, outcomes: Iterable[Outcome]) -> int:
    """Prints what did not agree, then the sums. Returns how many have no reason on record; 1 where there is no case."""
    known, count, unexplained = reasons(suite), dict[str, int](), 0
    for outcome in outcomes:
        count[outcome.status] = count.get(outcome.status, 0) + 1
        if outcome.status in ("agreed", "skipped"):
            continue
        reason = known.get(outcome.case) or known.get(outcome.case.partition("[")[0])
        unexplained += reason is None
        print(f"  {suite} {outcome.case}: {outcome.status}: {outcome.detail}")
        print(f"    {'reason: ' + reason if reason else 'no reason on record'}")
    total = ", ".join(f"{number} {status}" for status, number in sorted(count.items()))
    print(f"{suite}: {sum(count.values())} cases: {total or 'none found'}; without a reason on record {unexplained}")
    return unexplained if count else 1
