"""The errors of declarations that lack a space, a type, a dot or a comma."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, Fix
from openptx.patterns import pattern
from openptx.syntax.tokens import Cursor, Mistake

_TYPE = pattern(r"[busf](?:8|16|32|64)|pred", re.A)


def spaceless(c: Cursor, parameter: bool) -> Mistake:
    """The error that a declaration lacks its state space."""
    if not (parameter and c.kind == "dot" and _TYPE.fullmatch(c.word[1:])):
        return c.expected("a state space such as `.reg` or `.global`")
    fix = Fix((c.start, c.start), ".param ", "begin the parameter with `.param`")
    return c.mistake(
        c.about, f"expected a state space such as `.param`, found `{c.word}`", c.span, "expected `.param`", fix=fix
    )


def typeless(c: Cursor) -> Mistake:
    """The error that a declaration lacks its type, or the type its dot."""
    if not _TYPE.fullmatch(c.word):
        return c.expected("a type such as `.b32`")
    fix = Fix((c.start, c.start), ".", f"write `.{c.word}`", SAFE)
    return c.mistake(c.about, f"expected `.{c.word}`, found `{c.word}`", c.span, "the dot is missing", fix=fix)


def commaless(c: Cursor, message: str) -> Mistake:
    """The error that a comma is missing between the previous word and this one."""
    fix = Fix((c.last, c.last), ",", "insert a comma", SAFE)
    return c.mistake(c.about, f"{message}, found `{c.word}`", c.span, "expected `,`", fix=fix)
