"""Declarations as compilers write them, read by one match. Whatever is not plain is left to the precise reader."""

from __future__ import annotations

import re

from openptx.syntax.declarations import Declarator, InitialiserList, Pointer, Variable
from openptx.syntax.initialise import NUMBERS
from openptx.syntax.operands import Integer, Name

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.source import File, Span

_NAME = r"(?:[A-Za-z][\w$]*+|[_%$][\w$]++)"
_NUMBER = r"(?:0|[1-9][0-9]{0,17})"
_SIMPLE = re.compile(
    rf"""(?:\.(visible|extern|weak|common)[ \t]++)?+\.(reg|param|local|shared|global|const)[ \t]++
    (?:\.align[ \t]++({_NUMBER})[ \t]++)?+ \.([bsuf](?:8|16|32|64)|pred)[ \t]++
    (?:(\.ptr)(?:[ \t]++\.(global|const|local|shared))?+(?:[ \t]++\.align[ \t]++({_NUMBER}))?+[ \t]++)?+
    ({_NAME})(?:<({_NUMBER})>|\[({_NUMBER})\])?+
    (?:[ \t]*+=[ \t]*+(?:({_NUMBER})(?![\w.])|({NUMBERS})))?+[ \t]*+(;?)""",
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
    if (closed == ";") == parameter:
        return None
    if (linkage or count or number or numbers) if parameter else (pointer or (count and (number or numbers))):
        return None
    named = max(match.end(8), match.end(9) + 1, match.end(10) + 1)
    value = _integer(number, match.span(11)) if number else numbers and InitialiserList(None, match.span(12), numbers)
    declarator = Declarator(
        Name(name, match.span(8)),
        _integer(count, match.span(9)),
        () if size is None else (_integer(size, match.span(10)),),
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


def parameters_between(file: File, start: int, end: int) -> tuple[Variable, ...] | None:
    """The parameters between two parentheses, none where there are none; None if one is not of the plain form."""
    found: list[Variable] = []
    for text in file.text[start:end].split(",") if 0 <= start < end else ():
        offset = start + len(text) - len(text.lstrip())
        start += len(text) + 1
        variable = simple(file, offset, start - 1, parameter=True)
        if variable is None or (variable.span[1] < start - 1 and file.text[variable.span[1] : start - 1].strip()):
            return None
        found.append(variable)
    return tuple(found)


def _integer(text: str | None, span: Span) -> Integer | None:
    return None if text is None else Integer(int(text), False, text, span)


def _dotted(span: Span) -> Span:
    return span[0] - 1, span[1]
