"""Parses plain operands into the same tree as the operand parser, several times as fast."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.constants import WARP_SIZE
from openptx.syntax.lexical import IDENTIFIER
from openptx.syntax.literals import literal
from openptx.syntax.operands import Address, Integer, Name, Operand, Selector, Sink, Vector

# groups: 1 name, 2 its selector; 3 number; 4 base and 5 offset of an address; 6 elements of a vector
_OPERAND = pattern(
    rf"({IDENTIFIER})(?:\.([xyzw]))?|(-?[0-9]\w*+)|\[({IDENTIFIER})(?:\+(-?[0-9]+))?\]|\{{([^}}]*)\}}", re.A
)


def fast_operands(text: str, start: int, end: int) -> tuple[Operand, ...]:
    """The operands between two offsets, which contain plain text (`statements.plain`)."""
    found: list[Operand] = []
    written = text[start:end]
    if "{" in written:
        return tuple(_matched(text, start, end))
    for piece in written.split(", "):
        after = start + len(piece)
        if piece[1:].isalnum() and piece[0] == "%":
            found.append(Name(piece, (start, after)))
        else:
            found += _matched(text, start, after)
        start = after + len(", ")
    return tuple(found)


def _matched(text: str, start: int, end: int) -> Iterator[Operand]:
    for match in _OPERAND.finditer(text, start, end):
        name, field, number, base, offset, elements = match.groups()
        span = match.span()
        if name is not None:
            yield _name(name, match.span(1)) if field is None else _selector(name, field, match[0], span)
        elif number is not None:
            yield _number(number, span)
        elif base is not None:
            amount = None if offset is None else _integer(offset, match.span(5))
            yield Address(_name(base, match.span(4)), amount, (), "", match[0], span)
        elif elements is not None:
            yield Vector(fast_operands(text, span[0] + 1, span[1] - 1), match[0], span)


def _name(text: str, span: Span) -> Operand:
    if text == "_":
        return Sink(span)
    return Integer(WARP_SIZE, False, text, span) if text == "WARP_SZ" else Name(text, span)


def _selector(base: str, field: str, text: str, span: Span) -> Operand:
    return Selector(Name(base, (span[0], span[0] + len(base))), field, text, span)


def _number(text: str, span: Span) -> Operand:
    if text[0] == "-" or text.isdecimal():
        return _integer(text, span)
    found = literal(text, span)
    assert found is not None, "plain text holds literals that are right"
    return found


def _integer(text: str, span: Span) -> Integer:
    """A decimal integer of at most 18 digits. A leading 0 stands alone in plain text."""
    return Integer(int(text), False, text, span, literal=text[0] != "-")
