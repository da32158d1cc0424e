"""Parses declarations in the style of compilers with a single match. Anything else is left to the full parser."""

from __future__ import annotations

import re

from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.declaration_parser import declaration
from openptx.syntax.declarations import Declarator, Initialiser, InitialiserList, SymbolAddress, Variable, plain_integer
from openptx.syntax.lexical import FLOAT, INITIAL_INTEGER, NEW_NAME
from openptx.syntax.literals import signed
from openptx.syntax.operands import Integer, Name
from openptx.syntax.plain_values import LIST, SYMBOL, plain_list
from openptx.syntax.tokens import Cursor

_NUMBER = r"(?:0|[1-9][0-9]{0,17}|[1-8][0-9]{18}|9223372036854775807)"
_NAMED = rf"({NEW_NAME})(?:<({_NUMBER})>)?+((?:\[{_NUMBER}?+\](?:\[{_NUMBER}\])*+)?+)"
_SIMPLE = pattern(
    rf"""(?:\.(visible|extern|weak|common)[ \t]++)?+\.(reg|param|local|shared|global|const)[ \t]++
    (?:\.align[ \t]++({_NUMBER})[ \t]++)?+ (?:\.v([248])[ \t]++)?+ \.([bsuf](?:8|16|32|64)|pred)[ \t]++
    {_NAMED}
    (?:[ \t]*+=[ \t]*+(?:({INITIAL_INTEGER}|{FLOAT})(?![\w.])|({LIST})
      |(?:generic\(({SYMBOL})\)|({SYMBOL}))(?:\+({_NUMBER})(?![\w.]))?+))?+
    ((?:[ \t]*+,[ \t\r\n]*+{NEW_NAME}(?:<{_NUMBER}>|\[{_NUMBER}?+\])?+)++)?+[ \t]*+;""",
    re.X | re.A,
)

_MORE = pattern(rf",[ \t\r\n]*+{_NAMED}", re.A)
_DIMENSION = pattern(r"\[([0-9]*+)\]")
_LITERAL = pattern(FLOAT, re.A)


def simple(file: File, start: int, end: int, text: str | None = None) -> Variable | None:
    """The declaration between two offsets, or None if it is not of the plain form: only its first name has a value.

    `text` is that of the file, or the same with blanks in place of comments.
    """
    text = file.text if text is None else text
    match = _SIMPLE.fullmatch(text, start, end)
    if match is None:
        return None
    linkage, space, align, vector, type_ = match.groups()[:5]
    valued = max(match.end(9), match.end(10), match.end(11) + 1, match.end(12), match.end(13))
    value: Initialiser | None = None
    if valued > 0 and (match[7] or (value := _value(match, valued)) is None):
        return None
    names = [_declarator(match, 6, value, valued)]
    if match[14]:
        names += [_declarator(more, 1) for more in _MORE.finditer(text, *match.span(14))]
    if not all(each.count is None or _few(each, space) for each in names):
        return None
    return Variable(
        file, (start, end), linkage=linkage or "", space=space, space_span=_dotted(match.span(2)), bank=None,
        attributes=(), align=_integer(align, match.span(3)), vector=int(vector or 1), type=type_,
        type_span=_dotted(match.span(5)), pointer=None, names=tuple(names),
    )  # fmt: skip


def _few(each: Declarator, space: str) -> bool:
    """Whether a range of names is no array, and certainly not larger than allowed."""
    return each.count is not None and not each.dimensions and (space == "reg" or len(each.count.text) <= 4)


def _declarator(match: re.Match[str], group: int, value: Initialiser | None = None, end: int = 0) -> Declarator:
    """The name that `_NAMED` has matched from this group on, with its value, and where that ends."""
    text, count, sizes = match.group(group, group + 1, group + 2)
    start, named = match.span(group)
    return Declarator(
        Name(text, (start, named)),
        None if count is None else plain_integer(count, match.span(group + 1)),
        _dimensions(match, group + 2) if sizes else (),
        value,
        (start, end or match.end(group + 2)),
    )


def _dimensions(match: re.Match[str], group: int) -> tuple[Integer | None, ...]:
    """The sizes of an array: None for a first one that is open."""
    sizes = _DIMENSION.finditer(match.string, *match.span(group))
    return tuple([_integer(size[1] or None, size.span(1)) for size in sizes])


def _value(match: re.Match[str], end: int) -> Initialiser | None:
    """The initial value of a declaration that ends at an offset; None if it is not plain."""
    number, listed, generic, symbol, offset = match.groups()[8:13]
    if listed:
        found = plain_list(match.string, *match.span(10))
        whole = found is not None and found[1] == match.end(10)
        return InitialiserList(None, match.span(10), found[0], listed) if found and whole else None
    if number:
        return (signed if _LITERAL.fullmatch(number) else plain_integer)(number, match.span(9))
    span = match.span(11 if generic else 12)
    start = span[0] - len("generic(") if generic else span[0]
    return SymbolAddress(Name(generic or symbol, span), int(offset or 0), bool(generic), None, (start, end))


def _integer(text: str | None, span: Span) -> Integer | None:
    return None if text is None else plain_integer(text, span)


def _dotted(span: Span) -> Span:
    return span[0] - 1, span[1]


def variable(file: File, start: int, end: int) -> Variable:
    """The declaration between two offsets, known to be correct."""
    return simple(file, start, end) or declaration(Cursor(file, start, end), [])


Variable.whole = variable
