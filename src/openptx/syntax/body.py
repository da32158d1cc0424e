"""Reads the statements of a body: plain ones by the statement regex, all others by the precise reader."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openptx.syntax.declare import LINKAGE, SPACES, declaration, recover
from openptx.syntax.direct import directive
from openptx.syntax.directives import Dwarf, Preprocessor
from openptx.syntax.operands import Name
from openptx.syntax.precise import instruction
from openptx.syntax.statements import BRACE, END, INSTRUCTION, LABEL, PLAIN, STATEMENT
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Block, Instruction, Label, Statement, Unreadable

if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic
    from openptx.source import File, Span

_LABELLED = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")


def read_body(file: File, body: Span) -> tuple[list[Statement], list[Diagnostic]]:
    """The statements between two offsets, blocks nested, and what is wrong with them.

    Braces that don't match are the business of whoever found the span: they are tolerated here.
    """
    text, (offset, end) = file.text, body
    found: list[Statement] = []
    problems: list[Diagnostic] = []
    outer: list[tuple[int, list[Statement]]] = []
    while match := STATEMENT.match(text, offset, end):
        kind, start, offset = match.lastindex, match.end(1), match.end()
        if kind == INSTRUCTION and PLAIN.fullmatch(match[4]):
            guard = match.span(2) if match[2] else (start, start)
            found.append(Instruction(file, (start, offset), guard, match.span(3), match.span(4)))
        elif kind == LABEL and not _LABELLED.match(text, offset, end):
            found.append(Label(file, (start, offset), Name(match[5], match.span(5))))
        elif kind == BRACE and match[6] == "{":
            outer.append((start, found))
            found = []
        elif kind == BRACE:
            if outer:
                start, inner = outer.pop()
                inner.append(Block(file, (start, offset), found))
                found = inner
        elif kind == END:
            break
        else:
            offset = read_statement(Cursor(file, start, end), found, problems)
    while outer:
        start, inner = outer.pop()
        inner.append(Block(file, (start, end), found))
        found = inner
    return found, problems


def read_statement(c: Cursor, found: list[Statement], problems: list[Diagnostic]) -> int:
    """Read one statement that is no block, and say where it ends."""
    start = c.start
    try:
        statement = _statement(c, problems)
        if statement is not None:
            found.append(statement)
    except Mistake as mistake:
        problems.append(mistake.diagnostic)
        recover(c)
        if c.last > start:
            found.append(Unreadable(c.file, (start, c.last)))
    return c.last


def _statement(c: Cursor, problems: list[Diagnostic]) -> Statement | None:
    start = c.start
    if c.take(";"):
        return None
    if c.kind == "dot":
        return _dotted(c, problems)
    if c.word in ("@@", "#"):
        return _line(c)
    if c.kind == "word":
        ahead = Cursor(c.file, c.end, c.limit)
        if ahead.word == ":":
            name = Name(c.word, c.span)
            c.advance()
            c.advance()
            if c.word in (".branchtargets", ".calltargets", ".callprototype"):
                return directive(c, name, start)
            return Label(c.file, (start, c.last), name)
    return instruction(c, problems)


def _dotted(c: Cursor, problems: list[Diagnostic]) -> Statement:
    if c.word in SPACES or c.word in LINKAGE:
        return declaration(c, problems)
    found = directive(c)
    if found is None:
        raise unknown_directive(c)
    return found


def unknown_directive(c: Cursor) -> Mistake:
    """The mistake that there is no directive of this name."""
    return c.mistake("unknown-directive", f"there is no directive `{c.word}`", c.span)


def _line(c: Cursor) -> Statement:
    """`@@DWARF ...` and `# ...` last to the end of their line."""
    start, name_span, kind = c.start, c.span, Dwarf if c.word == "@@" else Preprocessor
    end = c.file.text.find("\n", start, c.limit)
    end = c.limit if end < 0 else end
    c.seek(end)
    return kind(c.file, (start, end), "dwarf" if kind is Dwarf else "#", name_span)
