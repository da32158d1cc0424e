"""Reads initial values: constants, addresses of symbols, lists in braces, members of samplers (manual 5.4.4)."""

from __future__ import annotations

import re

from openptx.patterns import pattern
from openptx.syntax.constants import constant
from openptx.syntax.declarations import Initialiser, InitialiserList, Member, SymbolAddress
from openptx.syntax.lexical import SMALL_INTEGER
from openptx.syntax.operand_parser import negative_offset
from openptx.syntax.operands import Integer, Name
from openptx.syntax.tokens import DEPTH, Cursor

NUMBERS = rf"\{{[ \t\r\n]*+(?:(?:{SMALL_INTEGER})(?![\w.])[ \t\r\n]*+(?:,[ \t\r\n]*+(?=[-0-9])|(?=\}})))++\}}"
"""A list of decimal or hexadecimal integers, as compilers write tables."""

_NUMBERS = pattern(NUMBERS, re.A)


def initialiser(c: Cursor) -> Initialiser:
    """Read what stands after `=`."""
    start = c.start
    if c.word == "{":
        return _list(c)
    if c.kind == "word" and c.word != "WARP_SZ":
        return _symbol(c, start, None)
    found = constant(c)
    if isinstance(found, Integer) and found.literal and c.take("("):
        return _masked(c, start, found)
    return found


def _list(c: Cursor) -> InitialiserList:
    start, elements = c.start, list[Initialiser]()
    if c.depth < DEPTH and (plain := _NUMBERS.match(c.file.text, start, c.limit)) is not None:
        c.seek(plain.end())
        return InitialiserList(None, (start, plain.end()), plain[0])
    c.expect("{", "")
    c.deeper()
    if c.word != "}":
        elements.append(initialiser(c))
        while c.take(","):
            elements.append(initialiser(c))
    c.expect("}", "to close the initial values")
    c.depth -= 1
    return InitialiserList(tuple(elements), (start, c.last))


def _masked(c: Cursor, start: int, mask: Integer) -> Initialiser:
    """`0xFF00(var+4)` or `0xFF(1000 + 546)`: the bits of the mask, moved to the lowest place."""
    if c.kind == "word" and c.word != "WARP_SZ":
        symbol = _symbol(c, start, mask)
        c.expect(")", "after what the mask is applied to")
        symbol.span = start, c.last
        return symbol
    found = constant(c)
    if not isinstance(found, Integer):
        raise c.mistake("invalid-expression", "a mask takes bits of an integer", found.span)
    c.expect(")", "after what the mask is applied to")
    shift = max((mask.value & -mask.value).bit_length() - 1, 0)
    bits = (found.value & mask.value & (1 << 64) - 1) >> shift
    return Integer(bits, True, c.file.text[start : c.last], (start, c.last), literal=False)


def _symbol(c: Cursor, start: int, mask: Integer | None) -> SymbolAddress | Member:
    text, span = c.name("a variable or function", "")
    generic = text == "generic" and c.take("(")
    if generic:
        text, span = c.name("a variable or function", "inside `generic`")
        c.expect(")", "after the name")
    name = Name(text, span)
    if mask is None and not generic and c.take("="):
        c.deeper()
        value = initialiser(c)
        c.depth -= 1
        if isinstance(value, SymbolAddress) and not value.generic and not value.offset:
            return Member(name, value.name, (start, c.last))
        if isinstance(value, Integer):
            return Member(name, value, (start, c.last))
        raise c.mistake(c.about, "a member takes an integer or a name", value.span)
    if c.word == "-":
        raise negative_offset(c, name)
    offset = constant(c) if c.take("+") else None
    if offset is None or isinstance(offset, Integer):
        return SymbolAddress(name, offset.value if offset else 0, generic, mask, (start, c.last))
    raise c.mistake("invalid-expression", "an offset is an integer", offset.span, "this is a floating-point constant")
