"""One regular expression that matches a whole statement: the unit of lexing. Its matches tile any text.

`m.lastindex` is the kind of a match `m`; its groups are fields of the statement. Only plain statements have a kind:
anything else is `OTHER`, and the full parsers decide what it is. The text of an `OTHER` match may contain several
statements (if a semicolon is missing). All quantifiers are possessive and brace groups have a bounded repetition,
because input may be hostile: `OTHER` ends after 256 parts, and the parser continues from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import COMMENT, DECIMAL_63, FLOAT_BITS, IDENTIFIER, SMALL_INTEGER, STRING, TRIVIA, WORD

INSTRUCTION = 4  # groups 2 guard or None, 3 opcode, 4 operands as written
LABEL = 5  # group 5 name
BRACE = 6  # group 6 `{` or `}`
REGISTERS = 8  # groups 7 type with its dot (and vector), 8 names as written
LINE = 9  # group 9 `.loc ...`
DECLARATION = 10  # group 10 a variable declaration, with initial values and `;`
HEADER = 11  # group 11 the header of a function, up to its `{` (exclusive) or `;`
DIRECTIVE = 12  # group 12 another directive
DATA = 13  # group 13 lines of a debug section, or @@DWARF lines
OTHER = 14  # group 14 anything else
END = 1  # only blanks and comments

_GROUP = rf'\{{(?>[^{{}};/"\#]+|{COMMENT}|[/\#])*+\}}'
_list = rf'\{{(?>[^{{}};"/\#]+|{COMMENT})*+\}}'
for _ in range(3):
    _list = rf'\{{(?>[^{{}};"/\#]+|{COMMENT}|{_list})*+\}}'
_PRAGMA = rf'\.pragma\b(?>[^;{{}}/"\#]+|{COMMENT}|{STRING})*+;'
INITIAL_LIST = _list  # the values of an array of up to four dimensions; one with more is `OTHER`

STATEMENT = pattern(
    rf"""
    ({TRIVIA}*+)
    (?:
      (?:(@!?{IDENTIFIER})[ \t]++)? ([a-z]\w*+(?:\.[\w:]++)*+)(?![ \t]*+:|\$) [ \t\r\n]*+
      ([^;{{}}/":@\#]*+(?:\{{[^;{{}}/"]*+\}}[^;{{}}/":@\#]*+){{0,8}}+) ;
    | ({IDENTIFIER})[ \t\r\n]*+:(?!:)
    | ([{{}}])
    | \.reg[ \t]++(\.[\w.]++(?:[ \t]++\.\w++)?+)[ \t]++([^;{{}}/"=.\[\]()]++);
    | (\.loc\b[^;{{}}/"@\#\n]*+)
    | ((?:\.(?:visible|extern|weak|common)\b[ \t\r\n]*+)*+
       \.(?:reg|local|shared|param|global|const|tex|sreg)\b
       (?>[^;{{}}"=/\#]+|{COMMENT})*+(?:=(?>[^;"{{}}=/\#]+|{COMMENT}|{INITIAL_LIST})*+)?;)
    | ((?:\.(?:visible|extern|weak|common)\b{TRIVIA}*+)*+
       \.(?:entry|func)\b(?>[^;{{}}/".\#]+|\.(?!(?:entry|func|pragma)\b)|{COMMENT}|{_PRAGMA})*+;?)
    | (\.(?:version|target|address_size|file|maxn\w*|minn\w*|reqn\w*)\b(?>[^;{{}}/"\n]|{STRING})*+
      |\.(?:pragma|alias|branchtargets|calltargets|callprototype)\b(?>[^;{{}}/"\#]+|{COMMENT}|{STRING})*+;
      |\.section\b(?>[^;{{}}/"\n]+|{STRING})*+)
    | ((?:\.(?:b8|b16|b32|b64)[ \t][^\n;{{}}"/]*+\n[ \t\r\n]*+)++ | @@[^\n]*+)
    | ((?>[^;{{}}/":@\#.]+|[:@\#.]|{COMMENT}|{STRING}|{_GROUP}|["/]){{1,256}}+;?+|;)
    )?
    """,
    re.X | re.A,
)

_ATOM = rf"(?:{IDENTIFIER}(?:\.[xyzw])?|(?:{SMALL_INTEGER}|{FLOAT_BITS})(?![\w.]))"
_PLACE = rf"\[{IDENTIFIER}(?:\+-?{DECIMAL_63})?\]"
_PLAIN = rf"(?>{_ATOM}|{_PLACE}|\{{{_ATOM}(?:,[ ]?{_ATOM})*+\}})"
PLAIN = pattern(rf"(?>{_PLAIN}(?:,[ \t]*{_PLAIN})*+[ \t]*)?+", re.A)
"""Operands that are certainly well-formed; most are."""

_known: set[str] = set()  # operands and lists of them that `PLAIN` has matched
_MOST = 1 << 17


def plain(operands: str) -> bool:
    """Whether `PLAIN` matches. Memoises each operand, because a file repeats few: four times as fast as the regex."""
    if not operands or operands in _known or _known.issuperset(operands.split(", ")):
        return True
    if not PLAIN.fullmatch(operands):
        return False
    if len(_known) > _MOST:
        _known.clear()
    if "{" in operands:
        _known.add(operands)
    else:
        _known.update(operands.split(", "))
    return True


_LANDMARK = pattern(rf"[;{{}}:\n][ \t\r]*+(?=[{{}}]|\.(?!loc\b)|{WORD}[ \t]*+:(?!:))", re.A)
"""The end of text before something other than an instruction begins."""


def landmarks(text: str, body: Span) -> Iterator[int]:
    """Where a label, a brace or a directive may begin; `Function.read` can skip the instructions between them."""
    return (match.end() for match in _LANDMARK.finditer(text, body[0] - 1, body[1]))
