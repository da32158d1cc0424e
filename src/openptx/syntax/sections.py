"""Parses debug data, `.section .debug_info { .b8 1 ... }`, and lines `.file 1 "a.cu"` (manual 11.5.1 to 11.5.3)."""

from __future__ import annotations

import re

from openptx.diagnostics import Fix, Label
from openptx.diagnostics.kinds import CUT_OFF
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.directives import Section, SourceFile, Text
from openptx.syntax.lexical import DECIMAL_32, DECIMAL_63, STRING, TRIVIA, WORD
from openptx.syntax.operands import Integer
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Statement

_LABEL = rf"(?!(?:function_name|inlined_at|WARP_SZ)\b){WORD}"
_SIZES = ("b8", "b16", "b32", "b64")
_SECTION = rf"(?!\.(?:b8|b16|b32|b64|\d?byte|quad)\b)\.{WORD}"
_NUMBER = r"(?:0[xX][0-9a-fA-F]++|0[bB][01]++|0[0-7]*+|[1-9][0-9]*+)U?+(?![\w.])"
_VALUE = rf"-?{TRIVIA}*+{_NUMBER}"
_DATA = pattern(
    rf"""(?>{TRIVIA}++
      | {_LABEL}{TRIVIA}*+:
      | \.(?:b8|b16|b32|b64|byte|4byte|quad)\b{TRIVIA}*+{_VALUE}(?:{TRIVIA}*+,{TRIVIA}*+{_VALUE})*+
      | \.(?:b32|b64|4byte|quad)\b{TRIVIA}*+
        (?>{_LABEL}{TRIVIA}*+-{TRIVIA}*+{_LABEL}|(?:{_SECTION}|{_LABEL})(?:{TRIVIA}*+\+{TRIVIA}*+{_NUMBER})?+)
        (?!{TRIVIA}*+:)
    )*+""",
    re.X | re.A,
)
_BYTE = r"(?:1[0-9]{0,2}+|2(?:5[0-5]?+|[0-4][0-9]?+|[6-9]|)|[3-9][0-9]?+|0(?:[xX][0-9a-fA-F]{1,2}+|))"
_FIVE_DIGITS = "[1-5][0-9]{4}|6(?:[0-4][0-9]{3}|5(?:[0-4][0-9]{2}|5(?:[0-2][0-9]|3[0-5])))"
_SHORT = rf"(?:{_FIVE_DIGITS}|[1-9][0-9]{{0,3}}+|0(?:[xX][0-9a-fA-F]{{1,4}}+|))"
_DIGITS = r"(?:[1-8][0-9]{0,19}+|9[0-9]{0,18}+|0(?:[xX][0-9a-fA-F]{1,16}+|))"
_LINES = pattern(
    rf"""(?:[ \t]*+(?: \.b8[ \t]++{_BYTE}(?:,[ ]?+{_BYTE})*+ | \.b16[ \t]++{_SHORT}(?:,[ ]?+{_SHORT})*+
      | \.b(?:32|64)[ \t]++(?:{_DIGITS}(?:,[ ]?+{_DIGITS})*+
          | {_LABEL}(?:\+{_DIGITS}|-{_LABEL})?+ | {_SECTION}(?:\+{_DIGITS})?+)
      | {_LABEL}: )?+[ \t]*+(?://[^\n]*+)?+\r?+\n)*+[ \t]*+\}}""",
    re.X | re.A,
)
"""Data in the style of compilers up to the end of the section: a line each, values as narrow as their type."""
_CUT_OFF = pattern(r"[^\s{}][^\n{}]*\s*\Z")
"""The last line of a file, in a section."""
_OPENED = pattern(r"\.section([ \t]++)(\.[A-Za-z_]\w*+)[ \t\r\n]*+\{", re.A)

_TIMES = rf",[ ]({DECIMAL_63}),[ ]({DECIMAL_63})"
_SOURCE = pattern(rf"[ \t\r\n]*+(\.file)[ \t]++({DECIMAL_32})[ \t]++({STRING})(?:{_TIMES})?+(?=[ \t\r]*+\n)", re.A)


