"""Parses a module: its items in order, each function as a header and the span of its body."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, Diagnostic, Fix, Label
from openptx.diagnostics.kinds import CUT_OFF
from openptx.isa.directives import NAMES
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.body_parser import read_statements, unknown_directive, without_dot
from openptx.syntax.brace_matcher import LOST, body, closing, closing_outside, lost_label
from openptx.syntax.characters import CODE, not_text, strays
from openptx.syntax.characters import problems as stray_characters
from openptx.syntax.declaration_fast_parser import simple
from openptx.syntax.declaration_memo import (
    RepeatedHeader,
    parse_repeated,
    remember,
    remember_header,
    repeated_exactly,
    repeated_header,
)
from openptx.syntax.declaration_parser import LINKAGE, SPACES
from openptx.syntax.declarations import Variable
from openptx.syntax.directive_parser import Header
from openptx.syntax.lexical import COMMENT, STRING
from openptx.syntax.sections import debug_data
from openptx.syntax.statement_lexer import BRACE, DECLARATION, DIRECTIVE, END, HEADER, STATEMENT
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Function, Statement, SyntaxTree, Unreadable

_COMMENTS = pattern(f"{STRING}|({COMMENT})")
_COMMENTS_AND_LINES = pattern(f'{STRING}|{COMMENT}\n?+|["#]|@@')
_NEXT = pattern(r"\.(?:entry|func|section)\b")
_AFTER_HEADER = pattern(r"[ \t\r\n]*+([{;])")
_BEGINS_BODY = (*SPACES, ".loc", "@", "}")
_BEGINS_ITEM = (
    *LINKAGE, ".entry", ".func", ".file", ".section", ".alias", ".pragma", ".version", ".target", ".address_size",
)  # fmt: skip
_UNFINISHED = frozenset(("invalid-declaration", "invalid-directive", "unknown-directive"))
_HELP = "the file ends in the middle of a statement: it may have been cut off"


def parse(file: File) -> SyntaxTree:
    """Parses a file. Never raises for an invalid one: `module.diagnostics` lists its errors."""
    text, items = file.text, list[Statement]()
    if (mistake := not_text(file)) is not None:
        return SyntaxTree(file, items, [mistake])
    stray = list(strays(text))
    problems = list(stray_characters(file, stray))
    if text.startswith("\ufeff"):
        problems.append(_byte_order_mark(file))
    _items(file, items, problems)
    if problems:
        problems = _cut_off(file, problems)
    if (comment := _unterminated(text)) is not None:
        problems = [problem for problem in problems if problem.name != "unclosed-brace"]
        end = text.find("\n", comment)
        end = len(text) if end < 0 else end
        fix = Fix((end, end), " */", "end the comment in its line")
        span = comment, comment + 2
        problems.append(Diagnostic("unterminated-comment", "this comment has no `*/`", file, span, fix=fix))
    return SyntaxTree(file, items, problems, plain=all(place != CODE for place, _ in stray))


def _cut_off(file: File, problems: list[Diagnostic]) -> list[Diagnostic]:
    """The errors of syntax in a file, where those at its end are one, of an unfinished statement."""
    end = len(file.text.rstrip())
    last = [each for each in problems if each.span[1] >= end]
    if not last or any(each.name not in _UNFINISHED or each.kind == CUT_OFF for each in last):
        return problems
    first = last[0]
    one = Diagnostic(
        first.name, first.message, file, first.span, first.label or "the file ends here", labels=first.labels,
        rule=first.rule, help=_HELP, kind=CUT_OFF,
    )  # fmt: skip
    return [one if each is first else each for each in problems if each is first or each not in last]


def _byte_order_mark(file: File) -> Diagnostic:
    help, fix = "save the file as UTF-8 without a byte order mark", Fix((0, 1), "", "remove it", SAFE)
    return Diagnostic("invalid-character", "a byte order mark stands before the text", file, (0, 1), help=help, fix=fix)


def _items(file: File, items: list[Statement], problems: list[Diagnostic]) -> None:
    """The statements outside functions, and the functions."""
    text = file.text
    bare: str | None = None  # the text without comments, from the first declaration on that contains one
    offset = int(text.startswith("\ufeff"))
    while True:
        offset = _functions(file, offset, items, problems)
        match = STATEMENT.match(text, offset)
        if match is None or (kind := match.lastindex) == END:
            return
        start = match.end(1)
        if kind == HEADER:
            offset = _function(file, match, items, problems)
        elif kind == BRACE:
            offset = _brace(file, start, items, problems)
        elif (kind == DIRECTIVE and (after := debug_data(file, start, items))) or (
            kind == DECLARATION and (after := _variables(file, bare or text, start, match.end(), items))
        ):
            offset = after
        elif kind == DECLARATION and bare is None and "/" in match[DECLARATION]:
            bare = _without_comments(text)  # the next iteration reads the same declaration in it
        else:
            before = len(problems)
            offset = read_statements(Cursor(file, start, len(text)), match.end(), items, problems, inside=False)
            if kind == DECLARATION and len(problems) == before and offset == match.end():
                _remember_variable(items[-1])


def _without_comments(text: str) -> str:
    """The text with blanks in place of comments and of the ends of their lines; itself if it has lines or quotes that
    could hide where a comment begins."""
    if any(match[0] in ('"', "#", "@@") for match in _COMMENTS_AND_LINES.finditer(text)):
        return text
    return _COMMENTS_AND_LINES.sub(lambda match: match[0] if match[0][0] == '"' else " " * len(match[0]), text)


def _variables(file: File, text: str, start: int, end: int, items: list[Statement]) -> int:
    """Declarations in the plain form, the first one between two offsets. Returns where to continue: 0 if it is not
    one. `text` is the file's, or that without comments."""
    after = parse_repeated(file, text, start, items)
    if after == start:
        if (found := simple(file, start, end, text)) is None:
            return 0
        remember(found, text)
        items.append(found)
        after = end
    return after


