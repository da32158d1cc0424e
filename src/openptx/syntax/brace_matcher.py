"""Finds where the body of a function ends, even if braces are missing."""

from __future__ import annotations

import re
from operator import gt

from openptx.diagnostics import SAFE, Diagnostic, Fix, Label
from openptx.diagnostics.kinds import BLOCK, CUT_OFF, FOLLOWING, LOST_BRACE
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.lexical import COMMENT, IDENTIFIER, OPEN_STRING, TRIVIA
from openptx.syntax.statement_lexer import (
    BRACE,
    DIRECTIVE,
    END,
    HEADER,
    INITIAL_LIST,
    INSTRUCTION,
    LABEL,
    LINE,
    REGISTERS,
    STATEMENT,
)

OPERAND_END = rf"\}}(?=[ \t]*+(?!{IDENTIFIER}[ \t]*+:)[;,\]%\[0-9])"
"""A `}` that ends no block: what follows it in its line begins no statement, as a label would."""

# A group without inner groups is skipped as a whole, like comments, strings and initial values. So are unmatched braces
# of operands: a block's `{` follows no comma, and its `}` is followed by none.
_OPERAND = "|".join(rf"(?<=[\w,\[(|=]{'[ 	]' * blanks})" for blanks in range(4))
_BRACES = pattern(
    rf"""(?>[^{{}}"/=]++ | =(?:{TRIVIA}*+{INITIAL_LIST})?+ | \{{(?>[^{{}}"/;\#]+|{COMMENT})*+\}} | {COMMENT}
      | {OPEN_STRING} | / | (?:{_OPERAND})\{{[^{{}}"/;]*+(?=[;{{]) | {OPERAND_END}
    )*+([{{}}]?)""",
    re.X | re.A,
)
_GUARDED = pattern(rf"@!?{IDENTIFIER}[ \t]*+\{{", re.A)
"""The beginning of a block after a guard, which is an error; no operand's `{` is there."""
# The style of compilers: a `}` that ends a body starts its line, a block's brace follows a statement, operands in
# braces are within a line, no comment or string contains a brace. Each expression begins with one character.
_LAST = pattern(r"\n\}(?![ \t]*+[;,\]])")
_OPENED = pattern(r"\{(?:(?<=[;{}\n]\{)|(?<=[;{}\n][ \t]\{))")
_CLOSED = pattern(r"\}(?:(?<=[;}\n]\})|(?<=[;}\n][ \t]\}))(?![ \t]*+[;,\]])")
_GROUP = pattern(r'\{(?<![;{}\n]\{)(?<![;{}\n][ \t]\{)[^{};\n"/]*+\}')
_AN_ITEM = rf"[ \t\r\n]*+(?:{COMMENT}[ \t\r\n]*+)*+\.(?!reg\b|loc\b)"
_SHORT = pattern(rf'[^{{}}"/]{{0,512}}+\}}(?={_AN_ITEM})')
"""A short body without braces, strings and comments inside, and an item after it."""
_COMMENTED = pattern(r"//[^{}\n]*+[{}]")
_QUOTED = pattern(r'"[^{}\n]*+[{}]')
_DOUBLED = pattern(r"\{\s*\{")
_MODULE = pattern(r"\.(?:version|target|address_size|file|section|alias)\b")
_DOTLESS = pattern(r"(?:visible|extern|weak|common|func|entry)(?:\..*)?", re.S)
_ENDED = pattern(r"(?:\b(?:ret|exit|trap|bra)\b[^;\n]*;|(?<=[;}\n])[ \t]*\})\s*\Z")
_ENDED_TWICE = pattern(r"(?<=[;}\n])[ \t]*\}[ \t]*;(?=\s*(?:\.(?:visible|weak|extern|common)\b\s*)?\Z)")
"""The end of a body with a semicolon after it, before the next function or the end of the file."""
_ENDED_BY_OTHER = pattern(r"[;}]\s*\n[ \t]*([)\]>])\s*\Z")
"""Another closing mark alone in the last line of a body."""
_ITEM = pattern(_AN_ITEM)
_SECTION = pattern(r"\.section\s+[.\w$%]+\s*\{", re.A)
_NEXT = pattern(r"\.(?:entry|func|section|file)\b")
_DECLARED = pattern(r"\.func\b.*;", re.S)  # a function can be declared inside a body, but not have one


