"""Reads sections of debug data, `.section .debug_info { .b8 1 ... }` (manual 11.5.2, 11.5.3)."""

from __future__ import annotations

import re
from functools import cache

from openptx.diagnostics import Label
from openptx.syntax.directives import Section
from openptx.syntax.tokens import TRIVIA, Cursor, Mistake

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.source import File, Span

_NUMBER = r"(?:0[xX][0-9a-fA-F]{1,16}|0[bB][01]{1,64}|0[0-7]{0,22}|[1-9][0-9]{0,19})U?+(?![\w.])"
_DIGITS = r"(?:[1-9][0-9]*+|0(?![0-9]))"
_SHORT = r"(?:[1-9][0-9]{0,3}+|0)"
_BYTE = r"(?:1[0-9]{0,2}+|2(?:5[0-5]?+|[0-4][0-9]?+|[6-9]|)|[3-9][0-9]?+|0)"
_VALUE = rf"-?{TRIVIA}*+{_NUMBER}"
_NO_SYMBOL = r"(?!(?:function_name|inlined_at|WARP_SZ)\b|\.(?:[bsuf]\d+|entry|func|pred|\d?byte|quad)\b)"
_SYMBOL = rf"{_NO_SYMBOL}\.?[A-Za-z_$%][\w$]*+"
_SHORT_DATA = rf"""{TRIVIA}++
      | (?:\.b8[ \t]{_BYTE}(?:,{_BYTE})*+\n)++(?![ \t]*+,)  # most
      | (?:\.b(?:8[ \t]++{_BYTE}(?:,[ ]?+{_BYTE})*+|16[ \t]++{_SHORT}(?:,[ ]?+{_SHORT})*+
          |(?:32|64)[ \t]++{_DIGITS}(?:,[ ]?+{_DIGITS})*+)[ \t]*+(?://[^\n]*+)?+\r?\n[ \t]*+(?!,))++
      | {_SYMBOL}{TRIVIA}*+:
      | \.(?:b32|b64|4byte|quad)\b{TRIVIA}*+{_VALUE}(?:{TRIVIA}*+,{TRIVIA}*+{_VALUE})*+
      | \.(?:b32|b64|4byte|quad)\b{TRIVIA}*+
        {_SYMBOL}{TRIVIA}*+(?:\+{TRIVIA}*+{_NUMBER}|-{TRIVIA}*+{_SYMBOL})?+(?!{TRIVIA}*+:)"""
_ANY_DATA = rf"{_SHORT_DATA} | \.(?:b8|b16|byte)\b{TRIVIA}*+{_VALUE}(?:{TRIVIA}*+,{TRIVIA}*+{_VALUE})*+"
_OPENED = re.compile(r"\.section([ \t]++)(\.[A-Za-z_]\w*+)[ \t\r\n]*+\{", re.A)


def plain_section(file: File, start: int) -> Section | None:
    """The section that begins here, if it is as compilers write it."""
    text = file.text
    match = _OPENED.match(text, start)
    if match is None:
        return None
    end = _data(text, match.end(), len(text), _SHORT_DATA)
    if not text.startswith("}", end):
        return None
    return Section(file, (start, end + 1), (start, match.start(1)), match[2], (match.end(), end), True)


def section(c: Cursor) -> Section:
    """`.section .name { lines }`; debug data is kept as a span."""
    start, name_span = c.start, c.span
    c.advance()
    if c.kind != "dot":
        raise c.expected("the name of a section, with its dot", "behind `.section`")
    name = c.word
    c.advance()
    if c.word != "{":
        raise _unopened(c)
    opened = c.expect("{", "before the data of the section")
    text = c.file.text
    end = _data(text, opened[1], c.limit, _SHORT_DATA)
    if not (narrow := text.startswith("}", end)):
        end = _data(text, end, c.limit, _ANY_DATA)
    if not text.startswith("}", end):
        raise _bad_data(c, opened, end)
    c.seek(end + 1)
    return Section(c.file, (start, c.last), name_span, name, (opened[1], end), narrow)


def _data(text: str, start: int, end: int, lines: str) -> int:
    """Where data of a section ends."""
    match = _compiled(lines).match(text, start, end)
    return match.end() if match is not None else start


@cache
def _compiled(lines: str) -> re.Pattern[str]:
    """An expression that is compiled when a section occurs."""
    return re.compile(rf"(?>{lines})*+", re.X | re.A)


def _unopened(c: Cursor) -> Mistake:
    mistake = c.expected("`{`", "before the data of the section")
    end = _data(c.file.text, c.start, c.limit, _ANY_DATA)
    if end > c.start and c.file.text.startswith("}", end):
        c.seek(end + 1)
        mistake.recovered = True
    return mistake


def _bad_data(c: Cursor, opened: Span, where: int) -> Mistake:
    c.seek(where)
    if c.kind == "end":
        return c.mistake("unclosed-brace", "this section is never closed", opened, "opened here")
    text = c.described
    mistake = c.mistake(
        "invalid-directive",
        f"expected a line of data such as `.b8 1, 2`, found {text}",
        c.span,
        labels=(Label(opened, "the section begins here"),),
        rule="PTX ISA 11.5.2: integers, or one label, `label+imm` or `label-label` a line",
    )
    end = c.file.text.find("}", where, c.limit)
    c.seek(c.limit if end < 0 else end + 1)
    mistake.recovered = True
    return mistake
