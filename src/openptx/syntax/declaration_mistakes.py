"""The errors of declarations that lack a space, a type, a dot or a comma."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, Fix, Label
from openptx.diagnostics.kinds import ANOTHER_HEADER, OTHER_STATEMENT, TYPE
from openptx.isa.mnemonics import MODULES
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.instruction_parser import missing_semicolon
from openptx.syntax.lexical import IDENTIFIER
from openptx.syntax.tokens import Cursor, Mistake

_TYPE = pattern(r"[busf](?:8|16|32|64)|pred", re.A)


ORDER = "the order is: linkage, state space, `.align`, vector, type, `.ptr`, name"


def spaceless(c: Cursor, parameter: bool) -> Mistake:
    """The error that a declaration lacks its state space."""
    if parameter and c.word == ")" and c.file.text[c.last - 1] == ",":
        fix = Fix((c.last - 1, c.last), "", "remove the comma", SAFE)
        return c.mistake(c.about, "no parameter follows this comma", (c.last - 1, c.last), fix=fix)
    if parameter and c.kind == "word" and _TYPE.fullmatch(c.word):
        fix = Fix((c.start, c.start), ".param .", "begin the parameter with `.param`")
        return c.mistake(c.about, f"expected `.param .{c.word}`, found `{c.word}`", c.span, "no type alone", fix=fix)
    if not (parameter and c.kind == "dot" and _TYPE.fullmatch(c.word[1:])):
        what = "`.param`, or `)`" if parameter else "a state space such as `.reg` or `.global`"
        help = "a parameter is declared as in `.param .u64 a`" if parameter else None
        return c.expected(what, help=help, marks=")" if parameter else "")
    fix = Fix((c.start, c.start), ".param ", "begin the parameter with `.param`")
    return c.mistake(
        c.about, f"expected a state space such as `.param`, found `{c.word}`", c.span, "expected `.param`", fix=fix
    )


_AFTER = pattern(r"\)((?:\s*\.(?:param|reg)\s[^,(){};]*(?:,|(?=[{;])))+)", re.A)


def closed_early(c: Cursor) -> Mistake | None:
    """The error that a `)` stands before the last parameters, as where two lines are exchanged; None elsewhere."""
    if c.word != ")" or c.file.text[c.last - 1] != ",":
        return None
    match = _AFTER.match(c.file.text, c.start, c.limit)
    if match is None:
        return None
    after = match[1].rstrip()
    blank = match[1][len(after) :] or " "
    moved = after.lstrip("\r\n ")
    fix = Fix(match.span(), f"{moved}{blank[:1]}){blank}", "move it after the last parameter")
    return c.mistake(c.about, "this `)` stands before the last parameter", c.span, "too early", fix=fix)


def typeless(c: Cursor) -> Mistake:
    """The error that a declaration lacks its type, or the type its dot."""
    if not _TYPE.fullmatch(c.word):
        help = "a declaration has a state space, a type and names: `.reg .b32 a;`"
        return c.expected(f"{TYPE} such as `.b32`", help=help)
    fix = Fix((c.start, c.start), ".", f"write `.{c.word}`", SAFE)
    return c.mistake(c.about, f"expected `.{c.word}`, found `{c.word}`", c.span, "the dot is missing", fix=fix)


def commaless(c: Cursor, message: str) -> Mistake:
    """The error that a comma is missing between the previous word and this one."""
    fix = Fix((c.last, c.last), ",", "insert a comma", SAFE)
    return c.mistake(c.about, f"{message}, found `{c.word}`", c.span, marks=",", fix=fix)


_VALUES = pattern(r"[(=]\s*([0-9]+(?:\s*,\s*[0-9]+)*)(?:\s*\))?", re.A)


def parenthesised(c: Cursor, what: str) -> Mistake:
    """The error that no integer follows a directive: its values are in parentheses, or follow a `=`."""
    match = _VALUES.match(c.file.text, c.start, c.limit)
    if match is None:
        return c.expected(what, help="an integer literal stands here, such as `32`: no name and no expression")
    fix = Fix(match.span(), f" {match[1]}" if c.last == c.start else match[1], f"write `{match[1]}`", SAFE)
    return c.mistake(c.about, f"expected {what}, found `{c.word}`", c.span, "values follow without it", fix=fix)


def no_name(c: Cursor) -> Mistake:
    """The error that a pointer of C, a number, or nothing stands for a name."""
    if c.word == "*":
        fix = Fix(c.span, "", "remove it", SAFE)
        help = "a pointer is a number: `.u64 a`, for a parameter `.u64 .ptr .global a`"
        return c.mistake(c.about, "PTX has no pointers in declarations", c.span, help=help, fix=fix)
    if c.word in (",", ";", ")"):
        return c.expected("a name", "in this declaration", help="a name follows the type: `.param .u64 a`")
    help = "a name begins with a letter, or with `_`, `$` or `%` and one more character"
    return c.expected("a name", "in this declaration", help=help)


_PRODUCT = pattern(r"([0-9]+)\s*\*\s*([0-9]+)(?=\s*\])", re.A)
_COMMAS = pattern(r"\[\s*([0-9]+(?:\s*,\s*[0-9]+)+)\s*\]", re.A)


def computed_size(c: Cursor, start: int) -> Mistake | None:
    """The errors `[32, 32]` and `[16*16]`, at what follows the first number."""
    opened = c.file.text.rfind("[", start, c.start)
    if (match := _COMMAS.match(c.file.text, opened, c.limit)) is not None:
        meant = "".join(f"[{size.strip()}]" for size in match[1].split(","))
        fix = Fix(match.span(), meant, f"write `{meant}`", SAFE)
        return c.mistake(c.about, "each dimension of an array has brackets of its own", match.span(), fix=fix)
    if (match := _PRODUCT.match(c.file.text, opened + 1, c.limit)) is not None:
        meant = str(int(match[1]) * int(match[2]))
        fix = Fix(match.span(), meant, f"write `{meant}`", SAFE)
        return c.mistake(c.about, "the size of an array is one literal", match.span(), fix=fix)
    return None


_BRACKETED = pattern(r"\[([^\[\]{}();\n]*)\]|\(([^\[\]{}();\n]*,[^\[\]{}();\n]*)\)", re.A)


def no_value(c: Cursor) -> Mistake | None:
    """The error that a string, or a list in the brackets of another language, is an initial value."""
    if c.kind == "string":
        string, help = c.word[1:-1], "write its bytes, in braces"
        if len(string) < 50 and string.isascii():
            help = f"a string is an array of `.u8`: `{{{', '.join(map(str, (*string.encode(), 0)))}}}`"
        return c.mistake(c.about, "a string is no initial value", c.span, help=help)
    match = _BRACKETED.match(c.file.text, c.start, c.limit) if c.word in ("[", "(") else None
    if match is None:
        return None
    meant = f"{{{match[1] or match[2]}}}"
    fix = Fix(match.span(), meant, f"write `{meant}`", SAFE)
    return c.mistake(c.about, "a list of initial values is in braces", match.span(), fix=fix)


def after_declarator(c: Cursor) -> Mistake:
    if c.word == "{" and c.file.text[c.last - 1 : c.last] == "]" and not c.new_line:
        return c.expected_mark("=", "before the initial values")
    if c.word in (".align", ".attribute", ".ptr") and not c.new_line:
        return c.expected_mark(",;", "after the name", help=ORDER)
    if c.kind in ("end", "dot") or c.word in ("{", "}", "@") or "\n" in c.file.text[c.last : c.start]:
        return missing_semicolon(c, c.last)
    if c.kind == "word":
        return commaless(c, "expected `,` or `;` after the name")
    return c.expected_mark(",;", "after the name")


def another_header(c: Cursor) -> Mistake:
    """The error that a function begins inside the parameters of another, as where a line is overwritten."""
    message = "a function begins here, inside the parameters of another"
    help = "close the parameters before it: a line of the first header may be lost, or stand in the wrong place"
    return c.mistake(c.about, message, c.span, "expected `)` before this", help=help, kind=ANOTHER_HEADER)


_DIRECTIVE = r"\.(?:version|target|address_size|loc)\b[^\n;{}()]*"
_INSTRUCTION = rf"(?:@!?{IDENTIFIER}[ \t]+)?([a-z]\w*)[^\n;]*;"
_REGISTERS = rf"\.reg[ \t]+\.\w+[ \t]+{IDENTIFIER}(?:<[0-9]+>)?[ \t]*;"
_LINE = rf"(?:{_DIRECTIVE}|{_INSTRUCTION})[ \t]*(?=\n|//)"
_STATEMENT = pattern(rf"{_LINE}|(?:{_REGISTERS}\s*)+(?=\.param\b|\))", re.A)
"""A line that is no parameter: a directive of the file, an instruction, registers that parameters follow."""
_BODY = pattern(_REGISTERS, re.A)


def other_statement(c: Cursor) -> Span | None:
    """The position of a line of the parameters that is another statement; None if this is none."""
    match = _STATEMENT.match(c.file.text, c.start, c.limit) if c.new_line else None
    return match.span() if match is not None and (match[1] is None or match[1] in MODULES) else None


def other_statements(c: Cursor) -> Mistake | None:
    """Skips lines of the parameters that are other statements, as where they are overwritten: the error that they
    are there, or None."""
    first = last = other_statement(c)
    while (following := other_statement(c)) is not None:
        last = following
        c.seek(last[1])
    if first is None or last is None:
        return None
    help = "a line was pasted here, or has replaced one of the header"
    message = "a statement begins here, inside the parameters of a function"
    return c.mistake(c.about, message, (first[0], last[1]), "no parameter", help=help, kind=OTHER_STATEMENT)


def body_begins(c: Cursor) -> bool:
    """Whether registers of the body are declared here, where the end of the parameters is lost."""
    if c.word != ".reg" or not c.new_line or other_statement(c) is not None:
        return False
    return _BODY.match(c.file.text, c.start, c.limit) is not None


def unclosed_parameters(c: Cursor) -> Mistake:
    """The error that neither `)` nor `{` stands between the parameters and the body."""
    last = c.last - (c.file.text[c.last - 1] == ",")
    fix = Fix((last, c.last), "\n)\n{", "write `)` and `{`")
    message = "the body begins here, and its parameters are not closed"
    return c.mistake(c.about, message, c.span, "expected `)` and `{` before this", fix=fix)


def after_parameter(c: Cursor, opened: Span) -> Mistake:
    """The error that something else follows a parameter."""
    if body_begins(c):
        return unclosed_parameters(c)
    if c.word in (".param", ".reg"):
        return commaless(c, "expected `,` between parameters")
    if c.word == ";":
        ahead = c.peek().word
        last = ahead == ")"
        if not last and ahead not in (".param", ".reg"):
            fix = Fix((c.last, c.last), ")", "write `)`")
            return c.mistake(c.about, "expected `)` after the parameters, found `;`", c.span, "expected `)`", fix=fix)
        fix = Fix(c.span, "" if last else ",", "remove it" if last else "write a comma", SAFE)
        return c.mistake(c.about, "parameters are separated by commas, not ended by `;`", c.span, fix=fix)
    return c.expected_mark(",)", "after the parameter", labels=(Label(opened, "the parameters begin here"),))


_LIST = pattern(r"[^;{}=\n]*[^;{}=\s,](\}?)(?=\s*;)")


def unopened_list(c: Cursor, start: int) -> Mistake | None:
    """The error `= 1, 2, 3` of an array: a list of initial values without its braces."""
    match = _LIST.match(c.file.text, start, c.limit)
    if match is None or c.peek().kind not in ("number", "op"):
        return None
    meant = f"{{{match[0]}" if match[1] else f"{{{match[0]}}}"
    fix = Fix(match.span(), meant, "put the values in braces", SAFE)
    message = "the initial values of an array are a list in braces"
    return c.mistake(c.about, message, (start, start + 1), "expected `{` before this", marks="{", fix=fix)