class Body:
    """The extent of a body: `span` is its content, `end` is after its closing brace, `problem` says why it is
    `broken`."""

    __slots__ = ("end", "problem", "span")

    def __init__(self, span: Span, end: int, problem: Diagnostic | None = None) -> None:
        self.span, self.end, self.problem = span, end, problem


def body(file: File, name: str, opened: Span) -> Body:
    """The body whose `{` is at `opened` (an empty span if it is missing)."""
    text, start = file.text, opened[1]
    if (short := _SHORT.match(text, start)) and not _NEXT.search(text, start, short.end()):
        return Body((start, short.end() - 1), short.end())
    word = _NEXT.search(text, start)
    close = closing(text, start, word.start() if word else len(text))
    if close is None:
        close, following = _walk(text, start) if word else (None, None)
        if close is None:
            return _unclosed(file, name, opened, following)
    if (again := _continuation(text, close + 1)) is None:
        return Body((start, close), close + 1)
    return _closed_early(file, name, opened, close, again)


def closing(text: str, start: int, end: int) -> int | None:
    """The offset before `end` of the `}` that closes the group open at `start`."""
    if (close := _closing_plainly(text, start, end)) is not None:
        return close
    return _closing_counted(text, start, end)


_NEAR = 1 << 9


def closing_outside(text: str, start: int) -> int | None:
    """The `}` that closes a block outside of bodies. A file may have nothing but such blocks, so little is read after
    the end of each."""
    size = _NEAR
    while start + size < len(text):
        end = start + size
        close = _closing_counted(text, start, end)
        if close is not None and _is_before_cut(text, start, close, end):
            return close
        size *= 4
    return closing(text, start, len(text))


def _is_before_cut(text: str, start: int, close: int, end: int) -> bool:
    """Whether neither a comment before `close` nor what says that this is no operand's brace is cut off at `end`."""
    comment = text.rfind("/*", start, close)
    return bool(text[close + 1 : end].strip()) and (comment < 0 or text.find("*/", comment, end) >= 0)


def _closing_counted(text: str, start: int, end: int) -> int | None:
    depth, body = 1, _GUARDED.sub(lambda guard: guard[0][:-2] + ";{", text[start:end])
    for match in _BRACES.finditer(body):
        brace = match[1]
        if not brace:
            return None
        depth += 1 if brace == "{" else -1
        if not depth:
            return start + match.start(1)
    return None


def _closing_plainly(text: str, start: int, end: int) -> int | None:
    """The body's closing brace if braces are in the style of compilers; None if that is not certain."""
    last = text.rfind("\n}", start, end)
    if last >= 0 and _LAST.match(text, last) and _closes(text, start, last + 1):
        return last + 1
    first = _LAST.search(text, start, end)
    return first.end() - 1 if first is not None and _closes(text, start, first.end() - 1) else None


def _closes(text: str, start: int, close: int) -> bool:
    """Whether the `}` at `close` certainly closes the group open at `start`."""
    # Searching for one character is a hundred times as fast as searching for two.
    if text.find("*", start, close) >= 0 and text.find("/*", start, close) >= 0:
        return False
    opened, closed = text.count("{", start, close), text.count("}", start, close)
    if opened != closed:
        return False
    if opened:
        groups = len(_GROUP.findall(text, start, close))
        opens = [match.start() for match in _OPENED.finditer(text, start, close)]
        closes = [match.start() for match in _CLOSED.finditer(text, start, close)]
        if len(opens) + groups != opened or len(closes) + groups != closed or any(map(gt, opens, closes)):
            return False
        if _COMMENTED.search(text, start, close):
            return False
        return text.find('"', start, close) < 0 or _QUOTED.search(text, start, close) is None
    return True


