"""Collects the diagnostics of a file, folds those with the same cause, and returns them in text order."""

from __future__ import annotations

from openptx.diagnostics.diagnostic import Diagnostic
from openptx.source import Span


class Collector:
    """`add(diagnostic, cause)`: a second diagnostic with an equal `cause` becomes a further location of the first.

    Pass as cause what the user would fix once: an undeclared name, an unknown opcode. Without one nothing is folded.
    """

    __slots__ = ("_also", "_found")

    def __init__(self) -> None:
        self._found: list[tuple[Diagnostic, object]] = []
        self._also: dict[object, list[Span]] = {}

    def add(self, diagnostic: Diagnostic, cause: object = None) -> None:
        """Collects a diagnostic, or adds it to the first one with the same cause."""
        if cause is None:
            self._found.append((diagnostic, None))
        elif (also := self._also.get(cause)) is not None:
            also.append(diagnostic.span)
        else:
            self._also[cause] = []
            self._found.append((diagnostic, cause))

    def again(self, cause: object, span: Span) -> bool:
        """Adds a location to the diagnostic of a cause; False if there is none yet."""
        also = self._also.get(cause)
        if also is not None:
            also.append(span)
        return also is not None

    def extend(self, diagnostics: list[Diagnostic]) -> None:
        """Adds diagnostics that another pass collected."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def not_since(self, before: int, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """The ones of `diagnostics` that are not among the ones collected after the first `before`."""
        known = {(found.name, found.span) for found, _ in self._found[before:]}
        return [each for each in diagnostics if (each.name, each.span) not in known] if known else diagnostics

    def since(self, before: int) -> list[Diagnostic]:
        """Those collected after the first `before`."""
        return [found for found, _ in self._found[before:]]

    def replace(self, before: int, found: list[Diagnostic]) -> None:
        """Replaces those collected after the first `before`; those that stay keep their further locations."""
        causes = {id(known): cause for known, cause in self._found[before:]}
        self._found[before:] = [(each, causes.get(id(each))) for each in found]

    def __len__(self) -> int:
        return len(self._found)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All of them, in text order; those at one location in the order they were found."""
        found = [d.with_locations(self._others(d, cause)) if self._also.get(cause) else d for d, cause in self._found]
        return sorted(found, key=lambda diagnostic: diagnostic.span[0])

    def _others(self, first: Diagnostic, cause: object) -> tuple[Span, ...]:
        """The further locations of a diagnostic: it may have been found again at its own."""
        return tuple(span for span in dict.fromkeys(self._also[cause]) if span != first.span)
