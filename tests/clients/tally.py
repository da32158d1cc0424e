"""Counts the outcomes of other projects' test suites: their tests, not the test of ours that runs them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

NOT_REACHED = "not reached"
"""The outcome of a test whose suite was ended by its bound."""


@dataclass(slots=True)
class Suite:
    """`explained` and `failed` hold failed tests with a reason on record and without one; `skipped` counts reasons."""

    passed: int = 0
    explained: dict[str, str] = field(default_factory=dict[str, str])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    skipped: Counter[str] = field(default_factory=Counter[str])
    seconds: float = 0.0

    def count(self, name: str, outcome: str, why: str, reason: str | None = None) -> None:
        """Counts a test: `outcome` is pytest's or NOT_REACHED, `reason` explains a failure that is not ours."""
        if outcome == "passed":
            self.passed += 1
        elif outcome == "failed" and reason is not None:
            self.explained[name] = reason
        elif outcome == "failed":
            self.failed[name] = why
        else:
            self.skipped[why] += 1

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        return self.passed, len(self.explained), len(self.failed), self.skipped.total()


def table(suites: dict[str, Suite]) -> list[str]:
    """A line for each suite, then each failure and each reason of skips, then the sums in the last line."""
    lines = [f"{'suite':36} {'passed':>7} {'explained':>9} {'failed':>7} {'skipped':>7} {'seconds':>8}"]
    for name, suite in suites.items():
        passed, explained, failed, skipped = suite.numbers
        lines.append(f"{name:36} {passed:7} {explained:9} {failed:7} {skipped:7} {suite.seconds:8.0f}")
    for name, suite in suites.items():
        lines += [f"{name}: failed {test}: {first_line(why)}" for test, why in suite.failed.items()]
        lines += [f"{name}: explained {test}: {why}" for test, why in suite.explained.items()]
        lines += [
            f"{name}: {number} skipped: {first_line(why)}" for why, number in suite.skipped.most_common() if number
        ]
    sums = [sum(one) for one in zip(*(suite.numbers for suite in suites.values()), strict=True)] or [0] * 4
    passed, explained, failed, skipped = sums
    words = f"{passed} passed, {explained} failed with a reason, {failed} failed without one, {skipped} skipped"
    return [*lines, f"clients: {len(suites)} suites: {words}"]


def first_line(words: str) -> str:
    return next((line.strip() for line in words.splitlines() if line.strip()), "")[:200]
