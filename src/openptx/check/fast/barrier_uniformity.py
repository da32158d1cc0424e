"""Whether a divergent branch may have split a warp before a barrier; accepts only if that is impossible."""

from __future__ import annotations

import re
from collections import Counter

from openptx.isa.control import JUMPS, mnemonics
from openptx.syntax.lexical import WORD
from openptx.syntax.row_lexer import GUARD, LABEL, OPCODE, OTHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import Span
    from openptx.syntax.row_lexer import Row

# Compiled when the first barrier occurs.
_SETP = rf"setp\.[\w.]+\s+({WORD})(?:\|{WORD})?\s*,\s*([^,;]+?)\s*,\s*([^,;]+)[^;]*;"
_LANE = rf"mov\.\w+\s+({WORD})\s*,\s*%(?:tid\.x|laneid)\s*;"
_NO_LANE = rf"\s*(?:{WORD}|0*(?:[1-9][0-9]{{2,}}|[4-9][0-9]|3[2-9]))\s*"  # no number below 32
_UNKNOWN = ""
"""Represents an unknown branch or predicate in a set of guards."""


class BarrierUniformity:
    """The barriers of one body, in text order: rows are passed a chunk at a time."""

    def __init__(self, text: str, body: Span) -> None:
        self.text, self.body = text, body
        self.splitting: set[str] | None = None  # guards that may hold for a part of a warp; None until they are needed
        self.rows: list[Row] = []
        self.known: tuple[int, set[str]] = 0, set()  # the last row queried, and its guards
        self.pending: set[str] = set()  # guards of the branches after the last label, in the chunks passed so far

    @property
    def never_splits(self) -> bool:
        """Whether no predicate of the body can split a warp, so that barriers are allowed anywhere."""
        return not self._splitting_guards()

    def diverges(self, rows: list[Row], number: int) -> bool:
        """Whether a barrier follows a branch, without a label in between, whose guard may split a warp."""
        splitting = self._splitting_guards()
        if not splitting:
            return False
        guards = self._guards(rows, number)
        return bool(guards) and (_UNKNOWN in splitting or _UNKNOWN in guards or not guards.isdisjoint(splitting))

    def note_passed(self, rows: list[Row], number: int, *, known: bool) -> None:
        """The walk has passed all rows before this one. `known`: the next statement is a row."""
        if self.splitting is None and self.text.find("bar", *self.body) < 0:
            self.splitting = set()
        if self.splitting is None or self.splitting:
            self.pending = self._guards(rows, number)
            if not known:
                self.pending.add(_UNKNOWN)

    def _guards(self, rows: list[Row], number: int) -> set[str]:
        """The guards of the branches between a row and the last label before it."""
        asked, before = self.known if self.rows is rows else (0, self.pending)
        found: set[str] = set()
        for row in reversed(rows[asked:number]):
            if row[LABEL - 1]:
                break
            if row[GUARD - 1]:
                if row[OPCODE - 1].startswith(tuple(mnemonics(*JUMPS))):
                    found.add(row[GUARD - 1])
            elif row[OTHER - 1].startswith(("@", "{")) and any(name in row[OTHER - 1] for name in mnemonics(*JUMPS)):
                found.add(_UNKNOWN)
        else:
            found |= before
        self.rows, self.known = rows, (number, found)
        return found

    def _splitting_guards(self) -> set[str]:
        if self.splitting is None:
            self.splitting = set(self._find_splitting())
        return self.splitting

    def _find_splitting(self) -> Iterator[str]:
        """The predicates that compare a possible lane number with a possible constant below 32."""
        text, body = self.text, self.body
        read = text.count("%tid.x", *body) + text.count("%laneid", *body)
        lanes = re.compile(_LANE, re.A).findall(text, *body) if read else []
        plain = len(lanes) == read
        if plain and not lanes:
            return
        comparisons = re.compile(_SETP, re.A).findall(text, *body)
        if len(comparisons) < text.count("setp", *body):
            yield _UNKNOWN  # a comment hides one
        several = self._written_repeatedly([name for name, _, _ in comparisons])
        if plain and lanes:
            several |= self._written_repeatedly(lanes)
        for name, lane, limit in comparisons:
            if name in several or lane in several:
                continue
            if (lane in lanes or not plain) and not re.fullmatch(_NO_LANE, limit, re.A):
                yield name

    def _written_repeatedly(self, names: list[str]) -> set[str]:
        """Registers that occur twice, so that several statements may write them and their guard is unknown; empty if a
        comment or a line `# 1 "a.cu"` may contain such a statement."""
        if self.text.find("/", *self.body) >= 0 or self.text.find("#", *self.body) >= 0:
            return set()
        return {name for name, times in Counter(names).items() if times > 1}
