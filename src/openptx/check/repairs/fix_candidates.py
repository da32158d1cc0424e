"""The edits that may fix an error, the likeliest first; a second check chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.check.names.lost_declarations import type_of
from openptx.check.names.missing_declarations import PLAIN
from openptx.check.repairs.brace_edits import body_opened, brace_edits
from openptx.check.repairs.declaration_edits import edits, replacement
from openptx.check.repairs.directive_shapes import without_dot
from openptx.check.repairs.duplicate_edits import DUPLICATES, duplicate_edits
from openptx.check.repairs.errors import OF_OPCODES
from openptx.check.repairs.file_errors import FileErrors, quoted
from openptx.check.repairs.line_shapes import nested_comment, prototype_last
from openptx.check.repairs.mark_edits import mark_edits, slips
from openptx.check.repairs.other_registers import other_registers
from openptx.check.repairs.tokens import lacking_count
from openptx.check.spelling import distance
from openptx.diagnostics import SUGGESTION, Diagnostic, Fix
from openptx.diagnostics.kinds import CUT_OFF, UNDECLARED
from openptx.patterns import pattern

_LONGEST = 1 << 14
"""Characters of a line that edits are searched for in: some searches take quadratic time."""
EDITED = frozenset((
    "syntax", "missing-semicolon", "unclosed-bracket", "unknown-directive", "invalid-operand", "invalid-declaration",
    "invalid-expression", "invalid-directive", "misplaced-directive", "invalid-character", "unterminated-string",
    "invalid-integer", "invalid-float", "register-type", "invalid-opcode", "invalid-name", "unterminated-comment",
    "vector-declaration",
))  # fmt: skip
"""Syntax errors for which edits are tried; braces, comments and names have advice of their own."""
_OUTSIDE = frozenset(("state-space-place", "misplaced-statement", "misplaced-directive", "invalid-declaration"))
"""Errors of what stands outside of bodies."""
_OF_CALLS = frozenset(("ret-param", "param-list"))
"""Operands of calls that are not what stands there where a prototype comes too early."""


def fix_candidates(errors: FileErrors, error: Diagnostic) -> Iterator[Fix]:
    """The error's own fix, and edits by its name."""
    text, line = errors.file.text, errors.line(error)
    if line[1] - line[0] > _LONGEST:
        yield from (error.fix,) if error.fix is not None else ()
        return
    if error.name == "missing-semicolon" and any(each.name == "unmatched-brace" for each in errors.all):
        yield from brace_edits(error)
    if error.fix is not None:
        yield error.fix
    if error.kind == UNDECLARED:
        yield from _of_other_types(error)
    if error.name in OF_CONSTANTS:
        yield from constant_edits(error)
    if error.operand in _OF_CALLS:
        yield from prototype_last(text, line)
    if error.name in DUPLICATES:
        yield from duplicate_edits(error, errors.absent)
    if error.name == "array-size":
        yield from (replacement(*each) for each in lacking_count(text, line))
    if error.name in ("unclosed-brace", "unmatched-brace") and error.kind != CUT_OFF:
        yield from brace_edits(error)
    yield from _labels(errors, error)
    yield from _edits_of_text(errors, error)


def _labels(errors: FileErrors, error: Diagnostic) -> Iterator[Fix]:
    """The labels that are missing, in the place of a directive that has taken the line of one, or of a damaged one."""
    if not errors.inside(error):
        return
    start, end = errors.line(error)
    damaged = _LABEL.fullmatch(errors.file.text, start, end)
    if error.name != "misplaced-directive" and damaged is None:
        return
    missing = [each.message for each in errors.all if each.name == "unknown-label"]
    for name in dict.fromkeys(name for message in missing[:_MOST_LABELS] for name in quoted(message)):
        if damaged is None:
            yield replacement((start, end), f"{name}:")
        elif distance(damaged[1], name, _MOST_EDITS + 1) <= _MOST_EDITS:
            yield replacement(damaged.span(1), f"{name}:")


