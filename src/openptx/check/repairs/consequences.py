"""Errors that are consequences of others by their nature, whatever the fixes of those are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from openptx.check.repairs.errors import is_incomplete
from openptx.check.repairs.file_errors import OF_DECLARATIONS, FileErrors, quoted
from openptx.diagnostics import Diagnostic
from openptx.diagnostics.kinds import (
    ANOTHER_HEADER,
    CALL_OF_C,
    CUT_OFF,
    NO_DEBUG_INFORMATION,
    NO_HEADER,
    OF_ANOTHER_SPACE,
    OTHER_STATEMENT,
)
from openptx.patterns import pattern
from openptx.syntax.brace_matcher import closing
from openptx.syntax.lexical import IDENTIFIER, words

OF_SPACES = frozenset(("array-size", "register-type"))
"""Errors of declarations that another state space may not have."""

_LONGEST_BLOCK = 1 << 13
"""Characters of a block of C whose end is looked for."""


_HEADER = pattern(rf"\.(?:func|entry)\b[^;{{}}]*?({IDENTIFIER})\s*\(", re.A)


def _start_of_header(errors: FileErrors, error: Diagnostic) -> int:
    return max(errors.file.text.rfind(word, 0, error.span[0]) for word in (".func", ".entry"))


def _of_damaged_header(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors about the function that has an error among its parameters."""
    start = _start_of_header(errors, error)
    if start >= 0 and (header := _HEADER.match(errors.file.text, start)) is not None:
        yield from errors.of_calls(header[1])


def _of_unread_header(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors about the function in whose header an error is: that it differs from others, and from its calls."""
    start = _start_of_header(errors, error)
    if start >= 0 and not errors.inside(error) and _ENDS.search(errors.file.text, start, error.span[0]) is None:
        yield from (each for each in _of_damaged_header(errors, error) if each is not error)


def _others_of_line(errors: FileErrors, error: Diagnostic) -> Iterable[Diagnostic]:
    return (each for each in errors.in_line(error) if each is not error)


def _of_other_header(errors: FileErrors, error: Diagnostic) -> Iterable[Diagnostic]:
    return errors.of_headers(error.location[0])


def _registers_before(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors about registers in the lines before instructions that are outside of functions: they lack the same
    header."""
    for row in range(error.location[0] - 1, 0, -1):
        found = [each for each in errors.in_row(row) if each.name == "state-space-place"]
        if not found and error.file.line(row).strip():
            return
        yield from found


def _of_header(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The error that the header with this error differs from an earlier one."""
    mismatches = (each for each in errors.all if each.name == "declaration-mismatch" and each.span[0] < error.span[0])
    yield from (each for each in mismatches if _ENDS.search(errors.file.text, each.span[0], error.span[0]) is None)


_ENDS = pattern(r"[;{}]")


def _passed(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors of calls that the variable declared in the line of an error is passed to."""
    declared = {*words(errors.file.line(error.location[0]))}
    calls = (each for each in errors.all if each.name == "argument-type")
    yield from (each for each in calls if errors.file.text[slice(*each.span)] in declared)


def _without_parameters(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors of calls of the function whose parameter is not declared."""
    if (lacking := _LACKING.match(error.help or "")) is not None:
        yield from (each for each in errors.of_calls(lacking[1]) if each.name == "argument-count")


_LACKING = pattern(rf"declare (?:it|them) as (?:a )?parameters? of `({IDENTIFIER})`", re.A)


def _accesses(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors of accesses to the variable that is declared in the line of an error, but for its calls."""
    start, end = errors.line(error)
    for each in errors.all:
        if each.name == "state-space" and any(start <= label.span[0] < end for label in each.labels):
            yield each


def _of_mismatch(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors about calls of a function whose declarations differ, and about the parameters that one lacks."""
    yield from (each for name in quoted(error.message)[:1] for each in errors.of_calls(name) if each.name != error.name)
    yield from (each for name in quoted(error.help or "") for each in errors.about(name))
    if (lacking := _RESULTS.search(error.message)) is not None:
        own = f"or as a parameter of `{lacking[1]}`"
        yield from (each for each in errors.all if each.name == "unknown-name" and own in (each.help or ""))


_RESULTS = pattern(rf"`({IDENTIFIER})` was declared with [0-9]+ results?, not 0", re.A)


def begins_block_of_c(error: Diagnostic) -> bool:
    """Whether an error is that of `if (a) {` or the like."""
    return error.kind == CALL_OF_C and error.file.line(error.location[0]).endswith("{")


def continued(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The error of what goes on with a statement of C after its block: `while` of `do`, `else` of `if`."""
    text, opened = errors.file.text, errors.line(error)[1]
    close = closing(text, opened, min(opened + _LONGEST_BLOCK, len(text)))
    if close is not None:
        after = (each for each in errors.all if each.kind == CALL_OF_C and each.span[0] > close)
        yield from (each for each in after if not text[close + 1 : each.span[0]].strip())


def _labels_after(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors about labels in the body that is cut off, and about debug information: both may stand in what is
    missing."""
    body = errors.body(error)
    start = body[0] if body is not None else 0
    for each in errors.all:
        if (each.name == "unknown-label" and each.span[0] >= start) or each.kind == NO_DEBUG_INFORMATION:
            yield each


def _of_unfinished(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors about the name of the declaration that is cut off."""
    start = max(errors.file.text.rfind(mark, 0, error.span[0]) for mark in ";}")
    yield from (each for each in errors.all if each.name in OF_DECLARATIONS and each.span[0] > start)


def _among(row: int, names: Collection[str]) -> Callable[[FileErrors, Diagnostic], Iterable[Diagnostic]]:
    """The rule by which an error causes those of some names in its row, or in one before it."""
    return lambda errors, error: (each for each in errors.in_row(error.location[0] + row) if each.name in names)


_RULES: tuple[tuple[tuple[str, ...], Callable[[FileErrors, Diagnostic], Iterable[Diagnostic]]], ...] = (
    # names and kinds of errors                                    what they cause
    ((CALL_OF_C, CUT_OFF, ANOTHER_HEADER, "unterminated-comment"), _others_of_line),
    ((CUT_OFF,),                                                   _labels_after),
    ((CUT_OFF,),                                                   _of_unfinished),
    ((ANOTHER_HEADER,),                                            _of_other_header),
    ((NO_HEADER,),                                                 _among(-1, {"repeated-directive"})),  # replaces it
    ((OTHER_STATEMENT,),                                           _of_damaged_header),
    (("invalid-declaration", "syntax", "register-type"),           _of_unread_header),
    (("parameter",),                                               _of_header),
    (("alignment",),                                               _passed),
    (("unknown-target",),                                          _among(0, {"syntax"})),  # a hyphen in it
    (("unknown-name",),                                            _without_parameters),
    ((OF_ANOTHER_SPACE,),                                          _accesses),
    (("misplaced-statement",),                                     _registers_before),
    (("state-space-place", "removed"),                             _among(0, OF_SPACES)),  # in the wrong space
    (("declaration-mismatch",),                                    _of_mismatch),
)  # fmt: skip


def consequences(errors: FileErrors, error: Diagnostic) -> Iterator[Diagnostic]:
    """The errors that another one causes."""
    for about, caused in _RULES:
        if error.kind in about or error.name in about:
            yield from caused(errors, error)
    if is_incomplete(error):
        yield from (each for each in errors.in_line(error) if each.name == "missing-semicolon")