def _walk(text: str, start: int) -> tuple[int | None, int | None]:
    """The `}` that closes a body, or else the position before a function or section that begins earlier: neither can be
    in a body."""
    depth = 1
    for match in STATEMENT.finditer(text, start):
        if match.lastindex == BRACE:
            depth += 1 if match[BRACE] == "{" else -1
            if not depth:
                return match.start(BRACE), None
        elif (match.lastindex == HEADER and not _DECLARED.search(match[HEADER]) and not _is_nested(text, match)) or (
            match.lastindex == DIRECTIVE
            and match[DIRECTIVE].startswith((".section", ".file"))
            and (_SECTION.match(text, match.start(DIRECTIVE)) or _continuation(text, match.end()) is None)
        ):
            return None, match.end(1)
    return None, None


_NESTED = 1 << 12
"""Characters of a function inside another that are looked at: each header of a file may be one."""


def _is_nested(text: str, header: re.Match[str]) -> bool:
    """Whether a function is defined inside of a body, which goes on after it."""
    opened = text.find("{", header.end(1), header.end(1) + _NESTED)
    close = closing(text, opened + 1, min(opened + _NESTED, len(text))) if opened >= 0 else None
    return close is not None and _continuation(text, close + 1) is not None


_HEADER_LOST = pattern(r"\s*(?:\.param\b[^;{}()]*)?\)[^;{}()]*\{")
"""The parameters of a function whose first line something else has replaced."""


def _continuation(text: str, start: int) -> int | None:
    """The position of an instruction or label right after a body, where neither is allowed; None if there is none."""
    if _ITEM.match(text, start):
        return None
    for match in STATEMENT.finditer(text, start):
        if match.lastindex == INSTRUCTION and _DOTLESS.fullmatch(match[3]):
            break
        if match.lastindex == INSTRUCTION and _HEADER_LOST.match(text, match.end()):
            break
        if match.lastindex in (INSTRUCTION, LABEL) or (match.lastindex == BRACE and match[BRACE] == "{"):
            return match.end(1)
        if match.lastindex not in (REGISTERS, LINE):
            break
    return None


def _unclosed(file: File, name: str, opened: Span, following: int | None) -> Body:
    end = len(file.text) if following is None else following
    if (found := _closed_wrongly(file, name, opened, end)) is not None:
        return found
    labels = (
        ()
        if following is None
        else (Label((following, following + 1), "what follows can't be inside a body", FOLLOWING),)
    )
    from openptx.syntax.lost_end import lost_end  # not for right files

    inner = _innermost(file.text, opened, end)
    message = f"the body of `{name}` is never closed" if inner is None else "this block is never closed"
    if inner is not None and any(_DOUBLED.match(file.text, at) for at in (file.text.rfind("{", 0, inner), inner)):
        fix = Fix((inner, inner + 1), "", "remove it")
        problem = Diagnostic("unclosed-brace", message, file, (inner, inner + 1), "one `{` too many", fix=fix)
        return Body((opened[1], end), end, problem)
    begin = opened if opened[0] < opened[1] else (max(opened[0] - 1, 0), opened[0])
    whole = following is not None or _ENDED.search(file.text)
    lost = lost_end(file.text, inner, end) if inner is not None and whole else None
    last = lost if lost is not None else len(file.text[:end].rstrip())
    if inner is not None:
        labels = (Label((inner, inner + 1), "this block begins here", BLOCK), *labels)
        message = f"a block in the body of `{name}` is never closed"
    labels = (Label(begin, "the body begins here"), *labels)
    close = (
        Fix((last, last), "\n}", "close it")
        if lost is not None
        else Fix((end, end), "}\n" if file.text.endswith("\n", 0, end) else "\n}\n", "close it")
    )
    help = None if following is not None else _CUT_OFF
    problem = Diagnostic(
        "unclosed-brace", message, file, (max(last - 1, opened[0]), last),
        "expected `}` after this" if whole else "the file ends here", labels=labels, help=help,
        fix=close if whole else None, kind="" if whole else CUT_OFF,
    )  # fmt: skip
    return Body((opened[1], end), end, problem)


