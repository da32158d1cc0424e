"""Variables and headers that differ from earlier ones only in name: parsed in full on demand.

Libraries declare tens of thousands of variables in one form, `.global .align 1 .b8 name[1];`, and a file's kernels
often have the same parameters.
"""

from __future__ import annotations

import re

from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.declarations import Form, Variable
from openptx.syntax.lexical import COMMENT, FLOAT, INITIAL_INTEGER, LETTER, NEW_NAME, WORD, words
from openptx.syntax.operands import Name
from openptx.syntax.plain_values import (
    ADDRESS,
    ADDRESSES,
    FLOATS,
    INTEGERS,
    LIST,
    MASKED,
    SHORT_INTEGERS,
    SUMS,
    bytes_fit,
    fits,
    integers_fit,
    is_plain,
    likely_kind,
    split_names,
)
from openptx.syntax.statement_lexer import HEADER
from openptx.syntax.tree import Function, HeaderForm, Statement

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any

Parts = tuple[str, str, str, int]

_BEFORE = r"[ \t\r\n]*+(?://[^\n]*+[ \t\r\n]*+)*+"
_PARTS = pattern(
    rf"""{_BEFORE}((?:\.\w++[ \t]++(?:[0-9]++[ \t]++)?+)++) (?!(?:[_$%]|WARP_SZ)[\[;\ ])({WORD})
    ((?:\[[0-9]*+\])*+;
    | [ ]=[ ]({INITIAL_INTEGER}(?=;)|({FLOAT})|({ADDRESS})(?=;));
    | ((?:\[[0-9]++\])++)[ ]=[ ]({LIST});)""",
    re.X | re.A,
)
"""The form of most declarations."""
_SEVERAL = pattern(
    rf"{_BEFORE}((?:\.\w++[ \t]++(?:[0-9]++[ \t]++)?+)++)({NEW_NAME}(?:[ \t]*+,[ \t\r\n]*+{NEW_NAME})++)[ \t]*+;", re.A
)
"""A declaration of several names. Its form is that of a declaration of one of them."""
_WIDTHS = {f"{kind}{width}": width for kind in "bsu" for width in (8, 16, 32, 64)}
_MARKS = {INTEGERS: "{}", SUMS: "{}", FLOATS: "{0.0}", ADDRESSES: "{y}", MASKED: "{0xFF(y)}"}
"""Represent lists of values in the text after a name."""
_LENGTH = pattern(r"\[([1-9][0-9]{0,8})\](?!\[)")
_VECTOR = pattern(r"\.v([248])\b")
_SIZES = pattern(r"[0-9]++").findall
_NAMES = pattern(rf"(?<![.\w$%])({WORD})", re.A)
_COMMENT = pattern(COMMENT)
_FUNCTION = pattern(
    rf"""{_BEFORE}((?:\.(?:visible|extern|weak)[ \t\r\n]++)?+\.(?:func|entry)[ \t\r\n]*+(?:\([^()]*+\)[ \t\r\n]*+)?+
    ([A-Za-z]{LETTER}*+|[_$]{LETTER}++) [^;{{}}/"]*+(?://[^\n]*+[^;{{}}/"]*+)*+(?:;|(?=\{{)))""",
    re.X | re.A,
)
"""A header up to its `{` or `;`, and the name of its function, unless that begins with `%`, as special registers do."""
_NUMBER = r"[1-9][0-9]{0,8}+"
_LIMITS = pattern(
    rf"(?:[ \t\r\n]*+\.(?:max|min|req)[a-z]++[ \t]++{_NUMBER}(?:[ \t]*+,[ \t]*+{_NUMBER})*+(?![\w.]))++[ \t\r\n]*+"
)
_SEVERAL_THREADS = pattern(r"(?<=[ \t,])(?:[1-9][0-9]++|[2-9])")
"""A number in `.maxntid 256, 1, 1`. Of one thread more is allowed."""
_RESERVED = frozenset(("_", "$", "%", "WARP_SZ", *(f"%{name}" for name in SPECIAL_REGISTERS)))
"""Names that cannot be declared."""
_SYMBOLIC = (" = y;", "{y};", "(y)};")
"""The ends of declarations with addresses as initial values."""
_SAME = "\0"
"""Represents names in the text of a header, which itself contains no NUL."""

_FORMS: dict[tuple[str, str], Form] = {}
"""Forms of variables by the text before the name and after it."""
_TABLES: set[tuple[str, str, str]] = set()
"""Tables of virtual functions that fit: the text before the name, the lengths, the list without the names in it."""
_HEADERS: dict[str, HeaderForm] = {}
_EXACT: dict[str, tuple[HeaderForm, str]] = {}
"""Forms of headers by their text without the name of the function, and the names of their results and parameters."""
_MOST = 1 << 12
"""The maximum number of entries in each of the memos. A full one is cleared: what a language server has open now is
seldom what it had open first."""
_LONGEST = 1 << 9
"""Longer lists of addresses, in characters without names, are not memoised."""


