"""Selection of diagnostics: codes, prefixes of codes, or names, as `--select` and `--ignore` take them."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.diagnostics import Diagnostic
from openptx.diagnostics.codes import every_code
from openptx.errors import ArgumentError

OPT_IN = frozenset({"unused", "unreachable", "deprecated"})
"""Codes that are reported only when they are selected by name or code."""


class Selection:
    """Decides which diagnostics are reported. The more specific option wins: `--select PTX03 --ignore PTX0312`.

    `select` restricts the report to these, `extend` adds to the default.
    """

    __slots__ = ("extended", "ignored", "selected")

    def __init__(self, select: Sequence[str], ignore: Sequence[str], extend: Sequence[str] = ()) -> None:
        self.selected = read_codes(select)
        self.extended = read_codes(extend)
        self.ignored = read_codes(ignore)

    @property
    def names(self) -> frozenset[str]:
        """The names of the codes that are selected individually: some are checked only then."""
        entries = {*self.selected, *self.extended}
        return frozenset(row.name for row in every_code() if row.code in entries) if entries else frozenset()

    def takes(self, diagnostic: Diagnostic) -> bool:
        """Whether to report it."""
        extended = longest(self.extended, diagnostic)
        wanted, unwanted = max(longest(self.selected, diagnostic), extended), longest(self.ignored, diagnostic)
        if diagnostic.name in OPT_IN:
            return wanted == len(diagnostic.code) and not unwanted
        if self.selected and not wanted:
            return False
        return not unwanted or unwanted < wanted


def longest(entries: list[str], diagnostic: Diagnostic) -> int:
    """The length of the longest of these prefixes that the diagnostic's code has; 0 for none."""
    return max((len(entry) for entry in entries if diagnostic.code.startswith(entry)), default=0)


def read_codes(entries: Sequence[str]) -> list[str]:
    """`["PTX03,operand-type"]` as prefixes of codes; `ArgumentError` for a prefix that no code has."""
    texts = [text.strip() for entry in entries for text in entry.split(",") if text.strip()]
    return [read_code(text) for text in texts]


def read_code(text: str) -> str:
    """A code, a name or a prefix of a code, as a prefix of a code."""
    beginning = text.upper()
    for row in every_code():
        if row.name == text.lower():
            return row.code
        if beginning.startswith("PTX") and row.code.startswith(beginning):
            return beginning
    raise ArgumentError(f"no code `{text}`: write a code like PTX0312, its beginning like PTX03, or its name")