def _remember_variable(item: Statement) -> None:
    """Memoises the form of a declaration that the full parser has read, if it declares one name."""
    if isinstance(item, Variable) and len(item.names) == 1:
        remember(item, item.file.text)


def _unterminated(text: str) -> int | None:
    """Where a comment begins that extends to the end of the file."""
    last = text.rfind("/*") if "*" in text else -1
    if last < 0 or last + len("*") < text.rfind("*/"):  # `/*/` begins a comment and does not end it
        return None
    return next((found.start() for found in _COMMENTS.finditer(text) if found[1] and _is_open(found[1])), None)


def _is_open(comment: str) -> bool:
    return comment.startswith("/*") and (len(comment) < len("/**/") or not comment.endswith("*/"))


def _function(file: File, match: re.Match[str], items: list[Statement], problems: list[Diagnostic]) -> int:
    if (known := repeated_header(match)) and (after := _AFTER_HEADER.match(file.text, known.end)):
        return _simple_function(known, file, after.start(1), items, problems)
    before = len(problems)
    end = _new_function(file, match.end(1), items, problems)
    if len(problems) == before:
        remember_header(items[-1], match)
    return end


def _functions(file: File, offset: int, items: list[Statement], problems: list[Diagnostic]) -> int:
    """Consecutive functions with memoised headers. Returns where to continue."""
    while known := repeated_exactly(file.text, offset):
        offset = _simple_function(known, file, known.end, items, problems)
    return offset


def _new_function(file: File, start: int, items: list[Statement], problems: list[Diagnostic]) -> int:
    header, before = Header(), len(problems)
    c = Cursor(file, start, len(file.text))
    try:
        header.read(c, problems)
    except Mistake as mistake:
        problems.append(mistake.diagnostic)
        while c.kind != "end" and c.word not in ("{", ";"):
            c.advance()
    ends = c.last
    inside = None
    broken = False
    if c.word == ";":
        c.advance()
        ends = c.last
    elif header.kind == "func" and _ends_as_declaration(c, header.linkage):
        pass
    elif c.word in (".visible", ".extern", ".weak", ".common", ".entry", ".func", ".section") or c.kind == "end":
        message = f"expected `{{` or `;` after the header of `{header.name.text}`"
        fix = Fix((ends, ends), ";", "declare it without a body") if len(problems) == before else None
        if fix is not None or c.kind != "end":  # else the file ends inside the header, which is reported
            problems.append(
                Diagnostic("missing-semicolon", message, file, (ends - 1, ends), "expected after this", fix=fix)
            )
    else:
        opened = _opened(c, header.name.text, problems)
        ends = c.end if c.word == ";" else c.last
        if opened is not None:
            found = body(file, header.name.text, opened)
            if found.problem:
                problems.append(found.problem)
            inside, ends, broken = found.span, found.end, found.problem is not None
    items.append(header.function(file, start, inside, ends, broken))
    return ends


def _simple_function(
    header: RepeatedHeader, file: File, end: int, items: list[Statement], problems: list[Diagnostic]
) -> int:
    """A function with a correct header, up to the `{` or `;` at `end`."""
    if file.text[end] == ";":
        items.append(header.function(file, None, end + 1, broken=False))
        return end + 1
    found = body(file, header.name.text, (end, end + 1))
    if found.problem:
        problems.append(found.problem)
    items.append(header.function(file, found.span, found.end, broken=found.problem is not None))
    return found.end


def _ends_as_declaration(c: Cursor, linkage: str) -> bool:
    """Whether a `.func` header ends here as a declaration: like the assembler, requires no `;` if an item follows.

    A following variable may also be the first statement of a body whose `{` is missing: then its `}` exists.
    """
    if c.kind == "end" or c.word in _BEGINS_ITEM or (linkage == "extern" and c.kind == "dot"):
        return True
    if c.word not in SPACES:
        return False
    following = _NEXT.search(c.file.text, c.start)
    return closing(c.file.text, c.start, following.start() if following else len(c.file.text)) is None


