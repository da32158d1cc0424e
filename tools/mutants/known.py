"""Differences from the assembler that are intended or irrelevant: docs/differences-from-ptxas.md says why."""

from __future__ import annotations

import re
from typing import NamedTuple

from mutants.verdicts import Comparison


class Kept(NamedTuple):
    """An error of ours that the assembler does not give, and the statements in which that is so."""

    error: str
    statement: str = ""


_KEPT = (
    Kept(r"PTX0606 a special register can't be an address"),
    Kept(r"PTX0304 `testp\b", r"testp\b"),
    Kept(r"PTX0004 ", r"\.loc\b"),  # numbers that no line has
    Kept(r"PTX0611 ", r"\.(?:visible|extern|weak|shared|const|global)\b"),  # its code generator looks at sizes
    Kept(r"PTX0312 ", r"\.reg \.pred\b"),  # predicates as fragments of matrices: its code generator fails
)
_FAILURE = "Memory allocation failure"
_BEFORE = re.compile(r"^(?:\{|[\w$]+\s*:|@!?[%\w$]+|\s)*")
"""Labels and a guard."""


def known(found: Comparison) -> bool:
    """Whether a difference of verdicts is on record: each error of ours, or that the assembler fails for itself."""
    ours, theirs = found.ours.errors, found.theirs.errors
    if not ours:
        return all(_FAILURE in message for _, message in theirs)
    statements = [_BEFORE.sub("", line) for line in found.mutant.lines]
    return all(any(_is_kept(kept, message, statements) for kept in _KEPT) for _, message in ours)


def _is_kept(kept: Kept, message: str, statements: list[str]) -> bool:
    return bool(re.match(kept.error, message)) and any(re.match(kept.statement, each) for each in statements)