def _closed_wrongly(file: File, name: str, opened: Span, end: int) -> Body | None:
    """A body that ends in `};` or in another closing mark, before `end`."""
    if ended := _ENDED_TWICE.search(file.text, opened[1], end):
        semicolon = ended.end() - 1, ended.end()
        fix = Fix(semicolon, "", "remove it", SAFE)
        message = f"no `;` follows the `}}` of the body of `{name}`"
        problem = Diagnostic("syntax", message, file, semicolon, "one `;` too many", fix=fix)
        return Body((opened[1], ended.start()), ended.end(), problem)
    if other := _ENDED_BY_OTHER.search(file.text, opened[1], end):
        mark, place = other[1], other.span(1)
        message = f"`{mark}` stands where the `}}` of the body of `{name}` belongs"
        fix = Fix(place, "}", "write `}`")
        problem = Diagnostic("syntax", message, file, place, "expected `}`", fix=fix, marks="}")
        return Body((opened[1], place[0]), place[1], problem)
    return None


_CUT_OFF = "the file ends in the middle of a body: it may have been cut off"


def _innermost(text: str, body: Span, end: int) -> int | None:
    """The block whose `{` was most likely left unclosed: the innermost one that the indentation of its `}` reveals, or
    the one that took the last `}` of the body."""
    opened: list[int] = []
    slanted: dict[tuple[int, int], list[int]] = {}  # blocks whose `}` is further left, by both columns
    closed: int | None = None
    header = text.rfind("\n", 0, body[0]) + 1
    margin = len(text[header : body[0] + 1]) - len(text[header : body[0] + 1].lstrip())
    for match in STATEMENT.finditer(text, body[1], end):
        if match.lastindex != BRACE:
            closed = closed if match.lastindex == END else None
            continue
        place = match.start(BRACE)
        if match[BRACE] == "{":
            opened.append(place)
        elif opened:
            other = opened.pop()
            columns = _indentation(text, other), _indentation(text, place)
            closed = other if columns[1] <= margin else None
            if columns[0] > columns[1]:
                slanted.setdefault(columns, []).append(other)
    suspects = [each[0] for each in slanted.values() if len(each) == 1]  # the others are a style
    return suspects[0] if suspects else (opened[-1] if opened else closed)


def _indentation(text: str, offset: int) -> int:
    """The column of a brace that starts its line, else -1."""
    line = text.rfind("\n", 0, offset) + 1
    return offset - line if text[line:offset].isspace() or line == offset else -1


def _closed_early(file: File, name: str, opened: Span, close: int, again: int) -> Body:
    """More statements follow the brace that ends the body: a `{` is missing inside, or that `}` is superfluous."""
    message = f"this `}}` ends the body of `{name}`, but statements follow"
    label = Label((again, again + 1), "this is outside of every function")
    problem = Diagnostic(
        "unmatched-brace", message, file, (close, close + 1), TOO_MANY,
        labels=(*lost_label(file.text, opened[1], close), label), help=LOST,
    )  # fmt: skip
    end = outside(file.text, again)
    tail = file.text.rfind("}", again, end)
    inside = tail if tail >= 0 and not file.text[tail + 1 : end].strip() else end
    return Body((opened[1], inside), end, problem)


TOO_MANY = "one `}` too many"
LOST = "either this `}` is too many, or the `{` of a block before it is missing"


def lost_label(text: str, start: int, close: int) -> tuple[Label, ...]:
    """Points to where the `{` of the `}` at `close` is probably missing."""
    place = lost_brace(text, start, close)
    return (Label((place, place + 1), "a `{` may be missing before this", LOST_BRACE),) if place is not None else ()


def lost_brace(text: str, start: int, close: int) -> int | None:
    """The position where the `{` of the `}` at `close` is probably missing: before the lines that are indented deeper
    than it."""
    margin = _indentation(text, close)
    if margin < 0:
        return None
    found: int | None = None
    end = text.rfind("\n", start, close)
    while end > start:
        line = text.rfind("\n", start - 1, end) + 1
        body = text[line:end]
        column = len(body) - len(body.lstrip())
        if body.strip() and column <= margin:
            return found
        if body.strip() and line > start:
            found = line + column
        end = line - 1
    return None


def outside(text: str, start: int) -> int:
    """The end of the statements that begin at a position and are allowed only inside a body."""
    last = start
    for match in STATEMENT.finditer(text, start):
        if match.lastindex in (HEADER, END) or (match.lastindex == DIRECTIVE and _MODULE.match(match[DIRECTIVE])):
            break
        if match.lastindex == INSTRUCTION and _DOTLESS.fullmatch(match[3]):
            break
        last = match.end()
    return last