def parse_repeated(file: File, text: str, offset: int, items: list[Statement]) -> int:
    """Parses consecutive declarations of memoised forms. Returns where to continue.

    `text` is that of the file, or the same with blanks in place of comments.
    """
    forms = _FORMS
    while True:
        if match := _PARTS.match(text, offset):
            head, name, tail, count = _parts(match)
            form = forms.get((head, tail))
            if form is None or not name:
                return offset
            symbols, rest = split_names(match[6] or match[8]) if tail.endswith(_SYMBOLIC) else ((), "")
            if not _has_room(match, rest):
                return offset
            offset = match.end()
            items.append(Variable.from_memo(file, (match.start(1), offset), form, (name,), count, symbols))
        elif match := _SEVERAL.match(text, offset):
            names, form = words(match[2]), forms.get((match[1], ";"))
            if form is None or len(set(names)) < len(names) or not _RESERVED.isdisjoint(names):
                return offset
            offset = match.end()
            items.append(Variable.from_memo(file, (match.start(1), offset), form, names))
        else:
            return offset


def _make_room(memo: dict[Any, Any] | set[Any]) -> None:
    if len(memo) >= _MOST:
        memo.clear()


def split_declaration(text: str) -> Parts:
    """A plain declaration: the text before its name, the name ("" if it is not allowed), the text after it, and the
    length of a one-dimensional array, which the text after it shows as `[N]` (0 if it is no such array, or open).

    Values are ignored if the type can represent them and the array has room for them.
    """
    match = _PARTS.fullmatch(text)
    return _parts(match) if match is not None and _has_room(match) else ("", "", "", 0)


def _parts(match: re.Match[str]) -> Parts:
    """The parts of a match of `_PARTS`, whatever the values of a list are: `_has_room` checks them."""
    head, name, tail, number, float, address, sizes, values = match.groups()
    if name[0] == "%" and name[1:] in SPECIAL_REGISTERS:
        name = ""
    if number:
        kept = " = 0.0;" if float else " = y;" if address else " = 0;" if integers_fit([number], _width(head)) else tail
        return head, name, kept, 0
    if values:
        tail = f"{sizes} = {_MARKS[likely_kind(values)]};"
    if tail[0] == "[" and (counted := _LENGTH.match(tail)) is not None:
        return head, name, f"[N]{tail[counted.end() :]}", int(counted[1])
    return head, name, tail, 0


def _has_room(match: re.Match[str], rest: str = "") -> bool:
    """Whether an array certainly has room for the listed values; True if there is no list. `rest` is the list without
    the names in it, if it has any."""
    head, _, _, _, _, _, sizes, values = match.groups()
    if not values or (rest and (head, sizes, rest) in _TABLES):
        return True
    shape, width, vector = list(map(int, _SIZES(sizes))), _width(head), _VECTOR.search(head)
    if len(shape) == 1 and vector is None:
        if width == 8 and bytes_fit(values, shape[0]):
            return True
        if width >= 32 and SHORT_INTEGERS.fullmatch(values):
            return values.count(",") < shape[0]
    if vector is not None:
        shape.append(int(vector[1]))
    kind = likely_kind(values)
    fine = is_plain(kind, values) and fits(kind, values, shape, width, whole_rows=vector is not None)
    if fine and rest and len(rest) < _LONGEST:
        _make_room(_TABLES)
        _TABLES.add((head, sizes, rest))
    return fine


def _width(head: str) -> int:
    """The bits of the type that a declaration names last; 0 for a type that holds no integers."""
    return _WIDTHS.get(head[head.rfind(".") + 1 :].rstrip(), 0)


def remember(variable: Variable, text: str) -> None:
    """Memoises the form of a declaration that `simple` has parsed: of one name, without a value or with a plain one, or
    of several without.

    The values of the first declaration of a form are not examined, because the checker judges that one in full.
    """
    _make_room(_FORMS)
    if several := _SEVERAL.fullmatch(text, *variable.span):
        names = [each.name.text for each in variable.names]
        if len(set(names)) == len(names) and _RESERVED.isdisjoint(names):
            variable.words, variable.form = names, _FORMS.setdefault((several[1], ";"), Form())
        return
    match = _PARTS.fullmatch(text, *variable.span)
    if match is None:
        return
    head, name, tail, count = _parts(match)
    if name == variable.names[0].name.text and ((head, tail) not in _FORMS or _has_room(match)):
        variable.words, variable.length = (name,), count
        variable.form = _FORMS.setdefault((head, tail), Form())


