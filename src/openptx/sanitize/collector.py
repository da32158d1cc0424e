"""Collects the findings of a launch."""

from __future__ import annotations

from openptx.sanitize.causes import by_cause
from openptx.sanitize.findings import Finding
from openptx.source import Span


class Collector:
    """The findings of a launch, by the keys of their statements."""

    def __init__(self, strict: bool = False) -> None:
        self._found: dict[object, Finding] = {}
        self._strict = strict
        self.limits: list[str] = []
        """What was not watched, and why."""
        self.stuck = False
        """Whether threads wait forever: in another order they may continue, and race."""

    def count_if_known(self, key: object) -> bool:
        """Whether a cause has a finding already, of which this is counted as another occurrence."""
        found = self._found.get(key)
        if found is not None:
            found.count += 1
        return found is not None

    def add(self, key: object, finding: Finding) -> None:
        self._found[key] = finding

    def get(self, key: object) -> Finding | None:
        """The finding of a cause; None if it has none."""
        return self._found.get(key)

    @property
    def unexplained_wait(self) -> bool:
        """Whether threads got stuck, and no known race may be the reason."""
        return self.stuck and not any(finding.kind == "race" for finding in self._found.values())

    @property
    def findings(self) -> list[Finding]:
        """One for each cause, errors first, each kind in text order."""
        found = [finding for finding in self._found.values() if self._strict or not finding.idiom]
        return sorted(by_cause(sorted(found, key=in_order)), key=in_order)


def in_order(finding: Finding) -> tuple[bool, Span, str]:
    return finding.severity != "error", finding.span, finding.kind
