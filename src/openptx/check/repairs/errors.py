"""Errors as a second check compares them: what makes two of them the same one, and which are of which kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from openptx.diagnostics import Diagnostic

GATES = frozenset(("needs-version", "needs-target"))
"""Errors of an opcode that the file's version or target does not have."""
OF_OPCODES = frozenset(("unknown-instruction", "unknown-modifier", "operand-count", "unknown-type"))
"""Errors of the parts of a statement that a mark splits."""
Errors = Counter[tuple[str, str]]


def key(error: Diagnostic) -> tuple[str, str]:
    """What an error has in common with itself in another text, in which its position may be another one."""
    return error.name, error.message


def count_by_key(found: Iterable[Diagnostic]) -> Errors:
    """How often each error is found; warnings are left out."""
    return Counter(key(each) for each in found if each.severity == "error")


def is_syntax(error: Diagnostic) -> bool:
    """Whether the error is one of tokens and statements, codes 00xx and 01xx."""
    return error.code < "PTX0200"


def is_incomplete(error: Diagnostic) -> bool:
    """Whether an instruction has too few operands, so that a `;` would not end it."""
    expected, actual = (error.expected or "").split(" ")[0], error.actual or ""
    return error.name == "operand-count" and actual.isdecimal() and expected.isdecimal() and int(actual) < int(expected)