class RepeatedHeader:
    """The header of a function that matches an earlier one. Its `{` or `;` is searched for from `end` on."""

    __slots__ = ("end", "form", "formals", "name", "start")

    def __init__(self, form: HeaderForm, name: Name, formals: list[str], start: int, end: int) -> None:
        self.form, self.name, self.formals, self.start, self.end = form, name, formals, start, end

    def function(self, file: File, body: Span | None, end: int, broken: bool) -> Function:
        """The function that begins with this header."""
        return Function.from_memo(file, (self.start, end), self.form, self.name, self.formals, body, broken)


def repeated_exactly(text: str, offset: int) -> RepeatedHeader | None:
    """The header at an offset, if it differs from an earlier one only in the name of the function, with which the names
    of its parameters may begin. Its `{` or `;` is at its end."""
    if not _EXACT or len(text) - offset < len(".func f;") or (match := _FUNCTION.match(text, offset)) is None:
        return None
    header, name = match.groups()
    known = _EXACT.get(header.replace(name, _SAME))
    if known is None or _SAME in header or name in _RESERVED:
        return None
    names = known[1].replace(_SAME, name).split()
    return RepeatedHeader(known[0], Name(name, match.span(2)), names, match.start(1), match.end() - (header[-1] == ";"))


def repeated_header(match: re.Match[str]) -> RepeatedHeader | None:
    """The parts of a header in a match of `STATEMENT`, if its form has been memoised."""
    text = match[HEADER]
    form, parts = _form_and_parts(text)
    found = _HEADERS.get(form)
    if found is None:
        return None
    names, (start, end) = parts[1::2], match.span(HEADER)
    at = start + sum(map(len, parts[: 2 * found.results + 1]))
    name = names.pop(found.results)
    return RepeatedHeader(found, Name(name, (at, at + len(name))), names, start, end - text.endswith(";"))


def _form_and_parts(text: str) -> tuple[str, list[str]]:
    """The text of a header without its names, limits such as that of threads, and comments ("" if a name occurs twice
    or cannot be declared), and the header split at its names: texts and names alternate."""
    commented = "/" in text
    if commented:
        text = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    text, quote, pragma = text.partition('"')
    parts = _NAMES.split(text)
    names = parts[1::2]
    if _SAME in text or len(set(names)) < len(names) or not _RESERVED.isdisjoint(names):
        return "", parts
    before, closed, after = parts[-1].rpartition(")")
    if "." in after and _LIMITS.fullmatch(after):
        after = _SEVERAL_THREADS.sub("2", after)
    form = _SAME.join((*parts[:-1:2], before + closed + after)) + quote + pragma
    return " ".join(form.split()) if commented else form, parts


def remember_header(item: Statement, match: re.Match[str]) -> None:
    """Memoises the header of a correct function, if it names only the function and its parameters."""
    if not isinstance(item, Function) or item.attributes or item.broken:
        return
    text, end = match[HEADER], match.end(HEADER)
    if "(" not in text:  # the braces after it may be about its parameters: `.entry k { .param .u64 a } { ... }`
        return
    if end != (item.span[1] if item.body is None else item.body[0] - 1) or ('"' in text and text[-1] == ";"):
        return
    form, parts = _form_and_parts(text)
    returns, parameters = ([each.names[0].name.text for each in list] for list in (item.returns, item.parameters))
    if form and parts[1::2] == [*returns, item.name.text, *parameters]:
        _make_room(_HEADERS)
        item.form = _HEADERS.setdefault(form, HeaderForm(item.kind, item.linkage, len(returns)))
        item.formals = returns + parameters
        _remember_exactly(item, text)


def _remember_exactly(function: Function, text: str) -> None:
    """Memoises the header of a correct function for others that differ only in its name, with which the names of its
    parameters may begin."""
    name = function.name.text
    parts = text.split(name)[:-1]
    if '"' in text or not all(parts):
        return
    formals = [formal.replace(name, _SAME, 1) for formal in function.formals]
    # At each place a word begins, which may begin with another name as well. `WARP_SZ` is the only reserved word that
    # begins with a letter.
    alike = not any(part[-1].isalnum() or part[-1] in "_$%." for part in parts)
    if alike and not any(formal[0] == _SAME and formal[1:] and "WARP_SZ".endswith(formal[1:]) for formal in formals):
        assert function.form is not None
        _make_room(_EXACT)
        _EXACT[text.replace(name, _SAME)] = function.form, " ".join(formals)
