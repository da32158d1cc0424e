"""Candidates of form selection."""

from __future__ import annotations

from openptx.check.problems import WARNINGS, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.forms import Form, Modifiers

Findings = tuple[Problem, ...]


class Candidate:
    """A form with its findings about the operands. The better of two has the higher `rank`."""

    __slots__ = ("findings", "form", "m", "rank")

    def __init__(self, form: Form, m: Modifiers, rank: tuple[int, ...], findings: Findings) -> None:
        self.form, self.m, self.rank, self.findings = form, m, rank, findings

    @property
    def accepted(self) -> bool:
        """Whether nothing but warnings was found."""
        return all(finding.about in WARNINGS for finding in self.findings)