_LABEL = pattern(r"[ \t]*([%$\w][%$\w.]*[ \t]*[:;]?)[ \t\r]*(?://.*)?", re.A)
"""A word alone in its line."""
_MOST_LABELS = 8
"""The most missing labels that are tried in the place of one word."""
_MOST_EDITS = 3
"""The most letters in which a damaged label differs from what it was, with its colon."""


def _of_other_types(error: Diagnostic) -> Iterator[Fix]:
    """The declaration that registers lack, with another type than the first of their uses suggests."""
    own, type = error.fix, type_of(error)
    for other in PLAIN if type else ():
        if own is not None and f".{other}" != type:
            meant = own.replacement.replace(type, f".{other}", 1)
            yield Fix(own.span, meant, f"write `{meant.strip()}`")


def _edits_of_text(errors: FileErrors, error: Diagnostic) -> Iterator[Fix]:
    """Edits by the text around an error."""
    text, line, inside = errors.file.text, errors.line(error), errors.inside(error)
    if error.name in EDITED or error.name in _OUTSIDE:
        yield from nested_comment(text, error.span[0])
    if inside or error.name in _OUTSIDE:
        yield from without_dot(text, line)
    if not inside and error.name in _OUTSIDE:
        yield from body_opened(text, error.span[0])
    if error.name in EDITED:
        yield from edits(error, inside, errors.absent)
    if inside:
        if error.fix is None:
            yield from other_registers(errors, error)
        yield from slips(text, line)
    one_of_several = error.name in OF_OPCODES and len(errors.in_line(error)) > 1  # as where a mark splits a statement
    if inside and (error.name in EDITED or one_of_several):
        yield from mark_edits(text, error.span, line)


OF_CONSTANTS = frozenset(("invalid-integer", "invalid-float", "immediate-type", "invalid-expression", "unknown-name"))
"""The errors of constants, and of names that are none here."""

_NAMED = {
    "true": ("1",), "false": ("0",), "null": ("0",), "nullptr": ("0",), "none": ("0",),
    "inf": ("0f7F800000", "0d7FF0000000000000"), "infinity": ("0f7F800000", "0d7FF0000000000000"),
    "nan": ("0f7FFFFFFF", "0d7FFFFFFFFFFFFFFF"),
}  # fmt: skip
_DOUBLE = pattern(r"\.f64\b")
_SHAPES = {
    # a number of another language                                  what it may be
    pattern(r"(0[xX][0-9a-fA-F]++|[1-9][0-9]*|0)[lL]*[uU][lL]*"):    r"\1U",
    pattern(r"([0-9a-fA-F]+)[hH]"):                                 r"0x\1",
    pattern(r"(0[xX][0-9a-fA-F]+)[g-zG-Z]\w*"):                     r"\1",
    pattern(r"0[fFdD](0[fFdD][0-9a-fA-F]{8,16})"):                  r"\1",
    pattern(r"0+([1-9][0-9]*)|0[bBfFdDoO]([1-9][0-9]{0,2})"):       r"\1\2",
    pattern(r"(0|[1-9][0-9]*)(?:\.0*)?[a-zA-Z]*"):                  r"\1",
    pattern(r"([1-9][0-9]*)[a-zA-Z_]([0-9]+)"):                      r"\1\2",
}  # fmt: skip


def constant_edits(error: Diagnostic) -> Iterator[Fix]:
    """The constants that the text of an error may stand for, the likeliest first."""
    text = error.file.text[slice(*error.span)]
    named = _NAMED.get(text.lower(), ())
    if _DOUBLE.search(error.file.line(error.location[0])):
        named = named[::-1]  # an instruction on doubles takes the bits of a float for those of a small double
    numbers = (match.expand(meant) for shape, meant in _SHAPES.items() if (match := shape.fullmatch(text)) is not None)
    for meant in (*named, *numbers):
        yield Fix(error.span, meant, f"write `{meant}`", SUGGESTION)
