"""The errors of the headers of functions."""

from __future__ import annotations

from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix
from openptx.isa.types import FUNDAMENTAL
from openptx.syntax.declaration_parser import LINKAGE
from openptx.syntax.operands import Name
from openptx.syntax.tokens import Cursor, Mistake


def missing_body(c: Cursor, problems: list[Diagnostic]) -> None:
    """The error of a `;` after the directives of a kernel (measured, ptxas 13.5): removed where a body follows."""
    mistake = c.expected("a body", "after the directives of a kernel")
    if c.peek().word != "{":
        raise mistake
    mistake.diagnostic.fix = Fix(c.span, "", "remove it", SAFE)
    problems.append(mistake.diagnostic)
    c.advance()


def second_name(c: Cursor, first: Name, problems: list[Diagnostic]) -> Name:
    """The name of a function after another word, such as the type that C has there, which is reported."""
    fix = Fix((first.span[0], c.start), "", f"remove `{first.text}`", SUGGESTION)
    message = f"a function has one name, not `{first.text} {c.word}`"
    problems.append(c.mistake("syntax", message, first.span, "one word too many", fix=fix).diagnostic)
    return Name(*c.new_name("the name", "of the function"))


def before_name(c: Cursor, what: str) -> Mistake | None:
    """The error that something stands between `.entry` or `.func` and the name, which belongs elsewhere."""
    directive = "`.entry`" if what == "kernel" else "`.func`"
    help: str | None = None
    if c.word in LINKAGE:
        help = f"`{c.word}` stands before {directive}"
    elif c.word == "(" and what == "kernel":
        help = "a kernel has no result: it stores through a pointer"
    elif c.word[1:] in FUNDAMENTAL:
        if what == "function":
            help = f"the result of a function is in parentheses: `.func (.reg {c.word} result) name`"
    elif c.kind == "number":
        help = "a name begins with a letter, or with `_`, `$` or `%` and one more character"
    else:
        return None
    return c.expected(f"the name of the {what}", f"after {directive}", help=help)
