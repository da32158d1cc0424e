"""Barriers on the fast way: whether a branch before one may have split a warp."""

from __future__ import annotations

import re

from openptx.syntax.statements import INSTRUCTION, LABEL, ODD, STATEMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import Span

_NAME = r"[A-Za-z_$%][\w$]*"
# Compiled when there is a barrier.
_SETP = rf"setp\.[\w.]+\s+({_NAME})(?:\|{_NAME})?\s*,\s*([^,;]+?)\s*,\s*([^,;]+)[^;]*;"
_LANE = rf"mov\.\w+\s+({_NAME})\s*,\s*%(?:tid\.x|laneid)\s*;"
_ANOTHER = rf"\s*(?:{_NAME}|0*(?:[1-9][0-9]{{2,}}|[4-9][0-9]|3[2-9]))\s*"  # no number below 32
_LABELLED = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")


class Meeting:
    """The barriers of one body, in the order of the text."""

    def __init__(self, text: str, body: Span) -> None:
        self.text, self.body = text, body
        self.few: set[str] | None = None  # guards that may hold for a part of a warp
        self.guard: re.Pattern[str] | None = None
        self.since = body[0]
        self.guards: set[str] = set()  # of the branches between the last label and `since`

    @property
    def simple(self) -> bool:
        """Whether no predicate of the body can split a warp, so that barriers may stand anywhere."""
        if self.few is None:
            self.few = set(self._few())
        return not self.few

    def _few(self) -> Iterator[str]:
        """The predicates that compare what may be the number of a lane with what may be less than 32."""
        text, body = self.text, self.body
        lanes = re.compile(_LANE, re.A).findall(text, *body)
        plain = len(lanes) == text.count("%tid.x", *body) + text.count("%laneid", *body)
        comparisons = re.compile(_SETP, re.A).findall(text, *body)
        if len(comparisons) < text.count("setp", *body):
            yield ""  # one is hidden behind a comment
        for name, lane, limit in comparisons:
            if (lane in lanes or not plain) and not re.fullmatch(_ANOTHER, limit, re.A):
                yield name

    def diverges(self, place: int) -> bool:
        """Whether a barrier stands behind a branch, without a label between, whose guard may split a warp."""
        if self.simple:
            return False
        few = self.few or {""}
        if not self.guards and "" not in few and not self._guarded(few, place):
            self.since = place
            return False
        for match in STATEMENT.finditer(self.text, self.since, place):
            if match.lastindex == LABEL and not _LABELLED.match(self.text, match.end()):
                self.guards.clear()
            elif match.lastindex == INSTRUCTION and match[2] and match[3].startswith("bra"):
                self.guards.add(match[2].lstrip("@!"))
            elif match.lastindex == ODD:
                return True  # perhaps a branch, with a comment in it
        self.since = place
        return "" in few or not self.guards.isdisjoint(few)

    def _guarded(self, few: set[str], place: int) -> bool:
        """Whether one of these names may be a guard between `since` and a place: it is, or a comment is in the way."""
        if self.guard is None:
            names = "|".join(map(re.escape, sorted(few)))
            self.guard = re.compile(rf"@[!\s]*(?:/|(?:{names})(?![\w$]))")
        return self.guard.search(self.text, self.since, place) is not None
