"""Marks and blanks of a statement that are too many, or stand in another one's place; a second check proves the edits.

`slips` finds them by the shape of what is around them; `mark_edits` tries marks near an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from openptx.check.repairs.line_shapes import LONGEST, Rewritten
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import IDENTIFIER

_MARK = pattern(r"[;,:.\[\](){}<>|@%!\"'`#$&*=+?\\~^-]")
_LABEL = pattern(rf"\s*{IDENTIFIER}", re.A)
_REACH = 40
"""Characters before and after an error whose marks are edited."""
_MOST_MARKS = 8
"""The most marks that are edited, the nearest to the error."""


def mark_edits(text: str, error: Span, line: Span) -> Iterator[Rewritten]:
    """A mark near an error removed, or written as another one, the nearest first."""
    near = max(line[0], error[0] - _REACH), min(line[1], error[1] + _REACH)
    comment = text.find("//", *line)
    end = comment if comment >= 0 else line[1]
    stripped = line[0] + len(text[line[0] : end].rstrip())
    found = [match.start() for match in _MARK.finditer(text, near[0], min(near[1], end))]
    for at in sorted(found, key=lambda at: max(error[0] - at, at - error[1], 0))[:_MOST_MARKS]:
        mark = text[at]
        ends = (":",) if _LABEL.fullmatch(text, line[0], at) else (";",)
        for meant in ends if at + 1 == stripped else (",", "", " ", "."):
            if meant != mark:
                cause = f"`{mark}` stands where `{meant}` belongs" if meant.strip() else f"this `{mark}` is too many"
                yield Rewritten((at, at + 1), meant, cause)


_MOST_TRIES = 3
"""How often a shape is tried in a line."""
_OPCODE = rf"^\s*(?:@!?{IDENTIFIER}\s+)?[a-z]\w*+(?:\.\w++)*+"
_TYPE_OF_C = r"(?:const\s+)?(?:bool|char|double|float|half|int|long|short|signed|size_t|unsigned|void|u?int[0-9]+_t)"

# fmt: off
_SLIPS = (
    # why, after `wrong` in its surroundings, and how that is written
    (rf"{_OPCODE}(?P<wrong>::?|[,/-])(?=[a-z]\w*[.\s])",               r".",    "`{0}` stands where `.` belongs"),
    (r"\.[busf](?P<wrong>[ \t]+)(?:8|16|32|64)\b",                     r"",     "a blank divides this type"),
    (rf"{_OPCODE}\s+(?P<wrong>!\s*)(?=%?\w)",                         r"",     "a result is not negated"),
    (r"@\s*(?P<wrong>(?:~|-|!!+|not\b)\s*)(?=%?\w)",                   r"!",    "a guard is negated by `!`"),
    (r"(?P<wrong>(%[a-z]\w*?)[\[<]([0-9]+)[\]>])",                    r"\2\3", "a register has no index"),
    (r"(?P<wrong>([a-z]+)%([0-9]+))\b",                              r"%\2\3", "the `%` of a register comes first"),
    (r"(?P<wrong>[%\w]*\w)%[a-z]+[0-9]+\b",                          r"",     "`{0}` is too many"),
    (r"(?P<wrong>[*&])[%$\w][^()\[\]{};]*\]",                       r"[",    "`{0}` stands where `[` belongs"),
    (rf"\bbrx?[.\w]*\s[^;]*?{IDENTIFIER}(?P<wrong>\.\w+)\s*;",       r"",     "a label has no components"),
    (r"(?P<wrong>([%\w]+)\s*,\s*([%\w]+\|[%\w]+))(?=\s*[,;])",         r"\3, \2", "the results come first"),
    (r"(?P<wrong>[({<])[^()\[\]{};]*\]",                             r"[",    "`{0}` stands where `[` belongs"),
    (r"\[[^()\[\]{};,]*(?P<wrong>[;)}>])",                             r"]",    "`{0}` stands where `]` belongs"),
    (r"\[[^()\[\]{};,]*(?P<wrong>\.)\s*[,;]",                        r"]",    "`.` stands where `]` belongs"),
    (r"[,\s](?P<wrong>;)[%$\w][^()\[\]{};,]*\]",                       r"[",    "`;` stands where `[` belongs"),
    (r"[\s,\[{(|](?P<wrong>[,;.:&#*$?@^~=-])[a-z]+[0-9]+\b",              r"%",    "`{0}` stands where `%` belongs"),
    (r"(?P<wrong>([%$\w]+)\[([0-9]+)\])",                            r"[\2+\3]", "an address is in brackets"),
    (r"(?P<wrong>\[\s*(\{[^{}]*\})\s*\])",                          r"\2",   "a list has no brackets"),
    (rf"{_OPCODE}\s+(?P<wrong>\[([^\[\]{{}},]+)\])\s*,",            r"\2",   "this operand has no brackets"),
    (r"\bcall[.\w]*\s(?:[^,]*,)?\s*(?P<wrong>\[([^\[\],]+)\])",    r"\2",   "a function has no brackets"),
    (r"[\s,](?P<wrong>([%$\w]+\s*,\s*\{[^{}]*\}))\s*[,;]",         r"[\2]", "an address must be in brackets"),
    (r"(?P<wrong>\[([^\[\]]*,[^\[\]]*)\])",                            r"{\2}", "a list must be in braces"),
    (r"\[[^\[\]]*(?P<wrong>\[([^\[\]]*)\])",                           r"{\2}", "a list must be in braces"),
    (r"\[[^\[\]{},]+,\s*(?P<wrong>([^\[\]{}]+)\}?)\]",                r"{\2}", "coordinates must be in braces"),
    (r"(?P<wrong>\{([^{},;]*)\})",                                     r"[\2]", "an address must be in brackets"),
    (r"(?P<wrong>\{([^{},;]+)\})\s*[,;]",                              r"\2",   "a single operand has no braces"),
    (r"[,\s](?P<wrong>([%$\w]+\s*\+\s*-?\w+))\s*[,;]",                r"[\2]", "an address must be in brackets"),
    (r"\bcall[.\w]*\s+(?P<wrong>[\[{]?([^\s()\[\]{},;]+)[\]}]?)\s*,",  r"(\2)", "a result must be in parentheses"),
    (rf"(?P<wrong>\(\s*{_TYPE_OF_C}\b[\w\s]*\**\s*\)\s*)(?=[-\w%(])",     r"",     "PTX has no casts in operands"),
    (r"(?P<wrong>\(([^()]*)\))",                                       r"[\2]", "an address must be in brackets"),
    (r"(?P<wrong>\(([^()]*)\))",                                       r"\2",   "an operand has no parentheses"),
    *((rf"%n?(?:cta|t)id(?P<wrong>[._]{x}|\.{n}|\[{n}\])(?!\w)",        rf".{x.lower()}", "a component is `.x`")
      for n, x in enumerate("XYZ")),
    (r"[{,]\s*(?P<wrong>(%?([a-z]+)[0-9]+)[$_]?(%?\3[0-9]+))(?=\s*[,}])",
                                                                     r"\2, \4", "expected `,` between two elements"),
    (r"[\w\])}](?P<wrong>[ \t]+)[\[{(]",                               r", ",   "expected `,` between two operands"),
    (rf"{_OPCODE}\s+(?:[^;]*[\s,])?[%$\w]+(?P<wrong>[ \t]+)[%$\w]",  r", ",  "expected `,` between two operands"),
    (rf"{_OPCODE}\s+[%\w]+(?P<wrong>\s*,\s*)[%\w]+\s*,",               r"|",    "a second result follows a `|`"),
    (r"(?P<wrong>(\[[^\]]*\]|\{[^{}]*\}|[^\s,;\[\](){}|]+)\s*,\s*)(?=\2\s*[,;])",
                                                                     r"",     "this operand is given twice"),
)
# fmt: on
_PATTERNS = tuple((pattern(shape, re.A), meant, why) for shape, meant, why in _SLIPS)


def slips(text: str, line: Span) -> Iterator[Rewritten]:
    """The line of an instruction with one mark or blank as it was probably meant."""
    comment = text.find("//", *line)
    words = text[line[0] : comment if comment >= 0 else line[1]]
    if len(words) > LONGEST or (words.lstrip().startswith(".") and "{" not in words):
        return
    for shape, meant, why in _PATTERNS:
        for match in islice(shape.finditer(words), _MOST_TRIES):
            start, end = (line[0] + at for at in match.span("wrong"))
            yield Rewritten((start, end), match.expand(meant), why.format(match["wrong"]))
