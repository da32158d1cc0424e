"""Declarations as compilers write them, read by one match. Whatever is not plain is left to the precise reader."""

from __future__ import annotations

import re

from openptx.syntax.declarations import Declarator, InitialiserList, Pointer, Variable
from openptx.syntax.initialiser_parser import NUMBERS
from openptx.syntax.lexical import NEW_NAME
from openptx.syntax.operands import Integer, Name
from openptx.syntax.tree import Lazy

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.source import File, Span

_NUMBER = r"(?:0|[1-9][0-9]{0,17}|[1-8][0-9]{18}|9223372036854775807)"
_SIMPLE = re.compile(
    rf"""(?:\.(visible|extern|weak|common)[ \t]++)?+\.(reg|param|local|shared|global|const)[ \t]++
    (?:\.align[ \t]++({_NUMBER})[ \t]++)?+ \.([bsuf](?:8|16|32|64)|pred)[ \t]++
    (?:(\.ptr)(?:[ \t]++\.(global|const|local|shared))?+(?:[ \t]++\.align[ \t]++({_NUMBER}))?+[ \t]++)?+
    ({NEW_NAME})(?:<({_NUMBER})>|\[({_NUMBER}|)\])?+
    (?:[ \t]*+=[ \t]*+(?:(-?{_NUMBER})(?![\w.])|({NUMBERS})))?+[ \t]*+(;?)""",
    re.X | re.A,
)


def simple(file: File, start: int, end: int, parameter: bool = False) -> Variable | None:
    """The declaration of one name between two offsets, or None if it is not of the plain form.

    A parameter has no `;`, no linkage, no `<count>` and no value; nothing else has a `.ptr`.
    """
    match = _SIMPLE.match(file.text, start, end)
    if match is None or (match.end() != end and not parameter):
        return None
    linkage, space, align, type_, pointer, _, _, name, count, size, number, numbers, closed = match.groups()
    if (closed == ";") == parameter or (count and space != "reg" and len(count) > 4):
        return None
    if (
        (linkage or count or number or numbers or size == "")
        if parameter
        else (pointer or (count and (number or numbers)))
    ):
        return None
    named = max(match.end(8), match.end(9) + 1, match.end(10) + 1)
    value = _integer(number, match.span(11)) if number else numbers and InitialiserList(None, match.span(12), numbers)
    declarator = Declarator(
        Name(name, match.span(8)),
        _integer(count, match.span(9)),
        () if size is None else (_integer(size or None, match.span(10)),),
        value or None,
        (match.start(8), max(named, match.end(11), match.end(12))),
    )
    return Variable(
        file, (start, named if parameter else match.end()), linkage=linkage or "", space=space,
        space_span=_dotted(match.span(2)), bank=None, attributes=(), align=_integer(align, match.span(3)), vector=1,
        type=type_, type_span=_dotted(match.span(4)), pointer=_pointer(match) if pointer else None,
        names=(declarator,),
    )  # fmt: skip


def _pointer(match: re.Match[str]) -> Pointer:
    end = max(match.end(5), match.end(6), match.end(7))
    return Pointer(match[6] or "", _integer(match[7], match.span(7)), (match.start(5), end))


_PARAMETER = re.compile(
    rf"""[ \t\r\n]*+\.(reg|param)[ \t]++(?:\.align[ \t]++({_NUMBER})[ \t]++)?+\.([bsuf](?:8|16|32|64)|pred)[ \t]++
    (?:(\.ptr)(?:[ \t]++\.(global|const|local|shared))?+(?:[ \t]++\.align[ \t]++({_NUMBER}))?+[ \t]++)?+
    ({NEW_NAME})(?:\[({_NUMBER})\])?+[ \t\r\n]*+(?:,|\Z)""",
    re.X | re.A,
)


def parameters_between(file: File, start: int, end: int) -> tuple[Variable, ...] | None:
    """The parameters between two parentheses, none where there are none; None if one is not of the plain form."""
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
    return None if text is None else Integer(int(text), False, text, span, literal=text[0] != "-")


def _dotted(span: Span) -> Span:
    return span[0] - 1, span[1]


Lazy.variable = simple