_INSTEAD_OF_A_BRACE = (":", "(", "[", "<", "}", "begin")
_INSTEAD_OF_A_BODY = {
    "(": "the result of a function stands before its name: `.func (.reg .u32 result) name (...)`",
    "-": "a name consists of letters, digits, `_`, `$` and `%`",
    "<": "PTX has no templates: a name consists of letters, digits, `_`, `$` and `%`",
}


_BEFORE_BODY = pattern(r"[\w(][^;:{}=@\n]*(?=\n\s*\{[ \t]*$)", re.M)
"""The rest of a header's last line, where the next line is the `{` of the body."""

_OVERWRITTEN = pattern(
    r"\.(?:version|target|address_size)\b[^\n;{}()]*(?<!\s)|[a-z@][^\n;{}]*;(?=[ \t]*(?://[^\n]*)?\n\s*\.reg\b)", re.A
)
"""A line in place of the `{` of a body: a directive of the file, or an instruction before the registers."""


def _opened(c: Cursor, name: str, problems: list[Diagnostic]) -> Span | None:
    """The position where the body opens: the `{`, or after the header if a statement begins without one; None if there
    is no body."""
    if c.word == "{":
        return c.span
    place, message = c.last, f"expected `{{` after the header of `{name}`, found {c.described}"

    def expected(span: Span, label: str = "expected `{`", fix: Fix | None = None, help: str | None = None) -> None:
        problems.append(Diagnostic("syntax", message, c.file, span, label, help=help, fix=fix, marks="{"))

    if c.word in _INSTEAD_OF_A_BRACE and c.stands_alone and c.new_line:
        expected(c.span, fix=Fix(c.span, "{", "open the body", SAFE))
        return c.span
    if c.kind == "dot" and c.word not in NAMES:
        problems.append(unknown_directive(c).diagnostic)
    elif c.kind == "word" and "." + c.word in NAMES:
        problems.append(without_dot(c).diagnostic)
    elif c.kind == "bad":
        problems.append(c.invalid_character().diagnostic)
    elif c.new_line and (line := _OVERWRITTEN.match(c.file.text, c.start)) is not None:
        expected(line.span(), fix=Fix(line.span(), "{", "open the body"))
        return line.end(), line.end()
    elif (extra := _BEFORE_BODY.match(c.file.text, c.start)) is not None:
        expected(extra.span())
    else:
        label, fix = _missing_brace(c, place)
        expected(c.span, label, fix, _INSTEAD_OF_A_BODY.get(c.word))
        if c.kind == "word" or c.word in _BEGINS_BODY:
            return place, place
    while c.kind != "end" and not c.at("{", ";", ".entry", ".func", *LINKAGE):
        c.advance()
    return c.span if c.word == "{" else None


def _missing_brace(c: Cursor, place: int) -> tuple[str, Fix | None]:
    """The label and the fix where a body does not open, after a header that ends at a place."""
    begins = c.kind in ("word", "dot", "number") or c.word in ("@", "}")
    label = "expected `{` before this" if begins else "expected `{`"
    if c.word == ")":
        return label, Fix((place, place), "(", "open the parameters", SAFE)
    return label, Fix((place, place), " {", "open the body", SAFE) if begins else None


def _brace(file: File, start: int, items: list[Statement], problems: list[Diagnostic]) -> int:
    """A misplaced brace. A block after a header that cannot be parsed is skipped with it."""
    end = start + 1
    after = items and isinstance(items[-1], Unreadable) and not file.text[items[-1].span[1] : start].strip()
    if file.text[start] == "}":
        before = items[-1] if items else None
        labels: tuple[Label, ...] = ()
        if isinstance(before, Function) and before.body and (lost := lost_label(file.text, *before.body)):
            labels = (*lost, Label((before.span[1] - 1, before.span[1]), f"the body of `{before.name.text}` ends here"))
        message, label = "this `}` closes nothing", "no `{` is open"
        problems.append(Diagnostic("unmatched-brace", message, file, (start, end), label, labels=labels, help=LOST))
    else:
        close = closing_outside(file.text, end)
        end = len(file.text) if close is None else close + 1
        if not after:
            message, label = "a block is only allowed inside the body of a function", "no function begins here"
            header = items[-1] if items else None
            fix, help = None, "a function begins with its header: `.visible .entry name(.param .u64 a)`"
            if isinstance(header, Function) and header.body is None and file.text[header.span[1] - 1] == ";":
                fix, help = Fix((header.span[1] - 1, header.span[1]), "", "remove the `;` after the header"), None
            problems.append(
                Diagnostic("misplaced-statement", message, file, (start, start + 1), label, help=help, fix=fix)
            )
    items.append(Unreadable(file, (start, end)))
    return end
