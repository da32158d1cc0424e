"""The errors of one file, by line and by the names that they are about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter

from openptx.check.proof import OTHERS
from openptx.check.repairs.errors import count_by_key
from openptx.diagnostics import Diagnostic
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.lexical import IDENTIFIER, words

ELSEWHERE = OTHERS | {"unknown-label"}
"""Errors that a fixed line may have: its names are declared elsewhere."""

OF_DECLARATIONS = frozenset(("declaration-mismatch", "duplicate-name"))
OF_FUNCTIONS = frozenset(("argument-count", "argument-type", "declaration-mismatch"))
"""Errors about calls and declarations of a function, which a wrong declaration of it causes."""
_ABSENT = 2
"""The most undeclared names that are tried in the place of an error."""
_ABOUT_NAMES = frozenset((
    "unknown-name", "unknown-function", "argument-count", "initializer", "call-of-entry", "target-list",
))  # fmt: skip
_NAME = pattern(IDENTIFIER, re.A)
_QUOTED = pattern(rf"`({IDENTIFIER})`", re.A)
_DIGITS = "0123456789"


class FileErrors:
    """The errors of a file with these bodies, which do not overlap."""

    def __init__(self, file: File, bodies: Sequence[Span], found: list[Diagnostic]) -> None:
        self.file, self.bodies = file, sorted(bodies)
        self.all = [each for each in found if each.severity == "error"]
        self.known = count_by_key(self.all)
        self._rows: dict[int, list[Diagnostic]] = {}
        for each in self.all:
            self._rows.setdefault(each.location[0], []).append(each)
        absent = (subject(each) for each in self.all if each.name in ELSEWHERE)
        self.absent = list(dict.fromkeys(name for name in absent if name))[:_ABSENT]
        """The first undeclared names."""
        self._about = self._by_name()
        self._about_rows: dict[int, list[Diagnostic]] = {}
        self._declared_rows: dict[int, list[Diagnostic]] = {}
        self._of_calls: dict[str, list[Diagnostic]] = {}
        for each in self.all:
            if each.name in OF_FUNCTIONS:
                for name in set(quoted(each.message)):
                    self._of_calls.setdefault(name, []).append(each)
            if each.name in OF_DECLARATIONS:
                for start in {each.span[0], *(label.span[0] for label in each.labels)}:
                    self._declared_rows.setdefault(file.location(start)[0], []).append(each)

    def _by_name(self) -> dict[str, list[Diagnostic]]:
        """Errors about names, by these; registers of a range without their numbers."""
        about: dict[str, list[Diagnostic]] = {}
        text = self.file.text
        for each in self.all:
            if each.name in _ABOUT_NAMES and (name := subject(each)):
                about.setdefault(name.rstrip(_DIGITS), []).append(each)
            if each.name == "argument-count":
                prototype = text[each.span[0] : text.find(";", each.span[0])].rpartition(",")[2].strip()
                about.setdefault(prototype.rstrip(_DIGITS), []).append(each)
        return about

    def in_line(self, error: Diagnostic) -> list[Diagnostic]:
        """The errors in the line of one, with it."""
        return self.in_row(error.location[0])

    def in_row(self, row: int) -> list[Diagnostic]:
        """The errors in a line."""
        return self._rows.get(row, [])

    def about_names_of_line(self, row: int) -> list[Diagnostic]:
        """The errors in other lines about the names in a line."""
        found = self._about_rows.get(row)
        if found is None:
            names = {word.rstrip(_DIGITS) for word in words(self.file.line(row))} - {""}
            found = [each for name in names for each in self._about.get(name, ()) if each.location[0] != row]
            self._about_rows[row] = found
        return found

    def about(self, name: str) -> list[Diagnostic]:
        """The errors about a name."""
        return [each for each in self._about.get(name.rstrip(_DIGITS), ()) if subject(each) == name]

    def of_calls(self, name: str) -> list[Diagnostic]:
        """The errors about calls of a function."""
        return self._of_calls.get(name, [])

    def of_headers(self, row: int) -> list[Diagnostic]:
        """The errors about what is declared in a line and the one before it, and of what is missing there."""
        unended = (each for each in self._rows.get(row - 1, ()) if each.name == "missing-semicolon")
        return [*unended, *self._declared_rows.get(row - 1, ()), *self._declared_rows.get(row, ())]

    def line(self, error: Diagnostic) -> Span:
        """The line of an error."""
        start = self.file.text.rfind("\n", 0, error.span[0]) + 1
        return start, start + len(self.file.line(error.location[0]))

    def body(self, error: Diagnostic) -> Span | None:
        """The last body that begins before an error."""
        number = bisect_right(self.bodies, error.span[0], key=itemgetter(0))
        return self.bodies[number - 1] if number else None

    def inside(self, error: Diagnostic) -> bool:
        """Whether an error is in the body of a function."""
        body = self.body(error)
        return body is not None and error.span[0] < body[1]


def quoted(message: str) -> list[str]:
    """The names that a message quotes."""
    return _QUOTED.findall(message)


def subject(error: Diagnostic) -> str:
    """The name that an error is about, or nothing."""
    if error.subject or error.name == "initializer":
        return error.subject
    written = error.file.text[slice(*error.span)]
    return written if _NAME.fullmatch(written) else ""
