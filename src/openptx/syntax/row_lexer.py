"""Lexes statements as rows of strings, a chunk of text at a time: the operands are already separate, which is cheaper
than splitting them later.

A row is the name of the guard, the opcode, up to five operands, or else a label, or the unchanged text of another
statement. From an uncommon statement on, the rest of the text is one row, the last: its length tells where it begins.
Like `STATEMENT`, a row is purely lexical; its reader must know opcodes, because a label can be joined to one (`L:ret`).
"""

from __future__ import annotations

import re
from itertools import islice

from openptx.patterns import pattern
from openptx.syntax.lexical import COMMENT, COMMENTS, DECIMAL_32, IDENTIFIER, OPEN_STRING, STRING, TRIVIA, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import File

    Row = tuple[str, ...]

GUARD, OPCODE, FIRST, LABEL, OTHER = 1, 2, 3, 8, 9
"""Indices of the fields of a row."""

# Optional parts are alternatives with an empty branch (`|)`), not repetitions (`)?+`), because that costs the matcher
# less.
_PLAIN = r"[^;{}/\":@\#,() \t\r\n\f\v]"
_OFFSET = r"\+[ ]?+(?:0(?:[xX][0-9a-fA-F]{1,7}+|)|-?[1-9][0-9]{0,8}+)[ ]?+\]"
_OPERAND = rf"""((?!\[){_PLAIN}++(?=[ ]*+[,;])
        | \[(?:[ ]?+%[a-z]++[0-9]++(?=[ ]?+[+\]])|[^;{{}}/":@\#,() \t\r\n\f\v\]]*+\](?=[,;]))
        | \{{[^{{}};/"@\#:()\[\]]*+\}}(?=[ ]*+[,;])
      )(?:\]|{_OFFSET}|[ ][ ]*+(?:\]|{_OFFSET}|)|)"""
_NUMBER = rf"{DECIMAL_32}(?!\w)"
_PLACE = rf"{_NUMBER}[ \t]++{_NUMBER}[ \t]++{_NUMBER}"
_INLINED = rf",[ ]function_name[ ]{IDENTIFIER}(?:\+[0-9]++(?!\w))?+,[ ]inlined_at[ ]{_PLACE}"
_LINE = rf"\.loc[ \t]++{_PLACE}(?:{_INLINED})?+(?=[ \t]*+(?://[^\n]*+)?+\r?\n)"
_GUARD = r"@[ \t]*+!?[ \t]*+"
_REGISTERS = r'\.reg(?=[ \t.])[^;{}/"=]*+;'
_PARAMETERS = r'\.param(?=[ \t.])[^;{}/"=]*+;'
_DECLARATION = (
    rf"{_REGISTERS}(?:[ \t\r\n]*+{_REGISTERS})*+|{_PARAMETERS}(?:[ \t\r\n]*+{_PARAMETERS})*+"
    rf'|\.(?:local|shared)(?=[ \t.])[^;{{}}/"=]*+;|\.pragma[ \t]++{STRING}[ \t]*+;'
)
_TABLE = rf'{IDENTIFIER}[ \t]*+:[ \t\r\n]*+\.(?:branchtargets|calltargets|callprototype)\b[^;{{}}/"]*+;'
_STATEMENT = r'[^;{}":\#/]*+(?:\{[^;{}":\#/]*+\}[^;{}":\#/]*+){0,8}+;'
_BLOCK = rf"\{{[ \t]*+(?://[^\n]*+\n)?+(?:{_STATEMENT}){{1,32}}+[ \t\r\n]*+\}}"
_operands = _OPERAND
for _ in range(4):
    _operands = rf"{_OPERAND}(?:,[ \t]*+{_operands}|)"

ROWS = pattern(
    rf"""
    [ \t\r\n]*+(?:(?:{COMMENTS}|{_LINE}|\f)[ \t\r\n]*+)*+
    (?: (?:{_GUARD}({WORD})[ \t\r\n]++|) ([a-z][A-Za-z0-9_.:]*+) (?:[ \t]++{_operands}|);
    | ({IDENTIFIER})[ \t]*+:(?!:)(?!{TRIVIA}*+\.(?:branchtargets|calltargets|callprototype)\b)
    | ({_BLOCK}
      | [{{}}]
      | {_DECLARATION}
      | {_TABLE}
      | (?:{_GUARD}{WORD}[ \t\r\n]++)?+ [a-z]\w*+(?:\.[\w:]++)*+(?![ \t]*+:) [ \t\r\n]*+
        [^;{{}}/":@\#]*+(?:\{{[^;{{}}/"]*+\}}[^;{{}}/":@\#]*+){{0,8}}+ ;
      | (?s:.+))
    |)
    """,
    re.X | re.A,
)
"""An address in a register, `[%rd4+16]`, becomes the operand `[%rd4`: an offset of at most nine digits does not affect
the verdict.

Only names of letters and a number are cut: GCC calls parameters `%out_arg1` and `%stack`, whose offset does affect what
is read.
"""

DECLARATION = pattern(_DECLARATION)
"""A row that is a declaration of memory, several declarations of registers or of call parameters, or a pragma."""

STATEMENT_OF_BLOCK = pattern(_STATEMENT)
"""Each statement in a row that is a whole block."""

_SIZE = 30_000
"""The approximate number of characters lexed at once: rows take twenty times their memory."""
_CUT = pattern(r";\r?\n")
_HIDING = pattern(rf"{COMMENT}|{OPEN_STRING}")
"""Text that may contain a `;` that does not end a statement."""


def chunk_end(text: str, offset: int, end: int) -> int:
    """Where a chunk that begins between two statements ends: after a `;` that ends one."""
    if end - offset <= _SIZE:
        return end
    cut = _CUT.search(text, offset + _SIZE, min(end, offset + 2 * _SIZE))
    if cut is not None:
        return cut.end()
    stop = text.find(";", offset + _SIZE, end) + 1
    while stop:
        begun = max((match.span() for match in _HIDING.finditer(text, offset, stop)), default=(0, 0))
        if begun[1] < stop or (whole := _HIDING.match(text, begun[0], end)) is None:
            return stop
        offset = whole.end()
        stop = text.find(";", offset, end) + 1
    return end


class Chunk:
    """A part of a body that is lexed at once, as rows. `inner`: it is the inside of a block."""

    __slots__ = ("begin", "end", "file", "inner", "last", "matched", "matches", "rows")

    def __init__(self, file: File, begin: int, end: int, *, inner: bool = False) -> None:
        self.file, self.begin, self.end, self.inner = file, begin, end, inner
        self.rows: list[Row] = ROWS.findall(file.text, begin, end)
        self.matches: Iterator[re.Match[str]] | None = None  # the rows with their positions, once needed
        self.matched = 0  # how many of them have been requested
        self.last: re.Match[str] | None = None

    def match(self, number: int) -> re.Match[str]:
        """The row of this number with its position: found again, in text order, because few are requested."""
        if self.matches is None:
            self.matches = ROWS.finditer(self.file.text, self.begin, self.end)
        if self.last is None or number >= self.matched:
            self.last = next(islice(self.matches, number - self.matched, None))
            self.matched = number + 1
        return self.last
