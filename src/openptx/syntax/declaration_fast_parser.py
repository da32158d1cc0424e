"""Parses declarations in the style of compilers with a single match. Anything else is left to the full parser."""

from __future__ import annotations

import re

from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.declaration_parser import FLOATS, NUMBERS, declaration
from openptx.syntax.declarations import (
    Declarator,
    Initialiser,
    InitialiserList,
    Pointer,
    SymbolAddress,
    Variable,
    plain_integer,
)
from openptx.syntax.lexical import FLOAT, NEW_NAME
from openptx.syntax.literals import signed
from openptx.syntax.operands import Integer, Name
from openptx.syntax.tokens import Cursor
from openptx.syntax.tree import Lazy

_NUMBER = r"(?:0|[1-9][0-9]{0,17}|[1-8][0-9]{18}|9223372036854775807)"
_HEXADECIMAL = "0[xX][0-9a-fA-F]{1,15}+"
_SYMBOL = rf"(?!WARP_SZ\b){NEW_NAME}"
_NAMED = rf"({NEW_NAME})(?:<({_NUMBER})>|\[({_NUMBER}|)\])?+"
_SIMPLE = pattern(
    rf"""(?:\.(visible|extern|weak|common)[ \t]++)?+\.(reg|param|local|shared|global|const)[ \t]++
    (?:\.align[ \t]++({_NUMBER})[ \t]++)?+ \.([bsuf](?:8|16|32|64)|pred)[ \t]++
    {_NAMED}
    (?:[ \t]*+=[ \t]*+(?:(-{_NUMBER}|(?:{_NUMBER}|{_HEXADECIMAL})U?+|{FLOAT})(?![\w.])|({NUMBERS}|{FLOATS})
      |(?:generic\(({_SYMBOL})\)|({_SYMBOL}))(?:\+({_NUMBER})(?![\w.]))?+))?+
    ((?:[ \t]*+,[ \t\r\n]*+{NEW_NAME}(?:<{_NUMBER}>|\[(?:{_NUMBER}|)\])?+)++)?+[ \t]*+;""",
    re.X | re.A,
)

_MORE = pattern(rf",[ \t\r\n]*+{_NAMED}", re.A)
_LITERAL = pattern(FLOAT, re.A)
_LISTED = pattern(rf"\{{[ \t\r\n]*+{FLOAT}", re.A)


def simple(file: File, start: int, end: int, text: str | None = None) -> Variable | None:
    """The declaration between two offsets, or None if it is not of the plain form: only its first name has a value.

    `text` is that of the file, or the same with blanks in place of comments.
    """
    text = file.text if text is None else text
    match = _SIMPLE.fullmatch(text, start, end)
    if match is None:
        return None
    linkage, space, align, type_ = match.groups()[:4]
    valued = max(match.end(8), match.end(9), match.end(10) + 1, match.end(11), match.end(12))
    if valued > 0 and match[6]:
        return None
    names = [_declarator(match, 5, _value(match, valued) if valued > 0 else None, valued)]
    if match[13]:
        names += [_declarator(more, 1) for more in _MORE.finditer(text, *match.span(13))]
    if space != "reg" and any(each.count is not None and len(each.count.text) > 4 for each in names):
        return None
    return Variable(
        file, (start, end), linkage=linkage or "", space=space, space_span=_dotted(match.span(2)), bank=None,
        attributes=(), align=_integer(align, match.span(3)), vector=1, type=type_, type_span=_dotted(match.span(4)),
        pointer=None, names=tuple(names),
    )  # fmt: skip


def _declarator(match: re.Match[str], group: int, value: Initialiser | None = None, end: int = 0) -> Declarator:
    """The name that `_NAMED` has matched from this group on, with its value, and where that ends."""
    (start, named), counted, sized = (match.span(each) for each in (group, group + 1, group + 2))
    return Declarator(
        Name(match[group], (start, named)),
        _integer(match[group + 1], counted),
        () if sized[0] < 0 else (_integer(match[group + 2] or None, sized),),
        value,
        (start, max(named, counted[1] + 1, sized[1] + 1, end)),
    )


def _value(match: re.Match[str], end: int) -> Initialiser | None:
    """The initial value of a declaration, and where it ends."""
    number, numbers, generic, symbol, offset = match.groups()[7:12]
    if numbers:
        return InitialiserList(None, match.span(9), numbers, floats=_LISTED.match(numbers) is not None)
    if number:
        return (signed if _LITERAL.fullmatch(number) else plain_integer)(number, match.span(8))
    span = match.span(10 if generic else 11)
    start = span[0] - len("generic(") if generic else span[0]
    return SymbolAddress(Name(generic or symbol, span), int(offset or 0), bool(generic), None, (start, end))


_PARAMETER = pattern(
    rf"""[ \t\r\n]*+\.(reg|param)[ \t]++(?:\.align[ \t]++({_NUMBER})[ \t]++)?+\.([bsuf](?:8|16|32|64)|pred)[ \t]++
    (?:(\.ptr)(?:[ \t]++\.(global|const|local|shared))?+(?:[ \t]++\.align[ \t]++({_NUMBER}))?+[ \t]++)?+
    ({NEW_NAME})(?:\[({_NUMBER})\])?+[ \t\r\n]*+(?:,|\Z)""",
    re.X | re.A,
)


def parameters_between(file: File, start: int, end: int) -> tuple[Variable, ...] | None:
    """The parameters between two parentheses, empty if there are none; None if one is not of the plain form."""
    found: list[Variable] = []
    text, offset = file.text, start
    while 0 <= offset < end:
        match = _PARAMETER.match(text, offset, end)
        if match is None:
            return None
        space, align, type_, pointer, pointed, pointer_align, name, size = match.groups()
        first, named = match.span(7)
        after = named if size is None else match.end(8) + 1
        lengths = () if size is None else (_integer(size, match.span(8)),)
        to = None
        if pointer:
            to = Pointer(
                pointed or "",
                _integer(pointer_align, match.span(6)),
                (match.start(4), max(match.end(4), match.end(5), match.end(6))),
            )
        begin, typed = match.start(1) - 1, match.span(3)
        found.append(Variable(
            file, (begin, after), linkage="", space=space, space_span=(begin, match.end(1)), bank=None, attributes=(),
            align=None if align is None else _integer(align, match.span(2)), vector=1, type=type_,
            type_span=(typed[0] - 1, typed[1]), pointer=to,
            names=(Declarator(Name(name, (first, named)), None, lengths, None, (first, after)),),
        ))  # fmt: skip
        offset = match.end()
    return tuple(found) if not found or text[offset - 1] != "," else None


def _integer(text: str | None, span: Span) -> Integer | None:
    return None if text is None else plain_integer(text, span)


def _dotted(span: Span) -> Span:
    return span[0] - 1, span[1]


def variable(file: File, start: int, end: int) -> Variable:
    """The declaration between two offsets, known to be correct."""
    return simple(file, start, end) or declaration(Cursor(file, start, end), [])


Lazy.variable = variable