def debug_data(file: File, start: int, items: list[Statement]) -> int:
    """Parses a section, or lines `.file 1 "a.cu"`, in the style of compilers. Returns where to continue; 0 if there is
    neither."""
    if file.text.startswith(".file", start):
        return _sources(file, start, items)
    if not file.text.startswith(".section", start) or (match := _OPENED.match(file.text, start)) is None:
        return 0
    begin, data = match.end(), _LINES.match(file.text, match.end())
    if data is None:
        return 0
    end = data.end()
    items.append(Section(file, (start, end), (start, match.start(1)), match[2], (begin, end - 1), narrow=True))
    return end


def _sources(file: File, start: int, items: list[Statement]) -> int:
    offset = 0
    while match := _SOURCE.match(file.text, offset or start):
        offset, named, path = match.end(), match.span(1), Text(match[3][1:-1], match.span(3))
        values = tuple([Integer(int(match[i]), False, match[i], match.span(i)) for i in (2, 4, 5) if match[i]])
        items.append(SourceFile(file, (named[0], offset), named, path, values))
    return offset


def section(c: Cursor) -> Section:
    """`.section .name { lines }`; debug data is kept as a span."""
    start, name_span = c.start, c.span
    c.advance()
    if c.kind != "dot":
        raise c.expected("the name of a section, with its dot", "after `.section`")
    name = c.word
    c.advance()
    if c.word != "{":
        raise _unopened(c)
    opened = c.expect("{", "before the data of the section")
    end = _after(c, opened[1])
    if not c.file.text.startswith("}", end):
        raise _bad_data(c, opened, end)
    c.seek(end + 1)
    return Section(c.file, (start, c.last), name_span, name, (opened[1], end), narrow=False)


def _after(c: Cursor, start: int) -> int:
    """The end of a section's data."""
    match = _DATA.match(c.file.text, start, c.limit)
    return match.end() if match is not None else start


def _unopened(c: Cursor) -> Mistake:
    mistake = c.expected_mark("{", "before the data of the section")
    end = _after(c, c.start)
    if end > c.start and c.file.text.startswith("}", end):
        c.seek(end + 1)
        mistake.recovered = True
    return mistake


def _no_data(c: Cursor, opened: Span) -> Mistake:
    """What is no line of data: a size without its values, an unknown size, or something else."""
    message, label = f"expected a line of data such as `.b8 1, 2`, found {c.described}", "no data"
    fix = Fix((c.start, c.start), ".", f"write `.{c.word}`") if c.word in _SIZES else None
    if c.word[1:] in _SIZES:
        message, label = f"no value that `{c.word}` can have follows it", "expected an integer after this"
    elif c.word[:2] == ".b":
        message, label = f"there is no data of the size `{c.word}`", "no such size"
    return c.mistake(
        "invalid-directive", message, c.span, label, labels=(Label(opened, "the section begins here"),), fix=fix,
        help="data is `.b8`, `.b16`, `.b32` or `.b64` and integers, or a label",
        rule="PTX ISA 11.5.2: integers, or one label, `label+imm` or `label-label` a line",
    )  # fmt: skip


def _bad_data(c: Cursor, opened: Span, where: int) -> Mistake:
    c.seek(where)
    if c.kind == "end":
        last = len(c.file.text[:where].rstrip())
        return c.mistake(
            "unclosed-brace", "this section is never closed", (last - 1, last), "expected `}` after this",
            labels=(Label(opened, "opened here"),), fix=Fix((last, last), "\n}", "close it"),
        )  # fmt: skip
    text = c.described
    if c.word in (".section", ".file", ".visible", ".entry", ".func"):
        last = len(c.file.text[:where].rstrip())
        mistake = c.mistake(
            "unclosed-brace", f"this section is not closed before {text}", c.span, "expected `}` before this",
            labels=(Label(opened, "opened here"),), fix=Fix((last, last), "\n\t}", "close it"),
        )  # fmt: skip
        mistake.recovered = True
        return mistake
    if _CUT_OFF.match(c.file.text, where):
        last = len(c.file.text.rstrip())
        return c.mistake(
            "unclosed-brace", "the file ends in the middle of this section", (last - 1, last), "the file ends here",
            labels=(Label(opened, "the section begins here"),), kind=CUT_OFF, help="it may have been cut off",
        )  # fmt: skip
    mistake = _no_data(c, opened)
    end = c.file.text.find("}", where, c.limit)
    c.seek(c.limit if end < 0 else end + 1)
    mistake.recovered = True
    return mistake
