"""Marks that begin no token of PTX: a dot without a word, `#`, `'` and `%%`. What they are in other languages."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix
from openptx.isa.directives import NAMES
from openptx.patterns import pattern
from openptx.source import File
from openptx.syntax.lexical import IDENTIFIER

_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "=": "eq", "!=": "ne", "<>": "ne"}
_OPERATOR = pattern(r"\.(<=|>=|==|!=|<>|[<>=])")
_BLANK = pattern(r"\.([ \t]+)[A-Za-z]")
_PREPROCESSOR = pattern(r"#[ \t]*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|error|pragma|line|warning)\b")
_IMMEDIATE = pattern(r"#-?[0-9]")
_NAME = pattern(rf"#({IDENTIFIER}(?:(?:\.|::)\w+)*)", re.A)
_CHARACTER = pattern(r"'([ -&(-\[\]-~])'")
_COMMENT = "a comment begins with `//`, or stands between `/*` and `*/`"


def lone_dot(file: File, start: int, limit: int, about: str) -> Diagnostic:
    """The error that no word directly follows a dot: `.>`, `. u32`. `about` is the code of errors in the construct."""
    text, span = file.text, (start, start + 1)
    about = "invalid-opcode" if about == "syntax" else about
    if operator := _OPERATOR.match(text, start, limit):
        word, span = _COMPARISONS[operator[1]], operator.span()
        message = f"a comparison is a word in PTX, not `{operator[1]}`"
        # `!=` of C holds for NaN, `.ne` does not: `.neu` may be meant.
        fix = Fix(span, f".{word}", f"write `.{word}`", SUGGESTION if word == "ne" else SAFE)
        rule = "PTX ISA, Comparisons (9.3.1)"
        return Diagnostic(about, message, file, span, f"expected `.{word}`", rule=rule, fix=fix)
    if text[start - 1 : start] in ("]", "}", ")"):  # a comma was meant
        fix = Fix(span, ",", "write a comma", SAFE)
        message = "expected `,` after the operand, found `.`"
        return Diagnostic("syntax", message, file, span, "expected `,`", marks=",", fix=fix)
    if text.startswith("..", start):
        fix = Fix(span, "", "remove one dot", SAFE)
        return Diagnostic(about, "one dot begins a modifier", file, span, "no word follows", fix=fix)
    blank = _BLANK.match(text, start, limit)
    fix = Fix(blank.span(1), "", "remove the blank", SAFE) if blank else None
    label = "remove the blank" if fix else "no word follows"
    return Diagnostic(about, "no word directly follows this `.`", file, span, label, fix=fix)


def number_sign(file: File, start: int, limit: int) -> tuple[Diagnostic, int | None]:
    """The error `#`: a preprocessor line, an ARM immediate, or a comment. Also where the comment ends, whose text is
    not a further error."""
    text, span, message = file.text, (start, start + 1), "PTX has no use for `#` here"
    if _PREPROCESSOR.match(text, start, limit):
        help = 'run the C preprocessor first; of its lines only `#line 1 "file"` may stay'
        return Diagnostic("invalid-character", message, file, span, help=help), None
    if _IMMEDIATE.match(text, start, limit):
        fix = Fix(span, "", "remove it", SAFE)
        help = "a constant is written without `#`"
        return Diagnostic("invalid-character", message, file, span, help=help, fix=fix), None
    name = _NAME.match(text, start, limit)
    if name is not None and f".{name[1]}" in NAMES:
        fix = Fix(span, ".", "write a dot", SAFE)
        return Diagnostic("syntax", f"expected `.{name[1]}`, found `{name[0]}`", file, name.span(), fix=fix), None
    fix = Fix(span, "//", "begin the comment with `//`", SAFE)
    end = text.find("\n", start, limit)
    error = Diagnostic("invalid-character", message, file, span, help=_COMMENT, fix=fix)
    return error, end if end >= 0 else limit


def character_constant(file: File, start: int, limit: int) -> Diagnostic:
    """The error `'a'`: a C character, which is a number."""
    message = "PTX has no use for `'` here"
    found = _CHARACTER.match(file.text, start, limit)
    if found is None:
        return Diagnostic("invalid-character", message, file, (start, start + 1))
    fix = Fix(found.span(), str(ord(found[1])), f"write `{ord(found[1])}`", SAFE)
    help = "a character is written as its number"
    return Diagnostic("invalid-character", message, file, found.span(), help=help, fix=fix)


def doubled_percent_sign(file: File, start: int, limit: int) -> Diagnostic:
    """The error `%%r1`, which inline assembly writes for `%r1`. The fix is for the whole statement."""
    end = file.text.find(";", start, limit)
    end = end if end >= 0 else limit
    fix = Fix((start, end), file.text[start:end].replace("%%", "%"), "write one `%`", SAFE)
    help = "only inline assembly (`asm`) doubles the `%` of a register"
    return Diagnostic("invalid-name", "PTX has no use for `%%`", file, (start, start + 2), help=help, fix=fix)
