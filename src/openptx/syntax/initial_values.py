"""Parses the initial values of variables (manual 5.4.4): numbers, addresses, masked ones, fields, lists."""

from __future__ import annotations

from openptx.syntax.constants import constant
from openptx.syntax.declaration_mistakes import commaless, no_value
from openptx.syntax.declarations import Initialiser, InitialiserList, MaskedInteger, Member, SymbolAddress
from openptx.syntax.operand_parser import fractional_offset, negative_offset
from openptx.syntax.operands import Float, Integer, Name
from openptx.syntax.plain_values import MOST_DIMENSIONS, plain_list
from openptx.syntax.tokens import DEPTH, Cursor


def initialiser(c: Cursor) -> Initialiser:
    """Parses an initial value, after `=`."""
    start = c.start
    if c.word == "{":
        return _list(c)
    if mistake := no_value(c):
        raise mistake
    if c.kind == "word" and c.word != "WARP_SZ":
        return _symbol(c, start, None)
    found = constant(c)
    if isinstance(found, Integer) and found.literal and c.take("("):
        return _masked(c, start, found)
    return found


def _list(c: Cursor) -> InitialiserList:
    start, elements = c.start, list[Initialiser]()
    if c.depth + MOST_DIMENSIONS <= DEPTH and (plain := plain_list(c.file.text, start, c.limit)) is not None:
        kind, end = plain
        c.seek(end)
        return InitialiserList(None, (start, end), kind, c.file.text[start:end])
    c.expect("{", "")
    c.deeper()
    if c.word != "}":
        elements.append(initialiser(c))
        while c.take(","):
            elements.append(initialiser(c))
    if c.word[:1].isalnum() or c.word[:1] in ("-", "%", "$", "_", "{"):  # another value, without its comma
        raise commaless(c, "expected `,` or `}` after an initial value")
    c.expect("}", "to close the initial values")
    c.depth -= 1
    return InitialiserList(tuple(elements), (start, c.last))


def _masked(c: Cursor, start: int, mask: Integer) -> Initialiser:
    """`0xFF00(var+4)` or `0xFF(1000 + 546)`: the bits of the mask, shifted down."""
    if c.kind == "word" and c.word != "WARP_SZ":
        symbol = _symbol(c, start, mask)
        c.expect(")", "after what the mask is applied to")
        symbol.span = start, c.last
        return symbol
    found = constant(c)
    if not isinstance(found, Integer):
        raise c.mistake("invalid-expression", "a mask takes bits of an integer", found.span)
    c.expect(")", "after what the mask is applied to")
    return MaskedInteger(found.value, mask, c.file.text[start : c.last], (start, c.last))


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
        if isinstance(value, (Integer, Float)):
            return Member(name, value, (start, c.last))
        raise c.mistake(c.about, "a field takes a number or a name", value.span)
    if c.word == "-":
        raise negative_offset(c, name)
    offset = constant(c) if c.take("+") else None
    if offset is None or isinstance(offset, Integer):
        return SymbolAddress(name, offset.value if offset else 0, generic, mask, (start, c.last))
    raise fractional_offset(c, offset)
