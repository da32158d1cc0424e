"""Collects the diagnostics of one function."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from openptx.diagnostics import Collector
    from openptx.diagnostics.diagnostic import Facts
    from openptx.source import File, Span


class FunctionFindings:
    """The diagnostics of one function; they go to the collector of the file.

    `wrong`: whether one of them is an error. Consequences of an error are not reported.
    """

    __slots__ = ("collector", "file", "wrong")

    def __init__(self, collector: Collector, file: File) -> None:
        self.collector = collector
        self.file = file
        self.wrong = False

    def add(self, about: str, message: str, span: Span, label: str = "", **facts: Unpack[Facts]) -> None:
        """Collects a diagnostic made of these parts."""
        self.collect(Diagnostic(about, message, self.file, span, label, **facts))

    def collect(self, found: Diagnostic, cause: object = None) -> None:
        """Collects a diagnostic; those with the same cause are folded."""
        self.wrong = self.wrong or found.severity == "error"
        self.collector.add(found, cause)

    def is_repeated(self, cause: object, span: Span) -> bool:
        """Whether an error with this cause was found before. If so, this position is added to it."""
        found = self.collector.again(cause, span)
        self.wrong = self.wrong or found
        return found
